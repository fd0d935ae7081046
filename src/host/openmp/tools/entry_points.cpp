#include "host/openmp/tools/entry_points.hpp"

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "host/openmp/tools/callbacks.hpp"
#include "host/openmp/tools/finding.hpp"
#include "host/openmp/tools/records.hpp"

namespace lares::omp::tools {

namespace {

Stock* g_stock = nullptr;  // written once, before the tool asks anything

// --- states and ways to lock

struct Named {
  int value;
  const char* name;
};

constexpr Named all_states[] = {
    {static_cast<int>(ompt::State::work_serial), "ompt_state_work_serial"},
    {static_cast<int>(ompt::State::work_parallel), "ompt_state_work_parallel"},
    {static_cast<int>(ompt::State::wait_barrier_implicit_parallel),
     "ompt_state_wait_barrier_implicit_parallel"},
    {static_cast<int>(ompt::State::wait_barrier_implicit_workshare),
     "ompt_state_wait_barrier_implicit_workshare"},
    {static_cast<int>(ompt::State::wait_barrier_explicit), "ompt_state_wait_barrier_explicit"},
    {static_cast<int>(ompt::State::wait_barrier_implementation),
     "ompt_state_wait_barrier_implementation"},
    {static_cast<int>(ompt::State::wait_taskwait), "ompt_state_wait_taskwait"},
    {static_cast<int>(ompt::State::wait_taskgroup), "ompt_state_wait_taskgroup"},
    {static_cast<int>(ompt::State::wait_lock), "ompt_state_wait_lock"},
    {static_cast<int>(ompt::State::wait_critical), "ompt_state_wait_critical"},
    {static_cast<int>(ompt::State::wait_atomic), "ompt_state_wait_atomic"},
    {static_cast<int>(ompt::State::wait_ordered), "ompt_state_wait_ordered"},
    {static_cast<int>(ompt::State::idle), "ompt_state_idle"},
    {static_cast<int>(ompt::State::undefined), "ompt_state_undefined"},
};

// The list begins after `undefined`, and ends with it.
int enumerate_states(int current, int* next, const char** name) {
  std::size_t index = 0;
  if (current != static_cast<int>(ompt::State::undefined)) {
    while (index < std::size(all_states) && all_states[index].value != current) ++index;
    ++index;
  }
  if (index + 1 >= std::size(all_states)) return 0;
  *next = all_states[index].value;
  *name = all_states[index].name;
  return 1;
}

int enumerate_mutex_impls(int current, int* next, const char** name) {
  if (current != 0) return 0;
  *next = static_cast<int>(ompt::mutex_impl_futex);
  *name = "lares_mutex_impl_futex";
  return 1;
}

// --- callbacks

int set_callback_as_asked(int event, ompt::Callback callback) {
  return static_cast<int>(set_callback(event, callback));
}

int get_callback(int event, ompt::Callback* asked) {
  const ompt::Callback found = callback(event);
  if (found == nullptr) return 0;
  *asked = found;
  return 1;
}

// --- threads, tasks, regions

ompt::Data* get_thread_data() {
  ThreadRecord* const thread = this_thread();
  return thread == nullptr ? nullptr : &thread->data;
}

int get_state(std::uint64_t* wait_id) {
  const ThreadRecord* const thread = this_thread();
  if (wait_id != nullptr) *wait_id = thread == nullptr ? 0 : thread->wait_id;
  return static_cast<int>(thread == nullptr ? ompt::State::undefined : thread->state);
}

ParallelRecord* region_at(int level) noexcept {
  const ThreadRecord* const thread = this_thread();
  if (thread == nullptr || thread->current == nullptr || level < 0) return nullptr;
  ParallelRecord* region = thread->current->parallel;
  for (; region != nullptr && level > 0; --level) {
    region = region->opened_by == nullptr ? nullptr : region->opened_by->parallel;
  }
  return region;
}

int get_parallel_info(int level, ompt::Data** data, int* size) {
  ParallelRecord* const region = region_at(level);
  if (region == nullptr) return 0;
  if (data != nullptr) *data = region->data();
  if (size != nullptr) *size = region->size.load(std::memory_order_relaxed);
  return 2;
}

int get_task_info(int level, int* flags, ompt::Data** data, ompt::Frame** frame,
                  ompt::Data** region_data, int* thread_num) {
  const ThreadRecord* const thread = this_thread();
  if (thread == nullptr || level < 0) return 0;
  TaskRecord* task = thread->current;
  for (; task != nullptr && level > 0; --level) task = task->below;
  if (task == nullptr) return 0;
  return describe_task(*task, flags, data, frame, region_data, thread_num);
}

int get_task_memory(void** address, std::size_t* size, int) {
  *address = nullptr;
  *size = 0;
  return 0;
}

// --- places and processors, as the program is told of them

// 0 if the runtime does not have the function.
template <class... Arguments>
int ask(Entry entry, Arguments... arguments) noexcept {
  auto* const function = real<int(Arguments...)>(*g_stock, entry);
  return function == nullptr ? 0 : function(arguments...);
}

int get_num_procs() { return ask(Entry::omp_get_num_procs); }
int get_num_places() { return ask(Entry::omp_get_num_places); }
int get_place_num() { return ask(Entry::omp_get_place_num); }

int get_place_proc_ids(int place, int room, int* ids) {
  const int count = ask(Entry::omp_get_place_num_procs, place);
  if (count <= room) {
    auto* const fill = real<void(int, int*)>(*g_stock, Entry::omp_get_place_proc_ids);
    if (fill != nullptr && count > 0) fill(place, ids);
  }
  return count;
}

int get_partition_place_nums(int room, int* places) {
  const int count = ask(Entry::omp_get_partition_num_places);
  if (count <= room) {
    auto* const fill = real<void(int*)>(*g_stock, Entry::omp_get_partition_place_nums);
    if (fill != nullptr && count > 0) fill(places);
  }
  return count;
}

// Only of threads that the tool has heard of, as libomp answers.
int get_proc_id() { return this_thread() == nullptr ? -1 : sched_getcpu(); }

// --- the rest

std::uint64_t get_unique_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: numbers need only differ
}

int get_num_devices() { return 1; }  // the host

int get_target_info(std::uint64_t*, std::uint64_t*, std::uint64_t*) { return 0; }

struct EntryPoint {
  const char* name;
  ompt::Callback function;
};

template <class Function>
EntryPoint entry(const char* name, Function* function) noexcept {
  return {name, reinterpret_cast<ompt::Callback>(function)};
}

}  // namespace

