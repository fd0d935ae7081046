#include "simulate/loops.hpp"

#include <algorithm>
#include <utility>

namespace lares::simulate {

Loop::Loop(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome)
    : Course(setup, execution, agenda), outcome_(outcome), places_(setup.machine, setup.cores) {}

WorkerId Loop::home_of(TaskIndex piece) const {
  const decide::StaticParts parts(phase().end - phase().first, workers());
  return WorkerId{parts.owner(piece - phase().first)};
}

DomainId Loop::domain_of(std::uint32_t w) const {
  return places_.domain_of(WorkerId{std::size_t{w}});
}

void Loop::complete(const Interval& task, double& /*clock*/) {
  if (phase().is_loop()) count(task, home_of(task.task));
}

void Loop::count(const Interval& task, WorkerId home) {
  if (!phase().measured) return;
  const bool near = places_.domain_of(home) == places_.domain_of(task.worker);
  const Locality how = home == task.worker ? Locality::local
                       : near              ? Locality::same_domain
                                           : Locality::remote;
  ++outcome_.by_locality[static_cast<std::size_t>(how)];
}

void StaticLoop::prepare(double now) {
  if (teams_) shake(now);
  for (Own& own : own_) own = {};
  for (std::uint32_t i = 0; i < phase().end - phase().first; ++i) {
    const TaskIndex task = in_order(i);
    const std::size_t owner = phase().is_loop() ? home_of(task).index() : owner_of(task);
    own_[owner].tasks.push_back(task);
  }
}

void StaticLoop::next(std::uint32_t w, double clock) {
  Own& own = own_[w];
  if (!own.is_through()) return execution_.start(w, own.tasks[own.next++], clock);
  rest(w, Agenda::never);
  execution_.leave(w, clock);
  if (teams_) steal(clock);
}

// Data that shall follow its thread does so from its first pass on.
void StaticLoop::shake(double now) {
  for (const TeamForest::Move& move : teams_->shaken()) {
    if (!move.with_data) continue;
    execution_.move(static_cast<std::uint32_t>(move.worker), move.core, true, now);
  }
}

void StaticLoop::steal(double now) {
  for (std::uint32_t w = 0; w < own_.size(); ++w) {
    const std::size_t running = execution_.is_busy(w) ? 1 : 0;
    teams_->set_left(w, own_[w].tasks.size() - own_[w].next + running);
  }
  for (const TeamForest::Move& move : teams_->steal()) {
    execution_.move(static_cast<std::uint32_t>(move.worker), move.core, move.with_data, now);
  }
}

void DynamicLoop::prepare(double now) {
  counter_ = 0;
  free_at_ = now;
}

void DynamicLoop::next(std::uint32_t w, double clock) {
  free_at_ = std::max(clock, free_at_) + setup_.parameters.costs.loop * nanosecond;
  if (counter_ < phase().end - phase().first) {
    return execution_.start(w, in_order(counter_++), free_at_);
  }
  rest(w, Agenda::never);
  execution_.leave(w, clock);
}

/// The loop as decide/ sees it, through one worker's eyes.
struct NumaLoop::Look {
  NumaLoop& loop;
  std::uint32_t thief;
  std::uint32_t looks = 0;  // into others' ranges

  [[nodiscard]] std::uint64_t left(WorkerId of) {
    ++looks;
    return loop.own_[of.index()].left.size();
  }
  [[nodiscard]] bool is_late(WorkerId of) const { return !loop.own_[of.index()].is_begun; }
  /// Or a thief has begun with its part: here all workers come.
  [[nodiscard]] bool has_come(WorkerId of) const { return loop.own_[of.index()].is_begun; }
  [[nodiscard]] WorkerId home_of_last() const {
    return WorkerId{loop.shape_.home_of(loop.shape_.chunks - 1)};
  }
  [[nodiscard]] bool last_is_left() const { return loop.last_is_left_; }
  [[nodiscard]] std::span<const WorkerId> workers_in(DomainId domain) const {
    return loop.places_.workers_in(domain);
  }
  [[nodiscard]] std::span<const DomainId> nearest_first() const {
    return loop.places_.nearest_first(loop.domain_of(thief));
  }
  [[nodiscard]] std::uint32_t random_below(std::uint32_t bound) {
    return loop.own_[thief].random.below(bound);
  }
};

NumaLoop::NumaLoop(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome)
    : Loop(setup, execution, agenda, outcome), own_(setup.cores.size()) {
  for (std::size_t w = 0; w < own_.size(); ++w)
    own_[w].random = Random(w + 1 + (setup.seed << 32U));
}

void NumaLoop::prepare(double /*now*/) {
  const std::uint64_t count = phase().end - phase().first;
  const std::uint64_t piece = std::max<std::uint64_t>(phase().piece_iterations, 1);
  shape_ = decide::LoopShape(count, setup_.schedule.loops.chunk / piece, workers(), false);
  last_is_left_ = shape_.chunks > 0;
  for (std::size_t w = 0; w < own_.size(); ++w) {
    own_[w].left = shape_.first_range(w);
    own_[w].is_begun = false;
    own_[w].has_waited = false;
  }
}

void NumaLoop::next(std::uint32_t w, double clock) {
  Own& own = own_[w];
  own.is_begun = true;
  if (own.taken.size() == 0 && own.left.size() > 0) {
    clock += setup_.parameters.costs.queue * nanosecond;
    const std::uint64_t behind = own.left.begin + shape_.to_take(own.left.size());
    own.taken = shape_.iterations_of({own.left.begin, behind});
    own.left.begin = behind;
  }
  if (own.taken.size() == 0) return rob(w, clock);
  execution_.start(w, phase().first + static_cast<TaskIndex>(own.taken.begin++), clock);
}

void NumaLoop::complete(const Interval& task, double& /*clock*/) {
  const std::uint64_t chunk = (task.task - phase().first) / shape_.chunk;
  count(task, WorkerId{shape_.home_of(chunk)});
}

// A range of another worker, or the last chunk; then the worker goes on. Workers act one at a time
// here, so what it sees is there when it takes it.
void NumaLoop::rob(std::uint32_t w, double clock) {
  Own& own = own_[w];
  const Costs& costs = setup_.parameters.costs;
  Look look{*this, w};
  const decide::LoopVictim victim = decide::find_loop_victim(look, setup_.schedule.loops.steal);
  clock += look.looks * costs.probe * nanosecond;
  if (victim.spared && !std::exchange(own.has_waited, true))
    return rest(w, clock + costs.probe * nanosecond);
  if (victim.left > 0) {
    steal(w, victim.worker);
  } else if (last_is_left_) {
    last_is_left_ = false;
    own.taken = shape_.iterations_of({shape_.chunks - 1, shape_.chunks});
  } else {
    rest(w, Agenda::never);
    return execution_.leave(w, clock);
  }
  next(w, clock + costs.queue * nanosecond);
}

void NumaLoop::steal(std::uint32_t w, WorkerId from) {
  Own& victim = own_[from.index()];
  const std::uint64_t stolen = decide::to_steal(victim.left.size());
  own_[w].left = {victim.left.end - stolen, victim.left.end};
  victim.left.end -= stolen;
  victim.is_begun = true;
  ++outcome_.steals;
  if (places_.domain_of(from) != domain_of(w)) ++outcome_.remote_steals;
}

}  // namespace lares::simulate
