// Memory that goes to whoever touches it next.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/maps.hpp"
#include "memory/next_touch/monitor.hpp"
#include "memory/next_touch/region.hpp"
#include "memory/next_touch/regions.hpp"
#include "memory/next_touch/userfault.hpp"
#include "memory/nodes.hpp"

namespace lares::memory {

/// Which way to use. `automatic`: the first of userfault_thread, userfault_signal, protect that
/// the kernel allows for the area.
enum class WantedWay : std::uint8_t { automatic, userfault_thread, userfault_signal, protect };

struct NextTouchOptions {
  Bytes chunk{std::uint64_t{64} * 4096};  ///< bytes that move as one, rounded up to pages; 0: all
  Purpose purpose = Purpose::migrate;
  WantedWay way = WantedWay::automatic;
};

/// What mark() did.
struct Marked {
  Bytes bytes;    ///< that wait for their touch now: whole pages inside the range
  Way way{};      ///< how; of several pieces, that of the last
  int error = 0;  ///< 0, or the first errno with which the kernel refused a part of the range
};

/// What was done so far. Sums since the start of the process.
struct NextTouchCounts {
  std::uint64_t areas = 0;        ///< marked
  std::uint64_t chunks = 0;       ///< that were touched and fetched
  std::uint64_t pages = 0;        ///< in them
  std::uint64_t nanoseconds = 0;  ///< that fetching them took, of all threads together
  std::uint64_t settled = 0;      ///< chunks that were put back without a touch
};

/// Next touch (ForestGOMP 3.3 and 3.4: mami_migrate_on_next_touch, mami_attach_on_next_touch;
/// Schmidl 2016, 3.3.2: next_touch). Of a marked range, each chunk goes to the node of the thread
/// that reads or writes it first; the program sees its bytes unchanged at all times.
///
/// What ends a mark without a loss: fork (all chunks are put back before it, and parent and child
/// go on without marks; not for a raw clone() or _Fork(), which run no handlers), munmap, mremap,
/// madvise (userfaultfd tells of them), free() that does any of these, and the end of the process.
/// Under Way::protect, munmap is safe too, but mremap and realloc of a marked range are not:
/// settle() it before.
///
/// Not to be marked: memory that a device writes to (pinned, registered with a network card),
/// memory of other processes, and stacks of running threads. A thread that has SIGSEGV or SIGBUS
/// blocked may only touch areas of Way::userfault_thread.
///
/// Thread safety: every function from any thread; those that touch marked memory need no care.
/// Memory: 4 bytes per chunk, and twice the area's untouched part under no circumstances: pages lie
/// aside, not copied, until their touch.
class NextTouch : private Listener {
 public:
  NextTouch(const SystemCalls& calls, const Nodes& nodes, Bytes page,
            const MapsSource& maps = real_maps()) noexcept;
  ~NextTouch();
  NextTouch(const NextTouch&) = delete;
  NextTouch& operator=(const NextTouch&) = delete;

  /// Marks the whole pages inside [address, address + length): bytes of others on the pages at the
  /// ends are left alone. What is marked already is put back and marked anew. The range must be
  /// private, readable and writable. O(chunks); hundreds of microseconds.
  Marked mark(std::uintptr_t address, Bytes length, const NextTouchOptions& options) noexcept;

  /// Puts the chunks of the range back where they can be used, without moving them to anybody if
  /// the kernel can (Linux 6.8), else by a copy on the calling thread's node.
  void settle(std::uintptr_t address, Bytes length) noexcept;

  /// Touches each chunk of the range for the calling thread, so that a system call may use it.
  void touch(std::uintptr_t address, Bytes length) noexcept;

  /// True if a byte of the range still waits for its touch.
  [[nodiscard]] bool waits(std::uintptr_t address, Bytes length) noexcept;

  /// How many chunks of the range are on their way at this moment.
  [[nodiscard]] std::size_t busy_chunks(std::uintptr_t address, Bytes length) noexcept;

  /// Tells who touched which chunk of the areas that are in the table, and takes those out of which
  /// everything was touched. `take(argument, begin, end, domain)`, neighbours of one domain joined.
  using Take = void (*)(void* argument, std::uintptr_t begin, std::uintptr_t end,
                        DomainId domain) noexcept;
  void collect(Take take, void* argument) noexcept;

  [[nodiscard]] NextTouchCounts counts() const noexcept;

  /// For pthread_atfork, in this order. Between the first and the others, this thread holds a lock.
  void before_fork() noexcept;
  void after_fork_in_parent() noexcept;
  void after_fork_in_child() noexcept;

