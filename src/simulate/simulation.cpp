#include "simulate/simulation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>

#include "decide/limits.hpp"
#include "decide/wake.hpp"
#include "simulate/agenda.hpp"
#include "simulate/demand.hpp"
#include "simulate/flows.hpp"
#include "simulate/graph.hpp"
#include "simulate/hardware.hpp"
#include "simulate/idle_workers.hpp"

namespace lares::simulate {
namespace {

constexpr double nanosecond = 1e-9;
// A worker that sees tasks but gets none looks again after this, doubled each time up to the bound.
constexpr double first_retry = 200 * nanosecond;
constexpr std::uint32_t most_doublings = 12;
// Fruitless looks after which one that waits inside a task looks everywhere.
constexpr std::uint32_t long_wait = 4;
// Sleeps are bounded: after so long one who sleeps looks, whether he was woken or not.
constexpr double longest_sleep = 1e6 * nanosecond;

/// A normal number around 1, from four uniform ones; never close to 0.
double noise_factor(Random& random, double deviation) {
  if (deviation <= 0) return 1;
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>(random.next() >> 11U) * 0x1.0p-53;
  return std::max(0.2, 1 + deviation * (sum - 2) * std::sqrt(3.0));
}

/// One simulated thread.
struct Worker {
  enum class State : std::uint8_t { ready, starting, migrating, running, timed };

  State state = State::ready;
  bool helped = false;   // has run one of its own tasks before it creates the next
  bool arrived = false;  // at the next node of a script's thread, which waits for others
  std::uint32_t rounds = 0;
  TaskIndex task = 0;
  DomainId domain;
  double portion = 1;  // of its core
  double started = 0;  // the task
  double idle_since = 0;
  /// Of a script: what it goes on with in tasks that it has begun, innermost last: a child to hand
  /// in, or the part that waits for others. Only this worker can: they are on its stack.
  std::vector<TaskIndex> stack;
  std::vector<TaskIndex> list;   // to create, or to run under a static schedule
  std::size_t next = 0;          // in list
  std::uint32_t unfinished = 0;  // tasks that it created
};

class Simulation {
 public:
  explicit Simulation(const Setup& setup)
      : setup_(setup),
        workload_(setup.workload),
        script_(setup.workload.script),
        parameters_(setup.parameters),
        create_seconds_(workload_.creation_told ? 0 : parameters_.costs.create * nanosecond),
        hardware_(setup.machine, setup.parameters),
        flows_(hardware_, setup.cores.size()),
        homes_(homes_of(setup.workload)),
        demand_(setup.workload, setup.parameters, setup.machine.domains.size(), homes_),
        agenda_(setup.cores.size()),
        workers_(setup.cores.size()),
        idle_(setup.machine.domains.size(), domains_of(setup), distinct_cores(setup),
              setup.parameters.costs.park * nanosecond),
        noise_(setup.seed * 2 + 77) {
    if (is_policy()) {
      executor_ = std::make_unique<Executor>(setup.machine, setup.cores, setup.schedule.choice,
                                             workload_, homes_, parameters_.costs, setup.seed);
    }
    place_workers();
  }

  Result<Outcome> run() {
    for (const Phase& phase : workload_.phases) {
      if (auto problem = run_phase(phase)) return *problem;
    }
    finish_outcome();
    return outcome_;
  }

 private:
  static std::vector<DomainId> homes_of(const Workload& workload) {
    std::vector<DomainId> homes;
    homes.reserve(workload.blocks.size());
    for (const Block& block : workload.blocks) homes.push_back(block.home);
    return homes;
  }
  static std::vector<DomainId> domains_of(const Setup& setup) {
    std::vector<DomainId> domains;
    for (const CoreId core : setup.cores) {
      domains.push_back(setup.machine.cores[core.index()].domain);
    }
    return domains;
  }
  static std::size_t distinct_cores(const Setup& setup) {
    std::vector<CoreId> cores = setup.cores;
    std::ranges::sort(cores);
    return static_cast<std::size_t>(std::unique(cores.begin(), cores.end()) - cores.begin());
  }
  [[nodiscard]] bool is_policy() const { return setup_.schedule.kind == Schedule::Kind::policy; }

