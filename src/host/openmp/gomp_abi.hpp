// The GOMP entry points as GCC calls them (GCC 4.4 to 14): names, arguments, flags.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/openmp/stock.hpp"

namespace lares::omp::gomp {

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);

/// Flags of GOMP_task and GOMP_taskloop.
inline constexpr unsigned flag_untied = 1U << 0U;
inline constexpr unsigned flag_final = 1U << 1U;
inline constexpr unsigned flag_mergeable = 1U << 2U;
inline constexpr unsigned flag_depend = 1U << 3U;
inline constexpr unsigned flag_priority = 1U << 4U;
inline constexpr unsigned flag_up = 1U << 8U;
inline constexpr unsigned flag_grainsize = 1U << 9U;
inline constexpr unsigned flag_if = 1U << 10U;
inline constexpr unsigned flag_nogroup = 1U << 11U;
inline constexpr unsigned flag_reduction = 1U << 12U;
inline constexpr unsigned flag_detach = 1U << 13U;
inline constexpr unsigned flag_strict = 1U << 14U;

/// What GOMP_cancel and GOMP_cancellation_point name.
inline constexpr int cancel_parallel = 1;
inline constexpr int cancel_loop = 2;
inline constexpr int cancel_sections = 4;
inline constexpr int cancel_taskgroup = 8;

/// Kinds inside an omp_depend_t.
enum class DepobjKind : std::uintptr_t {
  in = 1,
  out = 2,
  inout = 3,
  mutexinoutset = 4,
  inoutset = 5
};

}  // namespace lares::omp::gomp

// NOLINTBEGIN: the names and types are the ABI's.
LARES_EXPORT void GOMP_parallel(void (*fn)(void*), void* data, unsigned threads, unsigned flags);
LARES_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void*), void* data, unsigned threads,
                                               unsigned flags);
LARES_EXPORT void GOMP_parallel_start(void (*fn)(void*), void* data, unsigned threads);
LARES_EXPORT void GOMP_parallel_end();
LARES_EXPORT void GOMP_parallel_sections(void (*fn)(void*), void* data, unsigned threads,
                                         unsigned count, unsigned flags);
LARES_EXPORT void GOMP_task(void (*fn)(void*), void* data, void (*copy)(void*, void*), long size,
                            long align, bool if_clause, unsigned flags, void** depend, int priority,
                            void* detach);
LARES_EXPORT void GOMP_taskloop(void (*fn)(void*), void* data, void (*copy)(void*, void*),
                                long size, long align, unsigned flags, unsigned long tasks,
                                int priority, long start, long end, long step);
LARES_EXPORT void GOMP_taskloop_ull(void (*fn)(void*), void* data, void (*copy)(void*, void*),
                                    long size, long align, unsigned flags, unsigned long tasks,
                                    int priority, unsigned long long start, unsigned long long end,
                                    unsigned long long step);
LARES_EXPORT void GOMP_taskwait();
LARES_EXPORT void GOMP_taskwait_depend(void** depend);
LARES_EXPORT void GOMP_taskwait_depend_nowait(void** depend);
LARES_EXPORT void GOMP_taskyield();
LARES_EXPORT void GOMP_taskgroup_start();
LARES_EXPORT void GOMP_taskgroup_end();
LARES_EXPORT void GOMP_taskgroup_reduction_register(std::uintptr_t* data);
LARES_EXPORT void GOMP_taskgroup_reduction_unregister(std::uintptr_t* data);
LARES_EXPORT void GOMP_task_reduction_remap(std::size_t count, std::size_t originals, void** items);
LARES_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled);
LARES_EXPORT bool GOMP_loop_start(long start, long end, long incr, long sched, long chunk,
                                  long* istart, long* iend, std::uintptr_t* reductions,
                                  void** memory);
LARES_EXPORT bool GOMP_loop_ordered_start(long start, long end, long incr, long sched, long chunk,
                                          long* istart, long* iend, std::uintptr_t* reductions,
                                          void** memory);
LARES_EXPORT bool GOMP_loop_doacross_start(unsigned ncounts, long* counts, long sched, long chunk,
                                           long* istart, long* iend, std::uintptr_t* reductions,
                                           void** memory);
using gomp_ull = unsigned long long;
LARES_EXPORT bool GOMP_loop_ull_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr,
                                      long sched, gomp_ull chunk, gomp_ull* istart, gomp_ull* iend,
                                      std::uintptr_t* reductions, void** memory);
LARES_EXPORT bool GOMP_loop_ull_ordered_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr,
                                              long sched, gomp_ull chunk, gomp_ull* istart,
                                              gomp_ull* iend, std::uintptr_t* reductions,
                                              void** memory);
LARES_EXPORT bool GOMP_loop_ull_doacross_start(unsigned ncounts, gomp_ull* counts, long sched,
                                               gomp_ull chunk, gomp_ull* istart, gomp_ull* iend,
                                               std::uintptr_t* reductions, void** memory);
LARES_EXPORT unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions,
                                           void** memory);
LARES_EXPORT void GOMP_scope_start(std::uintptr_t* reductions);
LARES_EXPORT void GOMP_loop_end();
LARES_EXPORT void GOMP_loop_end_nowait();
LARES_EXPORT bool GOMP_loop_end_cancel();
LARES_EXPORT void GOMP_sections_end();
LARES_EXPORT void GOMP_sections_end_nowait();  // ours for tools only
LARES_EXPORT bool GOMP_sections_end_cancel();
extern "C" bool GOMP_single_start();  // forwarded to only
LARES_EXPORT void* GOMP_single_copy_start();
LARES_EXPORT void GOMP_single_copy_end(void* data);
LARES_EXPORT void GOMP_barrier();
LARES_EXPORT bool GOMP_barrier_cancel();
LARES_EXPORT bool GOMP_cancel(int which, bool do_cancel);
LARES_EXPORT bool GOMP_cancellation_point(int which);
LARES_EXPORT void GOMP_target_ext(int device, void (*fn)(void*), std::size_t count, void** hosts,
                                  std::size_t* sizes, unsigned short* kinds, unsigned flags,
                                  void** depend, void** args);
LARES_EXPORT void GOMP_target_update_ext(int device, std::size_t count, void** hosts,
                                         std::size_t* sizes, unsigned short* kinds, unsigned flags,
                                         void** depend);
LARES_EXPORT void GOMP_target_enter_exit_data(int device, std::size_t count, void** hosts,
                                              std::size_t* sizes, unsigned short* kinds,
                                              unsigned flags, void** depend);
// NOLINTEND
