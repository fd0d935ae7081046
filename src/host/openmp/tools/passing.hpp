// Between libomp and a tool. libomp looks for a tool by the symbol `ompt_start_tool`, and finds
// ours: we start the real one, and let it ask libomp for what libomp knows. The events of our
// tasks, and of the waits that we have taken from libomp, are ours to tell; all others libomp tells
// the tool itself.
#pragma once

#include "host/openmp/stock.hpp"
#include "host/openmp/tools/events.hpp"

namespace lares::omp::tools {

/// True if libomp's look for a tool finds us. A program that defines the symbol itself is found
/// before us. Set at load.
bool stands_between() noexcept;
/// libomp looks for its tool when it starts, which is before this returns.
void let_libomp_look(Stock& stock) noexcept;

/// A thread of libomp enters or leaves a team of ours that is watched. The tool hears of its
/// implicit task from libomp; `region` lives until all have left.
void adopt_implicit_task(runtime::Worker& worker, ParallelRecord& region) noexcept;
void release_implicit_task(runtime::Worker& worker) noexcept;

/// Before libomp is asked to fork: who meets the construct.
void note_opener(ParallelRecord& region) noexcept;
inline void open_stock_region(ParallelRecord& region) noexcept {
  if (is_named()) [[unlikely]]
    note_opener(region);
}

/// libomp is called from our code in place of the program's. What the tool hears of that call
/// meanwhile has `call_site`.
class CallFor {
 public:
  explicit CallFor(const void* call_site) noexcept {
    if (is_named()) [[unlikely]]
      begin(call_site);
  }
  CallFor(const CallFor&) = delete;
  CallFor& operator=(const CallFor&) = delete;
  ~CallFor() {
    if (thread_ != nullptr) [[unlikely]]
      thread_->call_site = outer_;
  }

 private:
  void begin(const void* call_site) noexcept;

  ThreadRecord* thread_ = nullptr;
  const void* outer_ = nullptr;
};

/// What the thread does is libomp's alone while the scope lasts.
class HiddenTask {
 public:
  HiddenTask() noexcept : thread_(this_thread()) {
    if (thread_ == nullptr) return;
    task_ = thread_->current;
    thread_->current = nullptr;
  }
  HiddenTask(const HiddenTask&) = delete;
  HiddenTask& operator=(const HiddenTask&) = delete;
  ~HiddenTask() {
    if (thread_ != nullptr) thread_->current = task_;
  }

 private:
  ThreadRecord* thread_;
  TaskRecord* task_ = nullptr;
};

}  // namespace lares::omp::tools
