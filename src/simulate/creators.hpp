// Threads that create tasks and then run them: what a policy schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decide/help.hpp"
#include "decide/hold.hpp"
#include "simulate/course.hpp"
#include "simulate/graph.hpp"
#include "simulate/opinions.hpp"
#include "simulate/task_team.hpp"

namespace lares::simulate {

/// One creator, or each owner of tasks, makes them in order; then it runs some like all others.
class Creators : public Course {
 public:
  Creators(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome);
  void next(std::uint32_t worker, double clock) override;
  bool comes_back(double now) override { return team_.comes_back(now); }
  [[nodiscard]] TaskTeam& team() { return team_; }

 protected:
  struct Thread {
    std::vector<TaskIndex> list;   // to create
    std::size_t next = 0;          // in it
    std::uint32_t unfinished = 0;  // tasks that it created
    decide::Help help{};           // before it creates the next
    decide::WaitBudget budget{};
    [[nodiscard]] bool is_through() const { return next == list.size(); }
  };

  void prepare(double now) override;
  void complete(const Interval& task, double& clock) override;
  /// Deals the phase's tasks to the threads' lists.
  virtual void deal();
  /// What is done with a task that has ended, and is released by it.
  virtual void release(std::uint32_t worker, TaskIndex task, double& clock);
  [[nodiscard]] virtual TaskTeam::Reach reach(std::uint32_t worker) const;
  /// True if it may not go on creating before something else has ended.
  [[nodiscard]] virtual bool is_held_up(std::uint32_t /*worker*/) const { return false; }

  void create(std::uint32_t worker, double clock);
  /// Hands a new task in whose predecessors have completed. True if its creator runs it now.
  bool runs_new(std::uint32_t worker, TaskIndex task, double& clock);
  void search(std::uint32_t worker, double clock);
  /// What the task of the phase still waits for.
  [[nodiscard]] std::uint32_t& missing(TaskIndex task) { return missing_[task - phase().first]; }
  /// The task is done: `released(task)` for each that waits for nothing any more.
  template <class Released>
  void release_successors(TaskIndex task, Released released) {
    for_each_released(graph_, task - phase().first, missing_,
                      [&](std::uint32_t successor) { released(phase().first + successor); });
  }

  TaskTeam team_;
  const double create_seconds_;
  Graph graph_;
  std::vector<Thread> threads_;  // by worker

 private:
  class Creating;
  using Origin = TaskTeam::Origin;
  bool helps(std::uint32_t worker, double& clock);
  /// Whether the phase's tasks are made by one who has opinions of them.
  [[nodiscard]] bool asks() const;
  /// Forms an opinion of a new task, and answers whether it is to wait for others of its series.
  bool is_to_be_held(std::uint32_t worker, TaskIndex task, double& clock);
  /// Hands in what is held: now it is known where it belongs, or never.
  void deal_out(std::uint32_t worker, double& clock);
  void stop_going_on(double clock);
  void put_dealt(std::uint32_t worker, const std::vector<Opinions::Dealt>& tasks, double& clock);
  /// A task that is ready waits for others of its series, unless it is run for a trial.
  void hold(std::uint32_t worker, TaskIndex task, double& clock);
  void judge(const Interval& ended, double& clock);
  void count_opinion(TaskIndex task);

  Outcome& outcome_;
  Opinions opinions_;
  decide::Hold::Next trial_ = decide::Hold::Next::keep;  // what the creator runs for a trial
  bool trial_is_new_ = false;                            // it comes to memory that is nowhere yet
  std::vector<DomainId> opinion_of_;                     // by task
  std::vector<std::uint32_t> missing_;                   // by task of the phase
};

}  // namespace lares::simulate
