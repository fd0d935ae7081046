// How much memory each node of a guest gets.
#pragma once

#include <string>
#include <vector>

#include "lab/guest.hpp"

namespace lares::lab {

/// Gives the nodes what was `asked` (one size for all, or one for each; nothing: what is `usual`
/// for each, made less in equal proportion until three quarters of `host_memory` hold it). What was
/// made less is added to `notes`. `asked` is empty, or has one or as many sizes as there are nodes.
void set_memory(std::vector<GuestNode>& nodes, const std::vector<Bytes>& asked,
                const std::vector<Bytes>& usual, Bytes host_memory,
                std::vector<std::string>& notes);

/// `size` times `numerator` / `denominator`, to the nearest 16 MiB and at least what a node that
/// has cpus (128 MiB) or has none (64 MiB) is given. 0 stays 0.
Bytes proportion(Bytes size, std::uint64_t numerator, std::uint64_t denominator, bool has_cpus);

}  // namespace lares::lab
