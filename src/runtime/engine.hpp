// The engine's door: what a host (an OpenMP front end, a test) calls. Hosts lend threads; the
// engine owns none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "decide/admit.hpp"
#include "decide/parts.hpp"
#include "machine/machine.hpp"
#include "memory/extent.hpp"
#include "memory/homes.hpp"
#include "policy/loop_choice.hpp"
#include "policy/registry.hpp"
#include "runtime/counters.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// OpenMP's wait-policy-var: spin, sleep, or spin a little and then sleep.
enum class WaitPolicy : std::uint8_t { unspecified, active, passive };

/// One per process. Set up before the first team; then constant but for counters and notes.
class Engine {
 public:
  static Engine& instance() noexcept;

  /// Takes the machine and the choice. `counters` is the mapped file or nullptr. Not thread safe;
  /// call once.
  void set_up(machine::Machine machine, policy::Choice choice, CountersFile* counters) noexcept;
  [[nodiscard]] static bool active() noexcept { return active_.load(std::memory_order_relaxed); }
  /// Leaves everything to the stock runtime from now on (new teams only).
  static void deactivate() noexcept { active_.store(false, std::memory_order_relaxed); }

  [[nodiscard]] const machine::Machine& machine() const noexcept { return machine_; }
  [[nodiscard]] const policy::Choice& choice() const noexcept { return choice_; }
  [[nodiscard]] memory::Homes* homes() noexcept { return homes_; }
  [[nodiscard]] memory::Extents* extents() noexcept { return extents_; }
  /// nullptr if there is no file to count in. Thread safe.
  [[nodiscard]] CountersFile* counters() noexcept {
    // acquire: whoever sees the pointer sees the file's head as filled in.
    CountersFile* file = counters_.load(std::memory_order_acquire);
    return file != nullptr || make_counters_.load(std::memory_order_relaxed) == nullptr
               ? file
               : make_counters();
  }
  /// The same, but none is made.
  [[nodiscard]] CountersFile* counters_if_any() const noexcept {
    return counters_.load(std::memory_order_acquire);  // acquire: as in counters()
  }
  /// How to make the file, if it is made only when there is something to count: most processes
  /// never use OpenMP. Before the first team.
  void set_counters_maker(CountersFile* (*make)() noexcept) noexcept {
    make_counters_.store(make, std::memory_order_relaxed);
  }

  /// How idle workers wait, from the environment (OMP_WAIT_POLICY): rounds before sleeping.
  [[nodiscard]] std::uint32_t spin_rounds(bool crowded) const noexcept;
  /// And how long at most: what a round takes differs by ten between processors, and where others
  /// share them without our knowledge, as in a virtual machine, idle workers take their time.
  [[nodiscard]] Nanoseconds longest_spin() const noexcept;
  void set_wait_policy(WaitPolicy policy) noexcept { wait_policy_ = policy; }
  /// False if the user wants every task queued, however many there are. Before the first team.
  [[nodiscard]] bool throttles() const noexcept { return throttles_; }
  void set_throttling(bool throttles) noexcept { throttles_ = throttles; }
  /// Who hands out loops. Before the first team.
  [[nodiscard]] const policy::LoopChoice& loops() const noexcept { return loops_; }
  void set_loops(policy::LoopChoice loops) noexcept { loops_ = loops; }

  /// Lets all threads write down the task graph into files in `folder` (record.hpp), which must
  /// live for ever. Before the first team.
  static void record_into(const char* folder) noexcept {
    record_folder_.store(folder, std::memory_order_relaxed);
  }
  [[nodiscard]] static bool records() noexcept { return record_folder() != nullptr; }
  [[nodiscard]] static const char* record_folder() noexcept {
    return record_folder_.load(std::memory_order_relaxed);
  }

  /// True if tasks' data matter for the chosen push on this machine.
  [[nodiscard]] bool wants_data() const noexcept { return wants_data_; }

  /// Work that its teller holds for a repetition of what ran before, with the same data at the same
  /// threads or homes.
  struct StableWork {
    std::uintptr_t cause = 0;  ///< tells apart what repeats (an address of code, say); 0: not named
    std::size_t threads = 0;   ///< how many do it
    bool by_number = false;    ///< they share it out by their numbers: there were no tasks before
  };
  using StableWorkListener = void (*)(const StableWork& work) noexcept;
  /// Told each time that such work begins, by the thread that begins it, while others may run the
  /// program. One load where nobody listens. Thread safe.
  static void tell_of_stable_work(const StableWork& work) noexcept {
    // relaxed: set before the program has threads.
    const StableWorkListener listener = stable_work_listener_.load(std::memory_order_relaxed);
    if (listener != nullptr) [[unlikely]] {
      listener(work);
    }
  }
  [[nodiscard]] static bool is_stable_work_awaited() noexcept {
    return stable_work_listener_.load(std::memory_order_relaxed) != nullptr;
  }
  /// Null for none. Before the first team, or in the child of a fork.
  static void set_stable_work_listener(StableWorkListener listener) noexcept {
    stable_work_listener_.store(listener, std::memory_order_relaxed);
  }

