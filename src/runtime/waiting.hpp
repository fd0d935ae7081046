// How a worker waits: it runs tasks, spins a little, then sleeps until there may be a reason to
// look.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "base/tick_rate.hpp"
#include "runtime/engine.hpp"
#include "runtime/execution.hpp"
#include "runtime/finding.hpp"
#include "runtime/series.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/stall.hpp"
#include "runtime/team.hpp"
#include "runtime/waking.hpp"

namespace lares::runtime {

/// Counts fruitless rounds and decides when to sleep and for how long.
class Patience {
 public:
  explicit Patience(const Team& team) noexcept
      : team_(&team),
        spin_rounds_(rounds_before_sleep(team)),
        longest_sleep_{longest_sleep().count * rarer(team)} {}
  void reset() noexcept {
    rounds_ = 0;
    looks_ = 0;
    sleep_ = first_sleep();
  }
  /// Pauses for a moment and answers false, or answers true: it is time to sleep.
  bool exhausted() noexcept;
  /// True if more rounds have been fruitless than happen between two tasks.
  [[nodiscard]] bool has_waited() const noexcept { return rounds_ >= 16; }
  /// True now and then while rounds stay fruitless, so also for those who never sleep.
  [[nodiscard]] bool is_long() const noexcept { return rounds_ != 0 && rounds_ % 64 == 0; }
  [[nodiscard]] bool is_very_long() const noexcept { return rounds_ != 0 && rounds_ % 8192 == 0; }
  /// True once the next sleep is as long as sleeps get.
  [[nodiscard]] bool has_slept_long() const noexcept { return sleep_ >= longest_sleep_; }
  /// True, for a bounded number of times, if some queue is not empty: a round of a steal policy
  /// need not have visited it, but one of the next may. Looks at all queues.
  bool sees_work(const Worker& worker) noexcept;
  /// How long the next sleep may last; each is longer than the one before.
  Nanoseconds next_sleep() noexcept;

 private:
  // Sleepers are woken when work arrives; the limit only bounds what a missed chance can cost, for
  // instance when all awake workers wait for something that a queued task will do.
  static Nanoseconds first_sleep() noexcept {
    return {disorder::limit(disorder::Limit::sleep_ns, std::int64_t{1'000'000})};
  }
  static Nanoseconds longest_sleep() noexcept {
    return {disorder::limit(disorder::Limit::longest_sleep_ns, std::int64_t{64'000'000})};
  }

  static std::uint32_t rounds_before_sleep(const Team& team) noexcept {
    if (!team.is_crowded()) return team.spin_rounds;
    return std::min(team.spin_rounds, Engine::instance().spin_rounds(true));
  }

  // Many sleepers that look now and then would keep the cores busy with looking.
  static std::int64_t rarer(const Team& team) noexcept {
    return 1 + static_cast<std::int64_t>(team.size() / (16 * team.cores));
  }

  /// Also true if the rounds behind the first ones have taken too long.
  bool is_over() noexcept;

  const Team* team_;
  std::uint32_t spin_rounds_;
  Nanoseconds longest_sleep_;
  std::uint32_t rounds_ = 0;
  std::uint64_t spins_until_ = 0;  // in ticks; set at the end of the first rounds
  std::uint32_t looks_ = 0;
  Nanoseconds sleep_ = first_sleep();
};

inline constexpr Nanoseconds no_restraint{std::numeric_limits<std::int64_t>::max()};

/// Until the worker may look beyond its domain; very long if it may already.
inline Nanoseconds restraint_left(const Worker& worker) noexcept {
  const std::uint64_t left = worker.restraint.left(ticks());
  if (left == 0) return no_restraint;
  return {static_cast<std::int64_t>(left * 1000 / ticks_per_microsecond()) + 1};
}

/// Announces a sleeper. Between construction and sleep() the caller looks once more: whoever
/// changes something after that look sees the announcement.
class Sleeper {
 public:
  /// `waiting` (may be null) is true while the sleeper is: who ends the wait then wakes it.
  Sleeper(Worker& worker, std::atomic<bool>* waiting) noexcept;
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() { wake_up(); }
  void sleep(Nanoseconds limit) noexcept;
  /// Withdraws the announcement. True if somebody had chosen this sleeper to wake it: then there
  /// is, or was, something to do for it.
  bool wake_up() noexcept;

 private:
  void share_children(Task& current) noexcept;

