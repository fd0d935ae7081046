// GCC's tasks: `fn(data)`, with the data copied by the runtime when the task is left for later.
#include <cstdint>
#include <cstring>
#include <span>

#include "host/openmp/control_variables.hpp"
#include "host/openmp/gomp_abi.hpp"
#include "host/openmp/gomp_depend.hpp"
#include "host/openmp/gomp_reductions.hpp"
#include "host/openmp/gomp_tasks.hpp"
#include "host/openmp/region.hpp"
#include "host/openmp/tools/events.hpp"
#include "runtime/at_once.hpp"
#include "runtime/group_data.hpp"
#include "runtime/record.hpp"
#include "runtime/series.hpp"
#include "runtime/stall.hpp"
#include "runtime/taskloop.hpp"
#include "runtime/watch.hpp"

namespace lares::omp::gomp {

namespace {

void call(runtime::Task& task) {
  const auto body = reinterpret_cast<Body>(task.host.call.function);
  if (runtime::watch::is_on(task)) [[unlikely]] {
    return tools::call_body(tools::record_of(task), body, task.host.call.data);
  }
  body(task.host.call.data);
}

void run(runtime::Task& task, runtime::Worker&) {
  apply_control_variables(task);
  call(task);
  restore_control_variables(task);
}

// What nobody watches.
void run_plain(runtime::Task& task, runtime::Worker&) {
  apply_control_variables(task);
  reinterpret_cast<Body>(task.host.call.function)(task.host.call.data);
  restore_control_variables(task);
}

// On the thread of its creator, at once: it has the creator's variables already.
void run_in_place(runtime::Task& task, runtime::Worker&) {
  call(task);
  restore_control_variables(task);
}

// What is plain and nobody observes.
void run_plain_in_place(runtime::Task& task, runtime::Worker&) {
  reinterpret_cast<Body>(task.host.call.function)(task.host.call.data);
  restore_control_variables(task);
}

// A task that neither waits nor is waited for. Where it is made most often, and so inline.
[[gnu::always_inline]] inline void run_here(runtime::Worker& worker, Body body, void* data,
                                            std::uint16_t flags) {
  auto* const function = reinterpret_cast<void*>(body);
  // A worker's record never begins inside of a task, nor does it begin to be watched there.
  if (worker.observed) [[unlikely]] {
    return runtime::run_inline_observed(worker, run_in_place, function, data, flags, {});
  }
  runtime::at_once::run_spare<false>(worker, run_plain_in_place, function, data, flags, {});
}

[[gnu::noinline]] void run_out_of_line(runtime::Worker& worker, Body body, void* data,
                                       std::uint16_t flags) {
  run_here(worker, body, data, flags);
}

void* align_up(void* pointer, long align) noexcept {
  const auto mask = static_cast<std::uintptr_t>(align) - 1;
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(pointer) + mask) & ~mask);
}

/// What one GOMP_task or one piece of a taskloop is made of.
struct Recipe {
  Body body;
  void* data;
  Copy copy;
  long size;
  long align;
  unsigned flags;
  int priority;
};

// Of a task that has neither `final` nor an event.
std::uint16_t plain_flags(unsigned flags) noexcept {
  const unsigned untied = (flags & flag_untied) != 0 ? runtime::task_flag::untied : 0U;
  const unsigned mergeable = (flags & flag_mergeable) != 0 ? runtime::task_flag::mergeable : 0U;
  return static_cast<std::uint16_t>(untied | mergeable);
}

std::uint16_t task_flags(const Recipe& recipe, const runtime::Task& parent) noexcept {
  std::uint16_t flags = plain_flags(recipe.flags);
  if ((recipe.flags & flag_final) != 0 || parent.has(runtime::task_flag::final)) {
    flags |= runtime::task_flag::final;
  }
  if ((recipe.flags & flag_detach) != 0) flags |= runtime::task_flag::detachable;
  // Copy constructors have run: only the body runs the destructors.
  if (recipe.copy != nullptr) flags |= runtime::task_flag::must_run;
  return flags;
}

