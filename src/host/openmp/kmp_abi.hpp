// The KMP entry points as Clang and the Intel compilers call them (LLVM 19): types, flags, names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/openmp/stock.hpp"

namespace lares::omp::kmp {

/// Where a construct is in the source, and what kind of construct (ident_t).
struct Location {
  static constexpr std::int32_t autopar = 0x08;  ///< a serialised loop that nobody asked for

  std::int32_t reserved1;
  std::int32_t flags;
  std::int32_t reserved2;
  std::int32_t reserved3;
  const char* source;
};

/// An outlined parallel region: (&global thread number, &bound number, captured variables ...).
using Microtask = void (*)(std::int32_t*, std::int32_t*, ...);

using TaskEntry = std::int32_t (*)(std::int32_t gtid, void* task);

union CompilerData {
  std::int32_t priority;
  TaskEntry destructors;
};

/// The part of a task that the compiler knows (kmp_task_t). Its private variables follow, then the
/// block of pointers to shared ones.
struct CompilerTask {
  void* shareds;
  TaskEntry routine;   ///< may be null: a task that only orders others
  std::int32_t part;   ///< of an untied task: where its routine goes on
  CompilerData data1;  ///< destructors
  CompilerData data2;  ///< priority
};
static_assert(sizeof(CompilerTask) == 40);

/// Flags of __kmpc_omp_task_alloc.
namespace task_bit {
inline constexpr std::uint32_t tied = 1U << 0U;
inline constexpr std::uint32_t final = 1U << 1U;
inline constexpr std::uint32_t merged_if0 = 1U << 2U;  ///< to be run at once by its creator
inline constexpr std::uint32_t destructors = 1U << 3U;
inline constexpr std::uint32_t proxy = 1U << 4U;  ///< completes when somebody says so
inline constexpr std::uint32_t priority = 1U << 5U;
inline constexpr std::uint32_t detachable = 1U << 6U;
}  // namespace task_bit

/// One item of a depend clause (kmp_depend_info_t).
struct DependInfo {
  static constexpr std::uint8_t in = 0x01;
  static constexpr std::uint8_t out = 0x02;  ///< also in inout = 3
  static constexpr std::uint8_t mutexinoutset = 0x04;
  static constexpr std::uint8_t inoutset = 0x08;
  static constexpr std::uint8_t all_memory = 0x80;
  static constexpr std::uintptr_t all_memory_address = UINTPTR_MAX;

  std::uintptr_t address;
  std::size_t bytes;
  std::uint8_t flags;
};
static_assert(sizeof(DependInfo) == 24);

/// One item of an affinity clause (kmp_task_affinity_info_t).
struct AffinityInfo {
  std::uintptr_t address;
  std::size_t bytes;
  std::uint32_t flags;
};
static_assert(sizeof(AffinityInfo) == 24);

/// One item of a task reduction: the older form, without the original of user-defined initialisers
/// (kmp_task_red_input_t).
struct ReductionInput {
  void* shared;
  std::size_t bytes;
  void (*init)(void* copy);
  void (*fini)(void* copy);
  void (*combine)(void* shared, void* copy);
  std::uint32_t flags;
};

/// The newer one (kmp_taskred_input_t).
struct ReductionInputWithOriginal {
  void* shared;
  void* original;  ///< null: the same as `shared`
  std::size_t bytes;
  void (*init)(void* copy, void* original);
  void (*fini)(void* copy);
  void (*combine)(void* shared, void* copy);
  std::uint32_t flags;
};

/// What __kmpc_cancel and __kmpc_cancellationpoint name.
inline constexpr std::int32_t cancel_parallel = 1;
inline constexpr std::int32_t cancel_loop = 2;
inline constexpr std::int32_t cancel_sections = 3;
inline constexpr std::int32_t cancel_taskgroup = 4;

/// Schedules of a taskloop.
enum class LoopSchedule : std::int32_t { none = 0, grainsize = 1, num_tasks = 2 };

/// Makes the private variables of a piece of a taskloop from those of the pattern.
using TaskDuplicate = void (*)(CompilerTask* made, CompilerTask* pattern, std::int32_t is_last);

}  // namespace lares::omp::kmp

