#include "host/openmp/placed_region.hpp"

#include <sched.h>

#include "base/clock.hpp"
#include "runtime/spinlock.hpp"

namespace lares::omp {

PlacedRegion::PlacedRegion(Stock& stock, runtime::RegionHint& hint) noexcept
    : stock_(stock),
      hint_(hint),
      binding_(runtime::this_thread()->system_id.load(std::memory_order_relaxed)),
      placed_(binding_.chosen_before()) {}

void PlacedRegion::choose(std::size_t size) noexcept {
  if (!choosing_.exchange(true, std::memory_order_relaxed)) {
    binding_.choose(size);
    placed_.store(size, std::memory_order_release);
    return;
  }
  runtime::spin_until([&] { return placed_.load(std::memory_order_acquire) == size; });
}

/// libgomp's join spins for a few rounds only, and threads that share a core wake each other dearly
/// in both runtimes: so the team waits here first, for as long as short regions take.
void PlacedRegion::meet() noexcept {
  constexpr std::int64_t longest = 50'000;
  constexpr int spins_a_look = 64;
  const bool crowded = bubbles::g_crowded.load(std::memory_order_relaxed);
  if (!crowded && stock_.is_libomp()) return;
  const std::size_t size = placed_.load(std::memory_order_relaxed);  // read before by this thread
  // relaxed: the stock runtime's join orders what the threads have done.
  if (arrived_.fetch_add(1, std::memory_order_relaxed) + 1 == size) return;
  const std::int64_t end = now().count + longest;
  for (int spins = 1; arrived_.load(std::memory_order_relaxed) < size; ++spins) {
    if (crowded) {
      sched_yield();
    } else {
      runtime::relax();
    }
    if ((crowded || spins % spins_a_look == 0) && now().count > end) return;
  }
}

PlacedRegion::Part::Part(PlacedRegion& region, std::size_t number) noexcept
    : region_(region), outer_(t_placed_region), number_(number) {
  const auto size = static_cast<std::size_t>(region.stock_.num_threads());
  // acquire: the binding is chosen.
  if (region.placed_.load(std::memory_order_acquire) != size) [[unlikely]]
    region.choose(size);
  region.binding_.enter(number);
  t_placed_region = &region;
}

PlacedRegion::Part::~Part() {
  t_placed_region = outer_;
  region_.binding_.rest();
  region_.meet();
  region_.binding_.leave(number_);
}

}  // namespace lares::omp
