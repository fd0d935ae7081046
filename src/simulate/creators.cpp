#include "simulate/creators.hpp"

#include <optional>
#include <utility>

#include "decide/help.hpp"

namespace lares::simulate {

Creators::Creators(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome)
    : Course(setup, execution, agenda),
      team_(setup, execution, agenda, outcome),
      create_seconds_(setup.workload.creation_told ? 0
                                                   : setup.parameters.costs.create * nanosecond),
      threads_(setup.cores.size()),
      outcome_(outcome),
      opinions_(setup.workload, team_.executor().places(), execution.homes(),
                Executor::ticks_per_microsecond),
      opinion_of_(setup.workload.tasks.size()) {}

void Creators::prepare(double /*now*/) {
  graph_ = Graph(workload(), phase());
  missing_.assign(phase().end - phase().first, 0);
  for (std::uint32_t i = 0; i < missing_.size(); ++i) missing_[i] = graph_.predecessors(i) + 1;
  team_.begin(phase());
  for (Thread& thread : threads_) thread = {};
  opinions_.end_round();
  team_.executor().settle(false);
  team_.executor().creator_goes_on(false);
  deal();
}

bool Creators::asks() const {
  const bool is_one = phase().creation == Phase::Creation::single;
  return is_one && setup_.schedule.forms_opinions && workload().told != Told::data &&
         workload().script.empty();
}

void Creators::deal() {
  const bool by_owner = phase().creation == Phase::Creation::owners;
  for (std::uint32_t i = 0; i < missing_.size(); ++i) {
    const TaskIndex task = in_order(i);
    threads_[by_owner ? owner_of(task) : 0].list.push_back(task);
  }
}

void Creators::next(std::uint32_t w, double clock) {
  if (!threads_[w].is_through()) return create(w, clock);
  if (w == 0) {
    stop_going_on(clock);
    deal_out(w, clock);
  }
  search(w, clock);
}

// Some may sleep although there is something, since that was left to others.
void Creators::stop_going_on(double clock) {
  if (!team_.executor().does_creator_go_on()) return;
  team_.executor().creator_goes_on(false);
  team_.pass_on(0, clock);
}

void Creators::deal_out(std::uint32_t w, double& clock) {
  if (!opinions_.holds_any()) return;
  put_dealt(w, opinions_.take_dealt(), clock);
}

void Creators::put_dealt(std::uint32_t w, const std::vector<Opinions::Dealt>& tasks,
                         double& clock) {
  Executor& executor = team_.executor();
  executor.settle(opinions_.settles());
  for (const Opinions::Dealt& each : tasks) {
    executor.tell(each.task, each.home, each.strong);
    opinion_of_[each.task] = each.home;
    team_.begin_step(Step::Kind::create, w, each.task, clock);
    team_.put(w, each.task, false, clock);
    team_.end_step(std::nullopt);
  }
}

void Creators::hold(std::uint32_t w, TaskIndex task, double& clock) {
  if (opinions_.is_full()) {
    deal_out(w, clock);
    if (runs_new(w, task, clock)) return;
    return rest(w, clock);
  }
  const decide::Hold::Next next = opinions_.hold(task, Executor::to_ticks(clock));
  if (next != decide::Hold::Next::keep) {
    trial_ = next;
    trial_is_new_ = !home_of_most(workload(), task, execution_.homes()).valid();
    return team_.start(w, task, clock, TaskTeam::Origin::refused);
  }
  if (opinions_.is_given_up()) put_dealt(w, opinions_.take_unknown(), clock);
  rest(w, clock);
}

// What the creator has run for a trial tells whether the others shall wait.
void Creators::judge(const Interval& ended, double& clock) {
  if (trial_ == decide::Hold::Next::keep || ended.worker != WorkerId{0}) return;
  const double seconds = ended.end - ended.begin;
  opinions_.ran(std::exchange(trial_, decide::Hold::Next::keep), Executor::to_ticks(seconds),
                trial_is_new_);
  if (opinions_.is_given_up()) put_dealt(0, opinions_.take_unknown(), clock);
}

// What the creator's opinion of it is.
bool Creators::is_to_be_held(std::uint32_t w, TaskIndex task, double& clock) {
  if (opinions_.holds_others(task)) deal_out(w, clock);
  const decide::Opinion known = opinions_.next(task);
  if (!known.held) deal_out(w, clock);
  team_.executor().settle(opinions_.settles());
  team_.executor().tell(task, known.home, known.strong);
  opinion_of_[task] = known.home;
  if (known.home.valid() && workload().told != Told::names) team_.executor().creator_goes_on(true);
  return known.held;
}

void Creators::create(std::uint32_t w, double clock) {
  Thread& thread = threads_[w];
  team_.go_on(w);
  if (helps(w, clock)) return;
  thread.help = {};
  const TaskIndex task = thread.list[thread.next++];
  clock += create_seconds_;
  team_.executor().set_creator(task, WorkerId{std::size_t{w}});
  ++thread.unfinished;
  const bool is_held = asks() && is_to_be_held(w, task, clock);
  if (--missing(task) == 0) {
    if (is_held) return hold(w, task, clock);
    if (runs_new(w, task, clock)) return;
    const std::uint32_t limit = phase().queue_limit;
    if (limit != 0 && team_.executor().queued() > limit) return search(w, clock);
  } else {
    team_.begin_step(Step::Kind::create, w, task, clock);
    team_.end_step(std::nullopt);
  }
  rest(w, clock);
}

/// How decide/ sees a worker that creates tasks.
class Creators::Creating {
 public:
  using Found = std::optional<TaskIndex>;
  Creating(Creators& creators, std::uint32_t worker, double& clock)
      : creators_(&creators), id_(std::size_t{worker}), clock_(&clock) {}
  [[nodiscard]] std::size_t workers() const { return creators_->workers(); }
  [[nodiscard]] std::int32_t unfinished() const {
    // And the one to come, which the runtime has counted by then.
    const auto held = static_cast<std::int32_t>(creators_->opinions_.held());
    return static_cast<std::int32_t>(creators_->threads_[id_.index()].unfinished) + 1 - held;
  }
  [[nodiscard]] decide::WaitBudget& budget() const {
    return creators_->threads_[id_.index()].budget;
  }
  [[nodiscard]] Found take_own() const { return executor().take_own(id_, *clock_); }
  [[nodiscard]] Found find_work() const { return executor().find_work(id_, *clock_); }
  [[nodiscard]] bool others_are_busy() const { return creators_->team_.idle() + 1 < workers(); }
  [[nodiscard]] Nanoseconds now() const {
    return {static_cast<std::int64_t>(*clock_ / nanosecond)};
  }

