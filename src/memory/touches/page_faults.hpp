// Where touches come from: the kernel's own event of page faults, which needs no privilege where
// kernel.perf_event_paranoid is 2 or less.
#pragma once

#include <linux/perf_event.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "memory/touches/perf_ring.hpp"

namespace lares::memory {

/// The system calls behind it, replaceable so that tests can play refusals. Each gives 0 or more on
/// success and -errno on failure.
struct FaultCalls {
  /// perf_event_open for the calling thread on a hardware thread: a descriptor.
  long (*open)(const perf_event_attr& wanted, int cpu) noexcept;
  long (*map)(int descriptor, std::size_t bytes) noexcept;  ///< shared: its address
  long (*unmap)(void* address, std::size_t bytes) noexcept;
  long (*close)(int descriptor) noexcept;
  long (*cpus)() noexcept;  ///< hardware threads that the machine may have, also those switched off
};
const FaultCalls& real_fault_calls() noexcept;

/// Touches of all programs that the calling thread starts after open(), with all of their threads
/// and child processes; what it touches itself does not count. There is a ring for each hardware
/// thread: a thread's events are in that of the one that it ran on, in the order of time.
///
/// Thread safety: none. No descriptor is kept. To be drained often enough that no ring fills: what
/// finds no room is lost, and counted.
class PageFaults {
 public:
  /// Must be called by the thread that will start the programs. An Error says in one sentence why
  /// the kernel refuses, and what allows it.
  static Result<PageFaults> open(const FaultCalls& calls = real_fault_calls());
  PageFaults(PageFaults&& other) noexcept;
  PageFaults& operator=(PageFaults&& other) = delete;
  ~PageFaults();

  /// Calls `sink(touch)` for what came since the last time. O(hardware threads + touches).
  template <class Sink>
  void drain(const Sink& sink) {
    for (const Ring& ring : rings_) drain_ring(ring, sink);
  }

  /// Touches that found no room until the last drain.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  /// Pages that system calls touched for a thread are seen, too; else only its own instructions'.
  [[nodiscard]] bool sees_system_calls() const noexcept { return sees_system_calls_; }

 private:
  /// The kernel writes the bytes and data_head of the page before them; this object writes
  /// data_tail.
  struct Ring {
    perf_event_mmap_page* page;
    std::size_t mapped_bytes;
    std::span<const std::byte> bytes;
  };

  explicit PageFaults(const FaultCalls& calls) noexcept : calls_(&calls) {}
  long open_all();
  long add_ring(int descriptor);

  template <class Sink>
  void drain_ring(const Ring& ring, const Sink& sink) {
    // acquire: the kernel writes records before the position behind them.
    const std::uint64_t head =
        std::atomic_ref<__u64>(ring.page->data_head).load(std::memory_order_acquire);
    PerfRing records(ring.bytes, ring.page->data_tail, head);
    while (const auto touch = records.next()) sink(*touch);
    lost_ += records.lost() + (records.is_damaged() ? 1 : 0);
    // release: the kernel may use the room once the records have been read.
    std::atomic_ref<__u64>(ring.page->data_tail).store(head, std::memory_order_release);
  }

  const FaultCalls* calls_;
  std::vector<Ring> rings_;
  std::uint64_t lost_ = 0;
  bool sees_system_calls_ = false;
};

}  // namespace lares::memory