  void place_workers() {
    std::vector<double> on_core(setup_.machine.cores.size(), 0);
    for (const CoreId core : setup_.cores) on_core[core.index()] += 1;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      const CoreId core = setup_.cores[w];
      workers_[w].domain = setup_.machine.cores[core.index()].domain;
      workers_[w].portion = 1 / on_core[core.index()];
    }
  }

  // --- phases

  std::optional<Error> run_phase(const Phase& phase) {
    if (phase.dependences && !is_policy()) {
      return Error{"the schedules static and dynamic run loops; the tasks of workload \"" +
                   workload_.name + "\" depend on each other"};
    }
    phase_ = &phase;
    unfinished_ = phase.end - phase.first;
    if (unfinished_ == 0) return std::nullopt;
    prepare(phase);
    const double begin = now_;
    while (unfinished_ > 0) {
      if (agenda_.first_time() > now_) {
        flows_.settle(now_, [this](std::uint32_t w, double time) { agenda_.set(w, time); });
      }
      if (agenda_.first_time() == Agenda::never && !wakes_by_itself()) {
        return Error{"workload \"" + workload_.name + "\" has tasks that nobody can ever run"};
      }
      const std::uint32_t worker = agenda_.first();
      now_ = std::max(now_, agenda_.first_time());
      step(worker);
    }
    for (std::uint32_t w = 0; w < workers_.size(); ++w) agenda_.set(w, Agenda::never);
    now_ = std::max(now_, end_) + parameters_.costs.barrier * nanosecond;
    if (phase.measured) outcome_.seconds += now_ - begin;
    return std::nullopt;
  }

  void prepare(const Phase& phase) {
    graph_ = Graph(workload_, phase);
    missing_.assign(unfinished_, 0);
    for (std::uint32_t i = 0; i < unfinished_; ++i) missing_[i] = graph_.predecessors(i) + 1;
    idle_.clear();
    counter_ = 0;
    counter_free_at_ = now_;
    end_ = now_;
    for (std::uint32_t w = 0; w < workers_.size(); ++w) {
      Worker& worker = workers_[w];
      worker.list.clear();
      worker.stack.clear();
      worker.next = 0;
      worker.unfinished = 0;
      worker.arrived = false;
      worker.rounds = 0;
      worker.state = Worker::State::ready;
      agenda_.set(w, now_);
    }
    if (!script_.empty()) return prepare_script(phase);
    const bool by_owner = setup_.schedule.kind == Schedule::Kind::static_loop ||
                          (is_policy() && phase.creation == Phase::Creation::owners);
    for (std::uint32_t i = 0; i < unfinished_; ++i) {
      const TaskIndex task = phase.order.empty() ? phase.first + i : phase.order[i];
      const auto owner = static_cast<std::size_t>(workload_.tasks[task].owner);
      workers_[by_owner ? owner % workers_.size() : 0].list.push_back(task);
    }
  }

  // Threads create, compute and wait; what tasks create is released by those.
  void prepare_script(const Phase& phase) {
    for (TaskIndex node = phase.first; node < phase.end; ++node) {
      const std::int32_t thread = script_.thread[node];
      if (thread < 0 || script_.created_in[node] != Script::none) {
        --missing_[node - phase.first];  // nobody's list has it
      } else {
        workers_[static_cast<std::size_t>(thread) % workers_.size()].list.push_back(node);
      }
    }
  }

  // --- what a worker does next

  void step(std::uint32_t w) {
    Worker& worker = workers_[w];
    switch (worker.state) {
      case Worker::State::ready:
        next(w, now_);
        break;
      case Worker::State::starting:
        begin_task(w);
        break;
      case Worker::State::migrating:
        flows_.end(w, phase_->measured);
        begin_body(w);
        break;
      default:
        finish(w);
    }
  }

  void next(std::uint32_t w, double clock) {
    Worker& worker = workers_[w];
    if (setup_.schedule.kind == Schedule::Kind::dynamic_loop) {
      fetch(w, clock);
    } else if (setup_.schedule.kind == Schedule::Kind::static_loop) {
      if (worker.next < worker.list.size()) {
        start(w, worker.list[worker.next++], clock);
      } else {
        rest(w, Agenda::never);
      }
    } else if (!worker.stack.empty()) {
      resume(w, clock);
    } else if (worker.next >= worker.list.size()) {
      search(w, clock);
    } else if (script_.empty()) {
      create(w, clock);
    } else {
      follow(w, clock);
    }
  }