// NOLINTBEGIN: the names and types are the ABI's.
using kmp_location = lares::omp::kmp::Location;
using kmp_task = lares::omp::kmp::CompilerTask;
using kmp_entry = lares::omp::kmp::TaskEntry;
using kmp_depend = lares::omp::kmp::DependInfo;
using kmp_affinity = lares::omp::kmp::AffinityInfo;
using kmp_reduce = void (*)(void*, void*);

// Parallel regions. fork_call and fork_teams take the captured variables as further arguments.
LARES_EXPORT void __kmpc_fork_call(kmp_location* loc, std::int32_t argc,
                                   lares::omp::kmp::Microtask microtask, ...);
LARES_EXPORT void __kmpc_fork_teams(kmp_location* loc, std::int32_t argc,
                                    lares::omp::kmp::Microtask microtask, ...);
LARES_EXPORT void __kmpc_fork_call_if(kmp_location* loc, std::int32_t argc,
                                      lares::omp::kmp::Microtask microtask, std::int32_t cond,
                                      void* args);
LARES_EXPORT void __kmpc_serialized_parallel(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT void __kmpc_end_serialized_parallel(kmp_location* loc, std::int32_t gtid);
extern "C" std::int32_t __kmpc_global_thread_num(kmp_location* loc);  // forwarded to only

// Tasks.
LARES_EXPORT kmp_task* __kmpc_omp_task_alloc(kmp_location* loc, std::int32_t gtid,
                                             std::int32_t flags, std::size_t size,
                                             std::size_t shareds, kmp_entry entry);
LARES_EXPORT kmp_task* __kmpc_omp_target_task_alloc(kmp_location* loc, std::int32_t gtid,
                                                    std::int32_t flags, std::size_t size,
                                                    std::size_t shareds, kmp_entry entry,
                                                    std::int64_t device);
LARES_EXPORT std::int32_t __kmpc_omp_task(kmp_location* loc, std::int32_t gtid, kmp_task* task);
LARES_EXPORT std::int32_t __kmpc_omp_task_parts(kmp_location* loc, std::int32_t gtid,
                                                kmp_task* task);
LARES_EXPORT std::int32_t __kmpc_omp_task_with_deps(kmp_location* loc, std::int32_t gtid,
                                                    kmp_task* task, std::int32_t count,
                                                    kmp_depend* list, std::int32_t noalias_count,
                                                    kmp_depend* noalias_list);
LARES_EXPORT void __kmpc_omp_task_begin_if0(kmp_location* loc, std::int32_t gtid, kmp_task* task);
LARES_EXPORT void __kmpc_omp_task_complete_if0(kmp_location* loc, std::int32_t gtid,
                                               kmp_task* task);
LARES_EXPORT std::int32_t __kmpc_omp_reg_task_with_affinity(kmp_location* loc, std::int32_t gtid,
                                                            kmp_task* task, std::int32_t count,
                                                            kmp_affinity* list);
LARES_EXPORT void __kmpc_taskloop(kmp_location* loc, std::int32_t gtid, kmp_task* task,
                                  std::int32_t if_clause, std::uint64_t* lower,
                                  std::uint64_t* upper, std::int64_t stride, std::int32_t nogroup,
                                  std::int32_t schedule, std::uint64_t argument, void* duplicate);
LARES_EXPORT void __kmpc_taskloop_5(kmp_location* loc, std::int32_t gtid, kmp_task* task,
                                    std::int32_t if_clause, std::uint64_t* lower,
                                    std::uint64_t* upper, std::int64_t stride, std::int32_t nogroup,
                                    std::int32_t schedule, std::uint64_t argument,
                                    std::int32_t modifier, void* duplicate);

// Completion by somebody else, and what the offloading library asks.
LARES_EXPORT void* __kmpc_task_allow_completion_event(kmp_location* loc, std::int32_t gtid,
                                                      kmp_task* task);
LARES_EXPORT void __kmpc_proxy_task_completed(std::int32_t gtid, kmp_task* task);
LARES_EXPORT void __kmpc_proxy_task_completed_ooo(kmp_task* task);
LARES_EXPORT bool __kmpc_omp_has_task_team(std::int32_t gtid);
LARES_EXPORT void** __kmpc_omp_get_target_async_handle_ptr(std::int32_t gtid);
LARES_EXPORT std::uint64_t __kmpc_get_taskid();
LARES_EXPORT std::uint64_t __kmpc_get_parent_taskid();
LARES_EXPORT void* __kmpc_task_get_depnode(kmp_task* task);
LARES_EXPORT void* __kmpc_task_get_successors(kmp_task* task);

// Waiting.
LARES_EXPORT std::int32_t __kmpc_omp_taskwait(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT void __kmpc_omp_wait_deps(kmp_location* loc, std::int32_t gtid, std::int32_t count,
                                       kmp_depend* list, std::int32_t noalias_count,
                                       kmp_depend* noalias_list);
LARES_EXPORT void __kmpc_omp_taskwait_deps_51(kmp_location* loc, std::int32_t gtid,
                                              std::int32_t count, kmp_depend* list,
                                              std::int32_t noalias_count, kmp_depend* noalias_list,
                                              std::int32_t nowait);
LARES_EXPORT std::int32_t __kmpc_omp_taskyield(kmp_location* loc, std::int32_t gtid,
                                               std::int32_t end_part);
LARES_EXPORT void __kmpc_taskgroup(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT void __kmpc_end_taskgroup(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT void __kmpc_barrier(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT std::int32_t __kmpc_cancel_barrier(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT std::int32_t __kmpc_barrier_master(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT std::int32_t __kmpc_barrier_master_nowait(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT void __kmpc_end_barrier_master(kmp_location* loc, std::int32_t gtid);
LARES_EXPORT std::int32_t __kmpc_reduce(kmp_location* loc, std::int32_t gtid, std::int32_t count,
                                        std::size_t bytes, void* data, kmp_reduce function,
                                        void* lock);
LARES_EXPORT void __kmpc_copyprivate(kmp_location* loc, std::int32_t gtid, std::size_t bytes,
                                     void* data, void (*copy)(void*, void*), std::int32_t did_it);
LARES_EXPORT void* __kmpc_copyprivate_light(kmp_location* loc, std::int32_t gtid, void* data);
LARES_EXPORT std::int32_t __kmpc_cancel(kmp_location* loc, std::int32_t gtid, std::int32_t kind);
LARES_EXPORT std::int32_t __kmpc_cancellationpoint(kmp_location* loc, std::int32_t gtid,
                                                   std::int32_t kind);
extern "C" std::int32_t kmp_get_cancellation_status(std::int32_t kind);  // forwarded to only

// Task reductions.
LARES_EXPORT void* __kmpc_task_reduction_init(std::int32_t gtid, std::int32_t count, void* data);
LARES_EXPORT void* __kmpc_taskred_init(std::int32_t gtid, std::int32_t count, void* data);
LARES_EXPORT void* __kmpc_task_reduction_modifier_init(kmp_location* loc, std::int32_t gtid,
                                                       std::int32_t worksharing, std::int32_t count,
                                                       void* data);
LARES_EXPORT void* __kmpc_taskred_modifier_init(kmp_location* loc, std::int32_t gtid,
                                                std::int32_t worksharing, std::int32_t count,
                                                void* data);
LARES_EXPORT void __kmpc_task_reduction_modifier_fini(kmp_location* loc, std::int32_t gtid,
                                                      std::int32_t worksharing);
LARES_EXPORT void* __kmpc_task_reduction_get_th_data(std::int32_t gtid, void* group, void* data);
// NOLINTEND
