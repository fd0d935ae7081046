#include "simulate/creators.hpp"

#include "decide/limits.hpp"

namespace lares::simulate {

Creators::Creators(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome)
    : Course(setup, execution, agenda),
      team_(setup, execution, agenda, outcome),
      create_seconds_(setup.workload.creation_told ? 0
                                                   : setup.parameters.costs.create * nanosecond),
      threads_(setup.cores.size()) {}

void Creators::prepare(double /*now*/) {
  graph_ = Graph(workload(), phase());
  missing_.assign(phase().end - phase().first, 0);
  for (std::uint32_t i = 0; i < missing_.size(); ++i) missing_[i] = graph_.predecessors(i) + 1;
  team_.begin(phase());
  for (Thread& thread : threads_) thread = {};
  deal();
}

void Creators::deal() {
  const bool by_owner = phase().creation == Phase::Creation::owners;
  for (std::uint32_t i = 0; i < missing_.size(); ++i) {
    const TaskIndex task = in_order(i);
    threads_[by_owner ? owner_of(task) : 0].list.push_back(task);
  }
}

void Creators::next(std::uint32_t w, double clock) {
  threads_[w].is_through() ? search(w, clock) : create(w, clock);
}

void Creators::create(std::uint32_t w, double clock) {
  Thread& thread = threads_[w];
  team_.go_on(w);
  if (const auto task = help(w, clock)) return team_.start(w, *task, clock);
  thread.helped = false;
  const TaskIndex task = thread.list[thread.next++];
  clock += create_seconds_;
  team_.executor().set_creator(task, WorkerId{std::size_t{w}});
  ++thread.unfinished;
  if (--missing(task) == 0) {
    if (!hand_in(w, task, clock)) return team_.start(w, task, clock);
    const std::uint32_t limit = phase().queue_limit;
    if (limit != 0 && team_.executor().queued() > limit) return search(w, clock);
  }
  rest(w, clock);
}

// A task that the creator runs before it creates the next: too many with dependences wait.
std::optional<TaskIndex> Creators::help(std::uint32_t w, double& clock) {
  Thread& thread = threads_[w];
  Executor& executor = team_.executor();
  const WorkerId id{std::size_t{w}};
  const auto unfinished = static_cast<std::int32_t>(thread.unfinished);
  executor.constrain(id, Script::none);
  if (!phase().dependences || !executor.has_data(thread.list[thread.next])) return std::nullopt;
  if (!thread.helped && unfinished > decide::creation_window(workers())) {
    thread.helped = true;
    if (const auto task = executor.take_own(id, clock)) return task;
  }
  if (unfinished > decide::most_waiting_children()) return executor.find_work(id, clock);
  return std::nullopt;
}

bool Creators::hand_in(std::uint32_t w, TaskIndex task, double& clock) {
  const bool may_run = phase().queue_limit == 0;
  if (may_run && team_.executor().runs_at_once(WorkerId{std::size_t{w}}, task)) return false;
  return team_.put(w, task, may_run, clock);
}

TaskTeam::Reach Creators::reach(std::uint32_t w) const { return {.all = threads_[w].is_through()}; }

void Creators::search(std::uint32_t w, double clock) {
  if (team_.search(w, reach(w), clock)) return;
  const bool creates = !threads_[w].is_through() && !is_held_up(w);
  creates ? rest(w, clock) : team_.wait(w, clock);
}

void Creators::complete(const Interval& ended, double& clock) {
  team_.ended(ended);
  release(static_cast<std::uint32_t>(ended.worker.index()), ended.task, clock);
}

void Creators::release(std::uint32_t w, TaskIndex task, double& clock) {
  const bool single = phase().creation == Phase::Creation::single;
  --threads_[single ? 0 : owner_of(task)].unfinished;
  release_successors(task, [&](TaskIndex ready) { team_.put(w, ready, false, clock); });
}

}  // namespace lares::simulate
