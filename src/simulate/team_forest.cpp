#include "simulate/team_forest.hpp"

#include <algorithm>
#include <cassert>

#include "policy/bubbles/theft.hpp"

namespace lares::simulate {

using policy::EntityId;

TeamForest::TeamForest(const machine::Machine& machine, const TeamPlan& plan)
    : plan_(plan),
      queues_(machine),
      forest_(queues_),
      scheduler_(policy::find_bubble_scheduler(plan.scheduler)->make()) {
  scheduler_->on_start(forest_);
  place();
  find_data();
  attach_data();
  if (!plan.shakes) return;
  scheduler_->on_shake(forest_, outer_);
  shaken_ = take_moves();
}

void TeamForest::place() {
  outer_ = forest_.add_bubble();
  std::vector<EntityId> masters;
  for (std::size_t t = 0; t < plan_.teams.size(); ++t) {
    masters.push_back(forest_.add_thread(outer_));
  }
  scheduler_->on_submit(forest_, outer_);
  for (std::size_t t = 0; t < plan_.teams.size(); ++t) {
    first_.push_back(threads_.size());
    const EntityId team = forest_.enclose(masters[t]);
    for (std::size_t i = 1; i < plan_.teams[t].threads; ++i) forest_.add_thread(team);
    scheduler_->on_submit(forest_, team);
    teams_.push_back(team);
    for (const EntityId thread : forest_.threads_of(team)) threads_.push_back(thread);
  }
  first_.push_back(threads_.size());
  forest_.take_moves();
}

void TeamForest::find_data() {
  for (std::size_t t = 0; t < plan_.teams.size(); ++t) {
    for (std::size_t i = 0; i < plan_.teams[t].threads; ++i) {
      std::vector<DomainId>& pieces = data_.emplace_back();
      for (const std::size_t other : plan_.teams[t].touched_by) {
        const std::size_t worker = first_[other] + i % plan_.teams[other].threads;
        pieces.push_back(queues_[forest_[threads_[worker]].queue].domain);
      }
    }
  }
}

void TeamForest::attach_data() {
  for (std::size_t t = 0; t < plan_.teams.size(); ++t) {
    for (std::size_t w = first_[t]; w < first_[t + 1]; ++w) {
      const double piece = plan_.teams[t].bytes / static_cast<double>(data_[w].size());
      for (const DomainId domain : data_[w]) {
        forest_.attach(threads_[w], domain, static_cast<std::uint64_t>(piece));
      }
    }
  }
}

CoreId TeamForest::core_of(std::size_t worker) const {
  const policy::RunQueueId queue = forest_[threads_[worker]].queue;
  assert(queues_.is_core(queue));
  return queues_[queue].cores.front();
}

std::vector<CoreId> TeamForest::idle_cores() const {
  std::vector<bool> is_busy(queues_[queues_.whole()].cores.size());
  for (std::size_t w = 0; w < threads_.size(); ++w) {
    if (forest_[threads_[w]].load > 0) is_busy[core_of(w).index()] = true;
  }
  std::vector<CoreId> idle;
  for (std::size_t core = 0; core < is_busy.size(); ++core) {
    if (!is_busy[core]) idle.emplace_back(core);
  }
  return idle;
}

std::vector<TeamForest::Move> TeamForest::steal() {
  const std::vector<CoreId> idle = idle_cores();
  if (idle.empty() || plan_.stealing == Stealing::none) return {};
  if (plan_.stealing == Stealing::decided) {
    scheduler_->on_idle(forest_, idle);
  } else {
    take_from_victim(idle);
  }
  return take_moves();
}

void TeamForest::take_from_victim(std::span<const CoreId> idle) {
  policy::Theft theft(forest_);
  const auto teams = theft.crowded_in(queues_.whole());
  const auto victim = std::ranges::find(teams, teams_[plan_.victim], &policy::CrowdedTeam::team);
  if (victim != teams.end()) theft.take_half(*victim, idle, plan_.brings_data);
}

std::vector<TeamForest::Move> TeamForest::take_moves() {
  std::vector<Move> moves;
  for (const policy::ThreadMove& move : forest_.take_moves()) {
    const auto thread = std::ranges::find(threads_, move.thread);
    moves.push_back({static_cast<std::size_t>(thread - threads_.begin()),
                     queues_[move.to].cores.front(), move.with_data});
  }
  return moves;
}

}  // namespace lares::simulate
