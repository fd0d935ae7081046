// A team of threads, its places and queues, its barrier, and each thread's part in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/tick_rate.hpp"
#include "decide/away.hpp"
#include "decide/by_code.hpp"
#include "decide/deference.hpp"
#include "decide/first_touches.hpp"
#include "decide/help.hpp"
#include "decide/hold.hpp"
#include "decide/limits.hpp"
#include "decide/names.hpp"
#include "decide/restraint.hpp"
#include "decide/series.hpp"
#include "decide/thrift.hpp"
#include "memory/try_lock.hpp"
#include "policy/places.hpp"
#include "policy/policy.hpp"
#include "runtime/counters.hpp"
#include "runtime/courtesy.hpp"
#include "runtime/deque.hpp"
#include "runtime/loops.hpp"
#include "runtime/page_colours.hpp"
#include "runtime/priority_queue.hpp"
#include "runtime/settling.hpp"
#include "runtime/shared_out.hpp"
#include "runtime/shared_queue.hpp"
#include "runtime/sleepers.hpp"
#include "runtime/task.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

class RecordStream;
struct Watcher;

/// Remembers of one parallel region (by its code) whether it ever makes tasks. One that never did
/// is left to the stock runtime altogether: it costs what it costs without us. If it makes tasks
/// after all, they are the stock runtime's for that once, and no region is trusted any more.
struct RegionHint {
  static constexpr std::uint32_t trusted_after = 16;
  std::atomic<std::uintptr_t> code{0};
  std::atomic<std::uint32_t> taskless_runs{0};  ///< in a row; any master writes, races only delay
  std::atomic<bool> taskloops_overlap{false};   ///< several were open at once; any worker sets it
  std::atomic<bool> several_creators{false};    ///< its threads make tasks side by side; likewise
  std::atomic<bool> has_had_team{false};        ///< of several threads; front end's, any thread
  std::atomic<bool> has_barriers{false};        ///< within it; front end's, any thread
  std::atomic<std::uint32_t> inner_threads{1};  ///< most of one team within it; any master raises
};

/// Grows whenever what was decided of a region may be decided otherwise from now on: a front end
/// need not ask all of it again for the same region until then. Any thread.
inline constinit std::atomic<std::uint32_t> g_region_news{0};
/// After what the decision depends on has been written.
inline void tell_region_news() noexcept { g_region_news.fetch_add(1, std::memory_order_release); }

/// True if the region has run without tasks so often that it need not be ours.
bool is_trusted_taskless(const RegionHint& hint) noexcept;
/// True after the first of its runs, if that had no tasks.
bool has_run_once_taskless(const RegionHint& hint) noexcept;
/// Nobody can make tasks in it: it need not be ours from now on.
void trust(RegionHint& hint) noexcept;
/// Whether the region has had tasks so far; loops of ours count as such.
bool has_tasks(const Team& team) noexcept;
/// A region that was trusted has made a task: trust is lost for all, and slower to come back.
void distrust_hints() noexcept;

/// How often the taskloops of the program have run, by their code.
class SeenTaskloops {
 public:
  /// True for the first decide::limits::first_instances times; counts them.
  bool is_new(std::uintptr_t code) noexcept;

 private:
  decide::ByCode<std::uint32_t, 6> instances_;
};

/// What the tasks of a team's creators have shown (series.hpp). Whoever makes a task tries the
/// lock; one who does not get it is not the only creator, and does without.
struct CreatorBooks {
  memory::TryLock lock;
  decide::SeriesBook series;  ///< its holder's, as is what follows
  decide::NameBook names;
  std::uint32_t weave_trials = 0;
  std::uint32_t round = 1;     ///< changes when a creator has waited for what it made
  std::uint32_t asked_in = 0;  ///< the round in which it was asked last what shall be brought
};

/// What a worker waits for, where the wait goes beyond spinning: see stall.hpp.
enum class Wait : std::uint8_t {
  outside,      ///< in no region
  none,         ///< runs the program, or looks for a task
  barrier,      ///< the team at a barrier
  region_end,   ///< the team at the end of the region
  children,     ///< taskwait
  group,        ///< the end of a taskgroup
  dependences,  ///< taskwait depend
  release,      ///< an undeferred task's dependences or mutexinoutset
  event,        ///< of an undeferred detachable task
};
inline constexpr std::uint32_t wait_asleep = 1U << 8U;  ///< beside it: in the kernel

/// One thread's part in a team. Only that thread touches it, but for what is marked.
struct alignas(128) Worker {
  static void* operator new(std::size_t bytes, std::align_val_t /*128*/) noexcept {
    return take_coloured(bytes);
  }
  static void operator delete(void* memory) noexcept { give_back_coloured(memory); }