 private:
  [[nodiscard]] Executor& executor() const { return creators_->team_.executor(); }
  Creators* creators_;
  WorkerId id_;
  double* clock_;
};

// True if the creator does something else before it creates the next: too many wait.
bool Creators::helps(std::uint32_t w, double& clock) {
  constexpr double look = 50 * nanosecond;
  constexpr double nap = static_cast<double>(decide::limits::pause_beyond.count) * nanosecond;
  using Next = decide::Help::Step;
  Thread& thread = threads_[w];
  team_.executor().constrain(WorkerId{std::size_t{w}}, Script::none);
  if (!phase().dependences || !team_.executor().has_data(thread.list[thread.next])) return false;
  std::optional<TaskIndex> task;
  const Creating creating(*this, w, clock);
  if (creating.unfinished() > decide::creation_window(workers())) deal_out(w, clock);
  const Next step = thread.help.next(creating, task);
  if (step == Next::run) {
    team_.begin_step(Step::Kind::help, w, thread.list[thread.next], clock);
    team_.end_step(task);
    team_.start(w, *task, clock, Origin::queue);
  }
  if (step == Next::look) rest(w, clock + look);
  if (step == Next::pause) rest(w, clock + nap);
  return step != Next::create;
}

bool Creators::runs_new(std::uint32_t w, TaskIndex task, double& clock) {
  const bool may_run = phase().queue_limit == 0;
  team_.begin_step(Step::Kind::create, w, task, clock);
  const bool at_once = may_run && !opinion_of_[task].valid() &&
                       team_.executor().runs_at_once(WorkerId{std::size_t{w}}, task);
  const bool queued = !at_once && team_.put(w, task, may_run, clock);
  team_.end_step(queued ? std::nullopt : std::optional(task));
  if (queued) return false;
  team_.start(w, task, clock, at_once ? Origin::unseen : Origin::refused);
  return true;
}

TaskTeam::Reach Creators::reach(std::uint32_t w) const { return {.all = threads_[w].is_through()}; }

void Creators::search(std::uint32_t w, double clock) {
  if (team_.search(w, reach(w), clock)) return;
  const bool creates = !threads_[w].is_through() && !is_held_up(w);
  creates ? rest(w, clock) : team_.wait(w, clock);
}

void Creators::complete(const Interval& ended, double& clock) {
  team_.ended(ended);
  judge(ended, clock);
  count_opinion(ended.task);
  const auto w = static_cast<std::uint32_t>(ended.worker.index());
  team_.begin_step(Step::Kind::end, w, ended.task, clock);
  release(w, ended.task, clock);
  team_.end_step(std::nullopt);
}

void Creators::count_opinion(TaskIndex task) {
  const DomainId opinion = opinion_of_[task];
  if (!phase().measured || !opinion.valid()) return;
  ++outcome_.opinions;
  if (home_of_most(workload(), task, execution_.homes()) == opinion) ++outcome_.right_opinions;
}

void Creators::release(std::uint32_t w, TaskIndex task, double& clock) {
  const bool single = phase().creation == Phase::Creation::single;
  --threads_[single ? 0 : owner_of(task)].unfinished;
  release_successors(task, [&](TaskIndex ready) { team_.put(w, ready, false, clock); });
}

}  // namespace lares::simulate
