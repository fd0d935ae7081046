// GCC's parallel regions: the stock runtime starts and joins the threads, ours run in between.
#include <cstdlib>
#include <new>

#include "base/raw_memory.hpp"
#include "base/tick_rate.hpp"
#include "host/openmp/following.hpp"
#include "host/openmp/free_master.hpp"
#include "host/openmp/gomp_abi.hpp"
#include "host/openmp/gomp_loops.hpp"
#include "host/openmp/gomp_reductions.hpp"
#include "host/openmp/kept_threads.hpp"
#include "host/openmp/last_left.hpp"
#include "host/openmp/placed_region.hpp"
#include "host/openmp/placement.hpp"
#include "host/openmp/region.hpp"
#include "host/openmp/tools/callbacks.hpp"
#include "host/openmp/tools/events.hpp"

namespace lares::omp::gomp {

namespace {

/// A region and the program's code for it.
struct Launch {
  Launch(Stock& stock, runtime::RegionHint& hint, Body program, void* its_data) noexcept
      : region(stock, hint), body(program), data(its_data) {}
  Region region;
  Body body;
  void* data;
  const runtime::LoopRequest* loop = nullptr;  ///< that the body begins with, if it is ours
  Launch* outer = nullptr;                     ///< split regions of one thread
  runtime::Worker* master = nullptr;
  tools::ParallelRecord watched;
  tools::ompt::Work work{};  ///< that the body begins with; 0: none
  std::uint64_t work_count = 0;
};

// The same as run(), for a team that a tool watches.
[[gnu::noinline]] void run_watched(Launch& launch, runtime::Worker& worker) {
  tools::begin_implicit_task(worker, launch.watched);
  if (launch.region.once != nullptr) enter_team_reduction(worker, launch.region.once_data);
  if (launch.loop != nullptr) {
    runtime::enter_loop(worker, *launch.loop);
    worker.in_own_loop = true;
  }
  tools::TaskRecord& task = tools::record_of(worker.implicit_task);
  // Its end is the body's to tell, by a call that not all of our libraries see.
  if (launch.work != tools::ompt::Work{} &&
      tools::g_sees_loop_ends.load(std::memory_order_relaxed)) {
    tools::open_work(launch.work, launch.work_count, launch.watched.call_site);
  }
  tools::call_body(task, launch.body, launch.data);
  tools::close_work();
  if (launch.region.once != nullptr) leave_team_reduction(worker);
  const int number = task.thread_num;
  const void* const call_site = number == 0 ? launch.watched.call_site : nullptr;
  tools::wait_watched(tools::ompt::SyncRegion::barrier_implicit_parallel, call_site, false,
                      [&] { launch.region.leave(&worker); });
  tools::end_implicit_task(task, number);
}

void run(void* argument) {
  auto& launch = *static_cast<Launch*>(argument);
  // Asked of a word that all share: what the master has just written would cost a cache line.
  if (runtime::watch::watcher() != nullptr) [[unlikely]] {
    tools::meet_thread(launch.watched, launch.region.stock().thread_num());
  }
  runtime::Worker* worker = launch.region.enter();
  if (worker != nullptr && tools::is_watched(*worker)) [[unlikely]] {
    return run_watched(launch, *worker);
  }
  if (launch.region.once != nullptr) enter_team_reduction(*worker, launch.region.once_data);
  if (launch.loop != nullptr) {
    runtime::enter_loop(*worker, *launch.loop);
    worker->in_own_loop = true;
  }
  launch.body(launch.data);
  if (launch.region.once != nullptr) leave_team_reduction(*worker);
  launch.region.leave(worker);
}

/// A region that is left to the stock runtime because it has had one thread so far.
struct LeftRegion {
  Stock& stock;
  runtime::RegionHint& hint;
  Body body;
  void* data;
};

void run_left(void* argument) {
  const LeftRegion& region = *static_cast<LeftRegion*>(argument);
  note_team(region.hint, static_cast<std::size_t>(region.stock.num_threads()));
  region.body(region.data);
}

/// A region whose threads are placed, and that is the stock runtime's else.
struct PlacedLaunch {
  PlacedLaunch(Stock& of, runtime::RegionHint& hint, Body program, void* its_data) noexcept
      : region(of, hint), stock(of), body(program), data(its_data) {}
  PlacedRegion region;
  Stock& stock;
  Body body;
  void* data;
};

void run_placed(void* argument) {
  auto& launch = *static_cast<PlacedLaunch*>(argument);
  const PlacedRegion::Part part(launch.region.seating(),
                                static_cast<std::size_t>(launch.stock.thread_num()));
  launch.body(launch.data);
}

/// As many threads as a region may have; fewer if the runtime has no more to give.
unsigned threads_of(Stock& stock, unsigned asked) {
  if (asked != 0) return asked;
  return static_cast<unsigned>(real<int()>(stock, Entry::omp_get_max_threads)());
}

/// The team of a region, if that is an inner one that is to have several threads and its master is
/// bound.
InnerTeam inner_team(Stock& stock, unsigned asked) noexcept {
  if (t_place < 0) return {};
  auto* const level = real<int()>(stock, Entry::omp_get_level);
  if (level == nullptr || level() == 0) return {};
  auto* const active_level = real<int()>(stock, Entry::omp_get_active_level);
  auto* const most_levels = real<int()>(stock, Entry::omp_get_max_active_levels);
  if (active_level == nullptr || most_levels == nullptr) return {};
  const unsigned size = threads_of(stock, asked);
  if (size < 2 || active_level() >= most_levels()) return {};
  return {static_cast<std::size_t>(level()), size};
}

/// Around a region that is left to libgomp.
class Leaving {
 public:
  Leaving(Stock& stock, unsigned asked) noexcept : free_master_(inner_team(stock, asked)) {}