int clamp_priority(runtime::Worker& worker, const Recipe& recipe) noexcept {
  if ((recipe.flags & flag_priority) == 0 || recipe.priority <= 0) return 0;
  const int most = real<int()>(stock_of(worker), Entry::omp_get_max_task_priority)();
  return recipe.priority < most ? recipe.priority : most;
}

// A task that works on the caller's own data: for bodies that run before the caller goes on.
runtime::Task* make_in_place(runtime::Worker& worker, const Recipe& recipe) noexcept {
  runtime::Task* task = runtime::new_task(worker, 0);
  task->run = run;
  task->host.call = {reinterpret_cast<void*>(recipe.body), recipe.data};
  task->flags = task_flags(recipe, *worker.current);
  inherit_control_variables(worker, *task);
  return task;
}

// A task with a copy of the data.
runtime::Task* make_with_copy(runtime::Worker& worker, const Recipe& recipe) noexcept {
  const auto room = static_cast<std::size_t>(recipe.size + recipe.align);
  runtime::Task* task = runtime::new_task(worker, room);
  task->run = run;
  void* const copy = align_up(task->payload(), recipe.align);
  task->host.call = {reinterpret_cast<void*>(recipe.body), copy};
  task->flags = task_flags(recipe, *worker.current);
  task->priority = clamp_priority(worker, recipe);
  inherit_control_variables(worker, *task);
  if (recipe.copy != nullptr) {
    recipe.copy(copy, recipe.data);
  } else {
    std::memcpy(copy, recipe.data, static_cast<std::size_t>(recipe.size));
  }
  return task;
}

void run_now(runtime::Worker& worker, const Recipe& recipe,
             std::span<const runtime::Dependence> dependences, void* detach) {
  const bool copies = recipe.copy != nullptr;
  runtime::Task* task = copies ? make_with_copy(worker, recipe) : make_in_place(worker, recipe);
  if (detach != nullptr) {
    *static_cast<std::uintptr_t*>(detach) = event_of(*task);
    if (task->host.call.data != nullptr)
      *static_cast<std::uintptr_t*>(task->host.call.data) = event_of(*task);
  }
  runtime::run_undeferred(worker, *task, dependences);
}

void run_later(runtime::Worker& worker, Recipe recipe,
               std::span<const runtime::Dependence> dependences, void* detach) {
  runtime::Task* task = make_with_copy(worker, recipe);
  if (detach != nullptr) {
    // The event is the first member of the task's data.
    *static_cast<std::uintptr_t*>(detach) = event_of(*task);
    *static_cast<std::uintptr_t*>(task->host.call.data) = event_of(*task);
  }
  runtime::submit_from(
      worker, *task, reinterpret_cast<std::uintptr_t>(recipe.body),
      runtime::words_of(task->host.call.data, static_cast<std::size_t>(recipe.size)), dependences);
}

// Without data to copy or dependences to wait for.
[[gnu::always_inline]] inline bool may_run_now(runtime::Worker& worker, unsigned flags,
                                               bool included, bool depends) noexcept {
  // A record, or a tool, is told what a task depends on, even if nothing is left to wait for.
  if (depends) return runtime::runs_in_order(worker) && !worker.observed;
  return included || ((flags & flag_priority) == 0 && runtime::should_inline(worker));
}

// For a body that runs at once.
std::uint16_t inline_flags(const Recipe& recipe, const runtime::Task& parent,
                           bool included) noexcept {
  const std::uint16_t flags = task_flags(recipe, parent);
  return included ? static_cast<std::uint16_t>(flags | runtime::task_flag::undeferred) : flags;
}

// --- taskloop -----------------------------------------------------------------------------------

template <class Number>
std::uint64_t count_iterations(Number start, Number end, Number step, bool up) noexcept {
  if (up) {
    if (start >= end) return 0;
    return (static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start) +
            static_cast<std::uint64_t>(step) - 1) /
           static_cast<std::uint64_t>(step);
  }
  if (start <= end) return 0;
  const std::uint64_t stride = 0 - static_cast<std::uint64_t>(step);
  return (static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end) + stride - 1) /
         stride;
}

