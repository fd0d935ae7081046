#include "host/openmp/kmp_tasks.hpp"

#include <cstring>

#include "host/openmp/control_variables.hpp"
#include "host/openmp/kmp_depend.hpp"
#include "host/openmp/kmp_entry.hpp"
#include "host/openmp/tools/events.hpp"
#include "runtime/record.hpp"
#include "runtime/series.hpp"
#include "runtime/stall.hpp"

namespace lares::omp::kmp {

namespace {

// Beside the compiler's flags, in HostPart::bits.
constexpr std::uint32_t in_parts = 1U << 30U;   // an untied task's loop over its parts is under way
constexpr std::uint32_t next_part = 1U << 31U;  // its routine asked for the next one

bool has(const runtime::Task& task, std::uint32_t bit) noexcept {
  return (task.host.bits.flags & bit) != 0;
}

// --- running

[[gnu::noinline]] void call_routine_watched(runtime::Task& task, std::int32_t gtid) {
  struct Call {
    CompilerTask* made;
    std::int32_t gtid;
  } call{&compiler_task(task), gtid};
  tools::call_body(
      tools::record_of(task),
      [](void* data) {
        auto& inner = *static_cast<Call*>(data);
        inner.made->routine(inner.gtid, inner.made);
      },
      &call);
}

void call_routine(runtime::Task& task, std::int32_t gtid) {
  CompilerTask& made = compiler_task(task);
  if (made.routine == nullptr) return;
  if (runtime::watch::is_on(task)) [[unlikely]]
    return call_routine_watched(task, gtid);
  made.routine(gtid, &made);
}

// An untied task's routine returns at each scheduling point, after it has asked for its next part.
// The next part would be the newest task of this thread's queue, and so the next one it takes: it
// goes on with it at once.
void run_parts(runtime::Task& task, std::int32_t gtid) {
  task.host.bits.flags |= in_parts;
  do {
    task.host.bits.flags &= ~next_part;
    call_routine(task, gtid);
  } while (has(task, next_part));
  task.host.bits.flags &= ~in_parts;
}

// Under libomp all threads of a cancelled region still meet in its barriers, so the team is never
// cancelled in the engine's sense; but tasks that have not started yet are dropped.
bool is_region_cancelled(runtime::Worker& worker) {
  return worker.team->cancellable &&
         real<decltype(kmp_get_cancellation_status)>(
             stock_of(worker), Entry::kmp_get_cancellation_status)(cancel_parallel) != 0;
}

void run_simple(runtime::Task& task, runtime::Worker& worker) {
  apply_control_variables(task);
  CompilerTask& made = compiler_task(task);
  made.routine(gtid_of(worker), &made);
  restore_control_variables(task);
}

// Tasks with parts or destructors, those that a tool is told of, and all where something may be
// cancelled. Destructors run
// even if the task is dropped: its private variables were made when it was.
void run_any(runtime::Task& task, runtime::Worker& worker) {
  const std::int32_t gtid = gtid_of(worker);
  apply_control_variables(task);
  if (!runtime::is_dropped(task) && !is_region_cancelled(worker)) {
    run_parts(task, gtid);
  } else {
    runtime::watch::dropped(worker, task);
  }
  run_destructors(task, gtid);
  restore_control_variables(task);
}

// --- making

std::uint16_t engine_flags(std::uint32_t bits, const runtime::Task& parent) noexcept {
  std::uint16_t flags = 0;
  if ((bits & task_bit::tied) == 0) flags |= runtime::task_flag::untied;
  if ((bits & task_bit::final) != 0 || parent.has(runtime::task_flag::final)) {
    flags |= runtime::task_flag::final;
  }
  if ((bits & (task_bit::detachable | task_bit::proxy)) != 0) {
    flags |= runtime::task_flag::detachable;
  }
  if ((bits & task_bit::destructors) != 0) flags |= runtime::task_flag::must_run;
  if ((bits & task_bit::merged_if0) != 0) flags |= runtime::task_flag::mergeable;
  return flags;
}

int priority_of(runtime::Worker& worker, runtime::Task& task) noexcept {
  const int wanted = compiler_task(task).data2.priority;
  if (wanted <= 0) return 0;
  const int most = real<int()>(stock_of(worker), Entry::omp_get_max_task_priority)();
  return wanted < most ? wanted : most;
}

// --- handing in

bool is_included(const runtime::Worker& worker, std::uint32_t bits) noexcept {
  if (worker.current->has(runtime::task_flag::final)) return true;
  return (bits & (task_bit::merged_if0 | task_bit::proxy)) == task_bit::merged_if0;
}

void go_on(runtime::Task& task, runtime::Worker& worker) {
  if (has(task, in_parts)) {
    task.host.bits.flags |= next_part;
  } else {
    run_parts(task, gtid_of(worker));  // an undeferred task: the compiler called its first part
  }
}

}  // namespace

std::uintptr_t task_code(const runtime::Task& task) noexcept {
  const auto run = runtime::stall::glance(task.run);
  if (run != run_simple && run != run_any) return 0;
  // The payload lies behind the descriptor, and is as type-stable.
  const auto& made = *static_cast<const CompilerTask*>(task.payload());
  return reinterpret_cast<std::uintptr_t>(runtime::stall::glance(made.routine));
}

void run_destructors(runtime::Task& task, std::int32_t gtid) {
  if (has(task, task_bit::destructors)) {
    CompilerTask& made = compiler_task(task);
    made.data1.destructors(gtid, &made);
  }
}

CompilerTask* make_task(runtime::Worker& worker, std::uint32_t bits, std::size_t size,
                        std::size_t shareds, TaskEntry routine) noexcept {
  const std::size_t head = (size + sizeof(void*) - 1) & ~(sizeof(void*) - 1);
  runtime::Task* task = runtime::new_task(worker, head + shareds);
  const bool simple = (bits & (task_bit::tied | task_bit::destructors)) == task_bit::tied &&
                      routine != nullptr && !worker.team->cancellable && !tools::is_watched(worker);
  task->run = simple ? run_simple : run_any;
  task->flags = engine_flags(bits, *worker.current);
  task->host.bits = {bits, head + shareds};
  inherit_control_variables(worker, *task);
  CompilerTask& made = compiler_task(*task);
  made.shareds = shareds == 0 ? nullptr : static_cast<char*>(task->payload()) + head;
  made.routine = routine;
  made.part = 0;
  if ((bits & task_bit::proxy) != 0) remember_proxy(made);
  return &made;
}

CompilerTask* copy_task(runtime::Worker& worker, CompilerTask& pattern) noexcept {
  runtime::Task& source = task_of(pattern);
  runtime::Task* task = runtime::new_task(worker, source.host.bits.payload);
  task->run = source.run;
  task->flags = source.flags;
  task->host.bits = source.host.bits;
  inherit_control_variables(worker, *task);
  std::memcpy(task->payload(), source.payload(), source.host.bits.payload);
  CompilerTask& made = compiler_task(*task);
  if (pattern.shareds != nullptr) {
    const auto offset = static_cast<char*>(pattern.shareds) - static_cast<char*>(source.payload());
    made.shareds = static_cast<char*>(task->payload()) + offset;
  }
  return &made;
}

void discard(runtime::Worker& worker, CompilerTask& pattern) {
  runtime::Task& task = task_of(pattern);
  run_destructors(task, gtid_of(worker));
  runtime::discard_unsubmitted(worker, task);
}

void run_now(runtime::Worker& worker, CompilerTask& made,
             std::span<const runtime::Dependence> dependences) {
  runtime::Task& task = task_of(made);
  if (task.has(runtime::task_flag::detachable)) {
    runtime::run_pending(worker, task, dependences);
  } else {
    runtime::run_undeferred(worker, task, dependences);
  }
}

namespace {
// Each of these ends in a call with arguments of its own, so that none has registers to save.

[[gnu::noinline]] void submit_perhaps_known(runtime::Worker& worker, CompilerTask& made,
                                            std::span<const runtime::Dependence> dependences) {
  runtime::Task& task = task_of(made);
  runtime::submit_perhaps_known(worker, task, reinterpret_cast<std::uintptr_t>(made.routine),
                                runtime::words_of(task.payload(), task.host.bits.payload),
                                dependences);
}

[[gnu::always_inline]] inline void hand_in_with_its_priority(
    runtime::Worker& worker, CompilerTask& made, std::span<const runtime::Dependence> dependences) {
  runtime::Task& task = task_of(made);
  if (is_included(worker, task.host.bits.flags)) return run_now(worker, made, dependences);
  if (runtime::may_be_known(worker)) return submit_perhaps_known(worker, made, dependences);
  runtime::submit(worker, task, dependences);
}

[[gnu::noinline]] void hand_in_prioritised(runtime::Worker& worker, CompilerTask& made,
                                           std::span<const runtime::Dependence> dependences) {
  task_of(made).priority = priority_of(worker, task_of(made));
  hand_in_with_its_priority(worker, made, dependences);
}

[[gnu::always_inline]] inline void hand_in(runtime::Worker& worker, CompilerTask& made,
                                           std::span<const runtime::Dependence> dependences) {
  if ((task_of(made).host.bits.flags & task_bit::priority) != 0)
    return hand_in_prioritised(worker, made, dependences);
  hand_in_with_its_priority(worker, made, dependences);
}

[[gnu::noinline]] void hand_in_watched(runtime::Worker& worker, CompilerTask& made,
                                       std::span<const runtime::Dependence> dependences) {
  const tools::EnteredFrame entered(__builtin_frame_address(0));
  hand_in(worker, made, dependences);
}
}  // namespace

void submit(runtime::Worker& worker, CompilerTask& made,
            std::span<const runtime::Dependence> dependences) {
  runtime::Task& task = task_of(made);
  if (&task == worker.current) return go_on(task, worker);
  if (tools::is_watched(worker)) [[unlikely]]
    return hand_in_watched(worker, made, dependences);
  hand_in(worker, made, dependences);
}

}  // namespace lares::omp::kmp

