// The table of areas that wait for a touch: searched by faulting threads, changed under a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "memory/calls.hpp"
#include "memory/next_touch/quiet.hpp"
#include "memory/next_touch/region.hpp"
#include "memory/published.hpp"
#include "memory/reserve.hpp"

namespace lares::memory {

/// Thread safety: find(), next() and may_hold() from anywhere, also from a signal handler;
/// everything else by the holder of the table (Hold). No memory from malloc: what a fault needs
/// must never lie in memory that a program can mark.
class Regions {
 public:
  static constexpr std::size_t capacity = 1024;

  explicit Regions(const SystemCalls& calls) noexcept;

  /// A region that was in the table when it was found, or none. As long as this lives, its slot is
  /// given to no other area, and what it says of its area stays.
  class Found {
   public:
    Found() noexcept = default;
    explicit Found(Region* region) noexcept : region_(region) {}  ///< its user already
    Found(Found&& other) noexcept : region_(other.region_) { other.region_ = nullptr; }
    ~Found() {
      // release: what was read of the region, was read before.
      if (region_ != nullptr) region_->users.fetch_sub(1, std::memory_order_release);
    }
    Found(const Found&) = delete;
    Found& operator=(const Found&) = delete;
    Found& operator=(Found&&) = delete;

    [[nodiscard]] explicit operator bool() const noexcept { return region_ != nullptr; }
    [[nodiscard]] Region* operator->() const noexcept { return region_; }
    [[nodiscard]] Region& operator*() const noexcept { return *region_; }

   private:
    Region* region_ = nullptr;
  };

  /// Holds the table: for moments, and never while waiting for a message to be read.
  class Hold {
   public:
    explicit Hold(Regions& regions) noexcept : regions_(regions) { regions_.lock_.lock(); }
    ~Hold() { regions_.lock_.unlock(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    SignalsBlocked blocked_;
    Regions& regions_;
  };

  /// The region that holds `address`, or null. O(log regions).
  [[nodiscard]] Found find(std::uintptr_t address) noexcept;
  /// The region that holds `address`, else the first above it, or null. O(log regions).
  [[nodiscard]] Found next(std::uintptr_t address) noexcept;
  /// False for an address that lay in no region ever.
  [[nodiscard]] bool may_hold(std::uintptr_t address) const noexcept;

  /// Changes with every change of the table, after it. What another thread does to an area after it
  /// changed the table, such as closing its pages, is seen together with the new number.
  [[nodiscard]] std::uint32_t version() const noexcept {
    return version_.load(std::memory_order_acquire);  // acquire: pairs with publish()
  }

  /// A range that is to become a region.
  struct Wanted {
    std::uintptr_t begin = 0, end = 0;
    std::uint64_t chunk = 0;
    Way way = Way::protect;
    Purpose purpose = Purpose::migrate;
    Region::Putting putting = Region::Putting::closing;
    std::uintptr_t alias = 0;  ///< by_move: watched
  };
  /// A new region in state `marking`, in the table, all of its chunks aside; none if there is no
  /// slot or no memory. Precondition: it overlaps no region of the table.
  Found add(const Wanted& wanted) noexcept;
  /// A new region, not yet in the table, for a part of one that is to be taken out; of one chunk if
  /// there is no memory for more. Null only if there is no slot, of which markers leave some.
  Region* part_of(const Region& whole, std::uintptr_t from, std::uintptr_t until,
                  std::uintptr_t now_at) noexcept;
  /// Takes a region out of the table, in one step with the coming of its parts; its slot is used
  /// again when nobody uses it.
  void retire(Region& region) noexcept;
  /// Gives back the retired slots that nobody uses at this moment.
  void recycle() noexcept;
  /// Forgets all regions: for the child of a fork.
  void clear() noexcept;

  /// Calls `use(region)` for each region of the table, in the order of slots.
  template <class Use>
  void for_each(Use&& use) noexcept {
    const std::size_t used = used_;
    for (std::size_t i = 0; i < used; ++i) {
      const std::uint32_t state = slots_[i].state.load(std::memory_order_acquire);
      if (state != Region::empty && state != Region::retired) use(slots_[i]);
    }
  }

  /// For a fork: the lock is taken by one thread and given back by the same in parent and child.
  void lock() noexcept { lock_.lock(); }
  void unlock() noexcept { lock_.unlock(); }

 private:
  [[nodiscard]] Region* search(std::uintptr_t address, bool or_above) const noexcept;
  [[nodiscard]] Found use(std::uintptr_t address, bool or_above) noexcept;
  Region* take_slot(const Wanted& wanted, std::size_t most, bool always) noexcept;
  void publish() noexcept;
  void free_chunks(Region& region) noexcept;

  const SystemCalls& calls_;
  Reserve memory_;
  Region* const slots_;   ///< null if the kernel gave no memory
  std::size_t used_ = 0;  ///< slots from here on were never used; the holder only
  Published<3> table_;    ///< rows (begin, end, slot); the holder writes, any thread reads
  std::atomic<std::uint32_t> version_{0};  ///< of table_; the holder, after each publication
  std::atomic<std::uintptr_t> lowest_{UINTPTR_MAX};  ///< of all regions ever; the holder writes
  std::atomic<std::uintptr_t> highest_{0};           ///< the same
  std::mutex lock_;                                  ///< never taken by a fault
};

}  // namespace lares::memory
