// What is kept for a tool: of tasks, parallel regions and threads. All of it exists only while a
// tool watches.
#pragma once

#include <atomic>
#include <cstddef>

#include "host/openmp/stock.hpp"
#include "host/openmp/tools/ompt_abi.hpp"
#include "runtime/task.hpp"

namespace lares::omp::tools {

struct TaskRecord;

/// Of a parallel region, from before its threads start until they have joined. Its master writes,
/// its threads read.
struct ParallelRecord {
  ompt::Data own_data;
  // All threads write the same, and read what each has written itself: relaxed.
  std::atomic<ompt::Data*> stock_data{nullptr};  ///< libomp's, if the region is its
  std::atomic<int> size{0};
  TaskRecord* opened_by = nullptr;  ///< the task that met the construct; nullptr: nobody watches
  const void* call_site = nullptr;  ///< of the construct
  Stock* opened_on = nullptr;       ///< whose construct it is
  int flags = 0;

  [[nodiscard]] ompt::Data* data() noexcept {
    ompt::Data* const stock = stock_data.load(std::memory_order_relaxed);
    return stock != nullptr ? stock : &own_data;
  }
};

/// Of a task, implicit ones included. Whoever runs the task, or makes it, touches its record, and
/// who asks for an enclosing region's. The data is the tool's to keep in order.
struct TaskRecord {
  ompt::Data own_data;
  ompt::Frame own_frame;             ///< the thread that runs the task
  ompt::Data* stock_data = nullptr;  ///< libomp's, for the implicit tasks of its regions
  ompt::Frame* stock_frame = nullptr;
  int flags = 0;                 ///< ompt::task_flag; the creator
  ompt::Work open_work{};        ///< a worksharing construct that has not ended; 0: none
  std::uint64_t work_count = 0;  ///< of that
  const void* work_site = nullptr;
  bool dropped = false;           ///< cancelled before its body began; who runs it
  ompt::State resumed_state{};    ///< of the thread when it comes back to what lies below
  int thread_num = 0;             ///< in the team, of who runs it
  TaskRecord* below = nullptr;    ///< what the thread did before; of a region's task: who opened it
  TaskRecord* resumed = nullptr;  ///< of a region's task: what its thread did before, or nullptr
  ParallelRecord* parallel = nullptr;  ///< the innermost region

  [[nodiscard]] ompt::Data* data() noexcept {
    return stock_data != nullptr ? stock_data : &own_data;
  }
  [[nodiscard]] ompt::Frame* frame() noexcept {
    return stock_frame != nullptr ? stock_frame : &own_frame;
  }
  [[nodiscard]] bool is_of_stock() const noexcept { return stock_data != nullptr; }
};

/// Of a thread. Only that thread touches it.
struct ThreadRecord {
  ompt::Data data;
  TaskRecord* current = nullptr;  ///< the innermost task on its stack; nullptr: an idle worker
  ompt::State state = ompt::State::work_serial;
  std::uint64_t wait_id = 0;  ///< of the mutex that it waits for; 0: of none
  ompt::State mutex_state{};  ///< before it waited for that
  bool yields = false;        ///< it looks for a task in a taskyield
  bool is_initial = false;
  bool has_ended = false;           ///< and the tool has been told
  const void* call_site = nullptr;  ///< of the program's call for which we call libomp
  const void* lone = nullptr;       ///< GCC's front end's: a task outside of regions
  Stock* pool = nullptr;            ///< whose region it has opened last, outside of all others
  unsigned pool_size = 0;           ///< how many threads that had
  TaskRecord initial_task;          ///< of threads that the program has started
  ParallelRecord initial_region;
};

/// The calling thread's; nullptr if the tool has not heard of it.
ThreadRecord* this_thread() noexcept;
/// The same, but the tool is told of a new thread.
ThreadRecord& need_thread(ompt::Thread type) noexcept;
/// The same for a thread of which libomp tells.
ThreadRecord& adopt_thread() noexcept;
/// The calling thread ends, as far as the tool is concerned. Its record stays.
void tell_thread_end() noexcept;

/// A task's record; made if its descriptor has none yet.
TaskRecord& record_of(runtime::Task& task) noexcept;

}  // namespace lares::omp::tools
