#include "simulate/executor.hpp"

#include <algorithm>

#include "decide/admit.hpp"
#include "decide/find.hpp"
#include "decide/place.hpp"

namespace lares::simulate {
namespace {

constexpr double nanosecond_s = 1e-9;
constexpr std::uint64_t page_bytes = 4096;
}  // namespace

/// A worker that places tasks and looks for them, at a time that moves on by what that costs.
class Executor::Asking {
 public:
  using Access = simulate::Access;
  using Found = std::optional<TaskIndex>;
  struct MainHome {
    DomainId domain;
    CoreId last_core;  // not modelled
    Bytes bytes;
  };
  struct FoundHome {
    policy::DataHome home;
    CoreId last_core;
  };

  /// `told` gets what sleepers are told. `depth` is that of the task that makes the one to place.
  Asking(Executor& team, WorkerId id, double& clock, std::vector<Offer>* told,
         std::uint32_t depth = 0)
      : team_(&team),
        worker_(&team.workers_[id.index()]),
        id_(id),
        clock_(&clock),
        told_(told),
        depth_(depth) {}

  [[nodiscard]] const policy::Places& places() const { return team_->places_; }
  [[nodiscard]] policy::View view() const { return {team_->places_, *team_, id_, worker_->random}; }
  [[nodiscard]] WorkerId self() const { return id_; }
  [[nodiscard]] PlaceId place() const { return worker_->place; }
  [[nodiscard]] DomainId domain() const { return worker_->domain; }
  [[nodiscard]] std::size_t workers() const { return team_->workers_.size(); }

  // --- placing
  [[nodiscard]] policy::Distribution& distribution() const { return *worker_->distribution; }
  [[nodiscard]] policy::Push& push() const { return *worker_->push; }
  [[nodiscard]] bool wants_data() const { return team_->wants_data_; }
  [[nodiscard]] bool keeps_dataless() const { return team_->keeps_dataless_; }
  [[nodiscard]] bool deals() const { return team_->deals_; }
  [[nodiscard]] bool may_deviate() const { return team_->may_deviate_; }
  [[nodiscard]] const decide::Thrift& thrift() const { return worker_->thrift; }
  [[nodiscard]] bool has_data(TaskIndex task) const { return team_->has_data(task); }
  [[nodiscard]] std::span<const Access> accesses(TaskIndex task) const {
    const auto all = team_->workload_.accesses_of(task);
    return all.first(std::min<std::size_t>(all.size(), decide::limits::deciding_accesses));
  }
  [[nodiscard]] WorkerId creator(TaskIndex task) const { return team_->creator_[task]; }
  [[nodiscard]] FoundHome find(const Access& access) const {
    // Flags lie with the first thread.
    if (team_->workload_.told == Told::names) {
      return {{places().domain_of(WorkerId{0}), Bytes{1}, access.mode, false}, CoreId{}};
    }
    // What was dealt out is believed until somebody has touched it.
    const DomainId touched = team_->homes_[access.block];
    const DomainId home = touched.valid() ? touched : team_->dealt_[access.block];
    const Bytes bytes = team_->workload_.blocks[access.block].bytes;
    return {{home, bytes, access.mode, !home.valid()}, CoreId{}};
  }
  [[nodiscard]] policy::Block block(const Access& access) const {
    return team_->workload_.blocks[access.block].in_area;
  }
  [[nodiscard]] std::uint32_t name(const Access& access) const {
    return static_cast<std::uint32_t>(team_->addresses_[access.block]) / 64;
  }
  void assume(const Access& access, DomainId domain) const { team_->dealt_[access.block] = domain; }
  void found(TaskIndex task, const MainHome& main) const {
    if (main.domain.valid()) team_->home_of_task_[task] = main.domain;
    team_->bytes_of_task_[task] = main.bytes;
  }
  [[nodiscard]] DomainId home(TaskIndex task) const { return team_->home_of_task_[task]; }
  [[nodiscard]] bool is_told(TaskIndex task) const { return team_->is_told_[task]; }
  [[nodiscard]] bool is_new(TaskIndex task) const { return home(task).valid() && settles(); }
  // Recursions that share memory out are not simulated.
  [[nodiscard]] bool is_of_recursion(TaskIndex /*task*/) const { return false; }
  [[nodiscard]] DomainId home_of_maker() const { return {}; }
  [[nodiscard]] bool is_anybody_free(DomainId /*domain*/) const { return true; }
  [[nodiscard]] std::int32_t priority(TaskIndex task) const {
    return team_->workload_.tasks[task].priority;
  }
  [[nodiscard]] bool may_run_now(TaskIndex /*task*/) const { return true; }
  [[nodiscard]] bool throttles() const { return true; }
  [[nodiscard]] bool is_own_queue_full() const {
    const bool tiny = may_deviate() && thrift().tasks_are_tiny();
    return own_length() >= decide::own_queue_limit(team_->own_queue_limits_[tiny ? 1 : 0], depth_);
  }
  [[nodiscard]] bool are_shared_queues_full() const {
    return decide::are_shared_queues_full(*this);
  }
  [[nodiscard]] std::uint32_t own_length() const { return worker_->deque.size(); }
  [[nodiscard]] bool own_has(std::uint32_t count) const { return own_length() >= count; }
  [[nodiscard]] std::uint32_t length(PlaceId place) const { return team_->length(place); }
  [[nodiscard]] std::uint32_t prioritised() const { return team_->prioritised_.size(); }
  [[nodiscard]] bool push_own(TaskIndex task) const {
    if (worker_->deque.size() >= decide::deque_room()) return false;
    worker_->deque.push(task);
    ++team_->queued_;
    return true;
  }
  void push_shared(PlaceId place, TaskIndex task, WorkerId rather_for) const {
    team_->rather_for_[task] = rather_for;
    SharedQueue& shared = team_->queues_[place.index()];
    wait_for(shared);
    shared.tasks.push(task);
    ++team_->queued_;
  }
  void push_prioritised(TaskIndex task) const {
    *clock_ += team_->costs_.queue * nanosecond_s;
    team_->prioritised_.push(task, priority(task));
    ++team_->queued_;
  }
  void offer(TaskIndex task, DomainId domain, std::uint32_t queued, bool at_home) const {
    if (told_ != nullptr) told_->push_back({domain, task, queued, at_home});
  }