  // Goes on with the innermost task that it has begun: hands in children, or waits.
  void resume(std::uint32_t w, double clock) {
    Worker& worker = workers_[w];
    while (!worker.stack.empty()) {
      const TaskIndex node = worker.stack.back();
      if (script_.kind[node] != Script::Kind::task) {
        if (missing_[node - phase_->first] != 0) return search(w, clock);
        worker.stack.pop_back();
        worker.rounds = 0;
        leave_idle(w);
        return start(w, node, clock);
      }
      worker.stack.pop_back();
      if (!hand_in(w, node, clock)) return start(w, node, clock);
    }
    worker.state = Worker::State::ready;
    agenda_.set(w, clock);
  }

  // What comes next in the course of a thread: a task to create, something to compute, a wait.
  void follow(std::uint32_t w, double clock) {
    Worker& worker = workers_[w];
    while (worker.next < worker.list.size()) {
      const TaskIndex node = worker.list[worker.next];
      const Script::Kind kind = script_.kind[node];
      if (kind == Script::Kind::task) return create(w, clock);
      std::uint32_t& missing = missing_[node - phase_->first];
      if (!worker.arrived) --missing;
      worker.arrived = missing != 0;
      if (missing != 0) return search(w, clock);
      ++worker.next;
      worker.rounds = 0;
      leave_idle(w);
      if (kind != Script::Kind::gate) {
        executor_->set_creator(node, WorkerId{std::size_t{w}});
        return start(w, node, clock);
      }
      end_ = std::max(end_, clock);
      if (--unfinished_ == 0) return rest(w, Agenda::never);
    }
    search(w, clock);
  }

  // The next iteration of a dynamic loop; the counter serves one worker after another.
  void fetch(std::uint32_t w, double clock) {
    clock = std::max(clock, counter_free_at_) + parameters_.costs.loop * nanosecond;
    counter_free_at_ = clock;
    const std::vector<TaskIndex>& all = workers_.front().list;
    if (counter_ < all.size()) {
      start(w, all[counter_++], clock);
    } else {
      rest(w, Agenda::never);
    }
  }

  void create(std::uint32_t w, double clock) {
    Worker& worker = workers_[w];
    const WorkerId id{std::size_t{w}};
    leave_idle(w);
    if (const auto task = help(w, clock)) return start(w, *task, clock);
    worker.helped = false;
    const TaskIndex task = worker.list[worker.next++];
    clock += create_seconds_;
    executor_->set_creator(task, id);
    ++worker.unfinished;
    if (--missing_[task - phase_->first] == 0) {
      if (!hand_in(w, task, clock)) return start(w, task, clock);
      const std::uint32_t limit = phase_->queue_limit;
      if (limit != 0 && executor_->queued() > limit) return search(w, clock);
    }
    worker.state = Worker::State::ready;
    agenda_.set(w, clock);
  }

  // A task that the creator runs before it creates the next: too many with dependences wait.
  std::optional<TaskIndex> help(std::uint32_t w, double& clock) {
    Worker& worker = workers_[w];
    const WorkerId id{std::size_t{w}};
    const auto unfinished = static_cast<std::int32_t>(worker.unfinished);
    executor_->constrain(id, Script::none);
    if (!phase_->dependences || !executor_->has_data(worker.list[worker.next])) return std::nullopt;
    if (!worker.helped && unfinished > decide::creation_window(workers_.size())) {
      worker.helped = true;
      if (const auto task = executor_->take_own(id, clock)) return task;
    }
    if (unfinished > decide::most_waiting_children()) return executor_->find_work(id, clock);
    return std::nullopt;
  }

  // Hands a new task in whose predecessors have completed. False if its creator runs it now.
  bool hand_in(std::uint32_t w, TaskIndex task, double& clock) {
    const WorkerId id{std::size_t{w}};
    const bool may_run = phase_->queue_limit == 0;
    if (may_run && executor_->runs_at_once(id, task)) return false;
    const auto offer = executor_->put(id, task, may_run, clock);
    if (offer) notify(*offer, clock);
    return offer.has_value();
  }

