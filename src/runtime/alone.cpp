#include "runtime/alone.hpp"

#include "runtime/execution.hpp"
#include "runtime/finding.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

namespace {

// The root place is the one that every worker visits.
void gather(Team& team, const Worker& self) noexcept {
  SharedQueue& root = *team.queues[0];
  for (const auto& worker : team.members()) {
    if (worker.get() == &self) continue;
    while (Task* task = worker->deque.steal(nullptr)) root.push(*task);
  }
  for (const auto& queue : team.queues) {
    if (queue == nullptr || queue.get() == &root) continue;
    while (Task* task = queue->take(nullptr, true)) root.push(*task);
  }
}

}  // namespace

void be_alone_after_fork() noexcept {
  std::int32_t gone = 0;  // with the teams that the child still has to leave, nobody is left
  for (Worker* worker = this_worker(); worker != nullptr; worker = worker->outer) {
    gone += static_cast<std::int32_t>(worker->team->size()) - 1;
  }
  Team::in_teams.store(gone, std::memory_order_relaxed);
  for (Worker* worker = this_worker(); worker != nullptr; worker = worker->outer) {
    Team& team = *worker->team;
    team.alone = true;
    team.prioritised.renew_after_fork();
    for (const auto& queue : team.queues) {
      if (queue != nullptr) queue->renew_after_fork();
    }
    gather(team, *worker);
  }
}

void run_all_alone(Worker& worker) noexcept {
  for (;;) {
    Task* task = find_work(worker);
    if (task == nullptr) {
      gather(*worker.team, worker);
      task = worker.team->queues[0]->take(worker.constraint, true);
    }
    if (task == nullptr) return;
    execute(worker, *task);
  }
}

}  // namespace lares::runtime
