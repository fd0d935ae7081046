// GCC's waiting points: taskwait, taskgroup, barriers, the ends of worksharing constructs,
// cancelling.
#include "host/openmp/gomp_abi.hpp"
#include "host/openmp/gomp_depend.hpp"
#include "host/openmp/gomp_reductions.hpp"
#include "host/openmp/loops.hpp"
#include "host/openmp/placed_region.hpp"
#include "host/openmp/region.hpp"
#include "host/openmp/tools/events.hpp"

namespace lares::omp::gomp {

namespace {

using Barrier = tools::ompt::SyncRegion;

// A wait for tasks is none: who waits there has nothing to wait for where there are no tasks.
constexpr bool is_barrier(tools::ompt::SyncRegion kind) noexcept {
  return kind != tools::ompt::SyncRegion::taskwait && kind != tools::ompt::SyncRegion::taskgroup;
}

// With cancellation on, the stock runtime resets what was cancelled in its own barrier.
template <class Function>
bool barrier_and(runtime::Worker& worker, Entry entry, Barrier which, const void* call_site) {
  return tools::waiting(worker, which, call_site, [&] {
    const bubbles::AtBarrier waits(idles_at_barrier(worker));
    const bool cancelled = runtime::barrier(worker, call_site);
    if (!worker.team->cancellable) return cancelled;
    return real<Function>(stock_of(worker), entry)() || cancelled;
  });
}

void meet_and_stock(runtime::Worker& worker, Barrier which, const void* call_site) {
  tools::waiting(worker, which, call_site, [&] {
    const bubbles::AtBarrier waits(idles_at_barrier(worker));
    runtime::barrier(worker, call_site);
    if (worker.team->cancellable) {
      real<decltype(GOMP_barrier)>(stock_of(worker), Entry::GOMP_barrier)();
    }
  });
}

void barrier_and_stock(runtime::Worker& worker, Barrier which, const void* call_site) {
  if (meets_nobody(worker)) return;
  meet_and_stock(worker, which, call_site);
}

void forward_end(runtime::Worker& worker, Entry nowait, const void* call_site) {
  real<void()>(stock_of(worker), nowait)();
  barrier_and_stock(worker, Barrier::barrier_implicit_workshare, call_site);
}

bool is_cancelled(runtime::Worker& worker, int which) {
  if (!worker.team->cancellable) return false;
  if (which == cancel_taskgroup) return runtime::is_cancelled(worker);
  return real<decltype(GOMP_cancellation_point)>(stock_of(worker),
                                                 Entry::GOMP_cancellation_point)(which);
}

// What a tool calls it.
int watched_name(int which) noexcept {
  using namespace tools::ompt::cancel_flag;
  switch (which) {
    case cancel_parallel:
      return parallel;
    case cancel_loop:
      return loop;
    case cancel_sections:
      return sections;
    default:
      return taskgroup;
  }
}

bool sees_cancelled(runtime::Worker& worker, int which, const void* call_site) {
  const bool cancelled = is_cancelled(worker, which);
  if (cancelled && tools::is_watched(worker)) [[unlikely]] {
    tools::tell_cancel(watched_name(which) | tools::ompt::cancel_flag::detected, call_site);
  }
  return cancelled;
}

bool cancel(runtime::Worker& worker, int which) {
  if (which == cancel_taskgroup) {
    if (runtime::Taskgroup* group = runtime::current_group(worker); group != nullptr) {
      runtime::cancel_group(*group);
    }
    return true;
  }
  const bool cancelled =
      real<decltype(GOMP_cancel)>(stock_of(worker), Entry::GOMP_cancel)(which, true);
  // Threads leave a cancelled region without meeting: those that wait for them must be let go.
  if (which == cancel_parallel) runtime::cancel_team(*worker.team);
  return cancelled;
}

void run_nothing(runtime::Task&, runtime::Worker&) {}

// What a tool hears of a construct's end.
void close_work(const runtime::Worker& worker) {
  if (tools::is_watched(worker)) [[unlikely]]
    tools::close_work();
}

constexpr unsigned target_nowait = 1;

void wait_for(runtime::Worker& worker, void** depend, const void* call_site) {
  if (depend == nullptr) return;
  const Dependences dependences(depend);
  if (tools::is_watched(worker)) [[unlikely]] {
    return tools::wait_for_watched(dependences.list(), call_site,
                                   [&] { runtime::taskwait_depend(worker, dependences.list()); });
  }
  runtime::taskwait_depend(worker, dependences.list());
}

}  // namespace

}  // namespace lares::omp::gomp

namespace gomp = lares::omp::gomp;
namespace runtime = lares::runtime;
namespace tools = lares::omp::tools;
using lares::omp::Entry;
using tools::ompt::SyncRegion;