  Worker& worker_;
  std::atomic<bool>* waiting_;
  Dormitory* with_;     ///< those of its domain that are free to run any task, too, or nullptr
  std::uint32_t bell_;  ///< free only
  bool announced_ = true;
};

/// Counts a worker among those of its domain that are looking for any task, once it has looked in
/// vain for a while.
class Lookout {
 public:
  explicit Lookout(Worker& worker) noexcept : worker_(worker) {}
  Lookout(const Lookout&) = delete;
  Lookout& operator=(const Lookout&) = delete;
  ~Lookout() { end(); }
  void begin() noexcept;
  void end() noexcept;

 private:
  Worker& worker_;
  bool looking_ = false;
};

/// A sign of life, for standstill.hpp.
inline void count_found(Worker& worker) noexcept {
  // relaxed: only this worker writes, and nothing hangs on it.
  const std::uint64_t before = worker.found.load(std::memory_order_relaxed);
  worker.found.store(before + 1, std::memory_order_relaxed);
}

/// The part of wait_until() for waits in which nothing was found at once.
template <class Done, class Idle>
[[gnu::noinline]] void wait_long(Worker& worker, Wait what, std::atomic<bool>* waiting, Done done,
                                 Idle idle, Reach reach) noexcept {
  Patience patience(*worker.team);
  Lookout lookout(worker);
  stall::Telling telling(worker, what);
  // Beyond its policy's places there is hardly ever something for a worker that may run any task
  // (standstill.hpp), and busy workers write to what a look there reads. So it looks once it has
  // slept long, and as long as it finds something.
  const bool always = reach == Reach::everywhere || worker.constraint != nullptr;
  bool finds = false;
  const auto look_beyond = [&](bool waits_long) noexcept -> Task* {
    if (!always && !finds && !waits_long) return nullptr;
    Task* const task = find_awaited(worker, reach);
    finds = task != nullptr;
    return task;
  };
  bool chosen = false;  // somebody woke this worker for a task, and it has not found one since
  while (!done()) {
    Task* found = find_work(worker);
    if (found == nullptr && patience.is_long()) {
      telling.is_long();
      found = look_beyond(patience.is_very_long());
    }
    if (found != nullptr) {
      disorder::pause(disorder::Point::found);
      telling.over();
      count_found(worker);
      lookout.end();
      if (chosen || patience.has_waited()) pass_on(worker);  // there may be more than one
      chosen = false;
      execute(worker, *found);
      patience.reset();
      continue;
    }
    disorder::pause(disorder::Point::idle_round);
    idle();
    if (done()) break;
    worker.counters->failed_rounds.add(1);
    if (patience.has_waited()) lookout.begin();
    if (!patience.exhausted()) continue;
    if (restraint_left(worker) == no_restraint && patience.sees_work(worker)) {
      give_way();
      continue;
    }
    lookout.end();
    telling.is_long();
    Sleeper sleeper(worker, waiting);
    worker.thrift.forget();  // rather fetch a small task than sleep
    if (!done()) {
      const bool looks = !disorder::omits(disorder::Fault::no_last_look);
      Task* task = looks ? find_work(worker) : nullptr;
      if (task == nullptr && looks) task = look_beyond(patience.has_slept_long());
      if (task != nullptr) {
        telling.over();
        count_found(worker);
        sleeper.wake_up();
        pass_on(worker);
        execute(worker, *task);
        patience.reset();
        continue;
      }
      telling.sleeps();
      sleeper.sleep(std::min(patience.next_sleep(), restraint_left(worker)));
      telling.wakes();
    }
    chosen = sleeper.wake_up();
  }
  // What it was woken for is somebody else's to run.
  if (chosen) pass_on(worker);
}

/// Runs tasks until `done()`, which `what` describes for those who look. `waiting` (may be null) is
/// set while the worker may be asleep: those who make `done()` true then wake it. `idle()` is
/// called when there is nothing to run.
template <class Done, class Idle>
void wait_until(Worker& worker, Wait what, std::atomic<bool>* waiting, Done done, Idle idle,
                Reach reach = Reach::policy) noexcept {
  release_held(worker);
  stop_going_on(worker);
  // Most waits are for tasks that lie in the worker's own deque.
  while (!done()) {
    Task* const found = find_work(worker);
    if (found == nullptr) return wait_long(worker, what, waiting, done, idle, reach);
    disorder::pause(disorder::Point::found);
    execute(worker, *found);
  }
}

template <class Done>
void wait_until(Worker& worker, Wait what, std::atomic<bool>* waiting, Done done) noexcept {
  wait_until(worker, what, waiting, done, [] {});
}

/// The barrier itself, for those who have said why they wait (record.hpp). True if the region is
/// cancelled. `site`: see barrier().
bool meet_at_barrier(Worker& worker, Wait what, const void* site = nullptr) noexcept;

}  // namespace lares::runtime