 private:
  class Quiet;
  struct Area {
    std::uintptr_t begin = 0, end = 0;
    std::uint64_t chunk = 0;
    Purpose purpose = Purpose::migrate;
  };
  struct Toucher {
    DomainId domain;
    bool fetches = false;  ///< false: the chunk is only put back
    bool waits = true;     ///< for a chunk that another thread is busy with; else EAGAIN
  };

  int touched(Userfault& source, std::uintptr_t address, pid_t thread) noexcept override;
  int unmapped(Userfault& source, std::uintptr_t begin, std::uintptr_t end) noexcept override;
  int emptied(std::uintptr_t begin, std::uintptr_t end) noexcept override;
  int moved(Userfault& source, std::uintptr_t begin, std::uintptr_t end,
            std::uintptr_t to) noexcept override;

  static bool on_fault(void* self, int signal, std::uintptr_t address) noexcept;
  bool fault(int signal, std::uintptr_t address) noexcept;
  int zero_unmarked(Way way, std::uintptr_t page) noexcept;
  bool stray_fault(int signal, std::uintptr_t page, std::uint32_t version) noexcept;
  [[nodiscard]] Monitor& monitor_of(Way way) noexcept {
    return way == Way::userfault_thread ? by_thread_monitor_ : by_signal_monitor_;
  }
  [[nodiscard]] Userfault& userfault_of(Way way) noexcept {
    return way == Way::userfault_thread ? by_thread_ : by_signal_;
  }

  [[nodiscard]] bool busy() const noexcept {
    return by_thread_monitor_.busy() || by_signal_monitor_.busy();
  }
  void count(const Region& region, std::uint32_t index, std::int64_t nanoseconds) noexcept;

  // Marking; the lock is held.
  int prepare(Way way) noexcept;
  int mark_piece(const Area& area, Way way) noexcept;
  int mark_once(const Area& area, Way way) noexcept;
  int put_aside(Region& region) noexcept;
  int forbid(const Region& region) noexcept;
  void retire_overlap(std::uintptr_t begin, std::uintptr_t end) noexcept;

  // Bringing back; from any thread.
  int settle_chunk(Region& region, std::uint32_t index, const Toucher& toucher) noexcept;
  int carry(const Region& region, std::uintptr_t begin, std::uintptr_t end,
            const Toucher& toucher) noexcept;
  int carry_pages(const Region& region, std::uintptr_t to, std::uintptr_t from, std::uint64_t bytes,
                  bool stay) noexcept;
  int allow(const Region& region, std::uintptr_t begin, std::uintptr_t end,
            const Toucher& toucher) noexcept;
  void settled(Region& region, std::uint32_t index, DomainId domain) noexcept;
  bool settle_overlap(std::uintptr_t begin, std::uintptr_t end, bool whole, bool last) noexcept;
  void settle_until_done(std::uintptr_t begin, std::uintptr_t end, bool whole) noexcept;
  [[nodiscard]] std::size_t count_chunks(std::uintptr_t address, Bytes length,
                                         std::uint32_t state) noexcept;
  void allow_overlap(const Region& region, std::uintptr_t begin, std::uintptr_t end) noexcept;
  void drop(Region& region, std::uint32_t index) noexcept;
  int allow_pages(std::uintptr_t begin, std::uintptr_t end) noexcept;
  int pages_went(const Userfault& source, std::uintptr_t begin, std::uintptr_t end,
                 const std::uintptr_t* to) noexcept;
  int chunk_went(Region& region, std::uint32_t index, std::uintptr_t begin, std::uintptr_t end,
                 const std::uintptr_t* to) noexcept;

  const SystemCalls calls_;
  const Nodes& nodes_;
  const std::uint64_t page_;
  const MapsSource maps_;
  Regions regions_;
  Userfault by_thread_;
  Userfault by_signal_;
  Monitor by_thread_monitor_;
  Monitor by_signal_monitor_;
  sigset_t mask_before_fork_{};  ///< of the thread that forks; it holds the lock
  std::mutex lock_;              ///< of marking, putting back and messages; never taken by a fault

  // Any thread, relaxed: statistics.
  std::atomic<std::uint64_t> areas_{0};
  std::atomic<std::uint64_t> chunks_{0};
  std::atomic<std::uint64_t> pages_{0};
  std::atomic<std::uint64_t> nanoseconds_{0};
  std::atomic<std::uint64_t> settled_{0};
};

}  // namespace lares::memory
