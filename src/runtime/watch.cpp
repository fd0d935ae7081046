#include "runtime/watch.hpp"

#include "runtime/explain.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/team.hpp"

namespace lares::runtime::watch {

namespace {
std::atomic<const Watcher*> g_watcher{nullptr};  // set once; any thread reads
}  // namespace

void set(const Watcher& watcher) noexcept {
  // release: what the watcher needs is there.
  g_watcher.store(&watcher, std::memory_order_release);
  tell_region_news();
}

const Watcher* watcher() noexcept { return g_watcher.load(std::memory_order_acquire); }

void enter_team(Worker& worker) noexcept {
  worker.watcher = watcher();
  worker.observed = worker.record != nullptr || worker.watcher != nullptr;
  worker.attended = worker.observed || worker.works_for != nullptr || explain::is_on();
}

void leave_out(Worker& worker) noexcept {
  worker.watcher = nullptr;
  worker.observed = worker.record != nullptr;
}

void tell_created(Worker& worker, Task& task, std::span<const Dependence> dependences,
                  bool undeferred) noexcept {
  task.flags |= task_flag::watched;
  // relaxed: nobody else knows of the task yet.
  task.told.store(0, std::memory_order_relaxed);
  worker.watcher->created(worker, task, dependences, undeferred);
}

void tell_begun(Worker& worker, Task& task) noexcept { watcher()->begun(worker, task); }

void tell_ended(Worker& worker, Task& task) noexcept {
  if (!task.has(task_flag::detachable)) watcher()->ended(worker, task);
}

void tell_detached(Worker& worker, Task& task) noexcept {
  watcher()->detached(worker, task);
  // release: the other thread tells after this one, and then lets the task complete.
  task.told.fetch_add(1, std::memory_order_release);
}

void tell_fulfilled(Task& task, bool late) noexcept {
  watcher()->fulfilled(task, late);
  task.told.fetch_add(1, std::memory_order_release);  // see above
}

void wait_until_told(Task& task, std::uint32_t times) noexcept {
  spin_until([&] { return task.told.load(std::memory_order_acquire) >= times; });
}

}  // namespace lares::runtime::watch