 private:
  LeftToStock left_;
  FreeMaster free_master_;
};

__attribute__((tls_model("initial-exec"))) constinit thread_local LastLeft t_left;

// True if the loop of a combined construct is ours. That must be known before the threads start:
// the stock runtime makes its loops before they do.
bool takes_loop(Stock& stock, unsigned threads) {
  if (!schedules_loops(stock)) return false;
  return threads_of(stock, threads) <= Region::most_threads;
}

void run_with_loop(Stock& stock, Launch& launch, runtime::LoopRequest request, unsigned threads,
                   unsigned flags) {
  launch.loop = &request;
  real<void(void (*)(void*), void*, unsigned, unsigned)>(stock, Entry::GOMP_parallel)(
      run, &launch, threads, flags);
}

void tell_of_loop(Launch& launch, long start, long end, long incr) {
  if (launch.watched.opened_by == nullptr) return;
  launch.work = tools::ompt::Work::loop;
  launch.work_count = loop_request(nullptr, start, end, incr).iterations;
}

// Compilers before GCC 4.9 call the body of the master themselves, between _start and _end.
__attribute__((tls_model("initial-exec"))) thread_local Launch* t_split = nullptr;

Launch* begin_split(Stock& stock, Body body, void* data, unsigned threads, const void* call_site) {
  auto* launch = new (need_memory(sizeof(Launch)))
      Launch(stock, *runtime::hint_for(reinterpret_cast<const void*>(body)), body, data);
  launch->outer = t_split;
  t_split = launch;
  tools::open_region(launch->watched, stock, threads, call_site,
                     tools::ompt::parallel_by_program | tools::ompt::parallel_team);
  return launch;
}

// The master's part, around what the program calls by itself.
void enter_split(Launch& launch) {
  launch.master = launch.region.enter();
  if (launch.master != nullptr && tools::is_watched(*launch.master)) {
    tools::begin_implicit_task(*launch.master, launch.watched);
  }
}

void leave_split(Launch& launch) {
  if (launch.master == nullptr || !tools::is_watched(*launch.master)) {
    return launch.region.leave(launch.master);
  }
  tools::TaskRecord& task = tools::record_of(launch.master->implicit_task);
  tools::wait_watched(tools::ompt::SyncRegion::barrier_implicit_parallel, launch.watched.call_site,
                      false, [&] { launch.region.leave(launch.master); });
  tools::end_implicit_task(task, 0);
}

void register_for_team(Region& region, std::size_t size) {
  register_reductions(static_cast<std::uintptr_t*>(region.once_data), nullptr, size);
}

}  // namespace

}  // namespace lares::omp::gomp

