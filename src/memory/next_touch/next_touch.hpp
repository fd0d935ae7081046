// Memory that goes to whoever touches it next.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <mutex>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/maps.hpp"
#include "memory/next_touch/carrier.hpp"
#include "memory/next_touch/fault_signals.hpp"
#include "memory/next_touch/follower.hpp"
#include "memory/next_touch/marker.hpp"
#include "memory/next_touch/monitor.hpp"
#include "memory/next_touch/region.hpp"
#include "memory/next_touch/shared.hpp"
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
  Bytes bytes;    ///< that are marked now: the whole pages inside the range, less those in `left`
  Bytes left;     ///< stay where they are: pinned, say; they can be used as before
  Way way{};      ///< how they are marked
  int error = 0;  ///< 0, or the errno with which the kernel refused the range
};

/// What was done so far. Sums since the start of the process.
struct NextTouchCounts {
  std::uint64_t areas = 0;        ///< marked
  std::uint64_t chunks = 0;       ///< that were touched and fetched
  std::uint64_t pages = 0;        ///< in them, but for samples
  std::uint64_t nanoseconds = 0;  ///< that fetching them took, of all threads together
  std::uint64_t settled = 0;      ///< chunks that were put back without a touch
  std::uint64_t sampled = 0;      ///< pages that were touched, and stayed where they lay
};

/// Next touch (ForestGOMP 3.3 and 3.4: mami_migrate_on_next_touch, mami_attach_on_next_touch;
/// Schmidl 2016, 3.3.2: next_touch). Of a marked range, each chunk goes to the node of the thread
/// that reads or writes it first; the program sees its bytes unchanged at all times. The protocol
/// stands in region.hpp.
///
/// What ends a mark: fork (what is aside comes back before it, and parent and child go on without
/// marks; not for a raw clone() or _Fork(), which run no handlers), munmap, madvise that empties,
/// and the end of the process. mremap takes the mark along. Under Way::protect, munmap and madvise
/// are safe too, but mremap and realloc of a marked range are not: settle() it before.
///
/// Not to be marked: memory of other processes, and stacks of running threads; before Linux 6.8
/// also memory that a device writes to (pinned, registered with a network card, direct input). A
/// thread that has SIGSEGV or SIGBUS blocked may only touch areas of Way::userfault_thread.
///
/// Thread safety: every function from any thread; those that touch marked memory need no care. None
/// may be called in a signal handler.
/// Memory: 4 bytes per chunk. Pages move (from Linux 6.8 on) or are copied 2 MiB at a time.
class NextTouch : private Listener {
 public:
  NextTouch(const SystemCalls& calls, const Nodes& nodes, Bytes page,
            const MapsSource& maps = real_maps()) noexcept;
  ~NextTouch();
  NextTouch(const NextTouch&) = delete;
  NextTouch& operator=(const NextTouch&) = delete;

  /// Marks the whole pages inside [address, address + length): bytes of others on the pages at the
  /// ends are left alone. What is marked already is put back and marked anew. The range must be
  /// private, readable and writable, and neither executable nor of hugetlbfs. O(pages).
  Marked mark(std::uintptr_t address, Bytes length, const NextTouchOptions& options) noexcept;

  /// Puts the chunks of the range back where they can be used, without moving them to anybody if
  /// the kernel can (Linux 6.8), else by a copy on the calling thread's node. 0, or the errno with
  /// which the kernel refused a part: that waits for its touch as before.
  int settle(std::uintptr_t address, Bytes length) noexcept;

  /// Before a range is unmapped, whose bytes nobody needs any more: none is brought back.
  void before_unmap(std::uintptr_t address, Bytes length) noexcept;

  /// Touches each chunk of the range for the calling thread, so that a system call may use it.
  void touch(std::uintptr_t address, Bytes length) noexcept;

  /// True if a byte of the range still waits for its touch.
  [[nodiscard]] bool waits(std::uintptr_t address, Bytes length) noexcept;

  /// How many chunks of the range are on their way at this moment.
  [[nodiscard]] std::size_t busy_chunks(std::uintptr_t address, Bytes length) noexcept;

  /// Neighbours that the same touched.
  struct Touched {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    DomainId domain;
    OsCpu cpu;  ///< of the first of them; invalid where nobody asked
  };
  enum class Same : std::uint8_t { domain, cpu };
  /// Tells who touched which chunk of the areas that are in the table, and takes those out of which
  /// everything was touched. Neighbours of the `same` are joined.
  using Take = void (*)(void* argument, const Touched& touched) noexcept;
  void collect(Take take, void* argument, Same same = Same::domain) noexcept;

  [[nodiscard]] NextTouchCounts counts() const noexcept;

  /// For pthread_atfork, in this order. Between the first and the others, this thread holds locks.
  void before_fork() noexcept;
  void after_fork_in_parent() noexcept;
  void after_fork_in_child() noexcept;

 private:
  int touched(Way way, std::uintptr_t address, pid_t thread) noexcept override;
  int unmapped(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept override;
  int emptied(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept override;
  int moved(Way way, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to) noexcept override;

  static bool on_fault(void* self, const Fault& fault) noexcept;
  bool fault(const Fault& fault) noexcept;
  bool stray_fault(const Fault& fault, std::uint32_t version) noexcept;
  bool is_usable(const Fault& fault) noexcept;
  bool is_forbidden_to_write(std::uintptr_t address) noexcept;
  int fetch(Way way, std::uintptr_t address, pid_t thread) noexcept;
  int stray_touch(Way way, std::uintptr_t page) noexcept;
  Toucher toucher_of(pid_t thread) noexcept;
  void prefer_node(const Region& region, std::uint32_t index, Toucher& toucher) noexcept;
  [[nodiscard]] OsNode node_of_page(std::uintptr_t page) const noexcept;

  int prepare(Way way) noexcept;
  int open(Way way) noexcept;
  Marked mark_pages(const Area& area, WantedWay wanted) noexcept;
  [[nodiscard]] std::size_t count_chunks(std::uintptr_t address, Bytes length,
                                         std::uint32_t state) noexcept;
  void open_gates() noexcept;
  void give_child_its_pages() noexcept;
  [[nodiscard]] bool is_back(const Region& region, std::uintptr_t at) const noexcept;
  void make_own(std::uintptr_t begin, std::uintptr_t end) noexcept;

  Shared shared_;
  Carrier carrier_;
  Marker marker_;
  Follower follower_;
  int by_thread_refusal_ = 0;  ///< the errno with which the kernel refused it; the marker's, both
  int by_signal_refusal_ = 0;
  Monitor by_thread_monitor_;
  Monitor by_signal_monitor_;
  sigset_t mask_before_fork_{};  ///< of the thread that forks; it holds both locks
  std::mutex marking_;           ///< one marker at a time, and none during a fork
};

}  // namespace lares::memory
