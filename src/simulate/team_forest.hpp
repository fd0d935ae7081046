// The objects of policy/bubbles/ under the simulated machine: they place teams, and move threads
// when cores idle.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "machine/machine.hpp"
#include "policy/bubbles/scheduler.hpp"
#include "simulate/team_plan.hpp"

namespace lares::simulate {

/// The forest of a plan. Workers are the teams' threads, team by team.
class TeamForest {
 public:
  /// What a scheduler says of a worker.
  struct Move {
    std::size_t worker = 0;
    CoreId core;
    bool with_data = false;
  };

  /// Places all teams: the outer one, then each inner one where its master is, then as their data
  /// asks if the plan says so. Precondition: the plan's scheduler exists.
  TeamForest(const machine::Machine& machine, const TeamPlan& plan);

  [[nodiscard]] std::size_t workers() const noexcept { return threads_.size(); }
  /// A team's first worker; of their number: the number of all workers.
  [[nodiscard]] std::size_t first_of(std::size_t team) const noexcept { return first_[team]; }
  [[nodiscard]] CoreId core_of(std::size_t worker) const;
  /// Where the pieces of a worker's data are at the start.
  [[nodiscard]] std::span<const DomainId> data_of(std::size_t worker) const noexcept {
    return data_[worker];
  }
  /// Those that the shake moved.
  [[nodiscard]] const std::vector<Move>& shaken() const noexcept { return shaken_; }

  /// A worker's rounds that are not over; 0: it has ended.
  void set_left(std::size_t worker, std::size_t rounds) {
    forest_.set_load(threads_[worker], static_cast<double>(rounds));
  }
  /// Some cores may have nothing to run: answers who goes where.
  std::vector<Move> steal();

 private:
  void place();
  void find_data();
  void attach_data();
  void take_from_victim(std::span<const CoreId> idle);
  [[nodiscard]] std::vector<CoreId> idle_cores() const;
  std::vector<Move> take_moves();

  const TeamPlan& plan_;
  policy::RunQueues queues_;
  policy::Forest forest_;
  std::unique_ptr<policy::BubbleScheduler> scheduler_;
  policy::EntityId outer_;
  std::vector<policy::EntityId> teams_;
  std::vector<policy::EntityId> threads_;  // by worker
  std::vector<std::size_t> first_;
  std::vector<std::vector<DomainId>> data_;  // by worker
  std::vector<Move> shaken_;
};

}  // namespace lares::simulate