namespace gomp = lares::omp::gomp;

#define LARES_STOCK_OF_BODY(name)                                                      \
  lares::omp::Stock& stock =                                                           \
      *lares::omp::stock_of(reinterpret_cast<const void*>(fn), lares::omp::Abi::gomp); \
  lares::omp::KeptThreads::note_team_begins();                                         \
  lares::omp::before_region();                                                         \
  lares::omp::before_repeated_region(stock, reinterpret_cast<const void*>(fn));        \
  lares::omp::tools::start_tool_if_named(stock);                                       \
  auto* const name##_real = lares::omp::real<decltype(name)>(stock, lares::omp::Entry::name)

// Declares `stock`, `name_real` and `hint`; regions that never make tasks and that no memory waits
// for, and all if Lares is off, are the stock runtime's. That of the last time is asked for first.
#define LARES_LEAVE_TASKLESS(name, ...)                                                            \
  if (lares::omp::Stock* const left_to = gomp::t_left.again(reinterpret_cast<const void*>(fn));    \
      left_to != nullptr) {                                                                        \
    lares::omp::KeptThreads::note_team_begins();                                                   \
    const gomp::Leaving leaving(*left_to, threads);                                                \
    return lares::omp::real<decltype(name)>(*left_to, lares::omp::Entry::name)(__VA_ARGS__);       \
  }                                                                                                \
  LARES_STOCK_OF_BODY(name);                                                                       \
  if (!lares::omp::schedules(stock)) return name##_real(__VA_ARGS__);                              \
  lares::runtime::RegionHint& hint = *lares::runtime::hint_for(reinterpret_cast<const void*>(fn)); \
  if (lares::runtime::is_trusted_taskless(hint) && !lares::omp::next_team_may_be_ours()) {         \
    gomp::t_left.note(reinterpret_cast<const void*>(fn), stock);                                   \
    const gomp::Leaving leaving(stock, threads);                                                   \
    return name##_real(__VA_ARGS__);                                                               \
  }                                                                                                \
  static_assert(true)

#define LARES_TELL_OF_REGION()                                                 \
  const lares::omp::tools::ParallelScope scope(launch.watched, stock, threads, \
                                               __builtin_return_address(0))

LARES_EXPORT void GOMP_parallel(void (*fn)(void*), void* data, unsigned threads, unsigned flags) {
  LARES_LEAVE_TASKLESS(GOMP_parallel, fn, data, threads, flags);
  if (lares::omp::bubbles::on() && lares::runtime::is_trusted_taskless(hint)) {
    if (!lares::omp::next_team_is_ours(hint)) {
      gomp::t_left.note(reinterpret_cast<const void*>(fn), stock);
      const lares::omp::LeftToStock left;
      gomp::LeftRegion region{stock, hint, fn, data};
      return GOMP_parallel_real(gomp::run_left, &region, threads, flags);
    }
    if (lares::omp::is_placed_only(stock, hint)) {
      gomp::PlacedLaunch launch(stock, hint, fn, data);
      const lares::omp::LeftToStock left;
      return GOMP_parallel_real(gomp::run_placed, &launch, threads, flags);
    }
  }
  gomp::Launch launch(stock, hint, fn, data);
  LARES_TELL_OF_REGION();
  GOMP_parallel_real(gomp::run, &launch, threads, flags);
}

LARES_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void*), void* data, unsigned threads,
                                               unsigned flags) {
  LARES_STOCK_OF_BODY(GOMP_parallel_reductions);
  if (!lares::omp::schedules(stock)) return GOMP_parallel_reductions_real(fn, data, threads, flags);
  gomp::Launch launch(stock, *lares::runtime::hint_for(reinterpret_cast<const void*>(fn)), fn,
                      data);
  LARES_TELL_OF_REGION();
  launch.region.once = gomp::register_for_team;
  launch.region.once_data = *static_cast<void**>(data);
  lares::omp::real<decltype(GOMP_parallel)>(stock, lares::omp::Entry::GOMP_parallel)(
      gomp::run, &launch, threads, flags);
  return static_cast<unsigned>(launch.region.size());
}

