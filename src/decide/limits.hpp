// How much may wait where before its creator helps.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/disorder.hpp"
#include "base/ids.hpp"

namespace lares::decide {

/// The usual values. What asks for a limit calls the functions below, which tests can make smaller.
namespace limits {

/// More tasks than this in one shared queue, and their creator runs some itself.
inline constexpr std::uint32_t shared_queue = 16384;
/// Queued tasks in a worker's own deque, for each worker of the team, that keep the others busy
/// while a creator runs one at once. A flat producer feeds the whole team.
/// A large reserve keeps apart what thieves take, the oldest, from what its owner waits for next:
/// in a tree of uneven parts (UTS) thieves took three times as often from half as many.
inline constexpr std::uint32_t own_queue_per_worker = 64;
/// The same of tasks that are over sooner than a thief has fetched them, where their creator may
/// keep them: half as many suffice, and what is not queued is cheaper by far.
inline constexpr std::uint32_t own_queue_per_worker_tiny = 32;
/// The same deep in a recursion, where every worker makes its own: so many, and one more for each.
inline constexpr std::uint32_t own_queue_deep = 8;
/// Tasks that are at home with their creator which it keeps in its own deque; the domain's queue
/// takes the others.
inline constexpr std::uint32_t own_at_home = 16;
/// What a worker's deque holds at most. A power of two.
inline constexpr std::uint32_t deque = 4096;
/// A window of tasks with dependences, for each worker, beyond which their creator runs those that
/// are ready in its own place: they are warm in its caches, and the window keeps others fed.
inline constexpr std::uint32_t window_per_worker = 64;
/// Children of one task that may wait for others before their creator helps: bounds memory.
inline constexpr std::int32_t waiting_children = 32768;
/// What a creator with twice as many spends on waiting before it makes the next one all the same.
inline constexpr Nanoseconds wait_beyond{1'000'000};
inline constexpr Nanoseconds longest_wait_beyond{1'000'000'000};
/// What it spends so at most without anything getting better: what the others run may wait for it.
inline constexpr Nanoseconds wait_in_vain{5'000'000'000};
/// How long it pauses before it looks again.
inline constexpr Nanoseconds pause_beyond{50'000};
/// Tasks without data in shared queues, for each worker, that are enough to keep a team busy.
inline constexpr std::uint32_t shared_feed_per_worker = 64;
/// How many tasks of a shared queue a worker looks at that may not run all: a longer look could
/// hold the queue's lock for too long. What it saw then goes to the end, so that nothing is hidden
/// from it for ever.
inline constexpr int constrained_look = 256;
/// So many tasks for each worker of another domain are left to these while their creator goes on
/// making more (find.hpp).
inline constexpr std::uint32_t left_at_home = 16;
/// How often a taskloop of the program runs before it counts as one whose data is where it stays,
/// and how long a worker that has none of its pieces left leaves other domains' alone until then.
inline constexpr std::uint32_t first_instances = 4;
inline constexpr Nanoseconds patience_at_first{10'000'000};
/// How long a worker leaves branches of recursions to those at home at most, however long a leaf
/// takes (deference.hpp).
inline constexpr Nanoseconds deference{250'000'000};
/// How long a creator that holds the tasks of a new series, to see how many there are, may take for
/// the next one, and for all of them. Seconds of a guest of the lab have few instructions.
inline constexpr Nanoseconds hold{10'000'000};
inline constexpr Nanoseconds longest_hold{200'000'000};
/// After so many of them, one is tried out if none was made faster than so: it may be the creator
/// that the others wait for, and not the number.
inline constexpr std::int64_t held_before_pace = 8;
inline constexpr Nanoseconds leisurely{20'000};
/// Holds that took too long, and pauses in others, until a team holds no more: those since one came
/// to its end. So they cost a program a few times `hold` and no more.
inline constexpr std::uint32_t most_hurried = 4;
/// How long the trial takes that shows whether a series is woven, while the others wait: as long as
/// so many tasks take to make, which is fair to slow machines as well, but for its bounds. A
/// creator tries so many times.
inline constexpr std::uint64_t weave_trial_in_tasks = 150'000;
inline constexpr Nanoseconds shortest_weave_trial{5'000'000};
inline constexpr Nanoseconds longest_weave_trial{250'000'000};
inline constexpr std::uint32_t weave_trials = 8;
/// A series of fewer tasks for each worker is dealt as it is made: the trial would take too large a
/// part of it.
inline constexpr std::size_t woven_per_worker = 4;
/// How many tasks of its domain's queue a worker looks at for one that was dealt to it.
inline constexpr int dealt_look = 8;
/// How many ranges of a task decide where it goes: the first.
inline constexpr std::uint32_t deciding_accesses = 8;

}  // namespace limits

inline std::uint64_t to_ticks(Nanoseconds time, std::uint64_t ticks_per_microsecond) noexcept {
  return static_cast<std::uint64_t>(time.count) / 1000 * ticks_per_microsecond;
}

/// In ticks, of a creator that needs at least `to_make` for a task.
inline std::uint64_t weave_trial(std::uint64_t to_make,
                                 std::uint64_t ticks_per_microsecond) noexcept {
  const std::uint64_t least = to_ticks(limits::shortest_weave_trial, ticks_per_microsecond);
  const std::uint64_t most = to_ticks(limits::longest_weave_trial, ticks_per_microsecond);
  if (to_make > most / limits::weave_trial_in_tasks) return most;
  return std::max(to_make * limits::weave_trial_in_tasks, least);
}

/// In ticks: until when a creator that has made a task of a new series `now`, and the first of them
/// at `first`, is waited for.
inline std::uint64_t held_until(std::uint64_t first, std::uint64_t now,
                                std::uint64_t ticks_per_microsecond) noexcept {
  return std::min(now + to_ticks(limits::hold, ticks_per_microsecond),
                  first + to_ticks(limits::longest_hold, ticks_per_microsecond));
}

/// What a worker's deque takes.
inline std::int64_t deque_room() noexcept {
  return disorder::limit(disorder::Limit::deque, std::int64_t{limits::deque});
}

/// Tasks in a worker's own deque that are enough to keep the others busy while it runs one at once.
/// By depth: those made by an implicit task or its children, and deeper ones.
using OwnQueueLimits = std::array<std::int64_t, 2>;

/// `tiny`: the worker's tasks are, and its policy may keep them for that.
inline OwnQueueLimits own_queue_limits(std::size_t workers, bool throttles, bool tiny) noexcept {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  if (!throttles) return {none, none};
  const auto team = static_cast<std::int64_t>(workers);
  const std::uint32_t each =
      tiny ? limits::own_queue_per_worker_tiny : limits::own_queue_per_worker;
  const std::int64_t flat = disorder::limit(disorder::Limit::own_queue, each) * team;
  const std::int64_t deep =
      disorder::limit(disorder::Limit::own_queue_deep, limits::own_queue_deep + team);
  return {std::min(flat, deque_room()), std::min(deep, deque_room())};
}

/// The one that holds for what a task of `depth` makes; 0 is an implicit task.
inline std::int64_t own_queue_limit(const OwnQueueLimits& limits, std::uint32_t depth) noexcept {
  return limits[depth > 1 ? 1 : 0];
}

inline bool is_shared_queue_full(std::uint32_t length) noexcept {
  return length >= disorder::limit(disorder::Limit::shared_queue, limits::shared_queue);
}

/// True if tasks without data need not be queued any more: `queued` lie in the shared queues from
/// which the worker's domain takes.
inline bool is_fed(std::uint32_t queued, std::size_t workers) noexcept {
  return queued >=
         disorder::limit(disorder::Limit::shared_feed, limits::shared_feed_per_worker) * workers;
}

/// True if a task that was put into its domain's queue for `rather_for` is as good for `taker` as
/// any. Of the first limits::dealt_look the oldest of these is taken; if there is none, the oldest
/// of all: nobody waits for a task's own worker.
inline bool is_dealt_to(WorkerId rather_for, WorkerId taker) noexcept {
  return !rather_for.valid() || rather_for == taker;
}

inline int constrained_look() noexcept {
  return disorder::limit(disorder::Limit::queue_look, limits::constrained_look);
}

/// Unfinished children with dependences beyond which their creator runs one of its own place before
/// it makes the next.
inline std::int32_t creation_window(std::size_t workers) noexcept {
  return static_cast<std::int32_t>(
      disorder::limit(disorder::Limit::window, limits::window_per_worker) * workers);
}

/// Unfinished children beyond which it runs any task, until there are fewer.
inline std::int32_t most_waiting_children() noexcept {
  return disorder::limit(disorder::Limit::waiting_children, limits::waiting_children);
}

/// How long a creator with so many unfinished children waits for fewer, while others run tasks,
/// before it makes the next: not for ever, since what they wait for may be its own next statement.
/// The wait doubles with each eighth of the bound, so that what waits hardly grows beyond three
/// times the bound while waiting helps (see help.hpp).
inline Nanoseconds wait_for_fewer(std::int32_t children) noexcept {
  const std::int32_t most = most_waiting_children();
  if (children < 2 * most) return {};
  const std::int32_t doublings = (children - 2 * most) / std::max(most / 8, 1);
  const std::int64_t wait = limits::wait_beyond.count << std::min(doublings, 20);
  return std::min(Nanoseconds{wait}, limits::longest_wait_beyond);
}

}  // namespace lares::decide