/// Declares `worker`, or forwards a call that waits, of which a tool is told there too, and
/// returns. `opened`: the construct has a call for its begin.
#define LARES_OWN_WORKER_OR_WAIT(name, kind, opened)                                          \
  ::lares::runtime::Worker* const worker =                                                    \
      ::lares::omp::own_worker(__builtin_return_address(0), ::lares::omp::abi_of(#name));     \
  if (worker == nullptr) {                                                                    \
    LARES_REAL_BY_CALLER(name);                                                               \
    const lares::omp::AtStockBarrier waits(gomp::is_barrier(kind));                           \
    return tools::wait_alone(*stock, kind, __builtin_return_address(0), opened, name##_real); \
  }                                                                                           \
  static_assert(true)

LARES_EXPORT void GOMP_taskwait() {
  LARES_OWN_WORKER_OR_WAIT(GOMP_taskwait, SyncRegion::taskwait, false);
  tools::waiting(*worker, SyncRegion::taskwait, __builtin_return_address(0),
                 [&] { runtime::taskwait(*worker); });
}

LARES_EXPORT void GOMP_taskwait_depend(void** depend) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_taskwait_depend, depend);
  gomp::wait_for(*worker, depend, __builtin_return_address(0));
}

LARES_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_taskwait_depend_nowait, depend);
  const gomp::Dependences dependences(depend);
  worker->call_site = __builtin_return_address(0);
  runtime::Task* task = runtime::new_task(*worker, 0);
  task->run = gomp::run_nothing;
  runtime::submit(*worker, *task, dependences.list());
}

LARES_EXPORT void GOMP_taskyield() {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_taskyield);
  if (tools::is_watched(*worker)) [[unlikely]] {
    const tools::YieldScope yields;
    return runtime::taskyield(*worker);
  }
  runtime::taskyield(*worker);
}

LARES_EXPORT void GOMP_taskgroup_start() {
  runtime::Worker* const worker =
      lares::omp::own_worker(__builtin_return_address(0), lares::omp::Abi::gomp);
  if (worker == nullptr) {
    LARES_REAL_BY_CALLER(GOMP_taskgroup_start);
    if (tools::tells_of_lone_waits(*stock)) tools::open_group(__builtin_return_address(0));
    return GOMP_taskgroup_start_real();
  }
  if (tools::is_watched(*worker)) [[unlikely]]
    tools::open_group(__builtin_return_address(0));
  runtime::begin_group(*worker);
}

LARES_EXPORT void GOMP_taskgroup_end() {
  LARES_OWN_WORKER_OR_WAIT(GOMP_taskgroup_end, SyncRegion::taskgroup, true);
  if (tools::is_watched(*worker)) [[unlikely]] {
    return tools::wait_watched(SyncRegion::taskgroup, __builtin_return_address(0), true,
                               [&] { runtime::end_group(*worker); });
  }
  runtime::end_group(*worker);
}

// --- barriers

LARES_EXPORT void GOMP_barrier() {
  LARES_OWN_WORKER_OR_WAIT(GOMP_barrier, SyncRegion::barrier_explicit, false);
  gomp::barrier_and_stock(*worker, SyncRegion::barrier_explicit, __builtin_return_address(0));
}

LARES_EXPORT bool GOMP_barrier_cancel() {
  LARES_OWN_WORKER_OR_WAIT(GOMP_barrier_cancel, SyncRegion::barrier_explicit, false);
  return gomp::barrier_and<decltype(GOMP_barrier_cancel)>(*worker, Entry::GOMP_barrier_cancel,
                                                          SyncRegion::barrier_explicit,
                                                          __builtin_return_address(0));
}

LARES_EXPORT void GOMP_loop_end() {
  LARES_OWN_WORKER_OR_WAIT(GOMP_loop_end, SyncRegion::barrier_implicit_workshare, false);
  gomp::close_work(*worker);
  if (lares::omp::ends_own_loop(*worker)) {
    return gomp::barrier_and_stock(*worker, SyncRegion::barrier_implicit_workshare,
                                   __builtin_return_address(0));
  }
  gomp::forward_end(*worker, Entry::GOMP_loop_end_nowait, __builtin_return_address(0));
}

LARES_EXPORT bool GOMP_loop_end_cancel() {
  LARES_OWN_WORKER_OR_WAIT(GOMP_loop_end_cancel, SyncRegion::barrier_implicit_workshare, false);
  gomp::close_work(*worker);
  // Cancelling is off, or the loop would not be ours.
  if (lares::omp::ends_own_loop(*worker)) {
    return tools::waiting(*worker, SyncRegion::barrier_implicit_workshare,
                          __builtin_return_address(0), [&] { return runtime::barrier(*worker); });
  }
  return gomp::barrier_and<decltype(GOMP_loop_end_cancel)>(*worker, Entry::GOMP_loop_end_cancel,
                                                           SyncRegion::barrier_implicit_workshare,
                                                           __builtin_return_address(0));
}