/// The compiler's data for a taskloop starts with the piece's bounds, then the reductions.
template <class Number>
struct LoopData {
  Number start;
  Number end;
  std::uintptr_t* reductions;
};

decide::Pieces cut(std::uint64_t iterations, unsigned flags, unsigned long argument,
                   std::size_t threads) noexcept {
  if ((flags & flag_grainsize) != 0) {
    const std::uint64_t grain = argument != 0 ? argument : 1;
    return decide::Pieces::by_grain(iterations, grain, (flags & flag_strict) != 0);
  }
  return decide::Pieces::evenly(iterations, argument != 0 ? argument : threads);
}

/// What is the same for all pieces of a taskloop.
struct PieceKind {
  bool included;               ///< each runs before the next is made
  bool may_be_in_place;        ///< on the caller's data: nothing is to be constructed or ordered
  std::uint16_t inline_flags;  ///< of one that runs at once
};

PieceKind kind_of_pieces(const runtime::Worker& worker, const Recipe& recipe) noexcept {
  const bool included =
      (recipe.flags & flag_if) == 0 || worker.current->has(runtime::task_flag::final);
  // Without copy constructors the caller's data serves every piece that runs at once.
  return {included, recipe.copy == nullptr && (included || recipe.priority == 0),
          inline_flags(recipe, *worker.current, included)};
}

template <class Number>
[[gnu::always_inline]] inline void make_piece(runtime::Worker& worker, const Recipe& recipe,
                                              const PieceKind& kind, Number begin, Number end,
                                              DomainId home) {
  const bool in_place =
      kind.may_be_in_place && (kind.included || (!home.valid() && runtime::should_inline(worker)));
  runtime::Task* task = in_place ? nullptr : make_with_copy(worker, recipe);
  auto* bounds = static_cast<Number*>(in_place ? recipe.data : task->host.call.data);
  bounds[0] = begin;
  bounds[1] = end;
  if (in_place) {
    run_here(worker, recipe.body, recipe.data, kind.inline_flags);
  } else if (kind.included) {
    runtime::run_undeferred(worker, *task, {});
  } else {
    task->home = home;
    task->located = runtime::Located::loop;
    runtime::submit(worker, *task, {});
  }
}

template <class Number>
void make_pieces(runtime::Worker& worker, const Recipe& recipe, const decide::Pieces& pieces,
                 Number start, Number end, Number step) {
  const PieceKind kind = kind_of_pieces(worker, recipe);
  const runtime::Taskloop taskloop(worker, reinterpret_cast<std::uintptr_t>(recipe.body),
                                   !kind.included);
  const auto at = [&](std::uint64_t iteration) {
    // Without a sign: what is before the loop's end does not overflow, but a part of the sum may.
    const std::uint64_t value =
        static_cast<std::uint64_t>(start) + iteration * static_cast<std::uint64_t>(step);
    return static_cast<Number>(value);
  };
  taskloop.for_each(pieces, [&](decide::LoopRange range, bool last, DomainId home) {
    // The program's own end, which the last step may not meet.
    make_piece(worker, recipe, kind, at(range.begin), last ? end : at(range.end), home);
  });
}

template <class Number>
[[gnu::noinline]] void make_pieces_watched(runtime::Worker& worker, const Recipe& recipe,
                                           const decide::Pieces& pieces, Number start, Number end,
                                           Number step, bool grouped) {
  const void* const call_site = worker.call_site;  // what the pieces do may change it
  const std::uint64_t iterations = pieces.iterations();
  if (grouped) tools::open_group(call_site);
  {
    const tools::EnteredFrame entered(__builtin_frame_address(0));
    tools::begin_work(tools::ompt::Work::taskloop, iterations, call_site);
    make_pieces(worker, recipe, pieces, start, end, step);
    tools::end_work(tools::ompt::Work::taskloop, iterations, call_site);
  }
  if (!grouped) return;
  tools::wait_watched(tools::ompt::SyncRegion::taskgroup, call_site, true,
                      [&] { runtime::end_group(worker); });
}