  Team* team = nullptr;
  const void* host = nullptr;  ///< the team's; constant
  WorkerId id;
  ThreadState* thread = nullptr;
  Task* current = nullptr;
  /// The innermost suspended tied task: new tied tasks must descend from it. nullptr = none.
  Task* constraint = nullptr;
  /// Front end's, by the ABI of a call: how many bytes of the program's code mean this team, once
  /// that is known.
  std::uint32_t host_reach[3] = {};
  Task implicit_task;
  Random random{1};
  std::unique_ptr<policy::Distribution> distribution;
  std::unique_ptr<policy::Push> push;
  std::unique_ptr<policy::Steal> steal;
  std::vector<PlaceId> victim_storage;
  CounterSlot* counters = nullptr;
  Task* spares = nullptr;   ///< descriptors as at_once::run_spare leaves them, linked by `next`
  Worker* outer = nullptr;  ///< the thread's worker in the enclosing team
  RecordStream* record = nullptr;  ///< the thread's, while a task graph is recorded
  DomainId stolen_from;            ///< of what it runs next, while it is recorded; owner
  bool observed = false;  ///< it has a record or a watcher; set when it enters its team; owner
  bool attended = false;  ///< or somebody else is told what it runs; set then, too; owner
  const Watcher* watcher = nullptr;  ///< who is told of its tasks (watch.hpp), constant in a team
  const void* call_site = nullptr;   ///< front end's: of the program's call, for who watches
  // Set at the meeting that builds the places, which others read after it.
  PlaceId place;
  DomainId domain;
  CoreId core;
  memory::Whereabouts* works_for = nullptr;  ///< where it tells that; null: nobody asks
  std::uint32_t sample_countdown = 1;
  decide::Thrift thrift{ticks_per_microsecond()};
  decide::Restraint restraint{0, 0};
  decide::Deference deference;
  decide::FirstTouches first_touches{ticks_per_microsecond()};
  decide::WaitBudget wait_budget;
  Courtesy courtesy;
  WorkerLoop loop;
  /// For how many barriers behind loops of ours the time at the next one stands; 0: it is not
  /// timed.
  std::uint32_t loop_wait_weight = 0;
  bool in_own_loop = false;     ///< front end's: the worksharing construct that it is in is ours
  bool began_own_loop = false;  ///< front end's: so is the one that it began last (Clang)
  bool in_doacross = false;     ///< front end's: iterations of its loop wait for others (Clang)
  bool may_deviate = false;     ///< the user left the choice of policy to us
  bool wants_data = false;      ///< tasks' data matter for the policy on this machine
  bool keeps_dataless = true;   ///< the push never sends a task without data away
  bool deals = false;           ///< the push deals tasks to the workers of a domain
  decide::OwnQueueLimits own_queue_limits = {};
  // Of `thrift`, as learn_from_thrift() has last seen it: what each task asks is one look.
  bool keeps_tiny = false;       ///< it may keep its tasks for being tiny, and they are
  bool makes_series = false;     ///< deals_series, and its tasks are worth it
  bool says_group_data = false;  ///< a task has, in this region, on this thread; group_data.hpp

  // Of series.hpp.
  bool deals_series = false;    ///< sending tasks without data somewhere makes sense in this team
  bool settles_series = false;  ///< it has begun `settling` for what it makes now
  bool has_books = false;       ///< it holds the lock of its team's books
  std::uint32_t told_by_name = 0;              ///< tasks since then
  bool made_series = false;                    ///< it has made tasks since it waited
  bool goes_on = false;                        ///< it has set its team's `goes_on`
  decide::Hold hold{ticks_per_microsecond()};  ///< of the newest tasks of its deque
  decide::Series* held_series = nullptr;       ///< which they are of
  std::uintptr_t held_code = 0;                ///< and their construct's
  bool held_by_strong_names = false;           ///< see decide::NameBook::Told
  std::vector<Task*> dealt_storage;            ///< by domain
  std::vector<Task*> held_storage;             ///< those that are dealt, as they were made
  SharedOut::Looks share_looks;                ///< at what its tasks' tasks point to

  // Of decide/away.hpp.
  std::uint32_t away_at_once = 0;  ///< its steal policy's, constant
  DomainId leaves_for;  ///< where what it runs next is at home, if it was fetched from there

  // This worker writes, any worker reads: together they tell whether the team is quiet.
  alignas(64) std::atomic<std::uint64_t> created{0};
  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> found{0};      ///< tasks after a long wait; for standstill.hpp
  std::atomic<std::uint32_t> waits_for{0};  ///< a Wait; this worker writes, stall.hpp reads

