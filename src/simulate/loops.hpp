// Loops without any tasks: schedule(static) and schedule(dynamic).
#pragma once

#include <cstddef>
#include <vector>

#include "simulate/course.hpp"

namespace lares::simulate {

/// Each worker runs the iterations that it owns, in order. Also the course of bound threads, each
/// with a program of its own.
class StaticLoop final : public Course {
 public:
  StaticLoop(const Setup& setup, Execution& execution, Agenda& agenda)
      : Course(setup, execution, agenda),
        own_(setup.cores.size()),
        left_(setup.workload.rebindings) {}
  void next(std::uint32_t worker, double clock) override;

 private:
  struct Own {
    std::vector<TaskIndex> tasks;
    std::size_t next = 0;
    [[nodiscard]] bool is_through() const { return next == tasks.size(); }
  };
  void prepare(double now) override;
  void rebind(double now);

  std::vector<Own> own_;         // by worker
  std::vector<Rebinding> left_;  // of the workload's
};

/// Workers fetch the next iteration from a counter, which serves one after another.
class DynamicLoop final : public Course {
 public:
  using Course::Course;
  void next(std::uint32_t worker, double clock) override;

 private:
  void prepare(double now) override;

  std::uint32_t counter_ = 0;
  double free_at_ = 0;  // the counter
};

}  // namespace lares::simulate
