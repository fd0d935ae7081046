#include "runtime/exclusion.hpp"

#include <cstdlib>
#include <mutex>
#include <new>

#include "runtime/process_lock.hpp"

namespace lares::runtime {

namespace {

LARES_PROCESS_LOCK(g_lock);  // guards every ExclusiveLock and the list below
Task* g_waiting = nullptr;   // tasks that lacked a lock, oldest first
Task** g_waiting_end = &g_waiting;

template <class T>
T* make() noexcept {
  void* memory = std::malloc(sizeof(T));
  if (memory == nullptr) std::abort();
  return new (memory) T;
}

void drop_user(ExclusiveLock* lock) noexcept {
  if (--lock->users == 0) std::free(lock);
}

bool take_all(Task& task) noexcept {
  for (ExclusiveSet* set = task.exclusives; set != nullptr; set = set->next) {
    if (set->lock->held) return false;
  }
  for (ExclusiveSet* set = task.exclusives; set != nullptr; set = set->next) {
    set->lock->held = true;
  }
  return true;
}

}  // namespace

ExclusiveLock* join_exclusive(Task& task, ExclusiveLock* lock) noexcept {
  auto* set = make<ExclusiveSet>();
  if (lock == nullptr) lock = make<ExclusiveLock>();
  set->lock = lock;
  set->next = task.exclusives;
  task.exclusives = set;
  const std::lock_guard guard(g_lock);
  ++lock->users;
  return lock;
}

void keep_exclusive(ExclusiveLock* lock) noexcept {
  const std::lock_guard guard(g_lock);
  ++lock->users;
}

void drop_exclusive(ExclusiveLock* lock) noexcept {
  const std::lock_guard guard(g_lock);
  drop_user(lock);
}

bool acquire_exclusive(Task& task) noexcept {
  const std::lock_guard guard(g_lock);
  if (take_all(task)) return true;
  task.next = nullptr;
  *g_waiting_end = &task;
  g_waiting_end = &task.next;
  return false;
}

Task* release_exclusive(Task& task) noexcept {
  const std::lock_guard guard(g_lock);
  for (ExclusiveSet* set = task.exclusives; set != nullptr;) {
    ExclusiveSet* next = set->next;
    set->lock->held = false;
    drop_user(set->lock);
    std::free(set);
    set = next;
  }
  task.exclusives = nullptr;
  Task* freed = nullptr;
  Task** freed_end = &freed;
  for (Task** link = &g_waiting; *link != nullptr;) {
    Task* candidate = *link;
    if (!take_all(*candidate)) {
      link = &candidate->next;
      continue;
    }
    *link = candidate->next;
    candidate->next = nullptr;
    *freed_end = candidate;
    freed_end = &candidate->next;
  }
  g_waiting_end = &g_waiting;
  while (*g_waiting_end != nullptr) g_waiting_end = &(*g_waiting_end)->next;
  return freed;
}

}  // namespace lares::runtime
