// The user's functions (omp_*) whose answer depends on tasks that are ours; C and Fortran forms.
#include <cstdint>

#include "host/openmp/control_variables.hpp"
#include "host/openmp/region.hpp"

namespace omp = lares::omp;
namespace runtime = lares::runtime;

namespace lares::omp {
namespace {

int is_final(const runtime::Worker& worker) noexcept {
  return worker.current->has(runtime::task_flag::final) ? 1 : 0;
}

int is_explicit(const void* caller) noexcept {
  const runtime::Worker* const worker = own_worker(caller, Abi::api);
  if (worker != nullptr) return worker->current->has(runtime::task_flag::implicit) ? 0 : 1;
  auto* const ask = real<int()>(*stock_of(caller, Abi::api), Entry::omp_in_explicit_task);
  return ask == nullptr ? 0 : ask();  // before OpenMP 5.2 the runtimes do not have it
}

// A task may only change variables of its own: what it sets is undone when it ends.
template <class... Values>
void set(const void* caller, Entry setter, Values... values) {
  if (runtime::Worker* const worker = own_worker(caller, Abi::api)) {
    remember_control_variables(*worker);
  } else {
    forget_control_variables();
  }
  Stock& stock = *stock_of(caller, Abi::api);
  tools::start_tool_if_named(stock);
  real<void(Values...)>(stock, setter)(values...);
}

}  // namespace
}  // namespace lares::omp

// NOLINTBEGIN: the names and types are OpenMP's.
LARES_EXPORT int omp_in_final() {
  LARES_OWN_WORKER_OR_FORWARD(omp_in_final);
  return omp::is_final(*worker);
}
LARES_EXPORT int omp_in_final_() {
  LARES_OWN_WORKER_OR_FORWARD(omp_in_final);
  return omp::is_final(*worker);
}

LARES_EXPORT int omp_in_explicit_task() { return omp::is_explicit(__builtin_return_address(0)); }
LARES_EXPORT int omp_in_explicit_task_() { return omp::is_explicit(__builtin_return_address(0)); }

// Tasks made outside of our teams are the stock runtime's, and so are their events.
LARES_EXPORT void omp_fulfill_event(std::uintptr_t event) {
  if (omp::owns_event(event)) return runtime::fulfil(omp::task_of_event(event));
  LARES_REAL_BY_CALLER(omp_fulfill_event);
  omp_fulfill_event_real(event);
}
LARES_EXPORT void omp_fulfill_event_(std::uintptr_t event) { omp_fulfill_event(event); }

#define LARES_SETTER(name)                                                             \
  LARES_EXPORT void name(int value) {                                                  \
    omp::set(__builtin_return_address(0), omp::Entry::name, value);                    \
  }                                                                                    \
  LARES_EXPORT void name##_(const std::int32_t* value) {                               \
    omp::set(__builtin_return_address(0), omp::Entry::name, static_cast<int>(*value)); \
  }                                                                                    \
  LARES_EXPORT void name##_8_(const std::int64_t* value) {                             \
    omp::set(__builtin_return_address(0), omp::Entry::name, static_cast<int>(*value)); \
  }                                                                                    \
  static_assert(true)
LARES_SETTER(omp_set_num_threads);
LARES_SETTER(omp_set_dynamic);
LARES_SETTER(omp_set_nested);
LARES_SETTER(omp_set_max_active_levels);
LARES_SETTER(omp_set_default_device);

LARES_EXPORT void omp_set_schedule(int kind, int chunk) {
  omp::set(__builtin_return_address(0), omp::Entry::omp_set_schedule, kind, chunk);
}
LARES_EXPORT void omp_set_schedule_(const std::int32_t* kind, const std::int32_t* chunk) {
  omp::set(__builtin_return_address(0), omp::Entry::omp_set_schedule, static_cast<int>(*kind),
           static_cast<int>(*chunk));
}
LARES_EXPORT void omp_set_schedule_8_(const std::int32_t* kind, const std::int64_t* chunk) {
  omp::set(__builtin_return_address(0), omp::Entry::omp_set_schedule, static_cast<int>(*kind),
           static_cast<int>(*chunk));
}
// NOLINTEND