  /// Moves the pages whose middle is in one of the parts to the domain that is to have it. Any
  /// thread, which had better hold no lock; others may use them meanwhile.
  using Bringer = void (*)(const decide::PartsByHome& parts) noexcept;
  /// Set before the program's own code runs: data that one thread has written goes to the tasks
  /// that use it. Null for none.
  static void set_bringer(Bringer bring) noexcept {
    bringer_.store(bring, std::memory_order_relaxed);
  }
  [[nodiscard]] static Bringer bringer() noexcept {
    return bringer_.load(std::memory_order_relaxed);
  }

  /// Whether threads shall tell for which domain they work (memory/whereabouts.hpp). Set before the
  /// first team.
  [[nodiscard]] static bool are_homes_asked() noexcept {
    return homes_asked_.load(std::memory_order_relaxed);
  }
  static void ask_for_homes() noexcept { homes_asked_.store(true, std::memory_order_relaxed); }

  /// Whether idle workers leave branches of recursions to those at home for as long as a leaf takes
  /// (decide/deference.hpp), and not for a moment only. Set before the first team, where the user
  /// wants locality at the price of some idle time.
  [[nodiscard]] static bool leaves_branches() noexcept {
    return leaves_branches_.load(std::memory_order_relaxed);
  }
  static void leave_branches() noexcept { leaves_branches_.store(true, std::memory_order_relaxed); }

  using AfterBarrier = void (*)(Worker& worker) noexcept;
  /// Called by each thread of a team when it leaves a barrier; null, as nearly always, for none.
  /// Set by the thread that opens a barrier, it is called behind that one already.
  static void set_after_barrier(AfterBarrier call) noexcept {
    after_barrier_.store(call, std::memory_order_relaxed);
  }
  [[nodiscard]] static bool is_barrier_awaited() noexcept {
    return after_barrier_.load(std::memory_order_relaxed) != nullptr;
  }
  static void leave_barrier(Worker& worker) noexcept {
    // relaxed: the barrier orders it.
    const AfterBarrier call = after_barrier_.load(std::memory_order_relaxed);
    if (call != nullptr) [[unlikely]] {
      call(worker);
    }
  }

  /// The name of a stock runtime below, for the counters file: a process may have several. Thread
  /// safe.
  void add_runtime(const char* name) noexcept;

  /// A slot of the counters file for a new thread, or nullptr if none is left. Thread safe.
  CounterSlot* claim_counters() noexcept;
  /// Writes a note for the user, once for each text. Thread safe.
  void note(const char* sentence) noexcept;
  /// After a fork, in the child: counts go to a file of its own, made as above.
  void reset_after_fork(CountersFile* (*make)() noexcept) noexcept;

 private:
  // Written at set-up, before the program's own code runs.
  static inline std::atomic<bool> active_{false};
  static inline std::atomic<const char*> record_folder_{nullptr};
  static inline std::atomic<StableWorkListener> stable_work_listener_{nullptr};
  static inline std::atomic<Bringer> bringer_{nullptr};
  static inline std::atomic<bool> homes_asked_{false};
  static inline std::atomic<bool> leaves_branches_{false};
  static inline std::atomic<AfterBarrier> after_barrier_{nullptr};  // set once, by any thread
  bool wants_data_ = false;
  WaitPolicy wait_policy_ = WaitPolicy::unspecified;
  bool throttles_ = true;
  policy::LoopChoice loops_;
  machine::Machine machine_;
  policy::Choice choice_;
  memory::Homes* homes_ = nullptr;  // lives for ever: threads may outlive static destruction
  memory::Extents* extents_ = nullptr;
  char runtimes_[sizeof(CountersFile::runtime)] = {};  // their names, under the notes' lock
  CountersFile* make_counters() noexcept;
  void describe(CountersFile& file) noexcept;

  std::atomic<CountersFile*> counters_{nullptr};  // set once, by whoever needs it first
  std::atomic<CountersFile* (*)() noexcept> make_counters_{nullptr};  // nullptr again once called
};

/// --- teams -------------------------------------------------------------------------------------

/// A team for `size` threads, from the calling thread's cache or new. The caller is its master.
Team* acquire_team(ThreadState& master, std::size_t size, const void* host) noexcept;
/// Gives it back; every worker must have left.
void release_team(ThreadState& master, Team* team) noexcept;
/// The calling thread becomes worker `id` until `leave`. All workers of the team must enter.
Worker& enter(Team& team, WorkerId id) noexcept;
/// Drains tasks (see RegionHint) and restores the thread's outer worker. The host joins after it.
void leave(Worker& worker) noexcept;
/// The hint that belongs to a region's code. Thread safe, never null.
RegionHint* hint_for(const void* code) noexcept;