  // --- looking
  struct Allowed {
    const Executor& team;
    WorkerId id;
    bool operator()(TaskIndex task) const { return team.may_run(id, task); }
  };
  [[nodiscard]] Allowed allowed() const { return {*team_, id_}; }
  struct Dealt {
    const Executor& team;
    WorkerId id;
    bool operator()(TaskIndex task) const {
      return decide::is_dealt_to(team.rather_for_[task], id);
    }
  };
  [[nodiscard]] Dealt dealt() const { return {*team_, id_}; }
  [[nodiscard]] policy::Steal& steal() const { return *worker_->steal; }
  [[nodiscard]] policy::Victims victims() const { return policy::Victims(worker_->victim_storage); }
  [[nodiscard]] bool any_queued() const { return true; }
  [[nodiscard]] bool is_pausing() const {
    return worker_->thrift.pauses([this] { return to_ticks(*clock_); });
  }
  [[nodiscard]] bool settles() const { return may_deviate() && team_->settles_; }
  [[nodiscard]] bool is_held(WorkerId /*worker*/) const { return false; }
  [[nodiscard]] bool may_leave_for(DomainId there) const {
    return decide::may_leave(team_->away_[worker_->domain.index()], team_->away_[there.index()],
                             decide::away_at_once(places(), there, worker_->away_at_once),
                             ticks_per_microsecond);
  }
  void leaves_for(DomainId there) const {
    if (worker_->away_at_once != 0) worker_->leaves_for = there;
  }
  [[nodiscard]] bool may_wait(std::uint64_t tasks) const {
    return worker_->restraint.may_wait(tasks, [this] { return to_ticks(*clock_); });
  }
  [[nodiscard]] bool goes_on() const { return may_deviate() && team_->goes_on_; }
  [[nodiscard]] bool stays(bool settles) const {
    const Nanoseconds least =
        settles && team_->has_new_memory() ? decide::limits::patience_at_first : Nanoseconds{};
    return worker_->restraint.stays([this] { return to_ticks(*clock_); },
                                    decide::to_ticks(least, ticks_per_microsecond));
  }
  [[nodiscard]] bool has_stayed() const { return worker_->restraint.has_stayed(to_ticks(*clock_)); }
  [[nodiscard]] bool constrained() const { return worker_->constrained; }
  [[nodiscard]] Found take_prioritised(decide::Look /*look*/) const {
    *clock_ += team_->costs_.queue * nanosecond_s;
    return team_->taken(team_->prioritised_.take(allowed()));
  }
  [[nodiscard]] Found pop_own() const {
    return team_->taken(worker_->deque.take_newest(allowed()));
  }
  [[nodiscard]] Found take(PlaceId place, decide::Look look) const {
    SharedQueue& shared = team_->queues_[place.index()];
    if (look == decide::Look::pass) probe();
    if (shared.tasks.size() == 0) return std::nullopt;
    // A thief that finds the lock taken goes on to its next victim.
    if (look == decide::Look::pass && shared.free_at > *clock_) return std::nullopt;
    wait_for(shared);
    if (!constrained() && place == places().of(domain())) {
      return team_->taken(shared.tasks.take_rather(dealt(), decide::limits::dealt_look));
    }
    const auto most = static_cast<std::uint32_t>(decide::constrained_look());
    // Each look moves what it saw in vain to the end: after so many it has seen all.
    std::uint32_t looks = look == decide::Look::all ? shared.tasks.size() / most + 1 : 1;
    TaskIndex task = TaskQueue::none;
    for (; looks != 0 && task == TaskQueue::none; --looks) {
      task = shared.tasks.take_allowed(allowed(), most);
    }
    return team_->taken(task);
  }
  [[nodiscard]] Found steal_from(WorkerId victim) const {
    probe();
    return team_->taken(team_->workers_[victim.index()].deque.take_oldest(allowed()));
  }
  void stolen(DomainId from) const {
    ++team_->steals_;
    if (from != worker_->domain) ++team_->remote_steals_;
  }
  void offer_own() const {
    for (;;) {
      const TaskIndex task = worker_->deque.take_newest([](TaskIndex) { return true; });
      if (task == TaskQueue::none) return;
      --team_->queued_;
      push_shared(places().of(worker_->domain), task, {});
      offer(task, worker_->domain, 1, false);
    }
  }