  // What it waits in forbids it to run anything but what descends from that; a barrier does not.
  void constrain(std::uint32_t w) {
    const Worker& worker = workers_[w];
    const WorkerId id{std::size_t{w}};
    if (!worker.stack.empty()) {
      executor_->constrain(id, task_of(worker.stack.back()));
    } else if (worker.next < worker.list.size()) {
      executor_->constrain(id, Script::none);
    } else {
      executor_->lift_constraint(id);
    }
  }

  std::optional<TaskIndex> look(std::uint32_t w, double& clock) {
    const WorkerId id{std::size_t{w}};
    constrain(w);
    if (const auto task = executor_->find_work(id, clock)) return task;
    if (!executor_->is_constrained(id) || workers_[w].rounds < long_wait) return std::nullopt;
    std::vector<Offer> offers;
    const auto task = executor_->find_anywhere(id, clock, offers);
    for (const Offer& offer : offers) notify(offer, clock);
    return task;
  }

  void search(std::uint32_t w, double clock) {
    Worker& worker = workers_[w];
    idle_.has_looked(w);
    if (const auto task = look(w, clock)) {
      leave_idle(w);
      if (worker.rounds != 0) pass_on(w, clock);  // there may be more than one
      return start(w, *task, clock);
    }
    const bool waits = worker.arrived || !worker.stack.empty();
    if (worker.next < worker.list.size() && !waits) return rest(w, clock);  // creates
    if (worker.rounds == 0) worker.idle_since = clock;
    idle_.add(w, worker.idle_since, clock, !executor_->is_constrained(WorkerId{std::size_t{w}}));
    const double retry =
        first_retry * static_cast<double>(1U << std::min(worker.rounds, most_doublings));
    ++worker.rounds;
    rest(w, executor_->queued() > 0 ? clock + retry : Agenda::never);
  }

  void rest(std::uint32_t w, double until) {
    workers_[w].state = Worker::State::ready;
    agenda_.set(w, until);
  }

  void leave_idle(std::uint32_t w) {
    idle_.has_looked(w);
    if (idle_.is_idle(w)) idle_.remove(w);
  }

  // --- who is told of a task

  /// Whether a worker may run it.
  struct MayRun {
    const Executor& executor;
    TaskIndex task;
    bool operator()(std::uint32_t w) const {
      return executor.may_run(WorkerId{std::size_t{w}}, task);
    }
  };
  [[nodiscard]] MayRun may_run(TaskIndex task) const { return {*executor_, task}; }

  /// How decide/ sees who sleeps.
  class Bedroom {
   public:
    Bedroom(Simulation& simulation, double clock) : simulation_(&simulation), clock_(clock) {}
    [[nodiscard]] const policy::Places& places() const { return simulation_->executor_->places(); }
    [[nodiscard]] std::size_t workers() const { return idle().workers(); }
    [[nodiscard]] std::size_t cores() const { return idle().cores(); }
    [[nodiscard]] std::uint32_t asleep() const { return idle().asleep(); }
    [[nodiscard]] std::int32_t on_their_way() const { return idle().on_their_way(); }
    [[nodiscard]] std::uint32_t looking(DomainId domain) const { return idle().looking(domain); }
    [[nodiscard]] std::uint32_t length(PlaceId place) const {
      return simulation_->executor_->length(place);
    }
    [[nodiscard]] std::uint32_t prioritised() const {
      return simulation_->executor_->prioritised();
    }
    [[nodiscard]] TaskIndex any_task() const { return Script::none; }
    [[nodiscard]] bool wake_one_of(DomainId domain, TaskIndex task) const {
      const auto chosen = idle().choose_asleep(domain, simulation_->may_run(task));
      if (chosen) simulation_->comes(*chosen, clock_, simulation_->parameters_.costs.wake);
      return chosen.has_value();
    }

   private:
    [[nodiscard]] IdleWorkers& idle() const { return simulation_->idle_; }
    Simulation* simulation_;
    double clock_;
  };