namespace kmp = lares::omp::kmp;
namespace runtime = lares::runtime;
namespace tools = lares::omp::tools;

// The two entry points that make a task, for code at `caller` that a worker does not know yet.

[[gnu::noinline]] static kmp_task* alloc_by_caller(kmp_location* loc, std::int32_t gtid,
                                                   std::int32_t flags, std::size_t size,
                                                   std::size_t shareds, kmp_entry entry,
                                                   const void* caller) {
  runtime::Worker* const worker = kmp::own_worker(caller);
  if (worker == nullptr) {
    lares::omp::Stock& stock = kmp::stock_of_caller(caller);
    if (!stock.contains(caller)) lares::omp::note_stock_task(stock);
    return lares::omp::real<decltype(__kmpc_omp_task_alloc)>(
        stock, lares::omp::Entry::__kmpc_omp_task_alloc)(loc, gtid, flags, size, shareds, entry);
  }
  return kmp::make_task(*worker, static_cast<std::uint32_t>(flags), size, shareds, entry);
}

[[gnu::noinline]] static std::int32_t task_by_caller(kmp_location* loc, std::int32_t gtid,
                                                     kmp_task* task, const void* caller) {
  runtime::Worker* const worker = kmp::own_worker(caller);
  if (worker == nullptr) {
    return lares::omp::real<decltype(__kmpc_omp_task)>(
        kmp::stock_of_caller(caller), lares::omp::Entry::__kmpc_omp_task)(loc, gtid, task);
  }
  worker->call_site = caller;
  kmp::submit(*worker, *task, {});
  return 0;
}

