// Clang's worksharing loops whose order is free: dynamic, guided, runtime and auto. The compiler
// says so by a bit in the schedule; monotonic and ordered ones stay the stock runtime's.
#include <type_traits>

#include "host/openmp/kmp_entry.hpp"
#include "host/openmp/loops.hpp"

namespace lares::omp::kmp {

namespace {

/// sched_type of __kmpc_dispatch_init, and its modifiers.
constexpr std::int32_t schedule_dynamic = 35;
constexpr std::int32_t schedule_guided = 36;
constexpr std::int32_t schedule_runtime = 37;
constexpr std::int32_t schedule_auto = 38;
constexpr std::int32_t modifier_nonmonotonic = 1 << 30;

template <class Value>
using Step = std::make_signed_t<Value>;

/// Trips of a loop with both bounds inclusive. 0 for none, and for 2^64, which no counter holds.
template <class Value>
std::uint64_t trips(Value lower, Value upper, Step<Value> step) noexcept {
  using Bits = std::make_unsigned_t<Value>;
  const bool up = step > 0;
  if (up ? lower > upper : lower < upper) return 0;
  const auto distance = static_cast<Bits>(up ? static_cast<Bits>(upper) - static_cast<Bits>(lower)
                                             : static_cast<Bits>(lower) - static_cast<Bits>(upper));
  const auto stride = static_cast<Bits>(up ? static_cast<Bits>(step)
                                           : static_cast<Bits>(Bits{0} - static_cast<Bits>(step)));
  return static_cast<std::uint64_t>(distance / stride) + 1;
}

/// True if the loop is ours; the worker has then entered it.
template <class Value>
bool begin(runtime::Worker& worker, const void* site, std::int32_t schedule, Value lower,
           Value upper, Step<Value> step, Step<Value> chunk) noexcept {
  worker.in_own_loop = false;
  worker.began_own_loop = false;
  // By home, the first iteration of a part would wait for all of the part before.
  if (worker.in_doacross) return false;
  if (!schedules_loops(worker) || (schedule & modifier_nonmonotonic) == 0 || step == 0) {
    return false;
  }
  const std::int32_t kind = schedule & ~modifier_nonmonotonic;
  if (kind < schedule_dynamic || kind > schedule_auto) return false;
  runtime::LoopRequest request;
  request.site = reinterpret_cast<std::uintptr_t>(site);
  request.iterations = trips(lower, upper, step);
  const bool runs = step > 0 ? lower <= upper : lower >= upper;
  if (runs && request.iterations == 0) return false;
  request.bounds = {static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(step), 0};
  request.chunk = chunk > 0 ? static_cast<std::uint64_t>(chunk) : 1;
  request.guided = kind == schedule_guided || kind == schedule_auto;
  if (kind == schedule_runtime) RuntimeSchedule(stock_of(worker)).apply_to(request);
  worker.in_own_loop = !runtime::enter_loop(worker, request).left_to_stock;
  worker.began_own_loop = worker.in_own_loop;
  return worker.in_own_loop;
}

template <class Value>
std::int32_t deliver(runtime::Worker& worker, std::int32_t* p_last, Value* p_lower, Value* p_upper,
                     Step<Value>* p_step) noexcept {
  const decide::LoopRange range = runtime::next_iterations(worker);
  if (range.size() == 0) {
    worker.in_own_loop = false;  // and *p_last tells what it told of the piece before
    return 0;
  }
  const runtime::LoopBounds& bounds = worker.loop.bounds;
  *p_lower = static_cast<Value>(bounds.first + range.begin * bounds.step);
  *p_upper = static_cast<Value>(bounds.first + (range.end - 1) * bounds.step);
  if (p_step != nullptr) *p_step = static_cast<Step<Value>>(bounds.step);
  if (p_last != nullptr) *p_last = range.end == worker.loop.shape.iterations ? 1 : 0;
  return 1;
}

}  // namespace

}  // namespace lares::omp::kmp

namespace kmp = lares::omp::kmp;

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define LARES_DISPATCH(suffix, Value)                                                              \
  LARES_EXPORT void __kmpc_dispatch_init_##suffix(kmp_location* loc, std::int32_t gtid,            \
                                                  std::int32_t schedule, Value lower, Value upper, \
                                                  kmp::Step<Value> step, kmp::Step<Value> chunk) { \
    const void* const site = __builtin_return_address(0);                                          \
    lares::runtime::Worker* const worker = kmp::own_worker(site);                                  \
    if (worker != nullptr &&                                                                       \
        kmp::begin<Value>(*worker, site, schedule, lower, upper, step, chunk)) {                   \
      return;                                                                                      \
    }                                                                                              \
    LARES_KMP_REAL(__kmpc_dispatch_init_##suffix)                                                  \
    (loc, gtid, schedule, lower, upper, step, chunk);                                              \
  }                                                                                                \
  LARES_EXPORT std::int32_t __kmpc_dispatch_next_##suffix(                                         \
      kmp_location* loc, std::int32_t gtid, std::int32_t* p_last, Value* p_lower, Value* p_upper,  \
      kmp::Step<Value>* p_step) {                                                                  \
    lares::runtime::Worker* const worker = kmp::own_worker(__builtin_return_address(0));           \
    if (worker != nullptr && worker->in_own_loop) {                                                \
      return kmp::deliver<Value>(*worker, p_last, p_lower, p_upper, p_step);                       \
    }                                                                                              \
    return LARES_KMP_REAL(__kmpc_dispatch_next_##suffix)(loc, gtid, p_last, p_lower, p_upper,      \
                                                         p_step);                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)

LARES_DISPATCH(4, std::int32_t)
LARES_DISPATCH(4u, std::uint32_t)
LARES_DISPATCH(8, std::int64_t)
LARES_DISPATCH(8u, std::uint64_t)

// Around a loop whose iterations wait for earlier ones: the first before its schedule is asked for.
LARES_EXPORT void __kmpc_doacross_init(kmp_location* loc, std::int32_t gtid,
                                       std::int32_t dimensions, const void* bounds) {
  lares::runtime::Worker* const worker = kmp::own_worker(__builtin_return_address(0));
  if (worker != nullptr) worker->in_doacross = true;
  LARES_KMP_REAL(__kmpc_doacross_init)(loc, gtid, dimensions, bounds);
}

LARES_EXPORT void __kmpc_doacross_fini(kmp_location* loc, std::int32_t gtid) {
  lares::runtime::Worker* const worker = kmp::own_worker(__builtin_return_address(0));
  if (worker != nullptr) worker->in_doacross = false;
  LARES_KMP_REAL(__kmpc_doacross_fini)(loc, gtid);
}

LARES_EXPORT void __kmpc_dispatch_deinit(kmp_location* loc, std::int32_t gtid) {
  lares::runtime::Worker* const worker = kmp::own_worker(__builtin_return_address(0));
  if (worker != nullptr && worker->began_own_loop) {
    worker->began_own_loop = false;
    return;
  }
  // Before LLVM 19 there was none, and there is nothing to be done.
  auto* const forward = LARES_KMP_REAL(__kmpc_dispatch_deinit);
  if (forward != nullptr) forward(loc, gtid);
}
