// Who descends from whom: against a plain walk, and while ancestors complete and their descriptors
// are used again.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "runtime/ancestry.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

bool walks_to(const Task& task, const Task& ancestor) {
  const Task* at = &task;
  while (at != nullptr && at != &ancestor) at = at->parent.load();
  return at == &ancestor;
}

std::size_t pick(Random& random, std::size_t below) {
  return random.below(static_cast<std::uint32_t>(below));
}

// Steps of the walk in an unchanged tree: what descends_from() does, counted from outside.
std::size_t steps_to(const Task& task, const Task& ancestor) {
  std::size_t steps = 0;
  for (const Task* at = &task; at->depth > ancestor.depth; ++steps) {
    const Task* jump = at->jump;
    at = jump != nullptr && jump->depth >= ancestor.depth ? jump : at->parent.load();
  }
  return steps;
}

TEST(Ancestry, AnswersAsAPlainWalkDoesInRandomTrees) {
  Random random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<Task>> tasks;
    tasks.push_back(std::make_unique<Task>());
    tasks.push_back(std::make_unique<Task>());  // a second root
    for (int i = 0; i < 400; ++i) {
      // Mostly below the newest, so that the tree is deep.
      const std::size_t back = pick(random, random.below(4) == 0 ? tasks.size() : 3);
      Task& parent = *tasks[tasks.size() - 1 - std::min(back, tasks.size() - 1)];
      tasks.push_back(std::make_unique<Task>());
      become_child(*tasks.back(), parent);
    }
    for (int i = 0; i < 4000; ++i) {
      const Task& task = *tasks[pick(random, tasks.size())];
      const Task& above = *tasks[pick(random, tasks.size())];
      ASSERT_EQ(descends_from(task, above), walks_to(task, above));
    }
  }
}

TEST(Ancestry, AMillionLevelsAreFewSteps) {
  constexpr std::size_t depth = 1'000'000;
  std::vector<Task> line(depth);
  for (std::size_t i = 1; i < depth; ++i) become_child(line[i], line[i - 1]);
  Random random(3);
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::size_t low = pick(random, depth);
    const std::size_t high = pick(random, low + 1);
    ASSERT_TRUE(descends_from(line[low], line[high]));
    most = std::max(most, steps_to(line[low], line[high]));
  }
  EXPECT_TRUE(descends_from(line[depth - 1], line[0]));
  EXPECT_LE(most, 60U);  // three times log2 of the depth is Myers' bound
}

// --- with completed ancestors ---

void chain(Worker& worker, int length, std::atomic<int>& ran) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (length == 1) return;
  host::spawn(worker, [length, &ran](Worker& runner) { chain(runner, length - 1, ran); });
}

class Chains : public testing::TestWithParam<std::size_t> {
 protected:
  const host::Machine machine_{{2, 2}};
};
INSTANTIATE_TEST_SUITE_P(Threads, Chains,
                         testing::Values(std::size_t{1}, std::size_t{2}, std::size_t{8}));

// Each thread waits in a group for a chain of tasks that make their successor and end: none of them
// could be run by anybody if distance from the waiting task were a reason to refuse.
TEST_P(Chains, BelowAGroupEndHoweverLong) {
  static constexpr int length = 20'000;
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> ran{0};
    host::region(GetParam(), [&ran](Worker& worker) {
      begin_group(worker);
      host::spawn(worker, [&ran](Worker& runner) { chain(runner, length, ran); });
      end_group(worker);
    });
    ASSERT_EQ(ran.load(), length * static_cast<int>(GetParam()));
  }
}

// The same with a wait at each level, so that every ancestor is alive and suspended.
void nest(Worker& worker, int depth, std::atomic<int>& ran) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (depth == 1) return;
  host::spawn(worker, [depth, &ran](Worker& runner) { nest(runner, depth - 1, ran); });
  taskwait(worker);
}

TEST_P(Chains, OfWaitingTasksBelowAGroupEnd) {
  static constexpr int depth = 2'000;
  std::atomic<int> ran{0};
  host::region(GetParam(), [&ran](Worker& worker) {
    begin_group(worker);
    host::spawn(worker, [&ran](Worker& runner) { nest(runner, depth, ran); });
    end_group(worker);
  });
  ASSERT_EQ(ran.load(), depth * static_cast<int>(GetParam()));
}

// A tree of tasks that make children and end at once or wait, so that descriptors of completed
// ancestors are freed and used again while others walk over them.
void sprout(Worker& worker, std::uint32_t seed, int depth, std::atomic<int>& ran) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (depth == 0) return;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::uint32_t below = seed * 2654435761U + i;
    host::spawn(worker,
                [below, depth, &ran](Worker& runner) { sprout(runner, below, depth - 1, ran); });
  }
  if ((seed >> 20U) % 4 == 0) taskwait(worker);
}

TEST_P(Chains, TreesOfTasksThatEndBeforeTheirChildrenEnd) {
  static constexpr int depth = 8;
  static constexpr int tasks_of_one = 9841;  // (3^9 - 1) / 2
  for (std::uint32_t round = 0; round < 5; ++round) {
    std::atomic<int> ran{0};
    host::region(GetParam(), [&ran, round](Worker& worker) {
      const auto seed = round * 31 + static_cast<std::uint32_t>(worker.id.index());
      begin_group(worker);
      host::spawn(worker, [&ran, seed](Worker& runner) { sprout(runner, seed, depth, ran); });
      end_group(worker);
    });
    ASSERT_EQ(ran.load(), tasks_of_one * static_cast<int>(GetParam()));
  }
}

}  // namespace
}  // namespace lares::runtime