LARES_EXPORT kmp_task* __kmpc_omp_task_alloc(kmp_location* loc, std::int32_t gtid,
                                             std::int32_t flags, std::size_t size,
                                             std::size_t shareds, kmp_entry entry) {
  const void* const caller = __builtin_return_address(0);
  runtime::Worker* const worker = lares::omp::own_worker_at_once(caller, lares::omp::Abi::kmp);
  if (worker == nullptr) [[unlikely]] {
    return alloc_by_caller(loc, gtid, flags, size, shareds, entry, caller);
  }
  return kmp::make_task(*worker, static_cast<std::uint32_t>(flags), size, shareds, entry);
}

LARES_EXPORT std::int32_t __kmpc_omp_task(kmp_location* loc, std::int32_t gtid, kmp_task* task) {
  const void* const caller = __builtin_return_address(0);
  runtime::Worker* const worker = lares::omp::own_worker_at_once(caller, lares::omp::Abi::kmp);
  if (worker == nullptr) [[unlikely]] {
    return task_by_caller(loc, gtid, task, caller);
  }
  worker->call_site = caller;
  kmp::submit(*worker, *task, {});
  return 0;
}

LARES_EXPORT std::int32_t __kmpc_omp_task_parts(kmp_location* loc, std::int32_t gtid,
                                                kmp_task* task) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_task_parts, loc, gtid, task);
  worker->call_site = __builtin_return_address(0);
  kmp::submit(*worker, *task, {});
  return 0;
}

