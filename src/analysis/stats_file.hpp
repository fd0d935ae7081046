// Reads what the preloaded library of each process left in the session directory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/run_stats.hpp"
#include "base/result.hpp"

namespace lares::analysis {

/// Reads a counters file (runtime/counters.hpp) from its bytes. Any bytes are allowed: an error
/// says what is wrong, and text that is accepted holds printable UTF-8 only. O(bytes).
Result<ProcessStats> parse_stats(std::span<const std::byte> bytes);

/// Every `stats.<pid>` of a session directory. Files that are damaged, foreign or unreadable are
/// left out and counted: a crashed process must not hide what the others did.
struct SessionStats {
  std::vector<ProcessStats> processes;
  std::size_t damaged = 0;
};
SessionStats read_session(const std::string& directory);

/// `text` with every control character and every byte that is not UTF-8 replaced by '?', so that a
/// program cannot send escape sequences to the terminal through its name.
std::string printable(std::string text);

}  // namespace lares::analysis
