#include "simulate/task_team.hpp"

#include <algorithm>

#include "decide/wake.hpp"

namespace lares::simulate {
namespace {

// A worker that sees tasks but gets none looks again after this, doubled each time up to the bound.
constexpr double first_retry = 200 * nanosecond;
constexpr std::uint32_t most_doublings = 12;
// Fruitless looks after which one that waits inside a task looks everywhere.
constexpr std::uint32_t long_wait = 4;
// Sleeps are bounded: after so long one who sleeps looks, whether he was woken or not.
constexpr double longest_sleep = 1e6 * nanosecond;

std::vector<DomainId> domains_of(const Setup& setup) {
  std::vector<DomainId> domains;
  for (const CoreId core : setup.cores) {
    domains.push_back(setup.machine.cores[core.index()].domain);
  }
  return domains;
}

std::size_t distinct_cores(const Setup& setup) {
  std::vector<CoreId> cores = setup.cores;
  std::ranges::sort(cores);
  return static_cast<std::size_t>(std::unique(cores.begin(), cores.end()) - cores.begin());
}

}  // namespace

/// How decide/ sees who sleeps.
class TaskTeam::Bedroom {
 public:
  Bedroom(TaskTeam& team, double clock) : team_(&team), clock_(clock) {}
  [[nodiscard]] const policy::Places& places() const { return team_->executor_.places(); }
  [[nodiscard]] std::size_t workers() const { return team_->idle_.workers(); }
  [[nodiscard]] std::size_t cores() const { return team_->idle_.cores(); }
  [[nodiscard]] std::uint32_t asleep() const { return team_->idle_.asleep(); }
  [[nodiscard]] std::int32_t on_their_way() const { return team_->idle_.on_their_way(); }
  [[nodiscard]] std::uint32_t looking(DomainId domain) const {
    return team_->idle_.looking(domain);
  }
  [[nodiscard]] bool is_fed(DomainId domain) const { return team_->executor_.is_fed(domain); }
  [[nodiscard]] std::uint32_t length(PlaceId place) const { return team_->executor_.length(place); }
  [[nodiscard]] std::uint32_t prioritised() const { return team_->executor_.prioritised(); }
  [[nodiscard]] TaskIndex any_task() const { return Script::none; }
  [[nodiscard]] bool wake_one_of(DomainId domain, TaskIndex task) const {
    const auto chosen = team_->idle_.choose_asleep(domain, team_->may_run(task));
    if (!chosen) return false;
    team_->comes(*chosen, clock_, team_->setup_.parameters.costs.wake);
    if (team_->setup_.steps != nullptr) ++team_->setup_.steps->back().woken[domain.index()];
    return true;
  }

