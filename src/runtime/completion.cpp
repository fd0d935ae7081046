#include "runtime/completion.hpp"

#include <cstdlib>

#include "base/disorder.hpp"
#include "runtime/ancestry.hpp"
#include "runtime/dependences.hpp"
#include "runtime/exclusion.hpp"
#include "runtime/futex.hpp"
#include "runtime/placing.hpp"
#include "runtime/waking.hpp"

namespace lares::runtime {

namespace {

// Frees the task, and then those above it that it was the last to hold.
void free_task(ThreadState& self, Task& freed) noexcept {
  for (Task* task = &freed;;) {
    if (task->extra_memory != nullptr) {
      std::free(task->extra_memory);
      task->extra_memory = nullptr;
    }
    Task* const parent =
        task->holds_parent ? task->parent.load(std::memory_order_relaxed) : nullptr;
    // release: who sees what the descriptor is used for next sees that this life has ended.
    if (parent != nullptr) {
      task->life.store(task->life.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    TaskPool::release(self, task);
    if (parent == nullptr) return;
    if (parent->holders.fetch_sub(Task::reference, std::memory_order_acq_rel) != Task::reference) {
      return;
    }
    task = parent;
  }
}

// The child is complete; `still_needed` if its descriptor stays for children of its own.
void tell_parent(Worker* worker, ThreadState& self, Task& parent, bool still_needed) noexcept {
  const std::int64_t hold = still_needed ? Task::reference : 0;
  Worker* runner = parent.runner.load(std::memory_order_relaxed);
  if (worker != nullptr && runner == worker && !parent.has(task_flag::untied)) {
    --parent.local_children;  // we are the parent's runner: it waits below us on our stack
    if (hold != 0) parent.holders.fetch_add(hold, std::memory_order_relaxed);
    return;
  }
  Team* team = parent.team;
  // release: our writes before the count; acquire: if we free it, all others' before that.
  // seq_cst with the look at `waiting`: see wait_until in waiting.hpp.
  const std::int64_t left =
      parent.holders.fetch_add(hold - 1, std::memory_order_seq_cst) + hold - 1;
  if (left == 0) {
    free_task(self, parent);
    return;
  }
  // A runner that sleeps has none of its children in `local_children`: the low half counts them
  // all.
  if (static_cast<std::int32_t>(left) != 0) return;
  disorder::pause(disorder::Point::parent_told);
  if (disorder::omits(disorder::Fault::no_wake_of_parent)) return;
  if (parent.waiting.load(std::memory_order_seq_cst)) wake_waiter(*team, runner);
}

// The nearest ancestor that has not completed becomes the parent of a task that has, and the ones
// between are not held any more: so chains of tasks that make their successor and end stay short.
// Answers false if the parent has not completed: then it is still to be told.
[[gnu::noinline]] bool lift_over_completed(ThreadState& self, Task& task) noexcept {
  Task* parent = task.parent.load(std::memory_order_relaxed);
  if (!has_completed(*parent)) return false;
  std::int64_t held = 1;  // as one of its children; by name after that
  do {
    // The parent of what has completed does not change; it is held by it, and so by us.
    Task* const above = parent->parent.load(std::memory_order_relaxed);
    above->holders.fetch_add(Task::reference, std::memory_order_relaxed);
    disorder::pause(disorder::Point::lifting);
    // release: before the old parent is freed; see ancestry.cpp.
    task.parent.store(above, std::memory_order_release);
    drop_holder(self, *parent, held);
    held = Task::reference;
    parent = above;
  } while (has_completed(*parent));
  return true;
}

inline void leave_group(Taskgroup& group, Team& team) noexcept {
  Worker* const owner = group.owner.load(std::memory_order_relaxed);
  if (group.incomplete.fetch_sub(1, std::memory_order_seq_cst) != 1) return;
  disorder::pause(disorder::Point::group_left);
  if (disorder::omits(disorder::Fault::no_wake_of_group)) return;
  if (group.waiting.load(std::memory_order_seq_cst)) wake_waiter(team, owner);
}

[[gnu::noinline]] void release_exclusion(Worker* worker, Task& task) noexcept {
  Task* freed = release_exclusive(task);
  while (freed != nullptr) {
    Task* next = freed->next;
    // Only a worker of the freed task's own team may put it into that team's queues by policy.
    hand_over(worker != nullptr && worker->team == freed->team ? worker : nullptr, *freed);
    freed = next;
  }
}

// Those who drain wait for nobody's children in particular: the end of the last task wakes them.
void wake_draining(Team& team) noexcept {
  light_fence();  // pairs with heavy_fence in Sleeper: it sees the count, or is seen to drain
  if (team.draining.load(std::memory_order_relaxed) == 0) return;
  // Of two that end at the same time the later one must see both.
  full_fence();
  if (team.quiet()) wake_team(team);
}

}  // namespace

void drop_holder(ThreadState& self, Task& task, std::int64_t amount) noexcept {
  if (task.holders.fetch_sub(amount, std::memory_order_acq_rel) == amount) free_task(self, task);
}

void count_created(Worker& worker, Task& task) noexcept {
  task.flags |= task_flag::counted;
  Team& team = *worker.team;
  if (!team.tasks_seen.load(std::memory_order_relaxed)) {
    team.tasks_seen.store(true, std::memory_order_relaxed);
    full_fence();  // pairs with the one in Sleeper: from now on sleepers fence for those who queue
    team.deferred_seen.store(true, std::memory_order_relaxed);
  }
  // release: a barrier that counts this one also sees tasks_seen.
  worker.created.store(worker.created.load(std::memory_order_relaxed) + 1,
                       std::memory_order_release);
  disorder::pause(disorder::Point::counted);
}

void complete(Worker* worker, Task& task) noexcept {
  ThreadState& self = worker != nullptr ? *worker->thread : *this_thread();
  Team& team = *task.team;
  disorder::pause(disorder::Point::completing);
  if (task.table != nullptr) drop_table(self, task);
  if (task.exclusives != nullptr) release_exclusion(worker, task);
  if (task.has(task_flag::depends)) release_successors(worker, task);
  if (task.group != nullptr && !task.has(task_flag::undeferred)) leave_group(*task.group, team);
  disorder::pause(disorder::Point::released);
  const bool counted = task.has(task_flag::counted);
  Task& parent = *task.parent.load(std::memory_order_relaxed);

  // acquire: what children on other threads did to the descriptor comes before its reuse.
  const std::int64_t holders = task.holders.load(std::memory_order_acquire);
  const std::int64_t children = task.local_children;
  if (children == 0 && holders == Task::alive) {
    task.holds_parent = false;
    tell_parent(worker, self, parent, false);
    free_task(self, task);
  } else {
    const bool has_children = children != 0 || holders != Task::alive + Task::tabled;
    task.holds_parent = has_children;
    task.runner.store(nullptr, std::memory_order_relaxed);
    if (!has_children || !lift_over_completed(self, task)) {
      tell_parent(worker, self, parent, has_children);
    }
    const std::int64_t change = children - Task::alive;
    if (task.holders.fetch_add(change, std::memory_order_acq_rel) + change == 0) {
      free_task(self, task);
    }
  }
  if (!counted) return;
  disorder::late(disorder::Point::finishing);
  // Last, because the barrier may open now. release: a barrier that counts this one sees all of it.
  if (worker != nullptr) {
    worker->finished.store(worker->finished.load(std::memory_order_relaxed) + 1,
                           std::memory_order_release);
    wake_draining(team);
  } else {
    // seq_cst: a sleeper in the barrier either sees that all is done or is seen below.
    team.foreign_finished.fetch_add(1, std::memory_order_seq_cst);
    // The region may be over from here on: nothing of it but its sleepers may be looked at.
    if (team.draining.load(std::memory_order_seq_cst) != 0) {
      wake_team(team);
    } else {
      wake_somebody(team, nullptr, DomainId{0});  // whoever is in the barrier can open it for all
    }
  }
}

}  // namespace lares::runtime