  // Nobody was woken for what is queued: those who sleep look when their time is over. False if
  // there is nothing to look for.
  bool wakes_by_itself() {
    if (executor_ == nullptr || executor_->queued() == 0 || !idle_.any()) return false;
    for (std::uint32_t w = 0; w < workers_.size(); ++w) {
      if (idle_.is_idle(w)) agenda_.set(w, now_ + longest_sleep);
    }
    return true;
  }

  void pass_time(double clock) {
    idle_.pass_time(clock,
                    [this](std::uint32_t w) { executor_->falls_asleep(WorkerId{std::size_t{w}}); });
  }

  // One who looks around near by sees it; one who sleeps may be woken.
  void notify(const Offer& offer, double clock) {
    if (!idle_.any()) return;
    pass_time(clock);
    if (idle_.asleep() != 0 && !decide::wake_for(Bedroom(*this, clock), offer)) {
      look_later(offer.domain, clock);
    }
    const auto near =
        idle_.choose_looking(executor_->places().nearest_first(offer.domain), may_run(offer.task));
    if (near) comes(*near, clock, parameters_.costs.probe);
  }

  // Whoever sleeps there looks when its sleep is over: those that are on their way may be others'
  // and, under some policies, never come by.
  void look_later(DomainId domain, double clock) {
    const auto sleeper = idle_.first_asleep(domain);
    if (sleeper && agenda_.time(*sleeper) == Agenda::never) {
      agenda_.set(*sleeper, clock + longest_sleep);
    }
  }

  void pass_on(std::uint32_t w, double clock) {
    if (!idle_.any()) return;
    pass_time(clock);
    if (idle_.asleep() != 0) decide::pass_on(Bedroom(*this, clock), workers_[w].domain);
  }

  void comes(std::uint32_t w, double clock, double nanoseconds) {
    agenda_.set(w, std::min(agenda_.time(w), clock + nanoseconds * nanosecond));
  }

  // --- a task

  void start(std::uint32_t w, TaskIndex task, double clock) {
    Worker& worker = workers_[w];
    worker.task = task;
    worker.rounds = 0;
    worker.state = Worker::State::starting;
    const bool found = script_.counts(task);  // not merely gone on with
    agenda_.set(w, clock + (found ? parameters_.costs.dispatch * nanosecond : 0));
  }

  void begin_task(std::uint32_t w) {
    Worker& worker = workers_[w];
    worker.started = now_;
    if (phase_->measured && executor_ && script_.counts(worker.task)) {
      const Locality how = executor_->locality(WorkerId{std::size_t{w}}, worker.task);
      ++outcome_.by_locality[static_cast<std::size_t>(how)];
    }
    if (phase_->migrates && migrate(w)) return;
    begin_body(w);
  }

  // Moves the task's blocks to the worker's memory; false if they are there.
  bool migrate(std::uint32_t w) {
    Worker& worker = workers_[w];
    const std::vector<Traffic>& traffic = demand_.migrate(worker.task, worker.domain);
    if (traffic.empty()) return false;
    // Every byte is read and written.
    begin_flow(w, traffic, 2 * parameters_.migrate_mb_s * 1e6, 1);
    worker.state = Worker::State::migrating;
    return true;
  }

  void begin_body(std::uint32_t w) {
    Worker& worker = workers_[w];
    const double noise = noise_factor(noise_, parameters_.noise);
    const std::vector<Traffic>& traffic = demand_.run(worker.task, worker.domain, phase_->measured);
    const double seconds = workload_.tasks[worker.task].seconds;
    if (traffic.empty()) {
      worker.state = Worker::State::timed;
      agenda_.set(w, now_ + seconds * noise / worker.portion);
      return;
    }
    double bytes = 0;
    for (const Traffic& part : traffic) bytes += part.read + part.written;
    const double core = hardware_.core_rate(worker.domain, traffic);
    begin_flow(w, traffic,
               workload_.packs ? 1 / (1 / core + seconds / bytes) : std::min(core, bytes / seconds),
               noise);
    worker.state = Worker::State::running;
  }

  void begin_flow(std::uint32_t w, const std::vector<Traffic>& traffic, double cap, double noise) {
    const Worker& worker = workers_[w];
    for (const Traffic& part : traffic) {
      if (!phase_->measured) break;
      const double bytes = (part.read + part.written) * noise;
      (part.home == worker.domain ? outcome_.local_bytes : outcome_.remote_bytes) += bytes;
    }
    flows_.begin(w, worker.domain, traffic, noise, {cap, worker.portion}, now_);
    agenda_.set(w, Agenda::never);
  }

