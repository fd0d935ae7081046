#include "host/openmp/placed_region.hpp"

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
  region_.binding_.leave(number_);
}

}  // namespace lares::omp