  // What idle workers saw of the counts above when they last looked, and since when. Any of them
  // writes, the time first: whoever reads the signs finds their time or a later one.
  alignas(64) std::atomic<std::uint64_t> seen_signs{0};
  std::atomic<std::uint64_t> seen_since{0};  ///< in ticks; 0: nobody has looked yet

  // This worker sets `parked` before it sleeps and clears it when it goes on; whoever wakes it
  // clears it as well. A futex.
  alignas(64) std::atomic<std::uint32_t> parked{0};
  std::atomic<const Task*> sleeps_under{nullptr};  ///< its constraint; it writes, wakers read

  Deque deque;  ///< its own rules
};

/// How many domains are nearer to the worker's than `to`, at most distance_ranks - 1; 0: its own,
/// or an invalid one.
std::size_t distance_rank(const Worker& worker, DomainId to) noexcept;

/// How many workers of one domain that are free to run any task are looking for one. Written by
/// them.
struct alignas(64) Looking {
  std::atomic<std::uint32_t> count{0};
};

/// What stands in for a worker's policies where a thread outside of the team makes a task ready.
struct OutsidePolicies {
  std::unique_ptr<policy::Distribution> distribution;
  std::unique_ptr<policy::Push> push;
  Random random{1};
};

/// Threads of one parallel region. Pooled: never freed while the process lives, so a late wake-up
/// of a finished team is harmless. A pooled team may serve regions of fewer threads.
class Team : public policy::QueueLengths {
 public:
  Team(std::size_t team_size, std::size_t capacity)
      : workers(capacity), core_of(team_size), size_(team_size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return workers.size(); }
  /// The workers of the present region: all are there once it has met.
  [[nodiscard]] std::span<const std::unique_ptr<Worker>> members() const noexcept {
    return std::span(workers).first(size_);
  }
  /// For the next region, of at most `capacity()` threads. Called by the master between regions.
  void resize(std::size_t team_size) noexcept;
  [[nodiscard]] std::uint32_t length(PlaceId place) const noexcept override;
  /// True if a worker of the domain has run a task whose data was there. Decides who is woken.
  [[nodiscard]] bool is_fed(DomainId domain) const noexcept {
    return fed[domain.index()].load(std::memory_order_relaxed);  // relaxed: a hint, which stays
  }
  void feeds(DomainId domain) noexcept {
    fed[domain.index()].store(true, std::memory_order_relaxed);
  }

  /// True once no created task is unfinished, provided that no thread outside of a barrier can
  /// create one. Reads all `finished` before all `created`: both only grow, so equal sums mean
  /// that they were equal at the moment between.
  [[nodiscard]] bool quiet() const noexcept;

  /// True if there are more threads than processors for them, in this team or in all together:
  /// spinning only hinders.
  [[nodiscard]] bool is_crowded() const noexcept {
    // relaxed: decides how to wait, nothing else.
    return crowded || in_teams.load(std::memory_order_relaxed) >= most_in_teams ||
           is_crowded_by_inner_teams();
  }
  /// True if the teams that its threads make, as far as they are known, need more processors than
  /// there are: most are left to the stock runtime, and then `in_teams` does not count them.
  [[nodiscard]] bool is_crowded_by_inner_teams() const noexcept {
    if (hint == nullptr) return false;
    // relaxed: as above.
    const std::int64_t inner = hint->inner_threads.load(std::memory_order_relaxed);
    return inner > 1 && inner * static_cast<std::int64_t>(size_) > most_in_teams;
  }
  /// Threads of all teams of the process without one master of them. Masters write.
  static std::atomic<std::int32_t> in_teams;

  std::vector<std::unique_ptr<Worker>> workers;      ///< slots, filled as they are first needed
  std::unique_ptr<policy::Places> places;            ///< set at the meeting; then constant
  std::vector<std::unique_ptr<SharedQueue>> queues;  ///< by place, without the workers' own
  PriorityQueue prioritised;                         ///< tasks with a priority, all domains
  std::unique_ptr<OutsidePolicies> outside;          ///< made and used under outside.cpp's lock
  std::unique_ptr<Sleepers> sleepers;                ///< made at the first meeting, then constant
  std::vector<Looking> looking;                      ///< by domain with cores; likewise
  std::vector<std::atomic<bool>> fed;                ///< likewise: see is_fed()
  std::vector<decide::Away> away;                    ///< likewise
  std::vector<CoreId> core_of;                       ///< by worker, written at arrival
  Team* next_cached = nullptr;
  Team* next_known = nullptr;             ///< in the list of all teams; constant once it is there
  const void* host = nullptr;             ///< which stock runtime its threads come from
  std::atomic<void*> broadcast{nullptr};  ///< host: a pointer that one worker tells all
  /// Host: the control variables that all workers had before one of them set some in this region;
  /// null if none has. The first one to set any writes it, the master clears it.
  std::atomic<const void*> first_variables{nullptr};