  void finish(std::uint32_t w) {
    Worker& worker = workers_[w];
    if (flows_.runs(w)) flows_.end(w, phase_->measured);
    const TaskIndex task = worker.task;
    if (setup_.trace != nullptr) {
      setup_.trace->push_back({task, WorkerId{std::size_t{w}}, worker.started, now_});
    }
    if (phase_->measured) {
      if (script_.counts(task)) ++outcome_.tasks;
      outcome_.busy_seconds += now_ - worker.started;
    }
    double clock = now_;
    if (executor_) {
      const WorkerId id{std::size_t{w}};
      if (script_.counts(task)) executor_->ran(id, task, now_ - worker.started, now_);
      script_.empty() ? release(w, task, clock) : follow_up(w, task, clock);
    }
    end_ = std::max(end_, clock);
    if (--unfinished_ != 0) next(w, clock);
  }

  void release(std::uint32_t w, TaskIndex task, double& clock) {
    --workers_[creator_of(task)].unfinished;
    for_each_released(graph_, task - phase_->first, missing_,
                      [&](std::uint32_t successor) { put(w, phase_->first + successor, clock); });
  }

  void put(std::uint32_t w, TaskIndex task, double& clock) {
    notify(*executor_->put(WorkerId{std::size_t{w}}, task, false, clock), clock);
  }

  // The same in a recorded program. What the worker goes on with waits on its stack.
  void follow_up(std::uint32_t w, TaskIndex node, double& clock) {
    const WorkerId worker{std::size_t{w}};
    if (script_.kind[node] == Script::Kind::task && script_.created_in[node] == Script::none) {
      --workers_[thread_of(node)].unfinished;
    }
    const TaskIndex next = script_.next[node];
    if (next != Script::none) {
      if (stack_of_.empty()) stack_of_.resize(workload_.tasks.size());
      stack_of_[next] = w;
      workers_[w].stack.push_back(next);
    }
    for (const std::uint32_t successor : graph_.successors(node - phase_->first)) {
      const TaskIndex created = phase_->first + successor;
      if (script_.created_in[created] != node) continue;
      clock += create_seconds_;
      executor_->set_creator(created, worker);
    }
    // The youngest first: so the oldest child is handed in first.
    for_each_released(graph_, node - phase_->first, missing_, [&](std::uint32_t successor) {
      const TaskIndex ready = phase_->first + successor;
      if (ready == next) return;
      if (script_.created_in[ready] == node) {
        workers_[w].stack.push_back(ready);
      } else {
        hand_over(w, ready, clock);
      }
    });
  }

  void hand_over(std::uint32_t w, TaskIndex ready, double& clock) {
    if (script_.kind[ready] == Script::Kind::task) return put(w, ready, clock);
    const bool in_a_thread =
        script_.thread[ready] >= 0 && script_.created_in[ready] == Script::none;
    wake(in_a_thread ? thread_of(ready) : stack_of_[ready], clock);
  }

  // What the worker waited for has come.
  void wake(std::size_t w, double clock) {
    const auto index = static_cast<std::uint32_t>(w);
    if (!idle_.is_idle(index)) return;  // it looks when it has done what it is doing
    const Costs& costs = parameters_.costs;
    pass_time(clock);
    const double nanoseconds = idle_.is_asleep(index) ? costs.wake : costs.probe;
    leave_idle(index);
    comes(index, clock, nanoseconds);
  }

  /// The task that waits before a node of its own on a worker's stack.
  [[nodiscard]] TaskIndex task_of(TaskIndex node) const { return script_.scope[node]; }

  [[nodiscard]] std::size_t thread_of(TaskIndex node) const {
    return static_cast<std::size_t>(script_.thread[node]) % workers_.size();
  }

  [[nodiscard]] std::size_t creator_of(TaskIndex task) const {
    if (phase_->creation == Phase::Creation::single) return 0;
    return static_cast<std::size_t>(workload_.tasks[task].owner) % workers_.size();
  }

