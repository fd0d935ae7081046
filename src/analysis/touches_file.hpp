// The file `touches` of a trace folder: which thread came first to which pages
// (`lares run --trace DIR --pages`). A head, then runs of pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/result.hpp"
#include "memory/touches/page_touch.hpp"

namespace lares::analysis {

/// The file's name in a trace folder.
inline constexpr const char* touches_file = "touches";

struct TouchesHead {
  /// "TOUCHES1": a file of another format has another last character.
  static constexpr std::uint64_t expected_magic = 0x31534548'43554f54ULL;
  std::uint64_t magic = expected_magic;
  std::uint64_t lost = 0;               ///< touches for which the kernel found no room
  std::uint64_t over_limit = 0;         ///< pages for which the trace had none
  std::uint64_t sees_system_calls = 0;  ///< 1: also what they touched for a thread
  std::uint64_t unused[4] = {};

  friend bool operator==(const TouchesHead&, const TouchesHead&) noexcept = default;
};
static_assert(sizeof(TouchesHead) == 64 && std::is_trivially_copyable_v<TouchesHead>);

/// Neighbouring pages that one thread touched one after the other.
struct TouchRun {
  static constexpr std::uint16_t no_domain = 0xFFFF;
  /// Longest time from its first touch to its last: within a run nobody knows the order.
  static constexpr std::uint64_t most_nanoseconds = 1'000'000;

  std::uint64_t begin_ns = 0;  ///< its first touch
  std::uint64_t address = 0;   ///< of its first page
  std::uint32_t process = 0;
  std::uint32_t thread = 0;  ///< the system's number
  std::uint32_t pages = 0;
  std::uint16_t domain = no_domain;  ///< where the thread ran
  std::uint16_t page_shift = 0;      ///< a page has 2^page_shift bytes

  [[nodiscard]] std::uint64_t bytes() const noexcept { return std::uint64_t{pages} << page_shift; }
  /// Behind its last page.
  [[nodiscard]] std::uint64_t end() const noexcept { return address + bytes(); }
};
static_assert(sizeof(TouchRun) == 32);
static_assert(std::is_trivially_copyable_v<TouchRun>);

/// Puts touches together to runs. Thread safety: none.
class TouchRuns {
 public:
  /// `page_shift`: of pages whose size was not told.
  explicit TouchRuns(std::uint16_t page_shift) : page_shift_(page_shift) {}
  /// Touches of one hardware thread come in the order of time. Answers the run before on that
  /// hardware thread if the touch begins another. O(log hardware threads).
  std::optional<TouchRun> add(const memory::PageTouch& touch, std::uint16_t domain);
  /// Those that are not complete; they are from then on.
  std::vector<TouchRun> take_open();

 private:
  std::uint16_t page_shift_;
  std::map<OsCpu, TouchRun> open_;
};

/// A file as it was read.
struct RecordedTouches {
  TouchesHead head;
  std::vector<TouchRun> runs;  ///< in the file's order: by time on each hardware thread only
};

/// Any bytes are allowed. An Error says what is wrong with the head; runs that make no sense are
/// left out. O(bytes).
Result<RecordedTouches> parse_touches(std::span<const std::byte> bytes);

}  // namespace lares::analysis
