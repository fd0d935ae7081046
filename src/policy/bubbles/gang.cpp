// Each team whole into one part of the machine that has a core for each of its threads, the parts
// in turn. Within its part the operating system places the threads.
#include <algorithm>
#include <vector>

#include "policy/bubbles/catalogue.hpp"
#include "policy/bubbles/share.hpp"

namespace lares::policy::bubbles {
namespace {

/// The smallest queues that have a core for each thread, or else the whole machine.
std::vector<RunQueueId> fitting(const RunQueues& queues, std::size_t threads) {
  std::vector<RunQueueId> fit = {queues.whole()};
  for (std::size_t i = 1; i < queues.size(); ++i) {
    const RunQueueId queue{i};
    const std::size_t cores = queues[queue].cores.size();
    const std::size_t best = queues[fit.front()].cores.size();
    if (cores < threads || cores > best) continue;
    if (cores < best) fit.clear();
    fit.push_back(queue);
  }
  return fit;
}

/// Teams whose queue has cores in common with `queue`.
std::size_t gangs_in(const Forest& forest, EntityId gang, RunQueueId queue) {
  std::vector<EntityId> others;
  for (const EntityId thread : forest.threads()) {
    const EntityId team = forest[thread].parent;
    const RunQueueId at = forest[thread].queue;
    if (team == gang || !at.valid()) continue;
    const RunQueues& queues = forest.queues();
    if (!queues.contains(queue, at) && !queues.contains(at, queue)) continue;
    if (std::ranges::find(others, team) == others.end()) others.push_back(team);
  }
  return others.size();
}

class GangScheduler final : public BubbleScheduler {
 public:
  void on_submit(Forest& forest, EntityId bubble) override {
    const std::vector<RunQueueId> fit = fitting(forest.queues(), forest.threads_of(bubble).size());
    const RunQueueId best = *std::ranges::min_element(
        fit, {}, [&](RunQueueId queue) { return gangs_in(forest, bubble, queue); });
    put_whole(forest, bubble, best);
  }
  // What a team leaves is for another at once.
  [[nodiscard]] bool keeps_teams() const override { return false; }
  // Where there are more teams than parts, a part that is free by now goes to one that shares its
  // own.
  void on_tick(Forest& forest, EntityId bubble) override {
    const RunQueueId own = forest[bubble].queue;
    if (!own.valid()) return on_submit(forest, bubble);
    for (const RunQueueId queue : fitting(forest.queues(), forest.threads_of(bubble).size())) {
      if (gangs_in(forest, bubble, queue) < gangs_in(forest, bubble, own)) {
        return put_whole(forest, bubble, queue);
      }
    }
  }

 private:
  static void put_whole(Forest& forest, EntityId bubble, RunQueueId queue) {
    put_bubbles(forest, bubble, queue);
    for (const EntityId thread : forest.threads_of(bubble)) forest.put(thread, queue);
    // A team within another is a gang of its own, and its master leaves the outer one's part.
    for (EntityId around = forest[bubble].parent; around.valid(); around = forest[around].parent) {
      forest.put(around, forest.queues().whole());
    }
  }
};

}  // namespace

BubbleSchedulerEntry gang() noexcept {
  return {.name = "gang",
          .source = "BubbleSched",
          .summary = "each team whole into one part of the machine that fits it, the parts in turn",
          .make = &make<GangScheduler>};
}

}  // namespace lares::policy::bubbles
