// Workers of a team that look for tasks, fall asleep without any, and are told of new ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/agenda.hpp"
#include "simulate/execution.hpp"
#include "simulate/executor.hpp"
#include "simulate/idle_workers.hpp"

namespace lares::simulate {

/// An Executor's decisions in time.
class TaskTeam {
 public:
  /// What the task scheduling constraint leaves to a worker that looks for a task.
  struct Reach {
    bool all = false;                ///< it waits at a barrier
    TaskIndex under = Script::none;  ///< else what descends from this; none: from its own thread
  };

  /// Where a worker has a task from.
  enum class Origin : std::uint8_t {
    unseen,   ///< it creates it and runs it at once, or goes on with it
    refused,  ///< the same, because the place that was chosen is full
    queue
  };

  TaskTeam(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome);

  Executor& executor() { return executor_; }
  /// How many look for tasks or sleep.
  [[nodiscard]] std::size_t idle() const { return idle_.count(); }
  void begin(const Phase& phase);
  void start(std::uint32_t worker, TaskIndex task, double clock, Origin origin);
  void ended(const Interval& task);
  /// Puts a ready task where it is decided, and tells who may take it. With `may_run`, false if the
  /// worker shall run it itself.
  bool put(std::uint32_t worker, TaskIndex task, bool may_run, double& clock);
  /// Looks for a task; false if there is none, else it has started.
  bool search(std::uint32_t worker, Reach reach, double& clock);
  /// It has looked in vain, and looks again when it is told or after a while.
  void wait(std::uint32_t worker, double clock);
  /// It need not look any more.
  void go_on(std::uint32_t worker);
  /// Around what the worker does, for Setup::steps.
  void begin_step(Step::Kind kind, std::uint32_t worker, TaskIndex task, double clock);
  void end_step(std::optional<TaskIndex> found);
  /// Wakes one for what is queued anywhere: see decide::pass_on.
  void pass_on(std::uint32_t worker, double clock);
  /// What the worker waits for has come.
  void wake(std::uint32_t worker, double clock);
  /// Nobody has an event, and tasks are queued: those who sleep look when their time is over. False
  /// if there is nothing to look for.
  bool comes_back(double now);
  void finish();

 private:
  class Bedroom;
  struct Looking {
    std::uint32_t rounds = 0;  // fruitless looks in a row
    double since = 0;
  };
  struct Running {
    Locality how = Locality::local;
    Origin origin = Origin::unseen;
  };

  std::optional<TaskIndex> look(std::uint32_t worker, Reach reach, double& clock);
  [[nodiscard]] auto may_run(TaskIndex task) const {
    return [this, task](std::uint32_t worker) {
      return executor_.may_run(WorkerId{std::size_t{worker}}, task);
    };
  }
  void stop_looking(std::uint32_t worker);
  void pass_time(double clock);
  void notify(const Offer& offer, double clock);
  void look_later(DomainId domain, double clock);
  void comes(std::uint32_t worker, double clock, double nanoseconds);

  const Setup& setup_;
  Execution& execution_;
  Agenda& agenda_;
  Outcome& outcome_;
  Executor executor_;
  IdleWorkers idle_;
  std::vector<Looking> looking_;  // by worker
  std::vector<Running> running_;  // by worker
  bool measured_ = true;
};

}  // namespace lares::simulate
