#include "runtime/outside.hpp"

#include <memory>
#include <mutex>

#include "decide/place.hpp"
#include "memory/homes.hpp"
#include "runtime/asking.hpp"
#include "runtime/engine.hpp"
#include "runtime/process_lock.hpp"

namespace lares::runtime {

namespace {

LARES_PROCESS_LOCK(g_lock);

// Called with g_lock.
OutsidePolicies& policies_of(Team& team) noexcept {
  if (team.outside == nullptr) {
    const policy::Choice& choice = Engine::instance().choice();
    team.outside = std::make_unique<OutsidePolicies>(choice.distribution->make(),
                                                     choice.push->make(), Random{1});
  }
  return *team.outside;
}

/// How decide/ sees such a thread: in the stead of the task's creator.
class Outside {
 public:
  using Access = Asking::Access;
  using MainHome = Asking::MainHome;

  // The task is open, so its region is: its team's places stay as they are.
  Outside(Team& team, WorkerId creator, OutsidePolicies& policies) noexcept
      : asking_(*team.workers[creator.index()]), team_(&team), policies_(&policies) {}

  [[nodiscard]] const policy::Places& places() const noexcept { return *team_->places; }
  [[nodiscard]] policy::View view() const noexcept {
    return {*team_->places, *team_, asking_.self(), policies_->random};
  }
  [[nodiscard]] PlaceId place() const noexcept { return places().of(asking_.self()); }
  [[nodiscard]] DomainId domain() const noexcept { return places().domain_of(asking_.self()); }
  [[nodiscard]] policy::Distribution& distribution() const noexcept {
    return *policies_->distribution;
  }
  [[nodiscard]] policy::Push& push() const noexcept { return *policies_->push; }
  [[nodiscard]] bool wants_data() const noexcept { return Engine::instance().wants_data(); }
  [[nodiscard]] bool keeps_dataless() const noexcept {
    return policies_->push->keeps_dataless_tasks();
  }
  [[nodiscard]] bool deals() const noexcept { return policies_->push->deals(); }
  [[nodiscard]] std::uint32_t name(const Access& access) const noexcept {
    return asking_.name(access);
  }
  [[nodiscard]] bool has_data(const Task& task) const noexcept { return asking_.has_data(task); }
  [[nodiscard]] std::span<const Access> accesses(const Task& task) const noexcept {
    return asking_.accesses(task);
  }
  [[nodiscard]] memory::FoundHome find(const Access& access) const noexcept {
    return asking_.find(access);
  }
  [[nodiscard]] policy::Block block(const Access& access) const noexcept {
    return asking_.block(access);
  }
  void assume(const Access& access, DomainId domain) const noexcept {
    asking_.assume(access, domain);
  }
  void found(Task& task, const MainHome& main) const noexcept { asking_.found(task, main); }
  [[nodiscard]] bool is_told(const Task& task) const noexcept { return task.has(task_flag::told); }
  [[nodiscard]] bool is_new(const Task& /*task*/) const noexcept { return false; }
  [[nodiscard]] DomainId home(const Task& task) const noexcept { return asking_.home(task); }

 private:
  Asking asking_;  // only what any thread may ask
  Team* team_;
  OutsidePolicies* policies_;
};

}  // namespace

DomainId put_from_outside(Team& team, Task& task) noexcept {
  if (task.priority > 0) {
    team.prioritised.push(task);
    return DomainId{0};
  }
  const policy::Places& places = *team.places;
  decide::Placement chosen;
  bool by_data = false;
  {
    const std::lock_guard lock(g_lock);
    OutsidePolicies& policies = policies_of(team);
    chosen = decide::choose_place(Outside(team, task.creator, policies), task);
    by_data = policies.push->uses_data() && task.home.valid();
  }
  // Its domain's queue stands for a worker's place if it is there for its data. Else the root does:
  // where tasks stay with workers, thieves of other domains may never look into that queue.
  PlaceId place = chosen.place;
  if (places[place].worker.valid()) {
    place = by_data ? places.of(places[place].domain) : places.root();
  }
  const DomainId domain = places[place].domain;
  team.queues[place.index()]->push(task, chosen.rather_for);
  return domain.valid() ? domain : DomainId{0};
}

}  // namespace lares::runtime
