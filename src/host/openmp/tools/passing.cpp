#include "host/openmp/tools/passing.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "host/openmp/region.hpp"
#include "host/openmp/tools/callbacks.hpp"
#include "host/openmp/tools/entry_points.hpp"
#include "host/openmp/tools/finding.hpp"

namespace lares::omp::tools {

namespace {

// --- what libomp offers, as its own look-up says

using SetCallback = int(int event, ompt::Callback callback);
using GetState = int(std::uint64_t* wait_id);
using GetTaskInfo = int(int level, int* flags, ompt::Data** data, ompt::Frame** frame,
                        ompt::Data** region_data, int* thread_num);
using GetParallelInfo = int(int level, ompt::Data** data, int* size);

/// Written while libomp starts the tool, before any thread of it enters a region; then constant.
struct Libomp {
  ompt::Lookup look_up = nullptr;
  SetCallback* set_callback = nullptr;
  GetState* get_state = nullptr;
  GetTaskInfo* get_task_info = nullptr;
  GetParallelInfo* get_parallel_info = nullptr;
};
Libomp g_libomp;

template <class Function>
void look_up_into(Function*& function, const char* name) noexcept {
  function = reinterpret_cast<Function*>(g_libomp.look_up(name));
}

// --- the address of a construct, where the call comes through us

const void* of_program(const void* call_site) noexcept {
  if (!is_own_code(call_site)) return call_site;
  const ThreadRecord* const thread = this_thread();
  return thread == nullptr ? nullptr : thread->call_site;
}

void pass_parallel_begin(ompt::Data* task, const ompt::Frame* frame, ompt::Data* region,
                         unsigned asked, int flags, const void* call_site) noexcept {
  tell(ompt::Event::parallel_begin, task, frame, region, asked, flags, of_program(call_site));
}

void pass_parallel_end(ompt::Data* region, ompt::Data* task, int flags,
                       const void* call_site) noexcept {
  tell(ompt::Event::parallel_end, region, task, flags, of_program(call_site));
}

template <ompt::Event event>
void pass_sync_region(int kind, int endpoint, ompt::Data* region, ompt::Data* task,
                      const void* call_site) noexcept {
  tell(event, kind, endpoint, region, task, of_program(call_site));
}

// What libomp calls for the event in place of the tool.
ompt::Callback passed_on(int event, ompt::Callback callback) noexcept {
  if (callback == nullptr) return nullptr;
  switch (static_cast<ompt::Event>(event)) {
    case ompt::Event::parallel_begin:
      return reinterpret_cast<ompt::Callback>(pass_parallel_begin);
    case ompt::Event::parallel_end:
      return reinterpret_cast<ompt::Callback>(pass_parallel_end);
    case ompt::Event::sync_region:
      return reinterpret_cast<ompt::Callback>(pass_sync_region<ompt::Event::sync_region>);
    case ompt::Event::sync_region_wait:
      return reinterpret_cast<ompt::Callback>(pass_sync_region<ompt::Event::sync_region_wait>);
    default:
      return callback;
  }
}

// --- the entry points whose answers are not libomp's alone

int set_both(int event, ompt::Callback callback) {
  set_callback(event, callback);  // first: libomp may call at once
  return g_libomp.set_callback(event, passed_on(event, callback));
}

int get_as_set(int event, ompt::Callback* asked) {
  const ompt::Callback own = callback(event);
  if (own != nullptr) {
    *asked = own;
    return 1;
  }
  using GetCallback = int(int, ompt::Callback*);
  return reinterpret_cast<GetCallback*>(g_libomp.look_up("ompt_get_callback"))(event, asked);
}

int get_state_of_either(std::uint64_t* wait_id) {
  const ThreadRecord* const thread = this_thread();
  const bool waits_here = thread != nullptr && thread->current != nullptr &&
                          thread->state != ompt::State::work_parallel;
  if (!waits_here) return g_libomp.get_state(wait_id);
  if (wait_id != nullptr) *wait_id = 0;
  return static_cast<int>(thread->state);
}

// libomp knows the implicit tasks, one for each region, and we what lies between them.
int get_task_info_of_either(int level, int* flags, ompt::Data** data, ompt::Frame** frame,
                            ompt::Data** region_data, int* thread_num) {
  const ThreadRecord* const thread = this_thread();
  TaskRecord* task = thread == nullptr ? nullptr : thread->current;
  int implicit_ones = 0;
  for (; task != nullptr && level > 0; --level) {
    if (task->is_of_stock()) ++implicit_ones;
    task = task->below;
  }
  if (task == nullptr || task->is_of_stock()) {
    return g_libomp.get_task_info(implicit_ones + level, flags, data, frame, region_data,
                                  thread_num);
  }
  return describe_task(*task, flags, data, frame, region_data, thread_num);
}

ompt::Callback look_up_in_both(const char* name) noexcept {
  struct Replaced {
    const char* name;
    ompt::Callback function;
  };
  const Replaced replaced[] = {
      {"ompt_set_callback", reinterpret_cast<ompt::Callback>(set_both)},
      {"ompt_get_callback", reinterpret_cast<ompt::Callback>(get_as_set)},
      {"ompt_get_state", reinterpret_cast<ompt::Callback>(get_state_of_either)},
      {"ompt_get_task_info", reinterpret_cast<ompt::Callback>(get_task_info_of_either)},
  };
  for (const Replaced& one : replaced) {
    if (std::strcmp(one.name, name) == 0) return one.function;
  }
  return g_libomp.look_up(name);
}

// --- starting

ompt::StartResult* g_real_tool = nullptr;  // written before libomp is answered

int initialize_real_tool(ompt::Lookup look_up, int device, ompt::Data*) {
  g_libomp.look_up = look_up;
  look_up_into(g_libomp.set_callback, "ompt_set_callback");
  look_up_into(g_libomp.get_state, "ompt_get_state");
  look_up_into(g_libomp.get_task_info, "ompt_get_task_info");
  look_up_into(g_libomp.get_parallel_info, "ompt_get_parallel_info");
  if (g_libomp.set_callback == nullptr || g_libomp.get_state == nullptr ||
      g_libomp.get_task_info == nullptr || g_libomp.get_parallel_info == nullptr) {
    return 0;
  }
  const int wants_to_stay =
      g_real_tool->initialize(look_up_in_both, device, &g_real_tool->tool_data);
  if (wants_to_stay != 0) watch_libomp();
  return wants_to_stay;
}

void finalize_real_tool(ompt::Data*) {
  g_real_tool->finalize(&g_real_tool->tool_data);
  forget_callbacks();
}

// For a libomp that comes second: the tool belongs to another runtime of the process.
int refuse(ompt::Lookup, int, ompt::Data*) { return 0; }
void finish_nothing(ompt::Data*) {}

std::atomic<int> g_between{-1};  // -1: not looked yet; any thread, the same value

}  // namespace

bool stands_between() noexcept {
  int known = g_between.load(std::memory_order_relaxed);
  if (known < 0) {
    known = is_own_code(dlsym(RTLD_DEFAULT, "ompt_start_tool")) ? 1 : 0;
    g_between.store(known, std::memory_order_relaxed);
  }
  return known == 1;
}

void let_libomp_look(Stock& stock) noexcept {
  static std::atomic<bool> has_looked{false};  // any thread; relaxed: to ask twice does no harm
  if (has_looked.load(std::memory_order_relaxed)) return;
  real<int()>(stock, Entry::omp_get_max_threads)();
  has_looked.store(true, std::memory_order_relaxed);
}

void adopt_implicit_task(runtime::Worker& worker, ParallelRecord& region) noexcept {
  ThreadRecord& thread = adopt_thread();
  TaskRecord& task = record_of(worker.implicit_task);
  task = TaskRecord();
  ompt::Data* region_data = nullptr;
  g_libomp.get_task_info(0, &task.flags, &task.stock_data, &task.stock_frame, &region_data,
                         &task.thread_num);
  region.stock_data.store(region_data, std::memory_order_relaxed);
  region.size.store(static_cast<int>(worker.team->size()), std::memory_order_relaxed);
  task.parallel = &region;
  task.below = region.opened_by;
  task.resumed = thread.current;
  task.resumed_state = thread.state;
  thread.current = &task;
  thread.state = ompt::State::work_parallel;
}

void release_implicit_task(runtime::Worker& worker) noexcept {
  ThreadRecord& thread = *this_thread();
  TaskRecord& task = record_of(worker.implicit_task);
  thread.current = task.resumed;
  thread.state = task.resumed_state;
}

void note_opener(ParallelRecord& region) noexcept {
  const ThreadRecord* const thread = this_thread();
  region.opened_by = thread == nullptr ? nullptr : thread->current;
}

void CallFor::begin(const void* call_site) noexcept {
  if (g_watched.load(std::memory_order_relaxed) != Watched::libomp) return;
  thread_ = &adopt_thread();
  outer_ = thread_->call_site;
  thread_->call_site = call_site;
}

}  // namespace lares::omp::tools

/// What libomp calls to find its tool.
LARES_EXPORT lares::omp::tools::ompt::StartResult* ompt_start_tool(unsigned version,
                                                                   const char* runtime_version) {
  namespace tools = lares::omp::tools;
  tools::ompt::StartResult* tool = nullptr;
  switch (tools::take_tool_for_libomp(version, runtime_version, &tool)) {
    case tools::Taken::nobody:
      return nullptr;
    case tools::Taken::by_other: {
      static tools::ompt::StartResult nothing{tools::refuse, tools::finish_nothing, {}};
      return &nothing;
    }
    case tools::Taken::as_it_is:
      return tool;
    case tools::Taken::to_pass_on:
      break;
  }
  tools::g_real_tool = tool;
  static tools::ompt::StartResult passing{
      tools::initialize_real_tool, tools::finalize_real_tool, {}};
  return &passing;
}
