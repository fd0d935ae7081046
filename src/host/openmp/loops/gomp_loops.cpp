// GCC's worksharing loops whose order is free: dynamic, guided, runtime. Monotonic and ordered ones
// have entry points of their own, which stay the stock runtime's.
#include "host/openmp/gomp_loops.hpp"

#include "host/openmp/gomp_abi.hpp"
#include "host/openmp/tools/callbacks.hpp"
#include "host/openmp/tools/events.hpp"

namespace lares::omp::gomp {

namespace {

// The worker's next piece, as the values of the program's variable. The end of the last piece is
// the loop's: one step further might not fit the type.
template <class Value>
bool deliver(runtime::Worker& worker, Value* istart, Value* iend) noexcept {
  const decide::LoopRange range = runtime::next_iterations(worker);
  if (range.size() == 0) return false;
  const runtime::WorkerLoop& loop = worker.loop;
  const runtime::LoopBounds& bounds = loop.bounds;
  const std::uint64_t first = bounds.first + range.begin * bounds.step;
  const std::uint64_t behind = bounds.first + range.end * bounds.step;
  *istart = static_cast<Value>(first);
  *iend = static_cast<Value>(range.end == loop.shape.iterations ? bounds.bound : behind);
  return true;
}

template <class Value>
bool start(runtime::Worker& worker, runtime::LoopRequest request, bool guided, Value chunk,
           Value* istart, Value* iend) noexcept {
  request.guided = guided;
  request.chunk = chunk_of(chunk);
  runtime::enter_loop(worker, request);
  worker.in_own_loop = true;
  return deliver(worker, istart, iend);
}

// A thread comes to a loop, whoever hands it out.
void tell_of_loop(runtime::Worker* worker, const runtime::LoopRequest& request,
                  const void* call_site) noexcept {
  if (worker == nullptr || !tools::is_watched(*worker)) return;
  tools::open_work(tools::ompt::Work::loop, request.iterations, call_site);
}

__attribute__((constructor)) void see_loop_ends() {
  tools::g_sees_loop_ends.store(true, std::memory_order_relaxed);
}

// False if the loop is the stock runtime's.
bool enter_by_variable(runtime::Worker& worker, runtime::LoopRequest request) noexcept {
  RuntimeSchedule(stock_of(worker)).apply_to(request);
  worker.in_own_loop = !runtime::enter_loop(worker, request).left_to_stock;
  return worker.in_own_loop;
}

}  // namespace

}  // namespace lares::omp::gomp

namespace gomp = lares::omp::gomp;

// Forwards to the runtime of the worker's team, or to the one that the caller means.
#define LARES_FORWARD_LOOP(name, ...)                                              \
  if (worker != nullptr) {                                                         \
    return lares::omp::real<decltype(name)>(lares::omp::stock_of(*worker),         \
                                            lares::omp::Entry::name)(__VA_ARGS__); \
  }                                                                                \
  LARES_REAL_BY_CALLER(name);                                                      \
  return name##_real(__VA_ARGS__)

#define LARES_LOOP_WORKER()                               \
  const void* const caller = __builtin_return_address(0); \
  lares::runtime::Worker* const worker = lares::omp::own_worker(caller, lares::omp::Abi::gomp)

#define LARES_LOOP_START(name, is_guided)                                                         \
  LARES_EXPORT bool name(long start, long end, long incr, long chunk, long* istart, long* iend) { \
    LARES_LOOP_WORKER();                                                                          \
    gomp::tell_of_loop(worker, gomp::loop_request(caller, start, end, incr), caller);             \
    if (worker != nullptr && lares::omp::schedules_loops(*worker)) {                              \
      return gomp::start(*worker, gomp::loop_request(caller, start, end, incr), is_guided, chunk, \
                         istart, iend);                                                           \
    }                                                                                             \
    LARES_FORWARD_LOOP(name, start, end, incr, chunk, istart, iend);                              \
  }

#define LARES_LOOP_ULL_START(name, is_guided)                                                  \
  LARES_EXPORT bool name(bool up, gomp_ull start, gomp_ull end, gomp_ull incr, gomp_ull chunk, \
                         gomp_ull* istart, gomp_ull* iend) {                                   \
    LARES_LOOP_WORKER();                                                                       \
    gomp::tell_of_loop(worker, gomp::loop_request(caller, up, start, end, incr), caller);      \
    if (worker != nullptr && lares::omp::schedules_loops(*worker)) {                           \
      return gomp::start(*worker, gomp::loop_request(caller, up, start, end, incr), is_guided, \
                         chunk, istart, iend);                                                 \
    }                                                                                          \
    LARES_FORWARD_LOOP(name, up, start, end, incr, chunk, istart, iend);                       \
  }

