// The pieces of data that a recorded program named: how long each is, and where it was at first.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "analysis/record_file.hpp"

namespace lares::analysis {

/// A block is what starts at one address, as dependences tell data apart.
struct RecordedBlock {
  std::uint64_t bytes = 0;
  std::int64_t home = -1;  ///< domain, or -1: no page was there yet, or nobody knows
};

/// By address.
using RecordedBlocks = std::unordered_map<std::uint64_t, RecordedBlock>;

/// Bytes are the most that the program told of an address. Where it told none, as GCC's programs
/// do: up to the next address in the same mapping, at most as far as from the one before for the
/// last; 0 where that is not known either. Homes are those of the first time. `streams` are those
/// of one process. O(accesses log accesses).
RecordedBlocks find_blocks(std::span<const RecordedStream> streams);

}  // namespace lares::analysis
