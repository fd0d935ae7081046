// What Lares keeps for one operating-system thread for as long as it lives: task memory, core,
// counts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/disorder.hpp"
#include "base/ids.hpp"
#include "base/random.hpp"
#include "runtime/counters.hpp"
#include "runtime/task.hpp"

namespace lares::runtime {

struct Worker;
struct FreshStack;
class RecordStream;
class Team;

/// Free task memory of one thread, in size classes. The owner allocates and frees without atomics;
/// other threads give back through `returned`.
class TaskPool {
 public:
  static constexpr std::size_t class_bytes = 64;
  static constexpr std::size_t small_classes = 24;  ///< steps of 64 bytes up to 1.5 KiB
  static constexpr std::size_t classes = 64;        ///< then powers of two

  /// A descriptor with room for `payload` bytes behind it; uninitialised but for the pool's own
  /// fields. Owner only. Aborts if the system has no memory.
  Task* allocate(ThreadState& self, std::size_t payload) noexcept;
  /// Gives `task` back. Any thread; `self` is the calling thread's state.
  static void release(ThreadState& self, Task* task) noexcept;
  /// Gives back what release() has kept. Owner only.
  void give_back_all() noexcept;

 private:
  /// Descriptors of another thread's pool that go back together: one exchange for several on a line
  /// that all who run that thread's tasks write.
  struct Returns {
    ThreadState* to = nullptr;
    Task* first = nullptr;
    Task* last = nullptr;
    std::uint32_t count = 0;
  };
  static constexpr std::uint32_t most_kept = 16;

  [[gnu::noinline]] Task* refill(ThreadState& self, std::size_t size_class) noexcept;

  Task* free_[classes] = {};                          // owner
  char* slab_ = nullptr;                              // owner: rest of the current slab
  std::size_t slab_left_ = 0;                         // owner
  Returns returns_;                                   // owner: of others' memory
  alignas(64) std::atomic<Task*> returned_{nullptr};  // others push, the owner takes all
};

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
  RecordStream* record = nullptr;    ///< its file while a task graph is recorded; owner
  bool counters_stale = false;       ///< after a fork: they were the parent's; owner
  CounterSlot fallback_counters;     ///< used when the file has no slot left
  std::atomic<int> system_id{0};     ///< the system's number of the thread; the owner writes
  ThreadState* next_free = nullptr;  ///< link of the list of recycled states
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