LARES_EXPORT void GOMP_parallel_sections(void (*fn)(void*), void* data, unsigned threads,
                                         unsigned count, unsigned flags) {
  LARES_LEAVE_TASKLESS(GOMP_parallel_sections, fn, data, threads, count, flags);
  gomp::Launch launch(stock, hint, fn, data);
  LARES_TELL_OF_REGION();
  launch.work = lares::omp::tools::ompt::Work::sections;
  launch.work_count = count;
  GOMP_parallel_sections_real(gomp::run, &launch, threads, count, flags);
}

#define LARES_PARALLEL_LOOP(name)                                                               \
  LARES_EXPORT void name(void (*fn)(void*), void* data, unsigned threads, long start, long end, \
                         long incr, long chunk, unsigned flags) {                               \
    LARES_LEAVE_TASKLESS(name, fn, data, threads, start, end, incr, chunk, flags);              \
    gomp::Launch launch(stock, hint, fn, data);                                                 \
    LARES_TELL_OF_REGION();                                                                     \
    gomp::tell_of_loop(launch, start, end, incr);                                               \
    name##_real(gomp::run, &launch, threads, start, end, incr, chunk, flags);                   \
  }

#define LARES_PARALLEL_LOOP_RUNTIME(name)                                                       \
  LARES_EXPORT void name(void (*fn)(void*), void* data, unsigned threads, long start, long end, \
                         long incr, unsigned flags) {                                           \
    LARES_LEAVE_TASKLESS(name, fn, data, threads, start, end, incr, flags);                     \
    gomp::Launch launch(stock, hint, fn, data);                                                 \
    LARES_TELL_OF_REGION();                                                                     \
    gomp::tell_of_loop(launch, start, end, incr);                                               \
    name##_real(gomp::run, &launch, threads, start, end, incr, flags);                          \
  }

// Those whose order is free may be ours.
#define LARES_PARALLEL_FREE_LOOP(name, is_guided)                                               \
  LARES_EXPORT void name(void (*fn)(void*), void* data, unsigned threads, long start, long end, \
                         long incr, long chunk, unsigned flags) {                               \
    LARES_LEAVE_TASKLESS(name, fn, data, threads, start, end, incr, chunk, flags);              \
    gomp::Launch launch(stock, hint, fn, data);                                                 \
    LARES_TELL_OF_REGION();                                                                     \
    gomp::tell_of_loop(launch, start, end, incr);                                               \
    if (gomp::takes_loop(stock, threads)) {                                                     \
      lares::runtime::LoopRequest request =                                                     \
          gomp::loop_request(reinterpret_cast<const void*>(fn), start, end, incr);              \
      request.guided = is_guided;                                                               \
      request.chunk = gomp::chunk_of(chunk);                                                    \
      return gomp::run_with_loop(stock, launch, request, threads, flags);                       \
    }                                                                                           \
    name##_real(gomp::run, &launch, threads, start, end, incr, chunk, flags);                   \
  }

#define LARES_PARALLEL_FREE_LOOP_RUNTIME(name)                                                  \
  LARES_EXPORT void name(void (*fn)(void*), void* data, unsigned threads, long start, long end, \
                         long incr, unsigned flags) {                                           \
    LARES_LEAVE_TASKLESS(name, fn, data, threads, start, end, incr, flags);                     \
    gomp::Launch launch(stock, hint, fn, data);                                                 \
    LARES_TELL_OF_REGION();                                                                     \
    gomp::tell_of_loop(launch, start, end, incr);                                               \
    const lares::omp::RuntimeSchedule schedule(stock);                                          \
    if (schedule.is_ours() && gomp::takes_loop(stock, threads)) {                               \
      lares::runtime::LoopRequest request =                                                     \
          gomp::loop_request(reinterpret_cast<const void*>(fn), start, end, incr);              \
      schedule.apply_to(request);                                                               \
      request.by_variable = false; /* of the task that starts the region, and of no other */    \
      return gomp::run_with_loop(stock, launch, request, threads, flags);                       \
    }                                                                                           \
    name##_real(gomp::run, &launch, threads, start, end, incr, flags);                          \
  }

