// Clang's waiting points: taskwait, taskgroup, barriers, reductions of a team, copyprivate,
// cancelling.
#include "host/openmp/kmp_depend.hpp"
#include "host/openmp/kmp_entry.hpp"
#include "host/openmp/kmp_reductions.hpp"
#include "host/openmp/placed_region.hpp"
#include "host/openmp/tools/events.hpp"

namespace lares::omp::kmp {

namespace {

void run_nothing(runtime::Task&, runtime::Worker&) {}

using Kind = tools::ompt::SyncRegion;

// A barrier that stands in the program, or at the end of a worksharing construct.
bool meet(runtime::Worker& worker, Kind kind, const void* call_site) {
  return tools::waiting(worker, kind, call_site, [&] {
    const bubbles::AtBarrier waits(idles_at_barrier(worker));
    return runtime::barrier(worker, call_site);
  });
}

// What the compiler says of a barrier; nothing, if it is part of another construct.
Kind kind_of(const Location* loc) noexcept {
  constexpr std::int32_t explicit_barrier = 0x20;
  const bool is_explicit = loc != nullptr && (loc->flags & explicit_barrier) != 0;
  return is_explicit ? Kind::barrier_explicit : Kind::barrier_implicit_workshare;
}

void wait_for(runtime::Worker& worker, std::span<const runtime::Dependence> dependences,
              const void* call_site) {
  if (tools::is_watched(worker)) [[unlikely]] {
    return tools::wait_for_watched(dependences, call_site,
                                   [&] { runtime::taskwait_depend(worker, dependences); });
  }
  runtime::taskwait_depend(worker, dependences);
}

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
namespace tools = lares::omp::tools;
using lares::omp::Entry;
using tools::ompt::SyncRegion;

LARES_EXPORT std::int32_t __kmpc_omp_taskwait(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_taskwait, loc, gtid);
  // No local's address is taken: forwarding is a jump then, and a tool of libomp's sees who waits.
  tools::waiting(*worker, SyncRegion::taskwait, __builtin_return_address(0),
                 [&here = *worker] { runtime::taskwait(here); });
  return 0;
}

LARES_EXPORT void __kmpc_omp_wait_deps(kmp_location* loc, std::int32_t gtid, std::int32_t count,
                                       kmp_depend* list, std::int32_t noalias_count,
                                       kmp_depend* noalias_list) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_wait_deps, loc, gtid, count, list, noalias_count,
                              noalias_list);
  const kmp::Dependences dependences(count, list, noalias_count, noalias_list);
  kmp::wait_for(*worker, dependences.list(), __builtin_return_address(0));
}

LARES_EXPORT void __kmpc_omp_taskwait_deps_51(kmp_location* loc, std::int32_t gtid,
                                              std::int32_t count, kmp_depend* list,
                                              std::int32_t noalias_count, kmp_depend* noalias_list,
                                              std::int32_t nowait) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_taskwait_deps_51, loc, gtid, count, list, noalias_count,
                              noalias_list, nowait);
  const kmp::Dependences dependences(count, list, noalias_count, noalias_list);
  if (nowait == 0) {
    return kmp::wait_for(*worker, dependences.list(), __builtin_return_address(0));
  }
  worker->call_site = __builtin_return_address(0);
  // An empty task that later ones wait for.
  runtime::Task* task = runtime::new_task(*worker, 0);
  task->run = kmp::run_nothing;
  runtime::submit(*worker, *task, dependences.list());
}

LARES_EXPORT std::int32_t __kmpc_omp_taskyield(kmp_location* loc, std::int32_t gtid,
                                               std::int32_t end_part) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_taskyield, loc, gtid, end_part);
  if (tools::is_watched(*worker)) [[unlikely]] {
    const tools::YieldScope yields;
    runtime::taskyield(*worker);
    return 0;
  }
  runtime::taskyield(*worker);
  return 0;
}

LARES_EXPORT void __kmpc_taskgroup(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_taskgroup, loc, gtid);
  if (tools::is_watched(*worker)) [[unlikely]]
    tools::open_group(__builtin_return_address(0));
  runtime::begin_group(*worker);
}

LARES_EXPORT void __kmpc_end_taskgroup(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_end_taskgroup, loc, gtid);
  if (tools::is_watched(*worker)) [[unlikely]] {
    return tools::wait_watched(SyncRegion::taskgroup, __builtin_return_address(0), true,
                               [&here = *worker] { kmp::end_group(here); });
  }
  kmp::end_group(*worker);
}

// --- barriers

