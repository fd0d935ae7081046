// Pages that a thread of the program may be about to empty.
//
// The kernel tells of an emptying (madvise) before it is done: whoever reads the message lets that
// thread go on, and nobody tells when it has emptied its pages. If such a page were put aside in
// between, the emptying would hit nothing, and the page would come back with what it held. So it
// stays where it is.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/calls.hpp"

namespace lares::memory {

/// Whole pages [begin, end).
struct PageSpan {
  std::uintptr_t begin = 0, end = 0;
  [[nodiscard]] bool empty() const noexcept { return begin >= end; }
};

/// What is noted of one way's messages. A range is forgotten when one of its pages is seen absent:
/// then its emptying has begun, with the kernel's lock on the address space, and whoever wants the
/// lock for writing, as each marker does, gets it when all of the range is empty. It is forgotten,
/// too, when the process has run for so long since that the thread has had its turn: of what
/// MADV_FREE was said, the kernel takes nothing away at once.
class Emptying {
 public:
  Emptying(const SystemCalls& calls, std::uint64_t page) noexcept : calls_(calls), page_(page) {}

  /// An emptying of [begin, end) has been told. By the holder of the table, with the gate closed.
  void note(std::uintptr_t begin, std::uintptr_t end) noexcept;
  /// Absent pages of [begin, end) have been filled. Inside the gate, or with it closed.
  void filled(std::uintptr_t begin, std::uintptr_t end) noexcept;
  /// The first part of [begin, end) that may still be emptied; empty: none. By the holder of the
  /// table.
  PageSpan first_in(std::uintptr_t begin, std::uintptr_t end) noexcept;
  /// In the child of a fork, where such threads do not exist.
  void clear() noexcept;

 private:
  /// Pages that were there when the message was read. Free if `end` is 0.
  struct Slot {
    // note() writes where nobody else is; then anybody inside the gate may set `end` to 0.
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<std::int64_t> since{0};  ///< nanoseconds that the process had run
  };
  static constexpr std::size_t slots = 64;

  void add(std::uintptr_t begin, std::uintptr_t end) noexcept;
  bool is_over(const Slot& slot) const noexcept;

  const SystemCalls& calls_;
  const std::uint64_t page_;
  std::atomic<std::size_t> noted_{0};  ///< slots that may be taken; 0: none. note() and first_in()
  /// The last one stands for all that did not fit: from the lowest to the highest of them.
  std::array<Slot, slots> slots_;
};

}  // namespace lares::memory
