// The user's functions (omp_*) whose answer depends on tasks that are ours; C and Fortran forms.
#include <cstdint>

#include "host/openmp/control_variables.hpp"
#include "host/openmp/region.hpp"

namespace omp = lares::omp;
namespace runtime = lares::runtime;

// NOLINTBEGIN: the names and types are OpenMP's.
LARES_EXPORT int omp_in_final() {
  runtime::Worker* worker = runtime::this_worker();
  if (worker != nullptr) return worker->current->has(runtime::task_flag::final) ? 1 : 0;
  LARES_REAL_BY_CALLER(omp_in_final);
  return omp_in_final_real();
}
LARES_EXPORT int omp_in_final_() { return omp_in_final(); }

LARES_EXPORT int omp_in_explicit_task() {
  runtime::Worker* worker = runtime::this_worker();
  if (worker != nullptr) return worker->current->has(runtime::task_flag::implicit) ? 0 : 1;
  LARES_REAL_BY_CALLER(omp_in_explicit_task);
  // Before OpenMP 5.2 the runtimes do not have it.
  return omp_in_explicit_task_real == nullptr ? 0 : omp_in_explicit_task_real();
}
LARES_EXPORT int omp_in_explicit_task_() { return omp_in_explicit_task(); }

// Tasks made outside of our teams are the stock runtime's, and so are their events.
LARES_EXPORT void omp_fulfill_event(std::uintptr_t event) {
  if (omp::owns_event(event)) return runtime::fulfil(omp::task_of_event(event));
  LARES_REAL_BY_CALLER(omp_fulfill_event);
  omp_fulfill_event_real(event);
}
LARES_EXPORT void omp_fulfill_event_(std::uintptr_t event) { omp_fulfill_event(event); }

// A task may only change variables of its own: what it sets is undone when it ends.
#define LARES_SETTER(name)                                               \
  LARES_EXPORT void name(int value) {                                    \
    LARES_REAL_BY_CALLER(name);                                          \
    runtime::Worker* worker = runtime::this_worker();                    \
    if (worker != nullptr) omp::remember_control_variables(*worker);     \
    name##_real(value);                                                  \
  }                                                                      \
  LARES_EXPORT void name##_(const std::int32_t* value) { name(*value); } \
  LARES_EXPORT void name##_8_(const std::int64_t* value) { name(static_cast<int>(*value)); }
LARES_SETTER(omp_set_num_threads)
LARES_SETTER(omp_set_dynamic)
LARES_SETTER(omp_set_nested)
LARES_SETTER(omp_set_max_active_levels)
LARES_SETTER(omp_set_default_device)

LARES_EXPORT void omp_set_schedule(int kind, int chunk) {
  LARES_REAL_BY_CALLER(omp_set_schedule);
  runtime::Worker* worker = runtime::this_worker();
  if (worker != nullptr) omp::remember_control_variables(*worker);
  omp_set_schedule_real(kind, chunk);
}
LARES_EXPORT void omp_set_schedule_(const std::int32_t* kind, const std::int32_t* chunk) {
  omp_set_schedule(*kind, *chunk);
}
LARES_EXPORT void omp_set_schedule_8_(const std::int32_t* kind, const std::int64_t* chunk) {
  omp_set_schedule(*kind, static_cast<int>(*chunk));
}
// NOLINTEND
