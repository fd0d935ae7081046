// What both front ends share of worksharing loops: which are ours, and how they are described.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "host/openmp/region.hpp"
#include "runtime/loops.hpp"

namespace lares::omp {

/// True if a team of this runtime may have loops of ours. Cancelling a loop is a matter of the
/// runtime whose constructs are cancelled: where that is on, its loops are its own.
inline bool schedules_loops(const Stock& stock) noexcept {
  return runtime::Engine::instance().loops().numa && !stock.cancellable;
}

inline bool schedules_loops(const runtime::Worker& worker) noexcept {
  return schedules_loops(stock_of(worker));
}

/// True if the construct that ends is a loop of ours, of which the stock runtime knows nothing.
inline bool ends_own_loop(runtime::Worker& worker) noexcept {
  return std::exchange(worker.in_own_loop, false);
}

/// How many times a loop from `first` by `step` runs that goes on while it is before `end`: `up`
/// says in which direction. O(1), without overflow, in the unsigned type of the variable's size.
template <class Unsigned>
constexpr std::uint64_t trips_before(bool up, Unsigned distance, Unsigned step) noexcept {
  static_assert(std::is_unsigned_v<Unsigned>);
  const auto stride = up ? step : static_cast<Unsigned>(Unsigned{0} - step);
  if (distance == 0 || stride == 0) return 0;
  return static_cast<std::uint64_t>((distance - 1) / stride) + 1;
}

/// run-sched-var of the calling thread's task, as a program reads it.
struct RuntimeSchedule {
  static constexpr unsigned monotonic = 0x80000000U;
  static constexpr unsigned dynamic_kind = 2;
  static constexpr unsigned guided_kind = 3;

  explicit RuntimeSchedule(Stock& stock) noexcept {
    real<void(unsigned*, int*)>(stock, Entry::omp_get_schedule)(&kind, &chunk);
  }
  [[nodiscard]] bool is_ours() const noexcept {
    return kind == dynamic_kind || kind == guided_kind;  // without the bit
  }
  void apply_to(runtime::LoopRequest& request) const noexcept {
    request.guided = kind == guided_kind;
    request.chunk = chunk > 0 ? static_cast<std::uint64_t>(chunk) : 1;
    request.left_to_stock = !is_ours();
    request.by_variable = true;
  }

  unsigned kind = 0;
  int chunk = 0;
};

}  // namespace lares::omp