LARES_EXPORT void GOMP_sections_end() {
  LARES_OWN_WORKER_OR_WAIT(GOMP_sections_end, SyncRegion::barrier_implicit_workshare, false);
  gomp::close_work(*worker);
  gomp::forward_end(*worker, Entry::GOMP_sections_end_nowait, __builtin_return_address(0));
}

LARES_EXPORT bool GOMP_sections_end_cancel() {
  LARES_OWN_WORKER_OR_WAIT(GOMP_sections_end_cancel, SyncRegion::barrier_implicit_workshare, false);
  gomp::close_work(*worker);
  return gomp::barrier_and<decltype(GOMP_sections_end_cancel)>(
      *worker, Entry::GOMP_sections_end_cancel, SyncRegion::barrier_implicit_workshare,
      __builtin_return_address(0));
}

LARES_EXPORT void* GOMP_single_copy_start() {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_single_copy_start);
  // The compiler puts a barrier behind the construct, so the pointer is free again by the next one.
  const bool mine =
      lares::omp::real<bool()>(lares::omp::stock_of(*worker), Entry::GOMP_single_start)();
  if (mine) return nullptr;
  tools::waiting(*worker, SyncRegion::barrier_implementation, __builtin_return_address(0),
                 [&] { runtime::barrier(*worker); });
  return worker->team->broadcast.load(std::memory_order_acquire);
}

LARES_EXPORT void GOMP_single_copy_end(void* data) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_single_copy_end, data);
  worker->team->broadcast.store(data, std::memory_order_release);
  tools::waiting(*worker, SyncRegion::barrier_implementation, __builtin_return_address(0),
                 [&] { runtime::barrier(*worker); });
}

// --- cancelling

LARES_EXPORT bool GOMP_cancellation_point(int which) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_cancellation_point, which);
  return gomp::sees_cancelled(*worker, which, __builtin_return_address(0));
}

LARES_EXPORT bool GOMP_cancel(int which, bool do_cancel) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_cancel, which, do_cancel);
  if (!worker->team->cancellable) return false;
  if (!do_cancel) return gomp::sees_cancelled(*worker, which, __builtin_return_address(0));
  if (tools::is_watched(*worker)) [[unlikely]] {
    tools::tell_cancel(gomp::watched_name(which) | tools::ompt::cancel_flag::activated,
                       __builtin_return_address(0));
  }
  return gomp::cancel(*worker, which);
}

// --- worksharing constructs with task reductions

// The reductions are ours; the stock runtime shares the work out and never hears of them.
#define LARES_STRIP_REDUCTIONS() \
  if (reductions != nullptr) gomp::enter_workshare_reduction(*worker, reductions)

LARES_EXPORT bool GOMP_loop_start(long start, long end, long incr, long sched, long chunk,
                                  long* istart, long* iend, std::uintptr_t* reductions,
                                  void** memory) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_loop_start, start, end, incr, sched, chunk, istart, iend,
                              reductions, memory);
  LARES_STRIP_REDUCTIONS();
  return lares::omp::real<decltype(GOMP_loop_start)>(
      lares::omp::stock_of(*worker), Entry::GOMP_loop_start)(start, end, incr, sched, chunk, istart,
                                                             iend, nullptr, memory);
}

LARES_EXPORT bool GOMP_loop_ordered_start(long start, long end, long incr, long sched, long chunk,
                                          long* istart, long* iend, std::uintptr_t* reductions,
                                          void** memory) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_loop_ordered_start, start, end, incr, sched, chunk, istart, iend,
                              reductions, memory);
  LARES_STRIP_REDUCTIONS();
  return lares::omp::real<decltype(GOMP_loop_ordered_start)>(
      lares::omp::stock_of(*worker), Entry::GOMP_loop_ordered_start)(start, end, incr, sched, chunk,
                                                                     istart, iend, nullptr, memory);
}

LARES_EXPORT bool GOMP_loop_doacross_start(unsigned ncounts, long* counts, long sched, long chunk,
                                           long* istart, long* iend, std::uintptr_t* reductions,
                                           void** memory) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_loop_doacross_start, ncounts, counts, sched, chunk, istart, iend,
                              reductions, memory);
  LARES_STRIP_REDUCTIONS();
  return lares::omp::real<decltype(GOMP_loop_doacross_start)>(lares::omp::stock_of(*worker),
                                                              Entry::GOMP_loop_doacross_start)(
      ncounts, counts, sched, chunk, istart, iend, nullptr, memory);
}

