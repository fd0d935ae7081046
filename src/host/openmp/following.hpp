// `--placement follow`: data goes once to the domains that use it again and again. And its looks
// are what `--bind by-data` goes by.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/openmp/stock.hpp"
#include "runtime/engine.hpp"
#include "runtime/team.hpp"

namespace lares::omp {

/// Reads LARES_PLACEMENT. After the engine and the binding were set up.
void set_up_following() noexcept;

/// A region outside of all others is about to start.
void tell_of_region(Stock& stock, const void* code) noexcept;

/// Called by a master before the stock runtime gets its region. One load when nobody listens.
inline void before_repeated_region(Stock& stock, const void* code) noexcept {
  if (runtime::Engine::is_stable_work_awaited()) [[unlikely]] {
    tell_of_region(stock, code);
  }
}

}  // namespace lares::omp
