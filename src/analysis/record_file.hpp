// Reads what the threads of a recorded program wrote down (runtime/record_format.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/record_format.hpp"

namespace lares::analysis {

struct RecordedAccess {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;        ///< 0: not told
  std::uint64_t mapping_end = 0;  ///< 0: not known
  std::uint64_t home = 0;         ///< runtime::record_home_not_asked and its like
  runtime::RecordMode mode = runtime::RecordMode::in;
};

struct RecordedEvent {
  runtime::RecordKind kind = runtime::RecordKind::none;
  std::uint32_t argument = 0;
  std::uint32_t access_count = 0;
  std::size_t first_access = 0;
  std::uint64_t at = 0;  ///< nanoseconds
  std::uint64_t words[3] = {};
};

/// One thread's file, in the order of time.
struct RecordedStream {
  std::uint32_t pid = 0;
  std::uint32_t number = 0;
  bool full = false;  ///< what came later is missing
  std::vector<RecordedEvent> events;
  std::vector<RecordedAccess> accesses;
};

/// Any bytes are allowed. An error says what is wrong with the head; events that make no sense end
/// what is read of their window. O(bytes).
Result<RecordedStream> parse_record(std::span<const std::byte> bytes);

/// Every `record.<pid>.<n>` of a session directory that can be read, by process and number.
std::vector<RecordedStream> read_records(const std::string& directory);

}  // namespace lares::analysis