 private:
  void probe() const { *clock_ += team_->costs_.probe * nanosecond_s; }
  void wait_for(SharedQueue& shared) const {
    *clock_ = std::max(*clock_, shared.free_at) + team_->costs_.queue * nanosecond_s;
    shared.free_at = *clock_;
  }
  Executor* team_;
  Worker* worker_;
  WorkerId id_;
  double* clock_;
  std::vector<Offer>* told_;
  std::uint32_t depth_;
};

Executor::Executor(const machine::Machine& machine, std::span<const CoreId> core_of_worker,
                   const Schedule& schedule, const Workload& workload,
                   const std::vector<DomainId>& homes, const Costs& costs, std::uint64_t seed)
    : workload_(workload),
      homes_(homes),
      dealt_(homes.size()),
      costs_(costs),
      places_(machine, core_of_worker),
      may_deviate_(schedule.choice.preset == "auto"),
      own_queue_limits_{decide::own_queue_limits(core_of_worker.size(), true, false),
                        decide::own_queue_limits(core_of_worker.size(), true, true)},
      queues_(places_.size()),
      is_told_(workload.tasks.size()),
      home_of_task_(workload.tasks.size()),
      bytes_of_task_(workload.tasks.size()),
      rather_for_(workload.tasks.size()),
      creator_(workload.tasks.size(), WorkerId{0}),
      fed_(machine.domains.size()),
      away_(machine.domains.size()) {
  const policy::Choice& choice = schedule.choice;
  for (std::size_t w = 0; w < core_of_worker.size(); ++w) {
    Worker worker(static_cast<std::uint64_t>(w) + 1 + (seed << 32U));
    worker.distribution = choice.distribution->make();
    worker.push = choice.push->make();
    worker.steal = choice.steal->make();
    worker.restraint = decide::Restraint(worker.steal->patience(), ticks_per_microsecond);
    worker.away_at_once = worker.steal->away_at_once();
    worker.victim_storage.resize(worker.steal->max_victims(places_));
    worker.place = places_.of(WorkerId{w});
    worker.domain = places_.domain_of(WorkerId{w});
    workers_.push_back(std::move(worker));
  }
  const bool may_know = workload.told != Told::nothing || schedule.forms_opinions;
  wants_data_ = may_know && machine.domains_with_cores() > 1 && policy::wants_homes(choice);
  keeps_dataless_ = workers_.front().push->keeps_dataless_tasks();
  deals_ = workers_.front().push->deals();
  addresses_.reserve(workload.blocks.size());
  for (std::uint64_t address = 0; const Block& block : workload.blocks) {
    addresses_.push_back(address);
    address += (block.bytes.count + page_bytes - 1) / page_bytes * page_bytes;
  }
  const Script& script = workload.script;
  depth_.assign(script.kind.size(), 1);
  for (TaskIndex node = 0; node < script.kind.size(); ++node) {
    if (script.created_in[node] != Script::none) depth_[node] = depth_[script.scope[node]] + 1;
  }
}

std::uint32_t Executor::length(PlaceId place) const noexcept {
  const WorkerId worker = places_[place].worker;
  return worker.valid() ? workers_[worker.index()].deque.size()
                        : queues_[place.index()].tasks.size();
}

bool Executor::has_new_memory() {
  while (placed_ < homes_.size() && homes_[placed_].valid()) ++placed_;
  return placed_ < homes_.size();
}

std::optional<TaskIndex> Executor::taken(TaskIndex task) {
  if (task == TaskQueue::none) return std::nullopt;
  --queued_;
  return task;
}

std::optional<Offer> Executor::put(WorkerId worker, TaskIndex task, bool may_run, double& clock) {
  told_.clear();
  const std::uint32_t made_at = depth_.empty() ? 0 : depth_[task] - 1;
  if (!decide::put(Asking(*this, worker, clock, &told_, made_at), task, may_run)) {
    return std::nullopt;
  }
  return told_.front();
}

bool Executor::runs_at_once(WorkerId worker, TaskIndex task) {
  if (has_data(task) || workload_.tasks[task].priority > 0) return false;
  double clock = 0;
  const std::uint32_t made_at = depth_.empty() ? 0 : depth_[task] - 1;
  return decide::is_enough_queued(Asking(*this, worker, clock, nullptr, made_at));
}

void Executor::constrain(WorkerId worker, TaskIndex task) {
  workers_[worker.index()].constrained = true;
  workers_[worker.index()].under = task;
}

bool Executor::may_run(WorkerId id, TaskIndex task) const noexcept {
  const Worker& worker = workers_[id.index()];
  if (!worker.constrained || task == Script::none) return true;
  const Script& script = workload_.script;
  while (!script.empty() && script.created_in[task] != Script::none) {
    if (task == worker.under) return true;
    task = script.scope[task];
  }
  return worker.under == Script::none ? creator_[task] == id : task == worker.under;
}

std::optional<TaskIndex> Executor::find_work(WorkerId worker, double& clock) {
  return decide::find_work(Asking(*this, worker, clock, nullptr));
}

std::optional<TaskIndex> Executor::take_own(WorkerId worker, double& clock) {
  return decide::take_own(Asking(*this, worker, clock, nullptr));
}

std::optional<TaskIndex> Executor::find_anywhere(WorkerId worker, double& clock,
                                                 std::vector<Offer>& offers) {
  return decide::find_anywhere(Asking(*this, worker, clock, &offers));
}

void Executor::comes_back(WorkerId id, TaskIndex task, double seconds) {
  Worker& worker = workers_[id.index()];
  if (!worker.fetched_from.valid()) return;
  const DomainId from = std::exchange(worker.fetched_from, DomainId{});
  away_[worker.domain.index()].comes_back(decide::away_at_once(places_, from, worker.away_at_once),
                                          away_[from.index()], to_ticks(seconds),
                                          bytes_of_task_[task]);
}

void Executor::ran(WorkerId id, TaskIndex task, double seconds, double clock) {
  Worker& worker = workers_[id.index()];
  const bool fetched = creator_[task] != id;
  if (worker.thrift.times(fetched)) worker.thrift.ran(fetched, to_ticks(seconds), to_ticks(clock));
  if (!worker.restraint.times()) return;
  worker.restraint.ran(to_ticks(seconds));
  const DomainId home = home_of_task_[task];
  if (home.valid() && home == worker.domain) {
    away_[home.index()].ran_at_home(to_ticks(seconds), bytes_of_task_[task]);
  }
}

double Executor::stays_for(WorkerId worker, double clock) const noexcept {
  const std::uint64_t left = workers_[worker.index()].restraint.left(to_ticks(clock));
  return static_cast<double>(left) / (1e6 * ticks_per_microsecond);
}

void Executor::tell_thrift(Step& step, double clock) const {
  const Worker& worker = workers_[step.worker.index()];
  const decide::Thrift& thrift = worker.thrift;
  step.tiny = thrift.tasks_are_tiny();
  step.learning = thrift.is_learning();
  step.pausing = thrift.pauses([clock] { return to_ticks(clock); });
  step.staying = worker.restraint.would_stay(to_ticks(clock));
  for (const decide::Away& domain : away_) {
    step.away.push_back(domain.state());
    // Ticks of another clock say nothing where the steps are taken again.
    step.away.back().pace = domain.computes(ticks_per_microsecond) ? Step::long_pace : 0;
    step.away.back().time = 0;
  }
}

Locality Executor::locality(WorkerId id, TaskIndex task) const noexcept {
  const Worker& worker = workers_[id.index()];
  const DomainId home = home_of_task_[task];
  if (home.valid()) return home == worker.domain ? Locality::local : Locality::remote;
  const WorkerId creator = creator_[task];
  if (creator == id) return Locality::local;
  return workers_[creator.index()].domain == worker.domain ? Locality::same_domain
                                                           : Locality::remote;
}

}  // namespace lares::simulate
