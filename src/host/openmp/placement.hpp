// The repair of serial initialisation, when the program starts its first parallel region.
#pragma once

#include <atomic>
#include <cstddef>

#include "memory/repair/large_area.hpp"

namespace lares::omp {

/// How many region starts still look for something to repair; 0 nearly always. Set up once, before
/// the program's main; the master threads count it down.
extern std::atomic<int> g_repair_looks;

void repair_now() noexcept;

/// The program's large allocations that live at this moment, and its large static arrays: at most
/// `room`; gives how many. Thread safe; not in a signal handler.
std::size_t find_large_areas(memory::LargeArea* areas, std::size_t room) noexcept;

/// Called by a master before the stock runtime gets its region. One load when there is nothing to
/// do.
inline void before_region() noexcept {
  if (g_repair_looks.load(std::memory_order_relaxed) > 0) [[unlikely]] {
    repair_now();
  }
}

/// Reads LARES_PLACEMENT. After the engine was set up.
void set_up_repair() noexcept;

}  // namespace lares::omp
