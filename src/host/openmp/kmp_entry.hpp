// What every KMP entry point asks first: is this call ours, and if not, whose?
#pragma once

#include <cstdint>

#include "host/openmp/kmp_abi.hpp"
#include "host/openmp/last_left.hpp"
#include "host/openmp/region.hpp"

namespace lares::omp::kmp {

struct SerialRegion;

/// Where the calls of one entry point went last that came from one place of the code and were not
/// ours. What code means changes only when it is unloaded.
struct LastForward {
  const void* caller = nullptr;
  void* function = nullptr;
  std::uint32_t unloads = 0;

  [[nodiscard]] bool is_for(const void* from) const noexcept {
    return from == caller && unloads == g_unloads.load(std::memory_order_relaxed);
  }
};

/// What this front end remembers of a thread. Only that thread touches it.
struct ThreadMemory {
  Stock* stock = nullptr;          ///< the libomp that it last entered a region of
  SerialRegion* serial = nullptr;  ///< innermost serialised region
  std::int32_t gtid = -1;          ///< its number in the libomp of the innermost region; -1 unknown
  /// Between an entry point's choice and the function that is chosen: what was found out for it.
  Stock* forking = nullptr;
  runtime::RegionHint* hint = nullptr;
  LastLeft left;              ///< of regions with few captured variables
  void* left_fork = nullptr;  ///< the function that opened it
  /// The same of the region that was placed last, for any number of times.
  const void* placed = nullptr;
  Stock* placed_stock = nullptr;
  runtime::RegionHint* placed_hint = nullptr;
  std::uint32_t placed_news = 0;
  LastForward barrier;
};
__attribute__((tls_model("initial-exec"))) inline constinit thread_local ThreadMemory t_memory;

/// See omp::own_worker.
inline runtime::Worker* own_worker(const void* caller) noexcept {
  return omp::own_worker(caller, Abi::kmp);
}

/// The runtime that a call is forwarded to. Calls from inside libomp are answered without
/// stock_of(address), whose memory of the last answer they would spoil; so are those that return to
/// this library, of bodies whose last call it is.
inline Stock& stock_of_caller(const void* caller) noexcept {
  Stock* const last = t_memory.stock;
  if (last != nullptr && (last->contains(caller) || is_own_code(caller))) return *last;
  return *stock_of(caller, Abi::kmp);
}

/// The calling thread's global number in the libomp of `worker`'s team.
inline std::int32_t gtid_of(runtime::Worker& worker) noexcept {
  if (t_memory.gtid >= 0) return t_memory.gtid;
  return real<decltype(__kmpc_global_thread_num)>(stock_of(worker),
                                                  Entry::__kmpc_global_thread_num)(nullptr);
}

/// The stock function for the entry point `name`, as the caller of it would have reached it.
#define LARES_KMP_REAL(name)          \
  ::lares::omp::real<decltype(name)>( \
      ::lares::omp::kmp::stock_of_caller(__builtin_return_address(0)), ::lares::omp::Entry::name)

/// Declares `worker`, or forwards the call and returns.
#define LARES_KMP_WORKER_OR_FORWARD(name, ...)                    \
  ::lares::runtime::Worker* const worker =                        \
      ::lares::omp::kmp::own_worker(__builtin_return_address(0)); \
  if (worker == nullptr) return LARES_KMP_REAL(name)(__VA_ARGS__)

}  // namespace lares::omp::kmp
