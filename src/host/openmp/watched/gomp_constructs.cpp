// GCC's constructs of which a tool is told, and of which Lares knows nothing else: they are
// libgomp's. Only the library that is preloaded where a tool is named has these entry points.
#include "host/openmp/gomp_abi.hpp"
#include "host/openmp/gomp_loops.hpp"
#include "host/openmp/tools/callbacks.hpp"
#include "host/openmp/tools/events.hpp"
#include "host/openmp/tools/finding.hpp"
#include "host/openmp/tools/mutexes.hpp"

namespace lares::omp::gomp {

namespace {

__attribute__((constructor)) void see_mutexes() {
  tools::g_sees_mutexes.store(true, std::memory_order_relaxed);
}

void begin(const runtime::Worker& worker, tools::ompt::Work kind, std::uint64_t count,
           const void* call_site) noexcept {
  if (tools::is_watched(worker)) tools::open_work(kind, count, call_site);
}

using Lock = void();

// What tells the critical constructs without a name, atomic ones and ordered ones from others.
char g_unnamed;
char g_atomic;
char g_order;

template <class Function, class... Arguments>
void take(Stock& stock, Entry entry, tools::ompt::Mutex kind, const void* lock,
          const void* call_site, Arguments... arguments) {
  const bool told = tools::tells_of(stock);
  if (told) tools::wait_for_mutex(kind, lock, call_site);
  real<Function>(stock, entry)(arguments...);
  if (told) tools::own_mutex(kind, lock, call_site);
}

template <class Function, class... Arguments>
void give_back(Stock& stock, Entry entry, tools::ompt::Mutex kind, const void* lock,
               const void* call_site, Arguments... arguments) {
  real<Function>(stock, entry)(arguments...);
  if (tools::tells_of(stock)) tools::give_mutex_back(kind, lock, call_site);
}

}  // namespace

}  // namespace lares::omp::gomp

namespace gomp = lares::omp::gomp;
namespace ompt = lares::omp::tools::ompt;
using lares::omp::Entry;

#define LARES_STOCK_OF_CALLER()                           \
  const void* const caller = __builtin_return_address(0); \
  lares::omp::Stock& stock = *lares::omp::stock_of(caller, lares::omp::Abi::gomp)

// NOLINTBEGIN: the names and types are the ABI's.
LARES_EXPORT void GOMP_critical_start() {
  LARES_STOCK_OF_CALLER();
  gomp::take<void()>(stock, Entry::GOMP_critical_start, ompt::Mutex::critical, &gomp::g_unnamed,
                     caller);
}
LARES_EXPORT void GOMP_critical_end() {
  LARES_STOCK_OF_CALLER();
  gomp::give_back<void()>(stock, Entry::GOMP_critical_end, ompt::Mutex::critical, &gomp::g_unnamed,
                          caller);
}
LARES_EXPORT void GOMP_critical_name_start(void** name) {
  LARES_STOCK_OF_CALLER();
  gomp::take<void(void**)>(stock, Entry::GOMP_critical_name_start, ompt::Mutex::critical, name,
                           caller, name);
}
LARES_EXPORT void GOMP_critical_name_end(void** name) {
  LARES_STOCK_OF_CALLER();
  gomp::give_back<void(void**)>(stock, Entry::GOMP_critical_name_end, ompt::Mutex::critical, name,
                                caller, name);
}
LARES_EXPORT void GOMP_atomic_start() {
  LARES_STOCK_OF_CALLER();
  gomp::take<void()>(stock, Entry::GOMP_atomic_start, ompt::Mutex::atomic, &gomp::g_atomic, caller);
}
LARES_EXPORT void GOMP_atomic_end() {
  LARES_STOCK_OF_CALLER();
  gomp::give_back<void()>(stock, Entry::GOMP_atomic_end, ompt::Mutex::atomic, &gomp::g_atomic,
                          caller);
}
LARES_EXPORT void GOMP_ordered_start() {
  LARES_STOCK_OF_CALLER();
  gomp::take<void()>(stock, Entry::GOMP_ordered_start, ompt::Mutex::ordered, &gomp::g_order,
                     caller);
}
LARES_EXPORT void GOMP_ordered_end() {
  LARES_STOCK_OF_CALLER();
  gomp::give_back<void()>(stock, Entry::GOMP_ordered_end, ompt::Mutex::ordered, &gomp::g_order,
                          caller);
}

LARES_EXPORT unsigned GOMP_sections_start(unsigned count) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_sections_start, count);
  gomp::begin(*worker, ompt::Work::sections, count, __builtin_return_address(0));
  return lares::omp::real<unsigned(unsigned)>(lares::omp::stock_of(*worker),
                                              Entry::GOMP_sections_start)(count);
}
LARES_EXPORT void GOMP_sections_end_nowait() {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_sections_end_nowait);
  if (lares::omp::tools::is_watched(*worker)) lares::omp::tools::close_work();
  lares::omp::real<void()>(lares::omp::stock_of(*worker), Entry::GOMP_sections_end_nowait)();
}

#define LARES_WATCHED_LOOP(name)                                                                  \
  LARES_EXPORT bool name(long start, long end, long incr, long chunk, long* istart, long* iend) { \
    LARES_OWN_WORKER_OR_FORWARD(name, start, end, incr, chunk, istart, iend);                     \
    gomp::begin(*worker, ompt::Work::loop,                                                        \
                gomp::loop_request(nullptr, start, end, incr).iterations,                         \
                __builtin_return_address(0));                                                     \
    return lares::omp::real<bool(long, long, long, long, long*, long*)>(                          \
        lares::omp::stock_of(*worker), Entry::name)(start, end, incr, chunk, istart, iend);       \
  }                                                                                               \
  static_assert(true)
#define LARES_WATCHED_RUNTIME_LOOP(name)                                              \
  LARES_EXPORT bool name(long start, long end, long incr, long* istart, long* iend) { \
    LARES_OWN_WORKER_OR_FORWARD(name, start, end, incr, istart, iend);                \
    gomp::begin(*worker, ompt::Work::loop,                                            \
                gomp::loop_request(nullptr, start, end, incr).iterations,             \
                __builtin_return_address(0));                                         \
    return lares::omp::real<bool(long, long, long, long*, long*)>(                    \
        lares::omp::stock_of(*worker), Entry::name)(start, end, incr, istart, iend);  \
  }                                                                                   \
  static_assert(true)
LARES_WATCHED_LOOP(GOMP_loop_static_start);
LARES_WATCHED_LOOP(GOMP_loop_dynamic_start);
LARES_WATCHED_LOOP(GOMP_loop_guided_start);
LARES_WATCHED_RUNTIME_LOOP(GOMP_loop_runtime_start);
LARES_WATCHED_LOOP(GOMP_loop_ordered_static_start);
LARES_WATCHED_LOOP(GOMP_loop_ordered_dynamic_start);
LARES_WATCHED_LOOP(GOMP_loop_ordered_guided_start);
LARES_WATCHED_RUNTIME_LOOP(GOMP_loop_ordered_runtime_start);
// NOLINTEND
