// Loops without any tasks: schedule(static), schedule(dynamic), and the latter as `lares run
// --loops numa` divides it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "decide/loops.hpp"
#include "policy/places.hpp"
#include "simulate/course.hpp"
#include "simulate/team_forest.hpp"

namespace lares::simulate {

/// What all of them share: a recorded loop's home map is the static one, as decide/loops.hpp says.
class Loop : public Course {
 public:
  Loop(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome);

 protected:
  /// Counts a task of a measured phase by where it ran: at home with `home` or elsewhere.
  void count(const Interval& task, WorkerId home);
  void complete(const Interval& task, double& clock) override;
  /// The worker in whose static part a recorded loop's piece is.
  [[nodiscard]] WorkerId home_of(TaskIndex piece) const;
  [[nodiscard]] DomainId domain_of(std::uint32_t worker) const;

  Outcome& outcome_;
  policy::Places places_;
};

/// Each worker runs the iterations that it owns, in order. Also the course of bound threads, each
/// with a program of its own, which a bubble scheduler may move.
class StaticLoop final : public Loop {
 public:
  StaticLoop(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome)
      : Loop(setup, execution, agenda, outcome), own_(setup.cores.size()) {
    if (!workload().teams.teams.empty()) teams_.emplace(setup.machine, workload().teams);
  }
  void next(std::uint32_t worker, double clock) override;

 private:
  struct Own {
    std::vector<TaskIndex> tasks;
    std::size_t next = 0;
    [[nodiscard]] bool is_through() const { return next == tasks.size(); }
  };
  void prepare(double now) override;
  void shake(double now);
  void steal(double now);

  std::vector<Own> own_;             // by worker
  std::optional<TeamForest> teams_;  // if the workers are teams
};

/// Workers fetch the next iteration from a counter, which serves one after another.
class DynamicLoop final : public Loop {
 public:
  using Loop::Loop;
  void next(std::uint32_t worker, double clock) override;

 private:
  void prepare(double now) override;

  std::uint32_t counter_ = 0;
  double free_at_ = 0;  // the counter
};

/// Every worker begins with its static part, and robs others when that is over: decide/loops.hpp,
/// as runtime/loops.cpp carries it out. Iterations are the phase's tasks as they are numbered,
/// whatever the order in which a creator would make them.
class NumaLoop final : public Loop {
 public:
  NumaLoop(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome);
  void next(std::uint32_t worker, double clock) override;

 private:
  struct Own {
    decide::LoopRange left;   // chunks
    decide::LoopRange taken;  // iterations, of which it runs one after the other
    bool is_begun = false;    // by the worker or a thief
    bool has_waited = false;  // for a late worker
    Random random{0};
  };
  struct Look;

  void prepare(double now) override;
  void complete(const Interval& task, double& clock) override;
  void rob(std::uint32_t worker, double clock);
  void steal(std::uint32_t worker, WorkerId from);

  decide::LoopShape shape_;
  bool last_is_left_ = false;  // the loop's last chunk, which is in nobody's range
  std::vector<Own> own_;       // by worker
};

}  // namespace lares::simulate
