// Clang's taskloop: pieces of the iterations, each a copy of a pattern task with bounds of its own.
#include "host/openmp/kmp_entry.hpp"
#include "host/openmp/kmp_tasks.hpp"
#include "host/openmp/tools/events.hpp"
#include "runtime/taskloop.hpp"

namespace lares::omp::kmp {

namespace {

// Without a clause: this many pieces for each thread, as libomp makes them.
constexpr std::uint64_t default_pieces = 10;

decide::Pieces cut(std::uint64_t iterations, LoopSchedule schedule, std::uint64_t argument,
                   bool strict, std::size_t threads) noexcept {
  if (schedule == LoopSchedule::none) {
    return decide::Pieces::evenly(iterations, threads * default_pieces);
  }
  if (argument == 0) argument = 1;
  if (schedule == LoopSchedule::num_tasks) return decide::Pieces::evenly(iterations, argument);
  return decide::Pieces::by_grain(iterations, argument, strict);
}

// Bounds are inclusive and may be signed or not: the difference is right either way. A loop without
// iterations has its upper bound one step before its lower one.
std::uint64_t count_iterations(std::uint64_t lower, std::uint64_t upper,
                               std::int64_t stride) noexcept {
  if (stride == 1) return upper - lower + 1;
  if (stride > 0) return (upper - lower) / static_cast<std::uint64_t>(stride) + 1;
  return (lower - upper) / (0 - static_cast<std::uint64_t>(stride)) + 1;
}

/// A taskloop as the compiler describes it.
struct Loop {
  CompilerTask* pattern;
  std::uint64_t* lower;  ///< inside the pattern, as is `upper`
  std::uint64_t* upper;
  std::int64_t stride;
  TaskDuplicate duplicate;
  bool if_clause;
};

template <class Field>
Field* same_field(Field* field, CompilerTask* from, CompilerTask* to) noexcept {
  return reinterpret_cast<Field*>(reinterpret_cast<char*>(to) +
                                  (reinterpret_cast<char*>(field) - reinterpret_cast<char*>(from)));
}

[[gnu::always_inline]] inline void make_piece(runtime::Worker& worker, const Loop& loop,
                                              decide::LoopRange range, bool last, DomainId home) {
  const auto stride = static_cast<std::uint64_t>(loop.stride);
  CompilerTask* piece = copy_task(worker, *loop.pattern);
  *same_field(loop.lower, loop.pattern, piece) = *loop.lower + stride * range.begin;
  *same_field(loop.upper, loop.pattern, piece) = *loop.lower + stride * (range.end - 1);
  if (loop.duplicate != nullptr) loop.duplicate(piece, loop.pattern, last ? 1 : 0);
  if (loop.if_clause) {
    task_of(*piece).home = home;
    task_of(*piece).located = runtime::Located::loop;
    submit(worker, *piece, {});
  } else {
    run_now(worker, *piece, {});
  }
}

void make_pieces(runtime::Worker& worker, const Loop& loop, LoopSchedule schedule,
                 std::uint64_t argument, bool strict) {
  const bool deferred = loop.if_clause && !worker.current->has(runtime::task_flag::final);
  const runtime::Taskloop taskloop(worker, reinterpret_cast<std::uintptr_t>(loop.pattern->routine),
                                   deferred);
  const std::uint64_t iterations = count_iterations(*loop.lower, *loop.upper, loop.stride);
  if (iterations != 0) {
    const decide::Pieces pieces = cut(iterations, schedule, argument, strict, worker.team->size());
    taskloop.for_each(pieces, [&](decide::LoopRange range, bool last, DomainId home) {
      make_piece(worker, loop, range, last, home);
    });
  }
}

[[gnu::noinline]] void run_watched(runtime::Worker& worker, const Loop& loop, bool grouped,
                                   LoopSchedule schedule, std::uint64_t argument, bool strict) {
  const void* const call_site = worker.call_site;  // what the pieces do may change it
  const std::uint64_t iterations = count_iterations(*loop.lower, *loop.upper, loop.stride);
  if (grouped) tools::open_group(call_site);
  if (grouped) runtime::begin_group(worker);
  tools::begin_work(tools::ompt::Work::taskloop, iterations, call_site);
  make_pieces(worker, loop, schedule, argument, strict);
  discard(worker, *loop.pattern);
  tools::end_work(tools::ompt::Work::taskloop, iterations, call_site);
  if (!grouped) return;
  tools::wait_watched(tools::ompt::SyncRegion::taskgroup, call_site, true,
                      [&] { runtime::end_group(worker); });
}

void run(runtime::Worker& worker, const Loop& loop, bool grouped, LoopSchedule schedule,
         std::uint64_t argument, bool strict) {
  if (tools::is_watched(worker)) [[unlikely]] {
    return run_watched(worker, loop, grouped, schedule, argument, strict);
  }
  if (grouped) runtime::begin_group(worker);
  make_pieces(worker, loop, schedule, argument, strict);
  discard(worker, *loop.pattern);
  if (grouped) runtime::end_group(worker);
}

}  // namespace

}  // namespace lares::omp::kmp

namespace kmp = lares::omp::kmp;

LARES_EXPORT void __kmpc_taskloop(kmp_location* loc, std::int32_t gtid, kmp_task* task,
                                  std::int32_t if_clause, std::uint64_t* lower,
                                  std::uint64_t* upper, std::int64_t stride, std::int32_t nogroup,
                                  std::int32_t schedule, std::uint64_t argument, void* duplicate) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_taskloop, loc, gtid, task, if_clause, lower, upper, stride,
                              nogroup, schedule, argument, duplicate);
  worker->call_site = __builtin_return_address(0);
  const kmp::Loop loop{
      task, lower, upper, stride, reinterpret_cast<kmp::TaskDuplicate>(duplicate), if_clause != 0};
  kmp::run(*worker, loop, nogroup == 0, static_cast<kmp::LoopSchedule>(schedule), argument, false);
}

LARES_EXPORT void __kmpc_taskloop_5(kmp_location* loc, std::int32_t gtid, kmp_task* task,
                                    std::int32_t if_clause, std::uint64_t* lower,
                                    std::uint64_t* upper, std::int64_t stride, std::int32_t nogroup,
                                    std::int32_t schedule, std::uint64_t argument,
                                    std::int32_t modifier, void* duplicate) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_taskloop_5, loc, gtid, task, if_clause, lower, upper, stride,
                              nogroup, schedule, argument, modifier, duplicate);
  worker->call_site = __builtin_return_address(0);
  const kmp::Loop loop{
      task, lower, upper, stride, reinterpret_cast<kmp::TaskDuplicate>(duplicate), if_clause != 0};
  kmp::run(*worker, loop, nogroup == 0, static_cast<kmp::LoopSchedule>(schedule), argument,
           modifier != 0);
}