template <class Number>
void run_loop(runtime::Worker& worker, Recipe recipe, unsigned long argument, Number start,
              Number end, Number step) {
  const bool up = std::is_signed_v<Number> ? static_cast<std::int64_t>(step) > 0
                                           : (recipe.flags & flag_up) != 0;
  const std::uint64_t iterations = count_iterations(start, end, step, up);
  const bool grouped = (recipe.flags & flag_nogroup) == 0;
  const bool reduces = grouped && (recipe.flags & flag_reduction) != 0;
  if (iterations == 0 || worker.team->cancelled.load(std::memory_order_relaxed)) {
    // The caller must see that nothing was registered.
    if (reduces) static_cast<LoopData<Number>*>(recipe.data)->reductions[2] = 0;
    return;
  }
  if (grouped) {
    runtime::begin_group(worker);
    if (reduces) {
      register_with_group(worker, static_cast<LoopData<Number>*>(recipe.data)->reductions);
    }
  }
  const decide::Pieces pieces = cut(iterations, recipe.flags, argument, worker.team->size());
  if (tools::is_watched(worker)) [[unlikely]] {
    return make_pieces_watched(worker, recipe, pieces, start, end, step, grouped);
  }
  make_pieces(worker, recipe, pieces, start, end, step);
  if (grouped) runtime::end_group(worker);
}

// --- tasks outside of all regions, which the stock runtime runs at once on the same thread

/// The body of such a construct, and what the tool is told of each task of it.
struct Lone {
  Body body;
  int flags;
  const void* call_site;
};

void run_lone(void* data) {
  const Lone lone = *static_cast<const Lone*>(tools::this_thread()->lone);
  tools::LoneTask task(lone.flags, lone.call_site);
  task.call(lone.body, data);
}

/// While it lives, `run_lone` is the body of what is handed to the stock runtime, if somebody is to
/// be told of it.
class LoneConstruct {
 public:
  LoneConstruct(Stock& stock, Body body, unsigned flags, const void* call_site) noexcept
      : lone_{body, 0, call_site} {
    tools::start_tool_if_named(stock);
    if (runtime::watch::watcher() == nullptr || !tools::is_watched_stock(stock)) return;
    thread_ = &tools::need_thread(tools::ompt::Thread::initial);
    outer_ = thread_->lone;
    if ((flags & flag_untied) != 0) lone_.flags |= tools::ompt::task_flag::untied;
    if ((flags & flag_final) != 0) lone_.flags |= tools::ompt::task_flag::final;
    thread_->lone = &lone_;
  }
  LoneConstruct(const LoneConstruct&) = delete;
  LoneConstruct& operator=(const LoneConstruct&) = delete;
  ~LoneConstruct() {
    if (thread_ != nullptr) thread_->lone = outer_;
  }

  [[nodiscard]] Body body() const noexcept { return thread_ != nullptr ? run_lone : lone_.body; }

 private:
  Lone lone_;
  const void* outer_ = nullptr;
  tools::ThreadRecord* thread_ = nullptr;
};

// A task that needs no more than its flags and a copy of its data, for later. No series has it.
[[gnu::noinline]] void queue_plain(runtime::Worker& worker, Body body, void* data, long size,
                                   long align, unsigned flags) {
  runtime::Task* const task =
      runtime::new_task(worker, static_cast<std::size_t>(size) + static_cast<std::size_t>(align));
  void* const copy = align_up(task->payload(), align);
  task->run = run_plain;
  task->host.call = {reinterpret_cast<void*>(body), copy};
  task->flags = plain_flags(flags);
  inherit_control_variables(worker, *task);
  std::memcpy(copy, data, static_cast<std::size_t>(size));
  runtime::submit_for_later(worker, *task);
}

