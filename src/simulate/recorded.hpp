// The threads of a recorded program: they create, compute and wait as its script says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/creators.hpp"

namespace lares::simulate {

/// A worker also goes on with tasks that it has begun, which is what its stack holds.
class Recorded final : public Creators {
 public:
  Recorded(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome);
  void next(std::uint32_t worker, double clock) override;

 private:
  struct Begun {
    /// What it goes on with in tasks that it has begun, innermost last: a child to hand in, or the
    /// part that waits for others. Only this worker can: they are on its stack.
    std::vector<TaskIndex> stack;
    bool arrived = false;  // at the next node of its thread, which waits for others
  };

  void deal() override;
  void release(std::uint32_t worker, TaskIndex node, double& clock) override;
  [[nodiscard]] TaskTeam::Reach reach(std::uint32_t worker) const override;
  [[nodiscard]] bool is_held_up(std::uint32_t worker) const override {
    return begun_[worker].arrived || !begun_[worker].stack.empty();
  }

  void resume(std::uint32_t worker, double clock);
  void follow(std::uint32_t worker, double clock);
  void create_children(std::uint32_t worker, TaskIndex node, double& clock);
  void hand_over(std::uint32_t worker, TaskIndex ready, double& clock);
  /// The node is a thread's, not in a task.
  [[nodiscard]] bool is_of_thread(TaskIndex node) const {
    return script_.thread[node] >= 0 && script_.created_in[node] == Script::none;
  }
  [[nodiscard]] std::size_t thread_of(TaskIndex node) const {
    return static_cast<std::size_t>(script_.thread[node]) % workers();
  }

  const Script& script_;
  std::vector<Begun> begun_;             // by worker
  std::vector<std::uint32_t> stack_of_;  // by node: the worker that has it there
};

}  // namespace lares::simulate
