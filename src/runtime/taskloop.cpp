#include "runtime/taskloop.hpp"

#include "runtime/task.hpp"

namespace lares::runtime {

Taskloop::Taskloop(Worker& worker, bool deferred) noexcept : worker_(worker) {
  Team& team = *worker.team;
  // Tiny ones are best run by their creator (decide/place.hpp), the next after the last.
  const bool stay = worker.may_deviate && worker.thrift.tasks_are_tiny();
  const bool may_have_homes = deferred && !stay && worker.wants_data && team.size() > 1 &&
                              !worker.current->home.valid() && worker.push->uses_data() &&
                              team.places->domains_with_workers().size() > 1;
  if (!may_have_homes) return;
  counted_ = true;
  // relaxed, all: a hint, that orders nothing.
  const bool alone = team.open_taskloops.fetch_add(1, std::memory_order_relaxed) == 0;
  has_homes_ = alone;
  if (team.hint == nullptr) return;  // as in tests of the engine alone
  std::atomic<bool>& overlap = team.hint->taskloops_overlap;
  if (!alone) overlap.store(true, std::memory_order_relaxed);
  has_homes_ = !overlap.load(std::memory_order_relaxed);
}

Taskloop::~Taskloop() {
  if (counted_) worker_.team->open_taskloops.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace lares::runtime
