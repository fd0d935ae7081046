#include "runtime/taskloop.hpp"

#include "runtime/task.hpp"

namespace lares::runtime {

bool SeenTaskloops::is_new(std::uintptr_t code) noexcept {
  std::uint32_t& instances = instances_.of(code);
  if (instances == decide::limits::first_instances) return false;
  ++instances;
  return true;
}

namespace {

// The group that the current task has opened, if nothing but taskloops has been in it.
Taskgroup* group_for_taskloops(const Task& current) noexcept {
  Taskgroup* const group = current.open_group;
  if (group == nullptr || group == current.group) return nullptr;
  // relaxed: who makes members is who asks.
  const bool empty = group->incomplete.load(std::memory_order_relaxed) == 0;
  return empty || group->taskloop != OpenTaskloop::none ? group : nullptr;
}

}  // namespace

Taskloop::Taskloop(Worker& worker, std::uintptr_t code, bool deferred) noexcept : worker_(worker) {
  Team& team = *worker.team;
  // Tiny ones are best run by their creator (decide/place.hpp), the next after the last.
  const bool may_have_homes = deferred && !worker.keeps_tiny && worker.wants_data &&
                              team.size() > 1 && !worker.current->home.valid() &&
                              worker.push->uses_data() &&
                              team.places->domains_with_workers().size() > 1;
  if (!may_have_homes) return;
  group_ = group_for_taskloops(*worker.current);
  if (group_ != nullptr && group_->taskloop != OpenTaskloop::none) {
    has_homes_ = group_->taskloop == OpenTaskloop::with_homes;
  } else {
    open(team);
  }
  if (has_homes_ && team.seen_taskloops.is_new(code)) team.settling.begin();
}

void Taskloop::open(Team& team) noexcept {
  counted_ = true;
  // acquire: what the last one alone has seen.
  const bool alone = team.open_taskloops.fetch_add(1, std::memory_order_acquire) == 0;
  has_homes_ = !is_known_to_overlap(team, alone) && alone;
}

/// Remembers it of the region, if it has a name: tests of the engine alone have none.
bool Taskloop::is_known_to_overlap(Team& team, bool alone) noexcept {
  if (team.hint == nullptr) return false;
  // relaxed, both: a hint, that orders nothing.
  if (!alone) team.hint->taskloops_overlap.store(true, std::memory_order_relaxed);
  return team.hint->taskloops_overlap.load(std::memory_order_relaxed);
}

Taskloop::~Taskloop() {
  if (!counted_) return;
  const OpenTaskloop taskloop = has_homes_ ? OpenTaskloop::with_homes : OpenTaskloop::without_homes;
  if (group_ != nullptr) {
    group_->taskloop = taskloop;
  } else {
    end_taskloop(*worker_.team, taskloop);
  }
}

void end_taskloop(Team& team, OpenTaskloop taskloop) noexcept {
  if (taskloop == OpenTaskloop::with_homes) team.settling.end();
  // release: with what it has seen.
  team.open_taskloops.fetch_sub(1, std::memory_order_release);
}

}  // namespace lares::runtime
