// What the counter in QEMU must be told: the guest's shape, and where in QEMU each node's memory
// is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "lab/guest.hpp"

namespace lares::lab {

/// Paths as QEMU sees them.
struct CounterFiles {
  std::string plugin;
  std::string map;     ///< the counter reads it when the program starts
  std::string result;  ///< the counter writes it when the program has ended, or QEMU ends
};

/// The counter's own name, beside the command or in lib/lares.
inline constexpr const char* counter_name = "lares-lab-counter.so";

/// QEMU's argument after -plugin. Errors: caches of sizes that the counter's model cannot have.
Result<std::string> counter_argument(const Guest& guest, const CounterFiles& files);

/// The text of the counter's address map. `ram_blocks` is what QEMU's monitor answers to "info
/// ramblock"; the memory of node N is the block mN. Errors: a node's block is not there.
Result<std::string> address_map(const Guest& guest, std::string_view ram_blocks);

/// Why this QEMU cannot count, from what `qemu-system-x86_64 --version` says: other versions number
/// the guest's memory in other ways, and counts of wrong nodes are worse than none.
std::optional<Error> check_version_for_counting(std::string_view version);

}  // namespace lares::lab