LARES_EXPORT std::int32_t __kmpc_omp_task_with_deps(kmp_location* loc, std::int32_t gtid,
                                                    kmp_task* task, std::int32_t count,
                                                    kmp_depend* list, std::int32_t noalias_count,
                                                    kmp_depend* noalias_list) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_task_with_deps, loc, gtid, task, count, list,
                              noalias_count, noalias_list);
  const kmp::Dependences dependences(count, list, noalias_count, noalias_list);
  worker->call_site = __builtin_return_address(0);
  kmp::submit(*worker, *task, dependences.list());
  return 0;
}

static void begin_if0(runtime::Worker& worker, runtime::Task& task) {
  if (task.has(runtime::task_flag::detachable)) {
    runtime::begin_pending(worker, task, {});
  } else {
    runtime::begin_undeferred(worker, task, {});
  }
}

// The compiler calls the routine of an undeferred task itself, between these two. It has waited for
// its dependences before.
LARES_EXPORT void __kmpc_omp_task_begin_if0(kmp_location* loc, std::int32_t gtid, kmp_task* made) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_task_begin_if0, loc, gtid, made);
  runtime::Task& task = kmp::task_of(*made);
  worker->call_site = __builtin_return_address(0);
  if (tools::is_watched(*worker)) [[unlikely]] {
    const tools::EnteredFrame entered(__builtin_frame_address(0));
    begin_if0(*worker, task);
  } else {
    begin_if0(*worker, task);
  }
  lares::omp::apply_control_variables(task);
}

LARES_EXPORT void __kmpc_omp_task_complete_if0(kmp_location* loc, std::int32_t gtid,
                                               kmp_task* made) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_task_complete_if0, loc, gtid, made);
  runtime::Task& task = kmp::task_of(*made);
  kmp::run_destructors(task, kmp::gtid_of(*worker));
  lares::omp::restore_control_variables(task);
  if (task.has(runtime::task_flag::detachable)) {
    runtime::end_pending(*worker, task);
  } else {
    runtime::end_undeferred(*worker, task);
  }
}

LARES_EXPORT std::int32_t __kmpc_omp_reg_task_with_affinity(kmp_location* loc, std::int32_t gtid,
                                                            kmp_task* task, std::int32_t count,
                                                            kmp_affinity* list) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_reg_task_with_affinity, loc, gtid, task, count, list);
  const bool matters = runtime::Engine::instance().wants_data() || runtime::record::is_on(*worker);
  if (count <= 0 || !matters) return 0;
  const std::span<runtime::Access> accesses =
      runtime::reserve_accesses(kmp::task_of(*task), static_cast<std::size_t>(count));
  for (runtime::Access& access : accesses) {
    access = {list->address, lares::Bytes{list->bytes}, lares::policy::AccessMode::affinity};
    ++list;
  }
  return 0;
}
