// Clang's waiting points: taskwait, taskgroup, barriers, reductions of a team, copyprivate,
// cancelling.
#include "host/openmp/kmp_depend.hpp"
#include "host/openmp/kmp_entry.hpp"
#include "host/openmp/kmp_reductions.hpp"

namespace lares::omp::kmp {

namespace {

void run_nothing(runtime::Task&, runtime::Worker&) {}

bool is_construct_cancelled(runtime::Worker& worker) {
  auto* const status = real<decltype(kmp_get_cancellation_status)>(
      stock_of(worker), Entry::kmp_get_cancellation_status);
  return status(cancel_parallel) != 0 || status(cancel_loop) != 0 || status(cancel_sections) != 0;
}

bool is_master(const runtime::Worker& worker) noexcept { return worker.id.value() == 0; }

}  // namespace

}  // namespace lares::omp::kmp

namespace kmp = lares::omp::kmp;
namespace runtime = lares::runtime;
using lares::omp::Entry;

LARES_EXPORT std::int32_t __kmpc_omp_taskwait(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_taskwait, loc, gtid);
  runtime::taskwait(*worker);
  return 0;
}

LARES_EXPORT void __kmpc_omp_wait_deps(kmp_location* loc, std::int32_t gtid, std::int32_t count,
                                       kmp_depend* list, std::int32_t noalias_count,
                                       kmp_depend* noalias_list) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_wait_deps, loc, gtid, count, list, noalias_count,
                              noalias_list);
  const kmp::Dependences dependences(count, list, noalias_count, noalias_list);
  runtime::taskwait_depend(*worker, dependences.list());
}

LARES_EXPORT void __kmpc_omp_taskwait_deps_51(kmp_location* loc, std::int32_t gtid,
                                              std::int32_t count, kmp_depend* list,
                                              std::int32_t noalias_count, kmp_depend* noalias_list,
                                              std::int32_t nowait) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_taskwait_deps_51, loc, gtid, count, list, noalias_count,
                              noalias_list, nowait);
  const kmp::Dependences dependences(count, list, noalias_count, noalias_list);
  if (nowait == 0) return runtime::taskwait_depend(*worker, dependences.list());
  // An empty task that later ones wait for.
  runtime::Task* task = runtime::new_task(*worker, 0);
  task->run = kmp::run_nothing;
  runtime::submit(*worker, *task, dependences.list());
}

LARES_EXPORT std::int32_t __kmpc_omp_taskyield(kmp_location* loc, std::int32_t gtid,
                                               std::int32_t end_part) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_taskyield, loc, gtid, end_part);
  runtime::taskyield(*worker);
  return 0;
}

LARES_EXPORT void __kmpc_taskgroup(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_taskgroup, loc, gtid);
  runtime::begin_group(*worker);
}

LARES_EXPORT void __kmpc_end_taskgroup(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_end_taskgroup, loc, gtid);
  kmp::end_group(*worker);
}

// --- barriers

LARES_EXPORT void __kmpc_barrier(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_barrier, loc, gtid);
  runtime::barrier(*worker);
}

// libomp resets what was cancelled in its own barrier, so all threads go there or none. They decide
// by what they see between two of ours, where nobody can cancel anything.
LARES_EXPORT std::int32_t __kmpc_cancel_barrier(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_cancel_barrier, loc, gtid);
  runtime::barrier(*worker);
  if (!worker->team->cancellable) return 0;
  const bool cancelled = kmp::is_construct_cancelled(*worker);
  runtime::barrier(*worker);
  if (!cancelled) return 0;
  return lares::omp::real<decltype(__kmpc_cancel_barrier)>(lares::omp::stock_of(*worker),
                                                           Entry::__kmpc_cancel_barrier)(loc, gtid);
}

// A barrier that the master leaves first; end_barrier_master lets the others go on.
LARES_EXPORT std::int32_t __kmpc_barrier_master(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_barrier_master, loc, gtid);
  runtime::barrier(*worker);
  if (kmp::is_master(*worker)) return 1;
  runtime::barrier(*worker);
  return 0;
}

LARES_EXPORT void __kmpc_end_barrier_master(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_end_barrier_master, loc, gtid);
  runtime::barrier(*worker);
}

LARES_EXPORT std::int32_t __kmpc_barrier_master_nowait(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_barrier_master_nowait, loc, gtid);
  runtime::barrier(*worker);
  return kmp::is_master(*worker) ? 1 : 0;
}

// The stock functions meet in a barrier of their own, in the first (a tree) or the second (after a
// critical section). A thread that waits there takes no tasks, and others may still make some that
// only it would look for. So the team meets here first, where it completes all.
LARES_EXPORT std::int32_t __kmpc_reduce(kmp_location* loc, std::int32_t gtid, std::int32_t count,
                                        std::size_t bytes, void* data, kmp_reduce function,
                                        void* lock) {
  if (runtime::Worker* const worker = kmp::own_worker(__builtin_return_address(0))) {
    runtime::barrier(*worker);
  }
  return LARES_KMP_REAL(__kmpc_reduce)(loc, gtid, count, bytes, data, function, lock);
}

// --- copyprivate

LARES_EXPORT void __kmpc_copyprivate(kmp_location* loc, std::int32_t gtid, std::size_t bytes,
                                     void* data, void (*copy)(void*, void*), std::int32_t did_it) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_copyprivate, loc, gtid, bytes, data, copy, did_it);
  if (did_it != 0) worker->team->broadcast.store(data, std::memory_order_release);
  runtime::barrier(*worker);
  if (did_it == 0) copy(data, worker->team->broadcast.load(std::memory_order_acquire));
  runtime::barrier(*worker);  // the data must live until all have copied it
}

// The compiler copies, and puts a barrier behind.
LARES_EXPORT void* __kmpc_copyprivate_light(kmp_location* loc, std::int32_t gtid, void* data) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_copyprivate_light, loc, gtid, data);
  if (data != nullptr) worker->team->broadcast.store(data, std::memory_order_release);
  runtime::barrier(*worker);
  return worker->team->broadcast.load(std::memory_order_acquire);
}

// --- cancelling

// A cancelled region, loop or sections construct is libomp's business: its threads still meet in
// barriers, and ours follow them there.
LARES_EXPORT std::int32_t __kmpc_cancel(kmp_location* loc, std::int32_t gtid, std::int32_t kind) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_cancel, loc, gtid, kind);
  if (!worker->team->cancellable) return 0;
  if (kind != kmp::cancel_taskgroup) return LARES_KMP_REAL(__kmpc_cancel)(loc, gtid, kind);
  runtime::Taskgroup* group = runtime::current_group(*worker);
  if (group == nullptr) return 0;
  runtime::cancel_group(*group);
  return 1;
}

LARES_EXPORT std::int32_t __kmpc_cancellationpoint(kmp_location* loc, std::int32_t gtid,
                                                   std::int32_t kind) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_cancellationpoint, loc, gtid, kind);
  if (!worker->team->cancellable) return 0;
  if (kind == kmp::cancel_taskgroup) return runtime::is_cancelled(*worker) ? 1 : 0;
  return LARES_KMP_REAL(__kmpc_cancellationpoint)(loc, gtid, kind);
}