#define LARES_LOOP_RUNTIME_START(name)                                                    \
  LARES_EXPORT bool name(long start, long end, long incr, long* istart, long* iend) {     \
    LARES_LOOP_WORKER();                                                                  \
    gomp::tell_of_loop(worker, gomp::loop_request(caller, start, end, incr), caller);     \
    if (worker != nullptr && lares::omp::schedules_loops(*worker) &&                      \
        gomp::enter_by_variable(*worker, gomp::loop_request(caller, start, end, incr))) { \
      return gomp::deliver(*worker, istart, iend);                                        \
    }                                                                                     \
    LARES_FORWARD_LOOP(name, start, end, incr, istart, iend);                             \
  }

#define LARES_LOOP_ULL_RUNTIME_START(name)                                                       \
  LARES_EXPORT bool name(bool up, gomp_ull start, gomp_ull end, gomp_ull incr, gomp_ull* istart, \
                         gomp_ull* iend) {                                                       \
    LARES_LOOP_WORKER();                                                                         \
    gomp::tell_of_loop(worker, gomp::loop_request(caller, up, start, end, incr), caller);        \
    if (worker != nullptr && lares::omp::schedules_loops(*worker) &&                             \
        gomp::enter_by_variable(*worker, gomp::loop_request(caller, up, start, end, incr))) {    \
      return gomp::deliver(*worker, istart, iend);                                               \
    }                                                                                            \
    LARES_FORWARD_LOOP(name, up, start, end, incr, istart, iend);                                \
  }

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define LARES_LOOP_NEXT(name, value)                   \
  LARES_EXPORT bool name(value* istart, value* iend) { \
    LARES_LOOP_WORKER();                               \
    if (worker != nullptr && worker->in_own_loop) {    \
      return gomp::deliver(*worker, istart, iend);     \
    }                                                  \
    LARES_FORWARD_LOOP(name, istart, iend);            \
  }
// NOLINTEND(bugprone-macro-parentheses)

LARES_LOOP_START(GOMP_loop_nonmonotonic_dynamic_start, false)
LARES_LOOP_START(GOMP_loop_nonmonotonic_guided_start, true)
LARES_LOOP_RUNTIME_START(GOMP_loop_nonmonotonic_runtime_start)
LARES_LOOP_RUNTIME_START(GOMP_loop_maybe_nonmonotonic_runtime_start)
LARES_LOOP_NEXT(GOMP_loop_nonmonotonic_dynamic_next, long)
LARES_LOOP_NEXT(GOMP_loop_nonmonotonic_guided_next, long)
LARES_LOOP_NEXT(GOMP_loop_nonmonotonic_runtime_next, long)
LARES_LOOP_NEXT(GOMP_loop_maybe_nonmonotonic_runtime_next, long)

LARES_LOOP_ULL_START(GOMP_loop_ull_nonmonotonic_dynamic_start, false)
LARES_LOOP_ULL_START(GOMP_loop_ull_nonmonotonic_guided_start, true)
LARES_LOOP_ULL_RUNTIME_START(GOMP_loop_ull_nonmonotonic_runtime_start)
LARES_LOOP_ULL_RUNTIME_START(GOMP_loop_ull_maybe_nonmonotonic_runtime_start)
LARES_LOOP_NEXT(GOMP_loop_ull_nonmonotonic_dynamic_next, gomp_ull)
LARES_LOOP_NEXT(GOMP_loop_ull_nonmonotonic_guided_next, gomp_ull)
LARES_LOOP_NEXT(GOMP_loop_ull_nonmonotonic_runtime_next, gomp_ull)
LARES_LOOP_NEXT(GOMP_loop_ull_maybe_nonmonotonic_runtime_next, gomp_ull)

LARES_EXPORT void GOMP_loop_end_nowait() {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_loop_end_nowait);
  if (lares::omp::tools::is_watched(*worker)) [[unlikely]]
    lares::omp::tools::close_work();
  if (lares::omp::ends_own_loop(*worker)) return;
  lares::omp::real<decltype(GOMP_loop_end_nowait)>(lares::omp::stock_of(*worker),
                                                   lares::omp::Entry::GOMP_loop_end_nowait)();
}