/// --- tasks -------------------------------------------------------------------------------------

/// A new task, child of the current one, member of its open group, with `payload` bytes behind it.
Task* new_task(Worker& worker, std::size_t payload) noexcept;
/// Room for `count` accesses (to be filled by the caller) and as many edges. Once per task, before
/// it is submitted.
std::span<Access> reserve_accesses(Task& task, std::size_t count) noexcept;
/// Gives a task back that was never submitted.
void discard_unsubmitted(Worker& worker, Task& task) noexcept;

/// How an address range is depended on (OpenMP 5.2, 15.9.5).
enum class DependKind : std::uint8_t { in, out, mutexinoutset, inoutset, all_memory };
struct Dependence {
  std::uintptr_t address = 0;
  Bytes bytes;
  DependKind kind = DependKind::in;
};

/// Takes the task: runs it now or later, here or elsewhere. `dependences` are looked up among the
/// current task's children. The task may be gone when this returns.
void submit(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept;
/// The same for one without dependences, event or affinity that should_inline() has just refused to
/// run at once.
void submit_for_later(Worker& worker, Task& task) noexcept;
/// An undeferred task: waits for its dependences, runs its body here, completes it.
void run_undeferred(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept;
/// The two halves of that, for compilers that call the body themselves.
void begin_undeferred(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept;
void end_undeferred(Worker& worker, Task& task) noexcept;
/// The same for a detachable task whose creator goes on once the body has ended, since it may be
/// the one to fulfil the event. The task may be gone after end_pending.
void run_pending(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept;
void begin_pending(Worker& worker, Task& task, std::span<const Dependence> dependences) noexcept;
void end_pending(Worker& worker, Task& task) noexcept;
/// True if the task must not start: its group or its region is cancelled.
bool is_dropped(const Task& task) noexcept;
/// Runs `run` at once as a task of its own (at_once.hpp), where a record or a tool is told what the
/// task depends on. Precondition:
/// worker.observed, and runs_in_order() if there are dependences.
void run_inline_observed(Worker& worker, void (*run)(Task&, Worker&), void* function, void* data,
                         std::uint16_t flags, std::span<const Dependence> dependences) noexcept;
/// True if every earlier task of the team has completed, so that dependences need not be looked at
/// and a task may run at once.
inline bool runs_in_order(const Worker& worker) noexcept {
  return decide::runs_in_order(worker.team->size(),
                               worker.team->deferred_seen.load(std::memory_order_relaxed)) &&
         !stack_is_low(*worker.thread);
}
/// The part of should_inline() for policies that send tasks without data away.
bool are_shared_queues_full(Worker& worker) noexcept;
/// True if the creator should run a plain task at once rather than queue it (queues are full). A
/// call in place of its few instructions costs each tiny task a nanosecond.
[[gnu::always_inline]] inline bool should_inline(Worker& worker) noexcept {
  if (stack_is_low(*worker.thread)) [[unlikely]]
    return false;
  struct Creator {
    Worker& worker;
    [[nodiscard]] std::size_t workers() const noexcept { return worker.team->size(); }
    [[nodiscard]] bool keeps_dataless() const noexcept { return worker.keeps_dataless; }
    [[nodiscard]] bool is_own_queue_full() const noexcept {
      return runtime::is_own_queue_full(worker);
    }
    [[nodiscard]] bool are_shared_queues_full() const noexcept {
      return runtime::are_shared_queues_full(worker);
    }
  };
  return decide::is_enough_queued(Creator{worker});
}

/// --- waiting -----------------------------------------------------------------------------------

void taskwait(Worker& worker) noexcept;
void taskwait_depend(Worker& worker, std::span<const Dependence> dependences) noexcept;
void taskyield(Worker& worker) noexcept;
/// Opens a group around what follows in the current task. The memory is the engine's.
Taskgroup* begin_group(Worker& worker) noexcept;
/// Waits for all members and closes the innermost open group.
void end_group(Worker& worker) noexcept;
/// The innermost group that the current task is in: one that it opened, else the one it belongs to.
Taskgroup* current_group(Worker& worker) noexcept;
/// Team barrier: completes all tasks. Returns true if the region was cancelled meanwhile. `site`:
/// where it stands in the program, the same for all threads; null if it does not stand there.
bool barrier(Worker& worker, const void* site = nullptr) noexcept;
/// Runs tasks until none is left that this thread can see, without meeting anybody.
void drain(Worker& worker, Wait wait = Wait::barrier) noexcept;
/// Cancels the region: barriers open, waiting tasks are dropped.
void cancel_team(Team& team) noexcept;
void cancel_group(Taskgroup& group) noexcept;
/// True if the current task's group or region is cancelled.
bool is_cancelled(Worker& worker) noexcept;

/// --- detached completion -----------------------------------------------------------------------

/// Fulfils the event of a detachable task; any thread, also one that is no worker.
void fulfil(Task& task) noexcept;

}  // namespace lares::runtime
