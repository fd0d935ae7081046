#include "host/openmp/tools/events.hpp"

#include <cstdlib>

#include "base/raw_memory.hpp"
#include "host/openmp/tools/callbacks.hpp"

namespace lares::omp::tools {

namespace {

using ompt::Endpoint;
using ompt::Event;
using ompt::TaskStatus;

ompt::Data* data_of(TaskRecord* task) noexcept { return task == nullptr ? nullptr : task->data(); }

ompt::Data* region_data_of(const TaskRecord& task) noexcept {
  return task.parallel == nullptr ? nullptr : task.parallel->data();
}

void tell_schedule(TaskRecord* prior, TaskStatus status, TaskRecord* next) noexcept {
  tell(Event::task_schedule, data_of(prior), status, data_of(next));
}

// The record of a task whose descriptor, or memory, may have served another one.
void renew(TaskRecord& task, int flags) noexcept {
  task = TaskRecord();
  task.flags = flags;
}

void enter_runtime(TaskRecord& task, void* frame) noexcept {
  task.frame()->enter.ptr = frame;
  task.frame()->enter_flags = ompt::frame_of_runtime;
}

// --- dependences

ompt::DependenceType type_of(runtime::DependKind kind) noexcept {
  switch (kind) {
    case runtime::DependKind::in:
      return ompt::DependenceType::in;
    case runtime::DependKind::mutexinoutset:
      return ompt::DependenceType::mutexinoutset;
    case runtime::DependKind::inoutset:
      return ompt::DependenceType::inoutset;
    case runtime::DependKind::all_memory:
      return ompt::DependenceType::inout_all_memory;
    case runtime::DependKind::out:
      break;
  }
  return ompt::DependenceType::inout;  // GCC does not tell `out` from it
}

void tell_dependences(TaskRecord& task, std::span<const runtime::Dependence> dependences) noexcept {
  if (dependences.empty() || callback(static_cast<int>(Event::dependences)) == nullptr) return;
  auto* const list = static_cast<ompt::DependenceRecord*>(
      need_memory(dependences.size() * sizeof(ompt::DependenceRecord)));
  std::size_t count = 0;
  for (const runtime::Dependence& dependence : dependences) {
    list[count].variable.value = dependence.address;
    list[count].type = static_cast<int>(type_of(dependence.kind));
    ++count;
  }
  tell(Event::dependences, task.data(), list, static_cast<int>(count));
  std::free(list);
}

// --- what the engine tells

int flags_of(const runtime::Task& task, bool undeferred) noexcept {
  int flags = ompt::task_flag::explicit_task;
  if (undeferred) flags |= ompt::task_flag::undeferred;
  if (task.has(runtime::task_flag::untied)) flags |= ompt::task_flag::untied;
  if (task.has(runtime::task_flag::final)) flags |= ompt::task_flag::final;
  if (task.has(runtime::task_flag::mergeable)) flags |= ompt::task_flag::mergeable;
  return flags;
}

void on_created(runtime::Worker& worker, runtime::Task& task,
                std::span<const runtime::Dependence> dependences, bool undeferred) noexcept {
  ThreadRecord& thread = *this_thread();
  TaskRecord& record = record_of(task);
  renew(record, flags_of(task, undeferred));
  record.parallel = thread.current->parallel;
  tell(Event::task_create, thread.current->data(), thread.current->frame(), record.data(),
       record.flags, dependences.empty() ? 0 : 1, worker.call_site);
  tell_dependences(record, dependences);
}

void on_depends(runtime::Task& before, runtime::Task& task) noexcept {
  tell(Event::task_dependence, record_of(before).data(), record_of(task).data());
}

void begin_on(ThreadRecord& thread, TaskRecord& task) noexcept {
  TaskRecord* const prior = thread.current;
  task.below = prior;
  task.thread_num = prior->thread_num;
  task.resumed_state = thread.state;
  tell_schedule(prior, thread.yields ? TaskStatus::yield : TaskStatus::change, &task);
  thread.yields = false;
  thread.current = &task;
  thread.state = ompt::State::work_parallel;
}

void end_on(ThreadRecord& thread, TaskRecord& task, TaskStatus status) noexcept {
  TaskRecord* const next = task.below;
  thread.current = next;
  thread.state = task.resumed_state;
  tell_schedule(&task, task.dropped ? TaskStatus::cancel : status, next);
}

void on_begun(runtime::Worker&, runtime::Task& task) noexcept {
  begin_on(*this_thread(), record_of(task));
}

void on_dropped(runtime::Worker&, runtime::Task& task) noexcept {
  TaskRecord& record = record_of(task);
  record.dropped = true;
  const int what = task.team->cancelled.load(std::memory_order_relaxed)
                       ? ompt::cancel_flag::parallel
                       : ompt::cancel_flag::taskgroup;
  tell(Event::cancel, record.data(), what | ompt::cancel_flag::discarded_task,
       static_cast<const void*>(nullptr));
}

void on_ended(runtime::Worker&, runtime::Task& task) noexcept {
  end_on(*this_thread(), record_of(task), TaskStatus::complete);
}

void on_detached(runtime::Worker&, runtime::Task& task) noexcept {
  end_on(*this_thread(), record_of(task), TaskStatus::detach);
}

void on_fulfilled(runtime::Task& task, bool late) noexcept {
  tell_schedule(&record_of(task), late ? TaskStatus::late_fulfil : TaskStatus::early_fulfil,
                nullptr);
}

constexpr runtime::Watcher watcher_of_tools{on_created, on_depends,  on_begun,    on_dropped,
                                            on_ended,   on_detached, on_fulfilled};

ompt::State state_of(ompt::SyncRegion kind) noexcept {
  switch (kind) {
    case ompt::SyncRegion::taskwait:
      return ompt::State::wait_taskwait;
    case ompt::SyncRegion::taskgroup:
      return ompt::State::wait_taskgroup;
    case ompt::SyncRegion::barrier_implicit_workshare:
      return ompt::State::wait_barrier_implicit_workshare;
    case ompt::SyncRegion::barrier_implicit_parallel:
      return ompt::State::wait_barrier_implicit_parallel;
    case ompt::SyncRegion::barrier_implementation:
      return ompt::State::wait_barrier_implementation;
    case ompt::SyncRegion::barrier_explicit:
      break;
  }
  return ompt::State::wait_barrier_explicit;
}

}  // namespace

EnteredFrame::EnteredFrame(void* frame) noexcept : task_(*this_thread()->current) {
  before_ = task_.frame()->enter;
  enter_runtime(task_, frame);
}

void begin_to_watch() noexcept { runtime::watch::set(watcher_of_tools); }

// --- regions and their implicit tasks

[[gnu::noinline]] void begin_region(ParallelRecord& record, Stock& stock, unsigned threads,
                                    const void* call_site, int flags) noexcept {
  ThreadRecord& thread = need_thread(ompt::Thread::initial);
  record.opened_by = thread.current;
  record.call_site = call_site;
  record.opened_on = &stock;
  record.flags = flags;
  const unsigned asked =
      threads != 0 ? threads
                   : static_cast<unsigned>(real<int()>(stock, Entry::omp_get_max_threads)());
  TaskRecord& task = *thread.current;
  enter_runtime(task, __builtin_frame_address(0));
  tell(Event::parallel_begin, task.data(), task.frame(), record.data(), asked, flags, call_site);
}

void end_region(ParallelRecord& record) noexcept {
  TaskRecord& task = *record.opened_by;
  if ((task.flags & ompt::task_flag::initial) != 0) {
    ThreadRecord& thread = *this_thread();
    thread.pool = record.opened_on;
    thread.pool_size = static_cast<unsigned>(record.size.load(std::memory_order_relaxed));
  }
  task.frame()->enter = {};
  tell(Event::parallel_end, record.data(), task.data(), record.flags, record.call_site);
}

void meet_thread(const ParallelRecord& region, int thread_num) noexcept {
  if (region.opened_by != nullptr && thread_num != 0) need_thread(ompt::Thread::worker);
}

void begin_implicit_task(runtime::Worker& worker, ParallelRecord& region) noexcept {
  ThreadRecord& thread = *this_thread();
  TaskRecord& task = record_of(worker.implicit_task);
  renew(task, ompt::task_flag::implicit);
  task.below = region.opened_by;
  task.resumed = thread.current;
  task.resumed_state = thread.state;
  task.parallel = &region;
  task.thread_num = static_cast<int>(worker.id.value());
  const std::size_t size = worker.team->size();
  region.size.store(static_cast<int>(size), std::memory_order_relaxed);
  thread.current = &task;
  thread.state = ompt::State::work_parallel;
  tell(Event::implicit_task, Endpoint::begin, region.data(), task.data(),
       static_cast<unsigned>(size), static_cast<unsigned>(task.thread_num), task.flags);
}

void end_implicit_task(TaskRecord& task, int thread_num) noexcept {
  ThreadRecord& thread = *this_thread();
  tell(Event::implicit_task, Endpoint::end, static_cast<ompt::Data*>(nullptr), task.data(), 0U,
       static_cast<unsigned>(thread_num), task.flags);
  thread.current = task.resumed;
  thread.state = task.resumed_state;
}

[[gnu::noinline]] void call_body(TaskRecord& task, void (*body)(void*), void* data) noexcept {
  task.frame()->exit.ptr = __builtin_frame_address(0);
  task.frame()->exit_flags = ompt::frame_of_runtime;
  body(data);
  task.frame()->exit = {};
}

// --- waiting

SyncScope::SyncScope(ompt::SyncRegion kind, const void* call_site, void* frame,
                     bool opened) noexcept
    : thread_(*this_thread()),
      task_(*thread_.current),
      kind_(kind),
      call_site_(call_site),
      state_(thread_.state) {
  if (kind != ompt::SyncRegion::barrier_implicit_parallel) {  // else no frame of the task is left
    enter_runtime(task_, frame);
  }
  ompt::Data* const region = region_data_of(task_);
  if (!opened) {
    tell(Event::sync_region, kind, Endpoint::begin, region, task_.data(), call_site);
  }
  tell(Event::sync_region_wait, kind, Endpoint::begin, region, task_.data(), call_site);
  thread_.state = state_of(kind);
}

SyncScope::~SyncScope() {
  thread_.state = state_;
  const bool region_ends = kind_ == ompt::SyncRegion::barrier_implicit_parallel;
  ompt::Data* const region = region_ends ? nullptr : region_data_of(task_);
  tell(Event::sync_region_wait, kind_, Endpoint::end, region, task_.data(), call_site_);
  tell(Event::sync_region, kind_, Endpoint::end, region, task_.data(), call_site_);
  task_.frame()->enter = {};
}

bool tells_of_lone_waits(Stock& stock) noexcept {
  // A thread of libgomp that no region has is one of a league.
  return tells_of(stock) && need_thread(ompt::Thread::initial).current != nullptr;
}

void open_group(const void* call_site) noexcept {
  TaskRecord& task = *this_thread()->current;
  tell(Event::sync_region, ompt::SyncRegion::taskgroup, Endpoint::begin, region_data_of(task),
       task.data(), call_site);
}

// --- worksharing and cancelling

namespace {
void tell_work(ompt::Work kind, Endpoint endpoint, std::uint64_t count,
               const void* call_site) noexcept {
  TaskRecord& task = *this_thread()->current;
  tell(Event::work, kind, endpoint, region_data_of(task), task.data(), count, call_site);
}
}  // namespace

void begin_work(ompt::Work kind, std::uint64_t count, const void* call_site) noexcept {
  tell_work(kind, Endpoint::begin, count, call_site);
}
void end_work(ompt::Work kind, std::uint64_t count, const void* call_site) noexcept {
  tell_work(kind, Endpoint::end, count, call_site);
}

void open_work(ompt::Work kind, std::uint64_t count, const void* call_site) noexcept {
  close_work();  // a construct without an end of its own that we have seen
  TaskRecord& task = *this_thread()->current;
  task.open_work = kind;
  task.work_count = count;
  task.work_site = call_site;
  begin_work(kind, count, call_site);
}

void close_work() noexcept {
  TaskRecord& task = *this_thread()->current;
  if (task.open_work == ompt::Work{}) return;
  end_work(task.open_work, task.work_count, task.work_site);
  task.open_work = {};
}

void tell_cancel(int flags, const void* call_site) noexcept {
  tell(Event::cancel, this_thread()->current->data(), flags, call_site);
}

// --- tasks that the engine does not tell of

DependentWait::DependentWait(std::span<const runtime::Dependence> dependences,
                             const void* call_site, void* frame) noexcept
    : thread_(*this_thread()), entered_(frame), state_(thread_.state) {
  using namespace ompt::task_flag;
  TaskRecord& current = *thread_.current;
  task_.flags = taskwait | undeferred | mergeable;
  tell(Event::task_create, current.data(), current.frame(), task_.data(), task_.flags, 1,
       call_site);
  tell_dependences(task_, dependences);
  thread_.state = ompt::State::wait_taskwait;
}

DependentWait::~DependentWait() {
  thread_.state = state_;
  tell_schedule(&task_, TaskStatus::taskwait_complete, nullptr);
}

LoneTask::LoneTask(int flags, const void* call_site) noexcept
    : thread_(need_thread(ompt::Thread::initial)), entered_(__builtin_frame_address(0)) {
  task_.flags = flags | ompt::task_flag::explicit_task | ompt::task_flag::undeferred;
  task_.parallel = thread_.current->parallel;
  tell(Event::task_create, thread_.current->data(), thread_.current->frame(), task_.data(),
       task_.flags, 0, call_site);
  begin_on(thread_, task_);
}

LoneTask::~LoneTask() { end_on(thread_, task_, TaskStatus::complete); }

}  // namespace lares::omp::tools