 private:
  TaskTeam* team_;
  double clock_;
};

TaskTeam::TaskTeam(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome)
    : setup_(setup),
      execution_(execution),
      agenda_(agenda),
      outcome_(outcome),
      executor_(setup.machine, setup.cores, setup.schedule, setup.workload, execution.homes(),
                setup.parameters.costs, setup.seed),
      idle_(setup.machine.domains.size(), domains_of(setup), distinct_cores(setup),
            setup.parameters.costs.park * nanosecond),
      looking_(setup.cores.size()),
      running_(setup.cores.size()) {}

void TaskTeam::begin(const Phase& phase) {
  measured_ = phase.measured;
  idle_.clear();
  looking_.assign(looking_.size(), {});
}

void TaskTeam::start(std::uint32_t w, TaskIndex task, double clock, Origin origin) {
  looking_[w].rounds = 0;
  if (origin != Origin::unseen) executor_.works(WorkerId{std::size_t{w}}, task);
  running_[w] = {executor_.locality(WorkerId{std::size_t{w}}, task), origin};
  execution_.start(w, task, clock);
}

void TaskTeam::ended(const Interval& ended) {
  const double seconds = ended.end - ended.begin;
  executor_.comes_back(ended.worker, ended.task, seconds);
  if (!setup_.workload.script.counts(ended.task)) return;
  const Running& ran = running_[ended.worker.index()];
  // Nobody times what is run unseen.
  if (ran.origin != Origin::unseen) executor_.ran(ended.worker, ended.task, seconds, ended.end);
  if (!measured_) return;
  ++outcome_.by_locality[static_cast<std::size_t>(ran.how)];
  if (ran.origin == Origin::queue)
    outcome_.queued_seconds[static_cast<std::size_t>(ran.how)] += seconds;
}

bool TaskTeam::put(std::uint32_t w, TaskIndex task, bool may_run, double& clock) {
  const auto offer = executor_.put(WorkerId{std::size_t{w}}, task, may_run, clock);
  if (offer) notify(*offer, clock);
  return offer.has_value();
}

// --- looking

std::optional<TaskIndex> TaskTeam::look(std::uint32_t w, Reach reach, double& clock) {
  const WorkerId id{std::size_t{w}};
  reach.all ? executor_.lift_constraint(id) : executor_.constrain(id, reach.under);
  begin_step(Step::Kind::look, w, Script::none, clock);
  auto task = executor_.find_work(id, clock);
  end_step(task);
  if (task || reach.all || looking_[w].rounds < long_wait) return task;
  if (executor_.stays_for(id, clock) > 0) return task;  // its policy will look there soon
  begin_step(Step::Kind::look_far, w, Script::none, clock);
  std::vector<Offer> offers;
  task = executor_.find_anywhere(id, clock, offers);
  for (const Offer& offer : offers) notify(offer, clock);
  end_step(task);
  return task;
}

bool TaskTeam::search(std::uint32_t w, Reach reach, double& clock) {
  idle_.has_looked(w);
  const auto task = look(w, reach, clock);
  if (!task) return false;
  stop_looking(w);
  if (looking_[w].rounds != 0) pass_on(w, clock);  // there may be more than one
  start(w, *task, clock, Origin::queue);
  return true;
}

void TaskTeam::wait(std::uint32_t w, double clock) {
  Looking& looking = looking_[w];
  if (looking.rounds == 0) looking.since = clock;
  idle_.add(w, looking.since, clock, !executor_.is_constrained(WorkerId{std::size_t{w}}));
  double retry = first_retry * static_cast<double>(1U << std::min(looking.rounds, most_doublings));
  const double stays = executor_.stays_for(WorkerId{std::size_t{w}}, clock);
  if (stays > 0) retry = std::min(retry, stays);
  ++looking.rounds;
  agenda_.set(w, executor_.queued() > 0 ? clock + retry : Agenda::never);
}

void TaskTeam::stop_looking(std::uint32_t w) {
  idle_.has_looked(w);
  if (idle_.is_idle(w)) idle_.remove(w);
}

void TaskTeam::go_on(std::uint32_t w) {
  looking_[w].rounds = 0;
  stop_looking(w);
}

bool TaskTeam::comes_back(double now) {
  if (executor_.queued() == 0 || !idle_.any()) return false;
  for (std::uint32_t w = 0; w < looking_.size(); ++w) {
    if (idle_.is_idle(w)) agenda_.set(w, now + longest_sleep);
  }
  return true;
}

// --- who is told

void TaskTeam::pass_time(double clock) {
  idle_.pass_time(clock,
                  [this](std::uint32_t w) { executor_.falls_asleep(WorkerId{std::size_t{w}}); });
}

// One who looks around near by sees it; one who sleeps may be woken.
void TaskTeam::notify(const Offer& offer, double clock) {
  if (!idle_.any()) return;
  pass_time(clock);
  if (idle_.asleep() != 0 && !decide::wake_for(Bedroom(*this, clock), offer)) {
    look_later(offer.domain, clock);
  }
  const auto near =
      idle_.choose_looking(executor_.places().nearest_first(offer.domain), may_run(offer.task));
  if (near) comes(*near, clock, setup_.parameters.costs.probe);
}

// Whoever sleeps there looks when its sleep is over: those that are on their way may be others'
// and, under some policies, never come by.
void TaskTeam::look_later(DomainId domain, double clock) {
  const auto sleeper = idle_.first_asleep(domain);
  if (sleeper && agenda_.time(*sleeper) == Agenda::never) {
    agenda_.set(*sleeper, clock + longest_sleep);
  }
}

void TaskTeam::pass_on(std::uint32_t w, double clock) {
  if (!idle_.any()) return;
  pass_time(clock);
  if (idle_.asleep() == 0) return;
  const DomainId here = executor_.places().domain_of(WorkerId{std::size_t{w}});
  begin_step(Step::Kind::pass_on, w, Script::none, clock);
  decide::pass_on(Bedroom(*this, clock), here);
  end_step(std::nullopt);
}

void TaskTeam::wake(std::uint32_t w, double clock) {
  if (!idle_.is_idle(w)) return;  // it looks when it has done what it is doing
  const Costs& costs = setup_.parameters.costs;
  pass_time(clock);
  const double nanoseconds = idle_.is_asleep(w) ? costs.wake : costs.probe;
  stop_looking(w);
  comes(w, clock, nanoseconds);
}

void TaskTeam::comes(std::uint32_t w, double clock, double nanoseconds) {
  agenda_.set(w, std::min(agenda_.time(w), clock + nanoseconds * nanosecond));
}

// --- for tests

void TaskTeam::begin_step(Step::Kind kind, std::uint32_t w, TaskIndex task, double clock) {
  if (setup_.steps == nullptr) return;
  pass_time(clock);
  Step step{.kind = kind, .worker = WorkerId{std::size_t{w}}, .task = task};
  step.constrained = executor_.is_constrained(step.worker);
  executor_.tell_thrift(step, clock);
  for (std::uint32_t other = 0; other < looking_.size(); ++other) {
    const bool free = idle_.is_free(other);
    step.sleep.push_back(!idle_.is_asleep(other) ? Step::Sleep::awake
                         : free                  ? Step::Sleep::free
                                                 : Step::Sleep::bound);
  }
  const policy::Places& places = executor_.places();
  for (std::size_t d = 0; d < places.domain_count(); ++d) {
    step.looking.push_back(idle_.looking(DomainId{d}));
    step.fed.push_back(executor_.is_fed(DomainId{d}));
  }
  step.coming = idle_.on_their_way();
  step.woken.resize(places.domain_count());
  setup_.steps->push_back(std::move(step));
}

void TaskTeam::end_step(std::optional<TaskIndex> found) {
  if (setup_.steps == nullptr) return;
  Step& step = setup_.steps->back();
  step.found = found.value_or(Script::none);
  for (std::size_t p = 0; p < executor_.places().size(); ++p) {
    step.lengths.push_back(executor_.length(PlaceId{p}));
  }
}

void TaskTeam::finish() {
  outcome_.steals = executor_.steals();
  outcome_.remote_steals = executor_.remote_steals();
}

}  // namespace lares::simulate