  void finish_outcome() {
    outcome_.fetched = demand_.fetched();
    const double span = outcome_.seconds;
    if (executor_) {
      outcome_.steals = executor_->steals();
      outcome_.remote_steals = executor_->remote_steals();
    }
    const double all = span * static_cast<double>(workers_.size());
    outcome_.idle_share = all > 0 ? std::max(0.0, 1 - outcome_.busy_seconds / all) : 0;
    const std::vector<double>& used = flows_.used();
    for (std::uint32_t r = 0; r < used.size(); ++r) {
      const double most = hardware_.sharing.capacity(r) * span;
      outcome_.loads.push_back({hardware_.resource_names()[r], most > 0 ? used[r] / most : 0});
    }
    const double rate = parameters_.core_mb_s * 1e6;
    for (const Phase& phase : workload_.phases) {
      if (!phase.measured) continue;
      for (TaskIndex task = phase.first; task < phase.end; ++task) {
        outcome_.alone_seconds += std::max(workload_.tasks[task].seconds, bytes_of(task) / rate);
      }
    }
  }

  // With caches, what a task moves depends on what ran before: then only what it must compute.
  [[nodiscard]] double bytes_of(TaskIndex task) const {
    if (workload_.reuses) return 0;
    double bytes = 0;
    for (const Access& access : workload_.accesses_of(task)) {
      const bool both = access.mode == policy::AccessMode::read_write;
      const bool only_writes = access.mode == policy::AccessMode::write;
      bytes += access.bytes * (both ? 2 : only_writes ? parameters_.write_factor : 1);
    }
    return bytes;
  }

  const Setup& setup_;
  const Workload& workload_;
  const Script& script_;
  const Parameters& parameters_;
  const double create_seconds_;
  Hardware hardware_;
  Flows flows_;
  std::vector<DomainId> homes_;  // by block, now
  Demand demand_;
  std::unique_ptr<Executor> executor_;
  Agenda agenda_;
  std::vector<Worker> workers_;
  IdleWorkers idle_;
  Random noise_;
  Outcome outcome_;

  const Phase* phase_ = nullptr;
  Graph graph_;
  std::vector<std::uint32_t> missing_;   // by task of the phase: what it waits for
  std::vector<std::uint32_t> stack_of_;  // by node of a script: the worker that has it there
  std::uint32_t unfinished_ = 0;
  std::size_t counter_ = 0;
  double counter_free_at_ = 0;
  double now_ = 0;
  double end_ = 0;
};

std::optional<Error> check_memory(const Setup& setup) {
  double needed = 0;
  for (const Block& block : setup.workload.blocks) {
    needed += static_cast<double>(block.bytes.count);
  }
  double there = 0;
  for (const machine::MemoryNode& node : setup.machine.memory) {
    there += static_cast<double>(node.total.count);
  }
  if (there <= 0 || needed <= there) return std::nullopt;
  const auto gib = [](double bytes) {
    return std::to_string(static_cast<std::uint64_t>(std::ceil(bytes / (1U << 30U)))) + " GiB";
  };
  return Error{"workload \"" + setup.workload.name + "\" needs " + gib(needed) + " and machine \"" +
               setup.machine.name + "\" has " + gib(there)};
}

}  // namespace

Result<Schedule> parse_schedule(std::string_view text, std::size_t domain_count) {
  if (text == "static") return Schedule{Schedule::Kind::static_loop, {}};
  if (text == "dynamic") return Schedule{Schedule::Kind::dynamic_loop, {}};
  auto choice = policy::parse_choice(text, domain_count);
  if (!choice) return Error{choice.error().sentence};
  return Schedule{Schedule::Kind::policy, choice.value()};
}

Result<Outcome> simulate(const Setup& setup) {
  if (auto problem = check_memory(setup)) return *problem;
  return Simulation(setup).run();
}

std::vector<CoreId> compact_cores(const machine::Machine& machine, std::size_t workers) {
  std::vector<CoreId> cores;
  for (const machine::Domain& domain : machine.domains) {
    cores.insert(cores.end(), domain.cores.begin(), domain.cores.end());
  }
  std::vector<CoreId> result;
  for (std::size_t w = 0; w < workers; ++w) result.push_back(cores[w % cores.size()]);
  return result;
}

}  // namespace lares::simulate
