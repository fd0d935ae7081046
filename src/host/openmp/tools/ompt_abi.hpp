// OMPT as far as Lares offers it: names, numbers and layouts of OpenMP 5.2, chapter 19, written
// from the standard. tests/ompt/abi_test.cpp compares them with a tool's own header.
#pragma once

#include <cstdint>

namespace lares::omp::tools::ompt {

/// A word that belongs to the tool.
union Data {
  std::uint64_t value = 0;
  void* ptr;
};

/// Where the program's code left for the runtime (enter) and where the runtime called it (exit).
struct Frame {
  Data exit;
  Data enter;
  int exit_flags = 0;
  int enter_flags = 0;
};
/// The address is the frame pointer of a function of the runtime.
inline constexpr int frame_of_runtime = 0x00 | 0x20;

enum class Event : int {
  thread_begin = 1,
  thread_end = 2,
  parallel_begin = 3,
  parallel_end = 4,
  task_create = 5,
  task_schedule = 6,
  implicit_task = 7,
  sync_region_wait = 16,
  mutex_released = 17,
  dependences = 18,
  task_dependence = 19,
  work = 20,
  sync_region = 23,
  lock_init = 24,
  lock_destroy = 25,
  mutex_acquire = 26,
  mutex_acquired = 27,
  nest_lock = 28,
  cancel = 30,
};
/// The largest number that an event has.
inline constexpr int last_event = 37;

enum class SetResult : int {
  error = 0,
  never = 1,
  sometimes = 3,
  sometimes_paired = 4,
  always = 5
};

enum class Thread : int { initial = 1, worker = 2 };
enum class Endpoint : int { begin = 1, end = 2, begin_and_end = 3 };

enum class SyncRegion : int {
  barrier_explicit = 3,
  barrier_implementation = 4,
  taskwait = 5,
  taskgroup = 6,
  barrier_implicit_workshare = 8,
  barrier_implicit_parallel = 9,
};

enum class Work : int {
  loop = 1,
  sections = 2,
  single_executor = 3,
  single_other = 4,
  taskloop = 7,
  scope = 8,
};

enum class Mutex : int {
  lock = 1,
  test_lock = 2,
  nest_lock = 3,
  test_nest_lock = 4,
  critical = 5,
  atomic = 6,
  ordered = 7,
};
/// How all mutexes of libgomp, and ours, are made on Linux. 0 would be none.
inline constexpr unsigned mutex_impl_futex = 1;

enum class TaskStatus : int {
  complete = 1,
  yield = 2,
  cancel = 3,
  detach = 4,
  early_fulfil = 5,
  late_fulfil = 6,
  change = 7,
  taskwait_complete = 8,
};

/// Of a task.
namespace task_flag {
inline constexpr int initial = 0x1;
inline constexpr int implicit = 0x2;
inline constexpr int explicit_task = 0x4;
inline constexpr int taskwait = 0x10;
inline constexpr int undeferred = 0x08000000;
inline constexpr int untied = 0x10000000;
inline constexpr int final = 0x20000000;
inline constexpr int mergeable = 0x40000000;
}  // namespace task_flag

/// Of a region: the runtime calls the body, and the region has a team.
inline constexpr int parallel_by_runtime = 0x2;
inline constexpr int parallel_by_program = 0x1;
inline constexpr int parallel_team = static_cast<int>(0x80000000U);

/// Of a cancellation: what, and what happened.
namespace cancel_flag {
inline constexpr int parallel = 0x01;
inline constexpr int sections = 0x02;
inline constexpr int loop = 0x04;
inline constexpr int taskgroup = 0x08;
inline constexpr int activated = 0x10;
inline constexpr int detected = 0x20;
inline constexpr int discarded_task = 0x40;
}  // namespace cancel_flag

enum class DependenceType : int {
  in = 1,
  inout = 3,
  mutexinoutset = 4,
  inoutset = 7,
  inout_all_memory = 35,
};
struct DependenceRecord {
  Data variable;
  int type = 0;
};

enum class State : int {
  work_serial = 0x000,
  work_parallel = 0x001,
  wait_barrier_implicit_parallel = 0x011,
  wait_barrier_implicit_workshare = 0x012,
  wait_barrier_explicit = 0x014,
  wait_barrier_implementation = 0x015,
  wait_taskwait = 0x020,
  wait_taskgroup = 0x021,
  wait_lock = 0x041,
  wait_critical = 0x042,
  wait_atomic = 0x043,
  wait_ordered = 0x044,
  idle = 0x100,
  overhead = 0x101,
  undefined = 0x102,
};

using Callback = void (*)();
using Lookup = Callback (*)(const char* name);

/// What a tool answers to its start.
struct StartResult {
  int (*initialize)(Lookup lookup, int initial_device, Data* tool_data);
  void (*finalize)(Data* tool_data);
  Data tool_data;
};
using StartTool = StartResult* (*)(unsigned openmp_version, const char* runtime_version);

}  // namespace lares::omp::tools::ompt