LARES_EXPORT bool GOMP_loop_ull_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr,
                                      long sched, gomp_ull chunk, gomp_ull* istart, gomp_ull* iend,
                                      std::uintptr_t* reductions, void** memory) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_loop_ull_start, up, start, end, incr, sched, chunk, istart, iend,
                              reductions, memory);
  LARES_STRIP_REDUCTIONS();
  return lares::omp::real<decltype(GOMP_loop_ull_start)>(
      lares::omp::stock_of(*worker), Entry::GOMP_loop_ull_start)(up, start, end, incr, sched, chunk,
                                                                 istart, iend, nullptr, memory);
}

LARES_EXPORT bool GOMP_loop_ull_ordered_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr,
                                              long sched, gomp_ull chunk, gomp_ull* istart,
                                              gomp_ull* iend, std::uintptr_t* reductions,
                                              void** memory) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_loop_ull_ordered_start, up, start, end, incr, sched, chunk,
                              istart, iend, reductions, memory);
  LARES_STRIP_REDUCTIONS();
  return lares::omp::real<decltype(GOMP_loop_ull_ordered_start)>(
      lares::omp::stock_of(*worker), Entry::GOMP_loop_ull_ordered_start)(
      up, start, end, incr, sched, chunk, istart, iend, nullptr, memory);
}

LARES_EXPORT bool GOMP_loop_ull_doacross_start(unsigned ncounts, gomp_ull* counts, long sched,
                                               gomp_ull chunk, gomp_ull* istart, gomp_ull* iend,
                                               std::uintptr_t* reductions, void** memory) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_loop_ull_doacross_start, ncounts, counts, sched, chunk, istart,
                              iend, reductions, memory);
  LARES_STRIP_REDUCTIONS();
  return lares::omp::real<decltype(GOMP_loop_ull_doacross_start)>(
      lares::omp::stock_of(*worker), Entry::GOMP_loop_ull_doacross_start)(
      ncounts, counts, sched, chunk, istart, iend, nullptr, memory);
}

LARES_EXPORT unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions,
                                           void** memory) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_sections2_start, count, reductions, memory);
  LARES_STRIP_REDUCTIONS();
  return lares::omp::real<decltype(GOMP_sections2_start)>(
      lares::omp::stock_of(*worker), Entry::GOMP_sections2_start)(count, nullptr, memory);
}

LARES_EXPORT void GOMP_scope_start(std::uintptr_t* reductions) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_scope_start, reductions);
  LARES_STRIP_REDUCTIONS();
}

// --- target: the host's part stays with the stock runtime, our dependences come first

LARES_EXPORT void GOMP_target_ext(int device, void (*fn)(void*), std::size_t count, void** hosts,
                                  std::size_t* sizes, unsigned short* kinds, unsigned flags,
                                  void** depend, void** args) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_target_ext, device, fn, count, hosts, sizes, kinds, flags,
                              depend, args);
  gomp::wait_for(*worker, depend, __builtin_return_address(0));
  auto* const forward = lares::omp::real<decltype(GOMP_target_ext)>(lares::omp::stock_of(*worker),
                                                                    Entry::GOMP_target_ext);
  const lares::omp::LeftToStock outside;  // the host's part runs in a context of its own there
  forward(device, fn, count, hosts, sizes, kinds, flags & ~gomp::target_nowait, nullptr, args);
}

LARES_EXPORT void GOMP_target_update_ext(int device, std::size_t count, void** hosts,
                                         std::size_t* sizes, unsigned short* kinds, unsigned flags,
                                         void** depend) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_target_update_ext, device, count, hosts, sizes, kinds, flags,
                              depend);
  gomp::wait_for(*worker, depend, __builtin_return_address(0));
  lares::omp::real<decltype(GOMP_target_update_ext)>(lares::omp::stock_of(*worker),
                                                     Entry::GOMP_target_update_ext)(
      device, count, hosts, sizes, kinds, flags & ~gomp::target_nowait, nullptr);
}

LARES_EXPORT void GOMP_target_enter_exit_data(int device, std::size_t count, void** hosts,
                                              std::size_t* sizes, unsigned short* kinds,
                                              unsigned flags, void** depend) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_target_enter_exit_data, device, count, hosts, sizes, kinds,
                              flags, depend);
  gomp::wait_for(*worker, depend, __builtin_return_address(0));
  lares::omp::real<decltype(GOMP_target_enter_exit_data)>(lares::omp::stock_of(*worker),
                                                          Entry::GOMP_target_enter_exit_data)(
      device, count, hosts, sizes, kinds, flags & ~gomp::target_nowait, nullptr);
}
