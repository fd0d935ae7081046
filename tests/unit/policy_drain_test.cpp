// The promise behind every choice that is not excluded: each task is found by somebody.
#include <gtest/gtest.h>

#include "policy_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;

/// The smallest executor: counts of tasks per place, and workers that take turns at random.
class Executor final : public QueueLengths {
 public:
  Executor(const Machine& m, const std::vector<CoreId>& cores, const Entry<Push>& push,
           const Entry<Steal>& steal, std::uint64_t seed)
      : machine_(m), places_(m, cores), queued_(places_.size(), 0), random_(seed) {
    for (std::size_t w = 0; w < cores.size(); ++w) {
      pushes_.push_back(push.make());
      steals_.push_back(steal.make());
    }
  }

  [[nodiscard]] std::uint32_t length(PlaceId place) const noexcept override {
    return queued_[place.index()];
  }

  /// A random worker makes a task with random data ready.
  void push_one() {
    const std::size_t self = any_worker();
    std::vector<DataHome> data;
    for (std::uint32_t n = random_.below(4); n > 0; --n) {
      const auto mode = static_cast<AccessMode>(random_.below(4));
      const auto home = random_.below(static_cast<std::uint32_t>(machine_.domains.size()));
      data.push_back(random_.below(5) == 0 ? homeless(mode) : datum(mode, home));
    }
    const PlaceId place = pushes_[self]->on_ready(view(self), ReadyTask{data});
    ASSERT_TRUE(place.valid() && place.index() < places_.size());
    ++queued_[place.index()];
    ++waiting_;
  }

  /// A random worker looks for a task: in its own place, then where its steal policy sends it.
  void run_one() {
    const std::size_t self = any_worker();
    if (take(places_.of(worker(self)))) return;
    std::vector<PlaceId> storage(steals_[self]->max_victims(places_));
    Victims victims(storage);
    steals_[self]->on_idle(view(self), victims);
    for (const PlaceId victim : victims.list()) {
      if (take(victim)) return;
    }
  }

  [[nodiscard]] std::size_t waiting() const { return waiting_; }

 private:
  View view(std::size_t self) {
    return {.places = places_, .lengths = *this, .self = worker(self), .random = random_};
  }
  std::size_t any_worker() {
    return random_.below(static_cast<std::uint32_t>(places_.worker_count()));
  }
  bool take(PlaceId place) {
    if (queued_[place.index()] == 0) return false;
    --queued_[place.index()];
    --waiting_;
    return true;
  }

  const Machine& machine_;
  Places places_;
  std::vector<std::uint32_t> queued_;
  std::size_t waiting_ = 0;
  Random random_;
  std::vector<std::unique_ptr<Push>> pushes_;
  std::vector<std::unique_ptr<Steal>> steals_;
};

void expect_drained(const Machine& m, const std::vector<CoreId>& cores, const Entry<Push>& push,
                    const Entry<Steal>& steal, std::uint64_t seed) {
  Executor executor(m, cores, push, steal, seed);
  constexpr int tasks = 40;
  for (int i = 0; i < tasks; ++i) {
    executor.push_one();
    executor.run_one();
  }
  // Every task waits for one worker at worst: 12 workers, 8 domains, and the luck of both draws.
  for (int turn = 0; turn < 40000 && executor.waiting() > 0; ++turn) executor.run_one();
  EXPECT_EQ(executor.waiting(), 0U) << push.name << " + " << steal.name << ", seed " << seed;
}

TEST(Drain, EveryChoiceThatIsNotExcludedRunsEveryTask) {
  Random random(12);
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Machine m = random_machine(random);
    const auto cores = random_team(m, random);
    for (const auto& push : pushes()) {
      for (const auto& steal : steals()) {
        if (fit(push, steal) != Fit::excluded) expect_drained(m, cores, push, steal, i);
      }
    }
  }
}

TEST(Drain, EveryChoiceDrainsTheMachineOfThePaper) {
  const Machine m = machine_of(std::vector<std::size_t>(24, 8));
  for (const auto& push : pushes()) {
    for (const auto& steal : steals()) {
      if (fit(push, steal) != Fit::excluded) {
        expect_drained(m, one_worker_per_core(m), push, steal, 1);
      }
    }
  }
}

// The other half of the promise: what is excluded would strand tasks, so nothing is excluded
// without need.
TEST(Drain, ExcludedChoicesStrandTasks) {
  const Machine m = machine_of({2, 2});
  for (const auto& push : pushes()) {
    for (const auto& steal : steals()) {
      if (fit(push, steal) != Fit::excluded) continue;
      Executor executor(m, one_worker_per_core(m), push, steal, 3);
      for (int i = 0; i < 40; ++i) executor.push_one();
      for (int turn = 0; turn < 4000; ++turn) executor.run_one();
      EXPECT_GT(executor.waiting(), 0U) << push.name << " + " << steal.name;
    }
  }
}

// A balanced choice lets one worker run everything that the others have left behind.
TEST(Drain, OneWorkerCanRunAllTasksOfABalancedChoice) {
  const Machine m = machine_of({2, 2, 1});
  for (const auto& push : pushes()) {
    for (const auto& steal : steals()) {
      if (fit(push, steal) != Fit::balanced) continue;
      Team team(m);
      const auto pusher = push.make();
      const auto thief = steal.make();
      std::vector<std::uint32_t>& queued = team.lengths.values;
      for (std::size_t i = 0; i < 50; ++i) {
        const std::vector<DataHome> data = {datum(AccessMode::write, i % 3)};
        ++queued[pusher->on_ready(team.view(i % 5), ReadyTask{data}).index()];
      }
      for (int round = 0; round < 500; ++round) {
        queued[team.of_worker(4).index()] = 0;
        std::vector<PlaceId> storage(thief->max_victims(team.places));
        Victims victims(storage);
        thief->on_idle(team.view(4), victims);
        for (const PlaceId victim : victims.list()) queued[victim.index()] = 0;
      }
      EXPECT_EQ(std::ranges::count(queued, 0U), std::ssize(queued)) << push.name << steal.name;
    }
  }
}

}  // namespace
}  // namespace lares::policy
