#include "host/openmp/placed_region.hpp"

#include <sched.h>

#include "base/clock.hpp"
#include "base/tick_rate.hpp"
#include "runtime/spinlock.hpp"

namespace lares::omp {

PlacedRegion::PlacedRegion(Stock& stock, runtime::RegionHint& hint, void* body) noexcept
    : hint_(hint),
      binding_(runtime::this_thread()->system_id.load(std::memory_order_relaxed),
               makes_threads_anew(stock)),
      seating_(binding_.last_seating()),
      placed_(binding_.chosen_before()) {
  if (seating_ == nullptr) seating_ = &own_seating_;
  const Seating now{binding_.members(), binding_.chosen_before(), this, &stock, body};
  if (*seating_ != now) *seating_ = now;
}

void PlacedRegion::choose(std::size_t size) noexcept {
  if (!choosing_.exchange(true, std::memory_order_relaxed)) {
    binding_.choose(size);
    placed_.store(size, std::memory_order_release);
    return;
  }
  runtime::spin_until([&] { return placed_.load(std::memory_order_acquire) == size; });
}

/// libgomp's join spins for a few rounds only, and threads that share a core wake each other dearly
/// in both runtimes: so the team waits for itself first, for as long as short regions take.
bool PlacedRegion::needs_to_meet(Stock& stock) noexcept {
  return !stock.is_libomp() || bubbles::g_crowded.load(std::memory_order_relaxed);
}

bool PlacedRegion::meet() noexcept {
  constexpr std::uint64_t longest_us = 50;
  constexpr int spins_a_look = 64;
  const bool crowded = bubbles::g_crowded.load(std::memory_order_relaxed);
  const std::size_t size = placed_.load(std::memory_order_relaxed);  // read before by this thread
  // relaxed throughout: the stock runtime's join orders what the threads have done.
  std::size_t arrived = arrived_.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::uint64_t start = ticks();
  for (int spins = 1; arrived < size; ++spins) {
    if (crowded) {
      sched_yield();
    } else {
      runtime::relax();
    }
    arrived = arrived_.load(std::memory_order_relaxed);
    const bool looks = crowded || spins % spins_a_look == 0;
    if (looks && ticks() - start > longest_us * ticks_per_microsecond()) {
      while (arrived < size) {
        const std::size_t marked = arrived | late;
        if (arrived_.compare_exchange_weak(arrived, marked, std::memory_order_relaxed)) {
          arrived = marked;
        }
      }
    }
  }
  return arrived == size;
}

void PlacedRegion::enter(std::size_t number, std::size_t size) noexcept {
  // acquire: the binding is chosen.
  if (placed_.load(std::memory_order_acquire) != size) [[unlikely]]
    choose(size);
  binding_.enter(number);
}

PlacedRegion::Part::Part(const Seating& seating, std::size_t number) noexcept
    : region_(seating.region), stock_(seating.stock), outer_(t_placed_region), number_(number) {
  const auto size = static_cast<std::size_t>(stock_->num_threads());
  as_member_ = number != 0 && seating.size == size;
  if (as_member_) {
    region_->binding_.enter_as(*seating.members[number]);
  } else {
    region_->enter(number, size);
  }
  t_placed_region = region_;
}

PlacedRegion::Part::~Part() {
  t_placed_region = outer_;
  // Who has met waits no longer: nobody is idle.
  if (needs_to_meet(*stock_) && !region_->meet()) region_->binding_.rest();
  if (as_member_) {
    TeamBinding::leave_own();
  } else {
    region_->binding_.leave(number_);
  }
}

}  // namespace lares::omp