// One of which something may be known: only if nothing is may it run at once.
[[gnu::noinline]] void place_by_what_is_known(runtime::Worker& worker, Body body, void* data,
                                              long size, long align, unsigned flags) {
  const Recipe recipe{body, data, nullptr, size, align, flags, 0};
  if (runtime::has_group_data(worker)) return run_later(worker, recipe, {}, nullptr);
  const auto code = reinterpret_cast<std::uintptr_t>(body);
  const runtime::InSeries known =
      runtime::may_be_in_series(worker)
          ? runtime::next_in_series(worker, code,
                                    runtime::words_of(data, static_cast<std::size_t>(size)))
          : runtime::InSeries{};
  if (known.known()) {
    return runtime::submit_in_series(worker, *make_with_copy(worker, recipe), known);
  }
  if (runtime::should_inline(worker)) {
    return run_out_of_line(worker, body, data, 0);
  }
  runtime::Task& task = *make_with_copy(worker, recipe);
  task.kind = known.kind;
  task.branch = known.branch;
  runtime::submit(worker, task, {});
}

// The same with dependences, which a record or a tool is told even if the task runs at once.
[[gnu::noinline]] void queue_dependent(runtime::Worker& worker, Body body, void* data, long size,
                                       long align, unsigned flags, void** depend) {
  const Dependences dependences(depend);
  if (worker.observed && runtime::runs_in_order(worker)) [[unlikely]] {
    return runtime::run_inline_observed(worker, run_in_place, reinterpret_cast<void*>(body), data,
                                        0, dependences.list());
  }
  run_later(worker, {body, data, nullptr, size, align, flags, 0}, dependences.list(), nullptr);
}

void make_any(runtime::Worker& worker, const Recipe& recipe, bool if_clause, void** depend,
              void* detach) {
  const bool included = !if_clause || worker.current->has(runtime::task_flag::final);
  const bool depends = (recipe.flags & flag_depend) != 0;
  if (detach == nullptr && recipe.copy == nullptr && !runtime::has_group_data(worker) &&
      may_run_now(worker, recipe.flags, included, depends)) {
    return run_out_of_line(worker, recipe.body, recipe.data,
                           inline_flags(recipe, *worker.current, included));
  }
  if (!depends) {
    return included ? run_now(worker, recipe, {}, detach) : run_later(worker, recipe, {}, detach);
  }
  const Dependences dependences(depend);
  if (detach == nullptr && recipe.copy == nullptr && runtime::runs_in_order(worker)) {
    return runtime::run_inline_observed(
        worker, run_in_place, reinterpret_cast<void*>(recipe.body), recipe.data,
        inline_flags(recipe, *worker.current, included), dependences.list());
  }
  if (included) return run_now(worker, recipe, dependences.list(), detach);
  run_later(worker, recipe, dependences.list(), detach);
}

// A call of GOMP_task, from the code at `caller`, that is not for a plain task of the program's.
[[gnu::noinline]] void take_call(void (*fn)(void*), void* data, void (*copy)(void*, void*),
                                 long size, long align, bool if_clause, unsigned flags,
                                 void** depend, int priority, void* detach, const void* caller) {
  runtime::Worker* const worker = own_worker(caller, Abi::gomp);
  if (worker == nullptr) {
    Stock& stock = *stock_of(caller, Abi::gomp);
    note_stock_task(stock);
    const LoneConstruct lone(stock, fn, flags, caller);
    return real<decltype(GOMP_task)>(stock, Entry::GOMP_task)(
        lone.body(), data, copy, size, align, if_clause, flags, depend, priority, detach);
  }
  worker->call_site = caller;
  void* const event = (flags & flag_detach) != 0 ? detach : nullptr;
  if (tools::is_watched(*worker)) {
    const tools::EnteredFrame entered(__builtin_frame_address(0));
    return make_any(*worker, {fn, data, copy, size, align, flags, priority}, if_clause, depend,
                    event);
  }
  make_any(*worker, {fn, data, copy, size, align, flags, priority}, if_clause, depend, event);
}

}  // namespace

