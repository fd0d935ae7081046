#include "runtime/exclusion.hpp"

#include <cstdlib>
#include <mutex>

#include "base/raw_memory.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

namespace {

void wait_at(ExclusiveLock& lock, Task& task) noexcept {
  task.next = nullptr;
  (lock.waiting == nullptr ? lock.waiting : lock.last_waiting->next) = &task;
  lock.last_waiting = &task;
}

/// The guards of all of a task's locks, for a few instructions. Once the last one is given back,
/// the task may be gone.
class Guards {
 public:
  explicit Guards(ExclusiveSet* sets) noexcept : sets_(sets) {
    for (ExclusiveSet* set = sets_; set != nullptr; set = set->next) set->lock->guard.lock();
  }
  Guards(const Guards&) = delete;
  Guards& operator=(const Guards&) = delete;
  ~Guards() {
    for (ExclusiveSet* set = sets_; set != nullptr;) {
      ExclusiveSet* const next = set->next;
      set->lock->guard.unlock();
      set = next;
    }
  }

 private:
  ExclusiveSet* sets_;
};

// The oldest of those that wait, if the lock is free for it.
Task* next_waiting(ExclusiveLock& lock) noexcept {
  const std::lock_guard guard(lock.guard);
  if (lock.held || lock.waiting == nullptr) return nullptr;
  Task* task = lock.waiting;
  lock.waiting = task->next;
  task->team->excluded.fetch_sub(1, std::memory_order_relaxed);
  return task;
}

}  // namespace

ExclusiveLock* join_exclusive(Task& task, ExclusiveLock* lock) noexcept {
  auto* set = make_raw<ExclusiveSet>();
  if (lock == nullptr) lock = make_raw<ExclusiveLock>();
  ExclusiveSet** link = &task.exclusives;
  while (*link != nullptr && (*link)->lock < lock) link = &(*link)->next;
  set->lock = lock;
  set->next = *link;
  *link = set;
  keep_exclusive(lock);
  return lock;
}

void keep_exclusive(ExclusiveLock* lock) noexcept {
  lock->users.fetch_add(1, std::memory_order_relaxed);
}

void drop_exclusive(ExclusiveLock* lock) noexcept {
  // acq_rel: whoever frees it comes after all others' last use.
  if (lock->users.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(lock);
}

// Invariant: a task waits at a lock that was held when it came, and whoever gives a lock back hands
// it on until it is held again or nobody waits there.
bool acquire_exclusive(Task& task) noexcept {
  const Guards guards(task.exclusives);
  for (ExclusiveSet* set = task.exclusives; set != nullptr; set = set->next) {
    if (!set->lock->held) continue;
    wait_at(*set->lock, task);
    task.team->excluded.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  for (ExclusiveSet* set = task.exclusives; set != nullptr; set = set->next) {
    set->lock->held = true;
  }
  return true;
}

Task* release_exclusive(Task& task) noexcept {
  // All are free before any is handed on: the next task may need more than one of them.
  for (ExclusiveSet* set = task.exclusives; set != nullptr; set = set->next) {
    const std::lock_guard guard(set->lock->guard);
    set->lock->held = false;
  }
  Task* freed = nullptr;
  Task** freed_end = &freed;
  for (ExclusiveSet* set = task.exclusives; set != nullptr;) {
    // Until one holds it: those that lack another lock wait there from now on.
    while (Task* candidate = next_waiting(*set->lock)) {
      if (!acquire_exclusive(*candidate)) continue;
      candidate->next = nullptr;
      *freed_end = candidate;
      freed_end = &candidate->next;
    }
    ExclusiveSet* next = set->next;
    drop_exclusive(set->lock);
    std::free(set);
    set = next;
  }
  task.exclusives = nullptr;
  return freed;
}

}  // namespace lares::runtime