  // Constant during a region, set by the master before the others start.
  bool cancellable = false;
  bool alone = false;              ///< in the child of a fork: the other threads are the parent's
  bool throttles = true;           ///< creators run tasks themselves when the queues are full
  bool crowded = false;            ///< this team alone has more threads than cores
  std::int32_t most_in_teams = 1;  ///< `in_teams` that leave no processor free
  std::uint32_t spin_rounds = 0;   ///< idle rounds before sleeping
  Nanoseconds longest_spin{};      ///< see Engine
  std::size_t cores = 1;           ///< how many of the team's threads can run at the same time
  RegionHint* hint = nullptr;
  std::uint64_t record_region = 0;  ///< its number under --record
  std::uint64_t record_parent = 0;  ///< the task that opened it, or 0

  // Meeting (places), once per team and binding.
  alignas(64) std::atomic<std::uint32_t> met{0};
  std::atomic<std::uint32_t> places_ready{0};  ///< 1 once built; a futex
  std::atomic<bool> places_stale{false};

  // Any worker; written at most once between two barriers.
  // What a thread that waits in the barrier looks at: opening writes it, and the first task.
  alignas(64) std::atomic<std::uint32_t> epoch{0};
  std::atomic<bool> tasks_seen{false};     ///< since the last barrier; set by creators
  std::atomic<bool> deferred_seen{false};  ///< in this region: a task was left for later
  std::atomic<bool> inlined_seen{false};   ///< in this region: a task was run at once
  std::atomic<bool> cancelled{false};
  std::atomic<std::uint32_t> draining{0};  ///< who waits in drain(); written by them

  LoopChain loops;  ///< its own rules

  // Barrier: counts up to size(); whoever takes it back to 0 then opens the next epoch.
  alignas(64) std::atomic<std::uint32_t> arrived{0};

  // Any worker, and threads outside.
  alignas(64) std::atomic<std::int32_t> waking{0};  ///< claimed sleepers that have not looked yet
  std::atomic<std::uint64_t> foreign_finished{0};   ///< by threads that are not of the team
  std::atomic<std::uint32_t> excluded{0};           ///< tasks that lack a mutexinoutset lock
  std::atomic<std::uint32_t> pending_events{0};     ///< tasks that have ended but for their event

  // Of taskloop.hpp, and of series.hpp the second. Creators write; idle workers read the second.
  alignas(64) std::atomic<std::uint32_t> open_taskloops{0};
  SettlingWork settling;
  std::atomic<bool> goes_on{
      false};                    ///< see decide::Seeker; a hint, whoever makes tasks alone sets it
  SeenTaskloops seen_taskloops;  ///< of whoever made `open_taskloops` 1, until it is 0

  // Of series.hpp, since the last barrier. Creators write, on a line that only they look at.
  alignas(64) std::atomic<std::uint32_t> creator{0};  ///< who made a task last: its id + 1
  std::atomic<std::uint32_t> creator_changes{0};      ///< how often that was another one
  std::atomic<std::uint32_t> hurried{0};              ///< see decide::limits::most_hurried
  CreatorBooks books;                                 ///< its own rules

 private:
  std::size_t size_;  ///< of the present region
};

/// True if the worker's own deque holds enough to keep others busy. Called by the worker.
[[gnu::always_inline]] inline bool is_own_queue_full(Worker& worker) noexcept {
  const std::int64_t limit = decide::own_queue_limit(
      worker.own_queue_limits, worker.current->depth.load(std::memory_order_relaxed));
  // The bound that needs no look at the thieves' line comes first.
  return worker.deque.size_at_most() >= limit && worker.deque.refresh_size() >= limit;
}

/// Called by the worker when its thrift may have changed its mind, and when its team is made.
inline void learn_from_thrift(Worker& worker) noexcept {
  worker.keeps_tiny = worker.may_deviate && worker.thrift.tasks_are_tiny();
  worker.makes_series = worker.deals_series && !worker.keeps_tiny;
  worker.own_queue_limits =
      decide::own_queue_limits(worker.team->size(), worker.team->throttles, worker.keeps_tiny);
}

/// What the worker's policies may look at.
inline policy::View view_of(Worker& worker) noexcept {
  return {*worker.team->places, *worker.team, worker.id, worker.random};
}

}  // namespace lares::runtime