LARES_PARALLEL_LOOP(GOMP_parallel_loop_static)
LARES_PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
LARES_PARALLEL_LOOP(GOMP_parallel_loop_guided)
LARES_PARALLEL_FREE_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic, false)
LARES_PARALLEL_FREE_LOOP(GOMP_parallel_loop_nonmonotonic_guided, true)
LARES_PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_runtime)
LARES_PARALLEL_FREE_LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
LARES_PARALLEL_FREE_LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

// --- split constructs of old compilers ----------------------------------------------------------

LARES_EXPORT void GOMP_parallel_start(void (*fn)(void*), void* data, unsigned threads) {
  LARES_STOCK_OF_BODY(GOMP_parallel_start);
  if (!lares::omp::schedules(stock)) return GOMP_parallel_start_real(fn, data, threads);
  gomp::Launch* launch = gomp::begin_split(stock, fn, data, threads, __builtin_return_address(0));
  GOMP_parallel_start_real(gomp::run, launch, threads);
  gomp::enter_split(*launch);
}

LARES_EXPORT void GOMP_parallel_sections_start(void (*fn)(void*), void* data, unsigned threads,
                                               unsigned count) {
  LARES_STOCK_OF_BODY(GOMP_parallel_sections_start);
  if (!lares::omp::schedules(stock))
    return GOMP_parallel_sections_start_real(fn, data, threads, count);
  gomp::Launch* launch = gomp::begin_split(stock, fn, data, threads, __builtin_return_address(0));
  GOMP_parallel_sections_start_real(gomp::run, launch, threads, count);
  gomp::enter_split(*launch);
}

#define LARES_PARALLEL_LOOP_START(name)                                                         \
  LARES_EXPORT void name(void (*fn)(void*), void* data, unsigned threads, long start, long end, \
                         long incr, long chunk) {                                               \
    LARES_STOCK_OF_BODY(name);                                                                  \
    if (!lares::omp::schedules(stock))                                                          \
      return name##_real(fn, data, threads, start, end, incr, chunk);                           \
    gomp::Launch* launch =                                                                      \
        gomp::begin_split(stock, fn, data, threads, __builtin_return_address(0));               \
    name##_real(gomp::run, launch, threads, start, end, incr, chunk);                           \
    gomp::enter_split(*launch);                                                                 \
  }
LARES_PARALLEL_LOOP_START(GOMP_parallel_loop_static_start)
LARES_PARALLEL_LOOP_START(GOMP_parallel_loop_dynamic_start)
LARES_PARALLEL_LOOP_START(GOMP_parallel_loop_guided_start)

LARES_EXPORT void GOMP_parallel_loop_runtime_start(void (*fn)(void*), void* data, unsigned threads,
                                                   long start, long end, long incr) {
  LARES_STOCK_OF_BODY(GOMP_parallel_loop_runtime_start);
  if (!lares::omp::schedules(stock)) {
    return GOMP_parallel_loop_runtime_start_real(fn, data, threads, start, end, incr);
  }
  gomp::Launch* launch = gomp::begin_split(stock, fn, data, threads, __builtin_return_address(0));
  GOMP_parallel_loop_runtime_start_real(gomp::run, launch, threads, start, end, incr);
  gomp::enter_split(*launch);
}

LARES_EXPORT void GOMP_parallel_end() {
  LARES_REAL_BY_CALLER(GOMP_parallel_end);
  gomp::Launch* launch = gomp::t_split;
  if (launch == nullptr || lares::runtime::this_worker() != launch->master) {
    return GOMP_parallel_end_real();
  }
  gomp::leave_split(*launch);
  GOMP_parallel_end_real();
  lares::omp::tools::close_region(launch->watched);
  gomp::t_split = launch->outer;
  launch->~Launch();
  std::free(launch);
}