// Of a region that is placed and else the stock runtime's. Apart, so that forwarding is a jump
// else.
[[gnu::noinline]] static void lares_placed_barrier(kmp_location* loc, std::int32_t gtid,
                                                   const void* caller) {
  const lares::omp::AtStockBarrier waits;
  lares::omp::real<decltype(__kmpc_barrier)>(kmp::stock_of_caller(caller), Entry::__kmpc_barrier)(
      loc, gtid);
}

[[gnu::noinline]] static void lares_barrier(kmp_location* loc, std::int32_t gtid,
                                            const void* caller) {
  runtime::Worker* const worker = kmp::own_worker(caller);
  if (worker != nullptr) {
    if (!lares::omp::meets_nobody(*worker)) kmp::meet(*worker, kmp::kind_of(loc), caller);
    return;
  }
  if (lares::omp::t_placed_region != nullptr) return lares_placed_barrier(loc, gtid, caller);
  const std::uint32_t unloads = lares::omp::g_unloads.load(std::memory_order_relaxed);
  auto* const forward = lares::omp::real<decltype(__kmpc_barrier)>(kmp::stock_of_caller(caller),
                                                                   Entry::__kmpc_barrier);
  // A call that returns to this library may be any region's.
  if (runtime::this_worker() == nullptr && !lares::omp::is_own_code(caller)) {
    kmp::t_memory.barrier = {caller, reinterpret_cast<void*>(forward), unloads};
  }
  forward(loc, gtid);
}

LARES_EXPORT void __kmpc_barrier(kmp_location* loc, std::int32_t gtid) {
  const void* const caller = __builtin_return_address(0);
  // Of a region that is left to libomp: its own barriers take some tens of nanoseconds.
  const bool is_outside =
      runtime::this_worker() == nullptr && lares::omp::t_placed_region == nullptr;
  if (!is_outside || !kmp::t_memory.barrier.is_for(caller)) return lares_barrier(loc, gtid, caller);
  return reinterpret_cast<decltype(&__kmpc_barrier)>(kmp::t_memory.barrier.function)(loc, gtid);
}

// libomp resets what was cancelled in its own barrier, so all threads go there or none. They decide
// by what they see between two of ours, where nobody can cancel anything.
LARES_EXPORT std::int32_t __kmpc_cancel_barrier(kmp_location* loc, std::int32_t gtid) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_cancel_barrier, loc, gtid);
  kmp::meet(*worker, kmp::kind_of(loc), __builtin_return_address(0));
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
    runtime::barrier(*worker, __builtin_return_address(0));
  }
  return LARES_KMP_REAL(__kmpc_reduce)(loc, gtid, count, bytes, data, function, lock);
}

// --- copyprivate

LARES_EXPORT void __kmpc_copyprivate(kmp_location* loc, std::int32_t gtid, std::size_t bytes,
                                     void* data, void (*copy)(void*, void*), std::int32_t did_it) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_copyprivate, loc, gtid, bytes, data, copy, did_it);
  if (did_it != 0) worker->team->broadcast.store(data, std::memory_order_release);
  kmp::meet(*worker, SyncRegion::barrier_implementation, __builtin_return_address(0));
  if (did_it == 0) copy(data, worker->team->broadcast.load(std::memory_order_acquire));
  // The data must live until all have copied it.
  kmp::meet(*worker, SyncRegion::barrier_implementation, __builtin_return_address(0));
}

// The compiler copies, and puts a barrier behind.
LARES_EXPORT void* __kmpc_copyprivate_light(kmp_location* loc, std::int32_t gtid, void* data) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_copyprivate_light, loc, gtid, data);
  if (data != nullptr) worker->team->broadcast.store(data, std::memory_order_release);
  kmp::meet(*worker, SyncRegion::barrier_implementation, __builtin_return_address(0));
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
  if (tools::is_watched(*worker)) [[unlikely]] {
    tools::tell_cancel(tools::ompt::cancel_flag::taskgroup | tools::ompt::cancel_flag::activated,
                       __builtin_return_address(0));
  }
  runtime::cancel_group(*group);
  return 1;
}

LARES_EXPORT std::int32_t __kmpc_cancellationpoint(kmp_location* loc, std::int32_t gtid,
                                                   std::int32_t kind) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_cancellationpoint, loc, gtid, kind);
  if (!worker->team->cancellable) return 0;
  if (kind == kmp::cancel_taskgroup) {
    const bool cancelled = runtime::is_cancelled(*worker);
    if (cancelled && tools::is_watched(*worker)) [[unlikely]] {
      tools::tell_cancel(tools::ompt::cancel_flag::taskgroup | tools::ompt::cancel_flag::detected,
                         __builtin_return_address(0));
    }
    return cancelled ? 1 : 0;
  }
  return LARES_KMP_REAL(__kmpc_cancellationpoint)(loc, gtid, kind);
}
