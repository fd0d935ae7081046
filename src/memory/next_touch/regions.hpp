// The table of areas that wait for a touch: searched by faulting threads, changed under a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/calls.hpp"
#include "memory/next_touch/region.hpp"
#include "memory/published.hpp"
#include "memory/reserve.hpp"

namespace lares::memory {

/// Thread safety: find() from anywhere, also from a signal handler, inside a Visit; everything else
/// from one thread at a time (the caller's lock). No memory from malloc: what a fault needs must
/// never lie in memory that a program can mark.
class Regions {
 public:
  static constexpr std::size_t capacity = 1024;

  explicit Regions(const SystemCalls& calls) noexcept;

  /// While a Visit lives, no region that it found is given to another area.
  class Visit {
   public:
    // seq_cst: a visitor that recycle() did not see must see the table without the region.
    explicit Visit(Regions& regions) noexcept : regions_(regions) {
      regions_.visitors_.fetch_add(1, std::memory_order_seq_cst);
    }
    // release: what the visitor read of a region, it read before.
    ~Visit() { regions_.visitors_.fetch_sub(1, std::memory_order_release); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    Regions& regions_;
  };

  /// The region that holds `address`, or null. O(log regions).
  [[nodiscard]] Region* find(std::uintptr_t address) const noexcept;

  /// Changes with every change of the table, after it. What another thread does to an area after it
  /// changed the table, such as closing its pages, is seen together with the new number.
  [[nodiscard]] std::uint32_t version() const noexcept {
    return version_.load(std::memory_order_acquire);  // acquire: pairs with publish()
  }

  /// A new region in state `marking`, in the table; null if there is no slot or no memory.
  /// Precondition: [begin, end) overlaps no region of the table.
  Region* add(std::uintptr_t begin, std::uintptr_t end, std::uint64_t chunk, Way way,
              Purpose purpose) noexcept;
  /// Takes a region out of the table; its slot is used again when no visitor can hold it.
  void retire(Region& region) noexcept;
  /// Gives retired slots back if there is no visitor at this moment.
  void recycle() noexcept;
  /// Forgets all regions: for the child of a fork.
  void clear() noexcept;

  /// Calls `use(region)` for each region of the table, in the order of slots.
  template <class Use>
  void for_each(Use&& use) noexcept {
    for (std::size_t i = 0; i < used_; ++i) {
      const std::uint32_t state = slots_[i].state.load(std::memory_order_acquire);
      if (state != Region::empty && state != Region::retired) use(slots_[i]);
    }
  }

 private:
  void publish() noexcept;
  void free_chunks(Region& region) noexcept;

  const SystemCalls& calls_;
  Reserve memory_;
  Region* const slots_;   ///< null if the kernel gave no memory
  std::size_t used_ = 0;  ///< slots from here on were never used; the lock's holder only
  Published<3> table_;    ///< rows (begin, end, slot); the lock's holder writes, any thread reads
  std::atomic<std::uint32_t> visitors_{0};  ///< any thread
  std::atomic<std::uint32_t> version_{0};  ///< of table_; the lock's holder, after each publication
};

}  // namespace lares::memory
