// What Lares keeps for one operating-system thread for as long as it lives: task memory, core,
// counts.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/disorder.hpp"
#include "base/ids.hpp"
#include "base/random.hpp"
#include "memory/whereabouts.hpp"
#include "runtime/counters.hpp"
#include "runtime/task_pool.hpp"

namespace lares::runtime {

struct Worker;
struct FreshStack;
class RecordStream;
class Team;

/// One per thread that ever took part in a team. Recycled when the thread ends; never freed, so a
/// task may be given back to its pool at any time.
struct ThreadState {
  TaskPool pool;
  Worker* worker = nullptr;          ///< innermost team's; owner
  void* free_members = nullptr;      ///< of dependence sets, linked through their first word; owner
  Taskgroup* free_groups = nullptr;  ///< linked by `outer`; never unmapped; owner
  Team* cached_team = nullptr;       ///< a team this thread was master of, ready for reuse; owner
  CoreId core;                       ///< the core it is bound to, or invalid; owner
  bool core_known = false;           ///< owner
  bool core_followed = false;        ///< the system said which core: it may say another; owner
  std::uintptr_t stack_low = 0;      ///< lowest usable address of the current stack; owner
  std::uintptr_t stack_margin = 0;   ///< less than this above it is little; owner
  FreshStack* first_stack = nullptr;       ///< see deep_stack.hpp; owner
  FreshStack** next_stack = &first_stack;  ///< where to find the next deeper one; owner
  CounterSlot* counters = nullptr;
  RecordStream* record = nullptr;  ///< its file while a task graph is recorded; owner
  bool counters_stale = false;     ///< after a fork: they were the parent's; owner
  CounterSlot fallback_counters;   ///< used when the file has no slot left
  std::atomic<int> system_id{0};   ///< the system's number of the thread; the owner writes
  memory::Whereabouts* whereabouts = nullptr;  ///< what it tells of itself; null: no room; owner
  ThreadState* next_free = nullptr;            ///< link of the list of recycled states
};

/// True if little of the calling thread's current stack is left; then nothing should be run on it
/// that could as well be left for later.
inline bool stack_is_low(const ThreadState& self) noexcept {
  const auto margin = disorder::limit(disorder::Limit::stack_left, self.stack_margin);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // Unsigned: on a stack that is not the thread's own (a coroutine of the program) the difference
  // is large, and the program's stack is the program's business; likewise if `stack_low` is not
  // known, and so 0.
  return here - self.stack_low < margin;
}

/// The calling thread's state; made on first use. nullptr only before the library is set up or
/// after the thread's destructors ran.
ThreadState* this_thread() noexcept;
/// The same if it has been made: for what a thread without one can do without.
ThreadState* known_thread() noexcept;

/// What looking for memory and moving it may take of a stack, generously. A thread of the program
/// may have less in all (OMP_STACKSIZE): it does without.
inline constexpr std::uintptr_t moving_stack = 64UL * 1024;
/// Whether the calling thread has so much left; true where nobody knows.
inline bool has_stack_left(std::uintptr_t bytes) noexcept {
  const ThreadState* const self = known_thread();
  // Unsigned, as in stack_is_low().
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return self == nullptr || here - self->stack_low >= bytes;
}

/// Storage of the next two. initial-exec: the library is preloaded, so its thread storage is part
/// of every thread's static block and one instruction away; __thread: no initialisation to check
/// for.
extern __thread Worker* this_worker_slot __attribute__((tls_model("initial-exec")));

/// The calling thread's innermost worker, or nullptr outside Lares' teams.
inline Worker* this_worker() noexcept { return this_worker_slot; }
inline void set_this_worker(Worker* worker) noexcept { this_worker_slot = worker; }

#if LARES_DISORDER
/// For a model that runs several workers on one thread: makes `state` the calling thread's, as if
/// another thread went on here (nullptr: one that has none yet). Answers the one before.
ThreadState* exchange_this_thread(ThreadState* state) noexcept;
#endif

/// In the child of a fork: the other threads are gone, and counts go to memory of their own.
void forget_threads_after_fork() noexcept;

}  // namespace lares::runtime
