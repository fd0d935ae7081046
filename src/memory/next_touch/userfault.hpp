// Linux's userfaultfd: the kernel asks user space for the pages of an area.
#pragma once

#include <atomic>
#include <cstdint>

#include "memory/calls.hpp"
#include "memory/next_touch/keeper.hpp"

namespace lares::memory {

/// One descriptor, that the program may have closed if a keeper keeps it. Functions give 0 or an
/// errno and are safe in a signal handler.
/// Thread safety: open() and close() from one thread at a time, the rest from any thread that has
/// all signals blocked.
class Userfault {
 public:
  explicit Userfault(const SystemCalls& calls, Keeper* keeper = nullptr) noexcept
      : calls_(calls), keeper_(keeper) {}
  Userfault(const Userfault&) = delete;
  Userfault& operator=(const Userfault&) = delete;

  /// Opens it, with SIGBUS to the toucher or with messages to a reader. What else happens to an
  /// area (unmapped, moved by mremap, emptied by madvise) is told by messages in both cases.
  /// EPERM where only faults in user mode may be handled and `signal` is false.
  int open(bool signal) noexcept;
  /// For the child of a fork, too, whose descriptor is its parent's. Leaves a descriptor alone that
  /// has become the program's.
  void close() noexcept;
  [[nodiscard]] int descriptor() const noexcept {
    return descriptor_.load(std::memory_order_relaxed);  // relaxed: set before any area is marked
  }
  /// Whether pages can be moved without a copy (Linux 6.8).
  [[nodiscard]] bool can_move() const noexcept { return can_move_; }
  /// Whether copies may be on the node of a thread that did not ask for them.
  [[nodiscard]] bool copied_by_keeper() const noexcept {
    return kept_.load(std::memory_order_relaxed);  // relaxed: a hint
  }

  int watch(std::uintptr_t begin, std::uint64_t bytes) const noexcept;
  int unwatch(std::uintptr_t begin, std::uint64_t bytes) const noexcept;
  /// What one request did: it may do a part, and then says no error.
  struct Done {
    std::uint64_t bytes = 0;
    int error = 0;
  };
  /// Fills absent pages at `to` with a copy of those at `from`, on the node that the calling thread
  /// allocates from. EEXIST: the first page is there. ENOENT: not all of `to` is one watched
  /// mapping. EAGAIN: a change of the program is under way, and its message is not read.
  [[nodiscard]] Done copy(std::uintptr_t to, std::uintptr_t from,
                          std::uint64_t bytes) const noexcept;
  /// Moves the pages themselves; absent ones stay absent. Errors as for copy(), and EBUSY: the
  /// first page is pinned or was shared by a fork; EINVAL: the mappings differ, or are several.
  /// Linux 6.18 says EEXIST, too, of pages that it has just moved, if a thread changed one of them
  /// meanwhile.
  [[nodiscard]] Done move(std::uintptr_t to, std::uintptr_t from,
                          std::uint64_t bytes) const noexcept;
  /// A page of zeros where there is none. EEXIST if there is one, EAGAIN while a message of the
  /// area is not read.
  int zero(std::uintptr_t to, std::uint64_t page) const noexcept;
  /// True while there is a change of the program that nobody has read yet, or whose maker has not
  /// gone on since.
  [[nodiscard]] bool has_unread_change(std::uint64_t page) const noexcept;
  /// Wakes threads that wait for these pages.
  int wake(std::uintptr_t begin, std::uint64_t bytes) const noexcept;

 private:
  [[nodiscard]] long control(unsigned long request, void* argument) const noexcept;

  const SystemCalls& calls_;
  Keeper* const keeper_;                   ///< null: none
  std::atomic<int> descriptor_{-1};        ///< open() and close(); any thread
  mutable std::atomic<bool> kept_{false};  ///< the keeper had to be asked; any thread
  bool can_move_ = false;                  ///< written by open()
};

}  // namespace lares::memory