std::uintptr_t task_code(const runtime::Task& task) noexcept {
  constexpr void (*body)(runtime::Task&, runtime::Worker&) = run;  // of several functions
  const auto made = runtime::stall::glance(task.run);
  if (made != body && made != run_plain && made != run_in_place && made != run_plain_in_place) {
    return 0;
  }
  return reinterpret_cast<std::uintptr_t>(runtime::stall::glance(task.host.call.function));
}

}  // namespace lares::omp::gomp

namespace gomp = lares::omp::gomp;

LARES_EXPORT void GOMP_task(void (*fn)(void*), void* data, void (*copy)(void*, void*), long size,
                            long align, bool if_clause, unsigned flags, void** depend, int priority,
                            void* detach) {
  const void* const caller = __builtin_return_address(0);
  lares::runtime::Worker* const worker =
      lares::omp::own_worker_at_once(caller, lares::omp::Abi::gomp);
  // Most tasks are made by the program itself, and are plain: either run now, as they are, or
  // queued with a copy of their data.
  constexpr unsigned rare = gomp::flag_final | gomp::flag_priority | gomp::flag_detach;
  const bool usual = worker != nullptr && !lares::omp::tools::is_watched(*worker) && if_clause &&
                     copy == nullptr && (flags & rare) == 0 &&
                     !worker->current->has(lares::runtime::task_flag::final);
  if (!usual) [[unlikely]] {
    return gomp::take_call(fn, data, copy, size, align, if_clause, flags, depend, priority, detach,
                           caller);
  }
  const bool depends = (flags & gomp::flag_depend) != 0;
  if (!depends && lares::runtime::may_be_known(*worker)) {
    gomp::place_by_what_is_known(*worker, fn, data, size, align, flags);
  } else if (gomp::may_run_now(*worker, flags, false, depends)) {
    gomp::run_here(*worker, fn, data, 0);
  } else if (!depends) {
    gomp::queue_plain(*worker, fn, data, size, align, flags);
  } else {
    gomp::queue_dependent(*worker, fn, data, size, align, flags, depend);
  }
}

LARES_EXPORT void GOMP_taskloop(void (*fn)(void*), void* data, void (*copy)(void*, void*),
                                long size, long align, unsigned flags, unsigned long tasks,
                                int priority, long start, long end, long step) {
  lares::runtime::Worker* const worker =
      lares::omp::own_worker(__builtin_return_address(0), lares::omp::Abi::gomp);
  if (worker == nullptr) {
    LARES_REAL_BY_CALLER(GOMP_taskloop);
    lares::omp::note_stock_task(*stock);
    const gomp::LoneConstruct lone(*stock, fn, flags, __builtin_return_address(0));
    return GOMP_taskloop_real(lone.body(), data, copy, size, align, flags, tasks, priority, start,
                              end, step);
  }
  worker->call_site = __builtin_return_address(0);
  const unsigned kept = priority > 0 ? flags | gomp::flag_priority : flags;
  gomp::run_loop<long>(*worker, {fn, data, copy, size, align, kept, priority}, tasks, start, end,
                       step);
}

LARES_EXPORT void GOMP_taskloop_ull(void (*fn)(void*), void* data, void (*copy)(void*, void*),
                                    long size, long align, unsigned flags, unsigned long tasks,
                                    int priority, unsigned long long start, unsigned long long end,
                                    unsigned long long step) {
  lares::runtime::Worker* const worker =
      lares::omp::own_worker(__builtin_return_address(0), lares::omp::Abi::gomp);
  if (worker == nullptr) {
    LARES_REAL_BY_CALLER(GOMP_taskloop_ull);
    lares::omp::note_stock_task(*stock);
    const gomp::LoneConstruct lone(*stock, fn, flags, __builtin_return_address(0));
    return GOMP_taskloop_ull_real(lone.body(), data, copy, size, align, flags, tasks, priority,
                                  start, end, step);
  }
  worker->call_site = __builtin_return_address(0);
  const unsigned kept = priority > 0 ? flags | gomp::flag_priority : flags;
  gomp::run_loop<unsigned long long>(*worker, {fn, data, copy, size, align, kept, priority}, tasks,
                                     start, end, step);
}
