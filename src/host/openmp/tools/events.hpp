// The events of GCC's constructs, told to a tool. Nothing here is called unless one watches, but
// for the questions whether one does.
#pragma once

#include <cstdint>

#include "host/openmp/stock.hpp"
#include "host/openmp/tools/finding.hpp"
#include "host/openmp/tools/records.hpp"
#include "runtime/watch.hpp"

namespace lares::omp::tools {

inline bool is_watched(const runtime::Worker& worker) noexcept {
  return runtime::watch::is_on(worker);
}

/// From now on the tool is told. Once, before the first team that it shall be told of.
void begin_to_watch() noexcept;

void begin_region(ParallelRecord& record, Stock& stock, unsigned threads, const void* call_site,
                  int flags) noexcept;
void end_region(ParallelRecord& record) noexcept;

/// The two ends of ParallelScope, for constructs whose end is another call.
inline void open_region(ParallelRecord& record, Stock& stock, unsigned threads,
                        const void* call_site, int flags) noexcept {
  if (runtime::watch::watcher() != nullptr && is_watched_stock(stock)) [[unlikely]]
    begin_region(record, stock, threads, call_site, flags);
}
inline void close_region(ParallelRecord& record) noexcept {
  if (record.opened_by != nullptr) [[unlikely]]
    end_region(record);
}

/// A parallel construct, from before the stock runtime starts the threads until they have joined.
class ParallelScope {
 public:
  /// `record` lives as long as the scope. `threads` as the program asks for, 0: it does not.
  ParallelScope(ParallelRecord& record, Stock& stock, unsigned threads, const void* call_site,
                int flags = ompt::parallel_by_runtime | ompt::parallel_team) noexcept
      : record_(record) {
    open_region(record, stock, threads, call_site, flags);
  }
  ParallelScope(const ParallelScope&) = delete;
  ParallelScope& operator=(const ParallelScope&) = delete;
  ~ParallelScope() { close_region(record_); }

 private:
  ParallelRecord& record_;
};

/// A thread of the region comes, before it enters the team: the tool hears of new ones.
void meet_thread(const ParallelRecord& region, int thread_num) noexcept;
/// The implicit task of a worker begins and ends.
void begin_implicit_task(runtime::Worker& worker, ParallelRecord& region) noexcept;
void end_implicit_task(TaskRecord& task, int thread_num) noexcept;

/// Calls a body, so that the tool can tell its stack from ours.
void call_body(TaskRecord& task, void (*body)(void*), void* data) noexcept;

/// The current task is in the runtime while the scope lasts, where its function has the frame.
class EnteredFrame {
 public:
  explicit EnteredFrame(void* frame) noexcept;
  EnteredFrame(const EnteredFrame&) = delete;
  EnteredFrame& operator=(const EnteredFrame&) = delete;
  ~EnteredFrame() { task_.frame()->enter = before_; }

 private:
  TaskRecord& task_;
  ompt::Data before_;
};

/// A construct in which the current task waits, and maybe runs others.
class SyncScope {
 public:
  /// `frame`: of a function that stands until the scope's end. `opened`: the tool has heard of the
  /// construct's begin already.
  SyncScope(ompt::SyncRegion kind, const void* call_site, void* frame,
            bool opened = false) noexcept;
  SyncScope(const SyncScope&) = delete;
  SyncScope& operator=(const SyncScope&) = delete;
  ~SyncScope();

 private:
  ThreadRecord& thread_;
  TaskRecord& task_;
  ompt::SyncRegion kind_;
  const void* call_site_;
  ompt::State state_;
};

template <class Wait>
[[gnu::noinline]] auto wait_watched(ompt::SyncRegion kind, const void* call_site, bool opened,
                                    Wait wait) {
  const SyncScope scope(kind, call_site, __builtin_frame_address(0), opened);
  return wait();
}

/// What `wait` answers, which is the construct; the tool is told if it watches the worker.
template <class Wait>
[[gnu::always_inline]] inline auto waiting(const runtime::Worker& worker, ompt::SyncRegion kind,
                                           const void* call_site, Wait wait) {
  if (is_watched(worker)) [[unlikely]]
    return wait_watched(kind, call_site, false, wait);
  return wait();
}

/// True if the tool is told of the calling thread's waits outside of all regions.
bool tells_of_lone_waits(Stock& stock) noexcept;

/// The same outside of all regions, where `wait` calls the stock runtime.
template <class Wait>
auto wait_alone(Stock& stock, ompt::SyncRegion kind, const void* call_site, bool opened,
                Wait wait) {
  if (tells_of_lone_waits(stock)) [[unlikely]]
    return wait_watched(kind, call_site, opened, wait);
  return wait();
}

/// A taskgroup begins; its end is a SyncScope that is `opened`.
void open_group(const void* call_site) noexcept;

/// A worksharing construct of the current task. `count`: of iterations, sections, or 1.
void begin_work(ompt::Work kind, std::uint64_t count, const void* call_site) noexcept;
void end_work(ompt::Work kind, std::uint64_t count, const void* call_site) noexcept;

/// The same for one whose end is told by another call; the second ends it, if it has begun.
void open_work(ompt::Work kind, std::uint64_t count, const void* call_site) noexcept;
void close_work() noexcept;

/// The current task cancels, or sees that something is cancelled; `flags`: ompt::cancel_flag.
void tell_cancel(int flags, const void* call_site) noexcept;

/// The thread looks for a task of its own will, while the scope lasts.
class YieldScope {
 public:
  YieldScope() noexcept : thread_(*this_thread()) { thread_.yields = true; }
  YieldScope(const YieldScope&) = delete;
  YieldScope& operator=(const YieldScope&) = delete;
  ~YieldScope() { thread_.yields = false; }

 private:
  ThreadRecord& thread_;
};

/// A `taskwait depend`, which counts as a task without a body, and not as a taskwait.
class DependentWait {
 public:
  /// `frame`: of a function that stands until the wait's end.
  DependentWait(std::span<const runtime::Dependence> dependences, const void* call_site,
                void* frame) noexcept;
  DependentWait(const DependentWait&) = delete;
  DependentWait& operator=(const DependentWait&) = delete;
  ~DependentWait();

 private:
  ThreadRecord& thread_;
  EnteredFrame entered_;
  ompt::State state_;
  TaskRecord task_;
};

template <class Wait>
[[gnu::noinline]] void wait_for_watched(std::span<const runtime::Dependence> dependences,
                                        const void* call_site, Wait wait) {
  const DependentWait task(dependences, call_site, __builtin_frame_address(0));
  wait();
}

/// A task outside of all regions: the stock runtime runs it at once, on the same thread.
class LoneTask {
 public:
  LoneTask(int flags, const void* call_site) noexcept;
  LoneTask(const LoneTask&) = delete;
  LoneTask& operator=(const LoneTask&) = delete;
  ~LoneTask();

  void call(void (*body)(void*), void* data) noexcept { call_body(task_, body, data); }

 private:
  ThreadRecord& thread_;
  EnteredFrame entered_;
  TaskRecord task_;
};

}  // namespace lares::omp::tools
