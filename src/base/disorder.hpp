// Disorder on purpose: named points of the code at which a seed decides that what happens once in a
// million runs happens now. Only in builds with the option LARES_DISORDER; elsewhere all of this is
// nothing, and leaves no trace in the code.
//
// What a point does is always allowed: a thread may be late anywhere, a futex may return for
// nothing, a thief may lose, a queue may be small. So whatever goes wrong is a fault of the code.
#pragma once

#include <cstdint>

#ifndef LARES_DISORDER
#define LARES_DISORDER 0
#endif

namespace lares::disorder {

/// True in builds that can be disordered.
inline constexpr bool built_in = LARES_DISORDER != 0;

/// Where something may happen. In `pause` a thread is late between two steps that others see
/// between; in `late` what it publishes next is late; in `fails` an attempt comes to nothing; in
/// `wakes` a sleep ends at once.
enum class Point : std::uint8_t {
  lying_down,      ///< pause: a sleeper knows which bell it will wait for, nobody knows of it
  announced,       ///< pause: a sleeper has announced itself and has not looked yet
  before_sleep,    ///< pause: it has looked, and is about to sleep
  woken,           ///< pause: its sleep has ended, its announcement still stands
  got_up,          ///< pause: nobody can choose it any more, it still counts
  withdrawn,       ///< pause: the announcement is withdrawn, it has not looked yet
  looked_away,     ///< pause: a worker on the lookout has stopped to count as one
  idle_round,      ///< pause: a look for work was in vain
  found,           ///< pause: a task was found and is not running yet
  notifying,       ///< late: something is queued, nobody has been told
  choosing,        ///< pause: there is a sleeper, it has not been claimed
  claimed,         ///< late: a sleeper is claimed, it has not been woken
  unparking,       ///< late: it is known to sleep, and is about to be woken
  queue_push,      ///< late: into a shared queue
  queue_take,      ///< fails: a thief finds a shared queue locked
  deque_push,      ///< late: the slot is written, the new bottom is not
  deque_pop,       ///< pause: the bottom is taken back, the top has not been read
  deque_last,      ///< pause: the owner is about to race for the last task
  deque_steal,     ///< fails: a thief has read the slot, and loses the race for it
  locking,         ///< pause: a lock is about to be taken
  locked,          ///< pause: a lock is held
  ready,           ///< late: a task has nothing left to wait for, and is in no queue
  linking,         ///< pause: a predecessor is known, the arrow to it is not made
  linked,          ///< pause: a task's arrows are made, its guard is not taken away
  completing,      ///< pause: a body has ended, nobody knows
  released,        ///< pause: the successors are released, the parent does not know
  group_left,      ///< pause: a group counts one member less, its waiter has not been woken
  parent_told,     ///< pause: a parent counts one child less, its waiter has not been woken
  lifting,         ///< pause: a task's parent has completed, and is about to be replaced
  finishing,       ///< late: a task is complete, and is not among the worker's finished ones
  fulfilling,      ///< late: an event is fulfilled, the state does not say so
  counted,         ///< pause: a task counts as created, it is in no queue
  arriving,        ///< late: a thread is at the barrier, and has not arrived
  opening,         ///< pause: all have arrived and nothing is left, the barrier is closed
  opened,          ///< pause: the barrier is open, the sleepers are asleep
  meeting,         ///< late: a thread has found its core, and has not met the others
  entering,        ///< pause: a worker is about to enter its region
  leaving,         ///< pause: a worker has left its barrier, and is about to leave its region
  giving_back,     ///< pause: another thread's descriptor is about to go back to its pool
  walking,         ///< pause: between two ancestors
  sleeping,        ///< wakes: a futex returns for nothing
  publishing,      ///< late: a table is filled, its version is not written
  reading_table,   ///< pause: a table's version is read, its rows are not
  upkeep,          ///< fails: a lock that is only tried is found taken
  page_query,      ///< pause: the kernel has said where a page is, and nobody has been told
  area_added,      ///< pause: an area to be marked is in the table, the kernel does not watch it
  area_watched,    ///< pause: the kernel watches it, its pages are where they were
  area_aside,      ///< late: its pages are aside, touchers are not let in
  change_told,     ///< pause: the kernel has a message, the gate is open
  change_read,     ///< late: it is read, and whoever made the change goes on; it is not followed
  page_copied,     ///< pause: a page has been copied back, its source is not emptied
  chunk_carried,   ///< pause: a chunk's pages are back, it is not settled
  area_unwatched,  ///< pause: the last chunk is settled and the watch ended, the area is not
                   ///< finished
  loop_made,       ///< late: a loop is made, the others do not see it
  loop_steal,      ///< fails: a thief loses the race for a range of iterations
  loop_stolen,     ///< pause: a range is stolen, its rest is in nobody's word
};

/// What may be smaller than it is. One value for the life of the process.
enum class Limit : std::uint8_t {
  deque,             ///< what a worker's deque holds
  own_queue,         ///< queued tasks in an own deque, for each worker, that are enough
  own_queue_deep,    ///< the same deep in a recursion
  shared_queue,      ///< what a shared queue holds before creators help
  shared_feed,       ///< what of tasks without data is enough in a shared queue
  window,            ///< waiting tasks with dependences, for each worker
  waiting_children,  ///< tasks that may wait before their creator must help
  spin_rounds,       ///< fruitless rounds before a sleep
  longest_spin_ns,   ///< how long they may take
  barrier_spins,     ///< looks at the barrier before a search for tasks
  sleep_ns,          ///< a first sleep
  longest_sleep_ns,  ///< the longest
  standstill_us,     ///< without a sign of life, before others may look into a worker's place
  looks,             ///< how often work that is seen and not found puts off a sleep
  task_slab,         ///< bytes of tasks that a pool takes at once
  queue_look,        ///< tasks of a shared queue that a constrained worker looks at
  table,             ///< entries of a new table of dependences
  prune,             ///< members of a set before completed ones are dropped
  team_sizes,        ///< sizes of teams that are kept as they are
  stack_left,        ///< grows: below so much of a stack a body gets a fresh one
};

/// What the engine can be told to do without, for a test that shows that it would be missed. Only
/// a director (disorder_on.hpp) asks for one.
enum class Fault : std::uint8_t {
  no_word_passed_on,     ///< a woken worker tells nobody that there is more
  no_last_look,          ///< a sleeper does not look again after its announcement
  no_notice,             ///< whoever queues a task wakes nobody
  no_wake_of_parent,     ///< the last child to end does not wake its parent
  no_wake_of_group,      ///< the last member to end does not wake who waits for the group
  no_wake_at_opening,    ///< who opens a barrier does not wake the others
  no_wake_of_waiter,     ///< what a sleeper waits for in `depend` does not wake it
  no_foreign_wake,       ///< a thread outside of the team wakes nobody
  all_woken_for_one,     ///< one task wakes all sleepers
  no_own_queue_offered,  ///< a worker that may not run its own tasks keeps them
};

}  // namespace lares::disorder

#if LARES_DISORDER
#include "base/disorder_on.hpp"
#else

namespace lares::disorder {

constexpr void pause(Point /*where*/) noexcept {}
constexpr void late(Point /*where*/) noexcept {}
constexpr bool fails(Point /*where*/) noexcept { return false; }
constexpr bool wakes(Point /*where*/) noexcept { return false; }
constexpr bool omits(Fault /*what*/) noexcept { return false; }
constexpr bool is_directed() noexcept { return false; }
constexpr bool is_active() noexcept { return false; }
constexpr bool gives_way() noexcept { return false; }
template <class Number>
constexpr Number limit(Limit /*which*/, Number usual) noexcept {
  return usual;
}

}  // namespace lares::disorder

#endif