int describe_task(TaskRecord& task, int* flags, ompt::Data** data, ompt::Frame** frame,
                  ompt::Data** region_data, int* thread_num) noexcept {
  if (flags != nullptr) *flags = task.flags;
  if (data != nullptr) *data = task.data();
  if (frame != nullptr) *frame = task.frame();
  if (region_data != nullptr) {
    *region_data = task.parallel == nullptr ? nullptr : task.parallel->data();
  }
  if (thread_num != nullptr) *thread_num = task.thread_num;
  return 2;
}

void set_stock(Stock& stock) noexcept { g_stock = &stock; }

ompt::Callback look_up(const char* name) noexcept {
  const EntryPoint entry_points[] = {
      entry("ompt_enumerate_states", enumerate_states),
      entry("ompt_enumerate_mutex_impls", enumerate_mutex_impls),
      entry("ompt_set_callback", set_callback_as_asked),
      entry("ompt_get_callback", get_callback),
      entry("ompt_get_thread_data", get_thread_data),
      entry("ompt_get_state", get_state),
      entry("ompt_get_parallel_info", get_parallel_info),
      entry("ompt_get_task_info", get_task_info),
      entry("ompt_get_task_memory", get_task_memory),
      entry("ompt_get_num_procs", get_num_procs),
      entry("ompt_get_num_places", get_num_places),
      entry("ompt_get_place_proc_ids", get_place_proc_ids),
      entry("ompt_get_place_num", get_place_num),
      entry("ompt_get_partition_place_nums", get_partition_place_nums),
      entry("ompt_get_proc_id", get_proc_id),
      entry("ompt_get_num_devices", get_num_devices),
      entry("ompt_get_target_info", get_target_info),
      entry("ompt_get_unique_id", get_unique_id),
      entry("ompt_finalize_tool", finish_tool),
  };
  for (const EntryPoint& entry_point : entry_points) {
    if (std::strcmp(entry_point.name, name) == 0) return entry_point.function;
  }
  return nullptr;
}

}  // namespace lares::omp::tools
