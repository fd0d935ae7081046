// What simulated workers do from one task to the next, until a phase is over.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulate/agenda.hpp"
#include "simulate/execution.hpp"

namespace lares::simulate {

/// One way to get workers through a phase: loops, creators of tasks, the threads of a recording.
class Course {
 public:
  Course(const Setup& setup, Execution& execution, Agenda& agenda)
      : setup_(setup), execution_(execution), agenda_(agenda) {}
  Course(const Course&) = delete;
  Course& operator=(const Course&) = delete;
  virtual ~Course() = default;

  /// A phase with tasks begins: all workers are idle, and come at `now`.
  void begin(const Phase& phase, double now) {
    phase_ = &phase;
    unfinished_ = phase.end - phase.first;
    end_ = now;
    for (std::uint32_t w = 0; w < setup_.cores.size(); ++w) agenda_.set(w, now);
    prepare(now);
  }
  /// The worker has nothing to do: it starts a task, or its next event is set.
  virtual void next(std::uint32_t worker, double clock) = 0;
  /// A task has ended.
  void ended(const Interval& task) {
    double clock = task.end;
    complete(task, clock);
    if (!counts_down(clock)) next(static_cast<std::uint32_t>(task.worker.index()), clock);
  }
  /// All workers rest and there are tasks left: true if some come after all.
  virtual bool comes_back(double /*now*/) { return false; }

  [[nodiscard]] bool is_over() const { return unfinished_ == 0; }
  /// When the last task was done. Precondition: the phase is over.
  [[nodiscard]] double end() const { return end_; }

 protected:
  virtual void prepare(double now) = 0;
  /// Does what the end of a task brings about; `clock` moves on by what that takes.
  virtual void complete(const Interval& /*task*/, double& /*clock*/) {}
  /// One of the phase's tasks is done. True if it was the last.
  bool counts_down(double clock) {
    end_ = std::max(end_, clock);
    return --unfinished_ == 0;
  }
  void rest(std::uint32_t worker, double until) { agenda_.set(worker, until); }
  [[nodiscard]] std::size_t workers() const { return setup_.cores.size(); }
  [[nodiscard]] const Workload& workload() const { return setup_.workload; }
  [[nodiscard]] const Phase& phase() const { return *phase_; }
  /// The worker to whom a static schedule gives the task.
  [[nodiscard]] std::size_t owner_of(TaskIndex task) const {
    return static_cast<std::size_t>(workload().tasks[task].owner) % workers();
  }
  /// The phase's i-th task in the order of creation.
  [[nodiscard]] TaskIndex in_order(std::uint32_t i) const {
    return phase_->order.empty() ? phase_->first + i : phase_->order[i];
  }

  const Setup& setup_;
  Execution& execution_;
  Agenda& agenda_;

 private:
  const Phase* phase_ = nullptr;
  std::uint32_t unfinished_ = 0;
  double end_ = 0;
};

}  // namespace lares::simulate
