// The machine's run queues, and the tree of bubbles and threads in them.
#include <gtest/gtest.h>

#include "policy_bubbles_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;

std::vector<CoreId> cores(std::initializer_list<std::size_t> numbers) {
  std::vector<CoreId> list;
  for (const std::size_t number : numbers) list.emplace_back(number);
  return list;
}

// --- run queues

TEST(RunQueues, HaveThePartsOfTheMachineAndItsCores) {
  const RunQueues queues(machine_of({2, 2}));
  ASSERT_EQ(queues.size(), 1U + 2U + 4U);
  EXPECT_EQ(queues[queues.whole()].cores, cores({0, 1, 2, 3}));
  EXPECT_FALSE(queues[queues.whole()].parent.valid());
  EXPECT_FALSE(queues[queues.whole()].domain.valid());
  const RunQueue& node = queues[queues.of(domain(1))];
  EXPECT_EQ(node.level, Level::numa);
  EXPECT_EQ(node.domain, domain(1));
  EXPECT_EQ(node.children, (std::vector<RunQueueId>{queues.of(CoreId{2}), queues.of(CoreId{3})}));
  EXPECT_TRUE(queues.is_core(queues.of(CoreId{3})));
  EXPECT_FALSE(queues.is_core(queues.of(domain(0))));
}

TEST(RunQueues, ContainWhatIsBelow) {
  const RunQueues queues(machine_of({2, 2}));
  const RunQueueId core = queues.of(CoreId{2});
  EXPECT_TRUE(queues.contains(core, core));
  EXPECT_TRUE(queues.contains(queues.of(domain(1)), core));
  EXPECT_TRUE(queues.contains(queues.whole(), core));
  EXPECT_FALSE(queues.contains(queues.of(domain(0)), core));
  EXPECT_FALSE(queues.contains(core, queues.of(domain(1))));
}

TEST(RunQueues, LeaveOutWhatCannotBeUsed) {
  const RunQueues queues(machine_of({2, 2, 2}), cores({1, 4, 5}));
  EXPECT_EQ(queues[queues.whole()].cores, cores({1, 4, 5}));
  EXPECT_FALSE(queues.of(CoreId{0}).valid());
  EXPECT_EQ(queues.of(domain(0)), queues.of(CoreId{1})) << "a domain of one core";
  EXPECT_FALSE(queues.of(domain(1)).valid());
  EXPECT_EQ(queues[queues.of(domain(2))].cores, cores({4, 5}));
  EXPECT_EQ(queues.domain_count(), 3U);
}

TEST(RunQueues, NoUsableCoreMeansAll) {
  EXPECT_EQ(RunQueues(machine_of({2}), cores({7}))[RunQueueId{0}].cores, cores({0, 1}));
}

TEST(RunQueues, OneDomainIsTheWholeMachine) {
  const RunQueues queues(machine_of({2}));
  EXPECT_EQ(queues.of(domain(0)), queues.whole());
  EXPECT_EQ(queues[queues.whole()].domain, domain(0));
  EXPECT_EQ(queues.size(), 3U);
}

TEST(RunQueues, OneCoreIsTheWholeMachine) {
  const RunQueues queues(machine_of({1}));
  EXPECT_EQ(queues.size(), 1U);
  EXPECT_EQ(queues.of(CoreId{0}), queues.whole());
  EXPECT_TRUE(queues.is_core(queues.whole()));
}

TEST(RunQueues, DomainsThatTheTreeLeavesOutAreThere) {
  Machine m = machine_of({2, 2});
  m.tree.resize(1);
  const RunQueues queues(m);
  EXPECT_EQ(queues[queues.of(domain(1))].cores, cores({2, 3}));
}

TEST(RunQueues, DomainsOfOneNodeShareItsMemory) {
  Machine m = machine_of({2, 2, 1});
  m.domains[1].node = m.domains[0].node;
  m.domains[2].memory = Bytes{0};
  const RunQueues queues(m);
  EXPECT_EQ(queues.memory(domain(0)), Bytes{1U << 29U});
  EXPECT_EQ(queues.memory(domain(2)), Bytes{0});
}

TEST(RunQueuesProperty, ChildrenHoldEachCoreOnce) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Machine m = random_machine(random);
    std::vector<CoreId> usable;
    for (std::size_t c = 0; c < m.cores.size(); ++c) {
      if (random.below(3) != 0) usable.emplace_back(c);
    }
    const RunQueues queues(m, usable);
    for (std::size_t q = 0; q < queues.size(); ++q) {
      const RunQueue& queue = queues[RunQueueId{q}];
      EXPECT_LT(queue.parent, RunQueueId{q}) << "parents come first";
      if (queue.children.empty()) {
        EXPECT_EQ(queue.cores.size(), 1U);
        EXPECT_EQ(queues.of(queue.cores[0]), RunQueueId{q});
        continue;
      }
      EXPECT_GT(queue.children.size(), 1U);
      std::vector<CoreId> all;
      for (const RunQueueId child : queue.children) {
        EXPECT_EQ(queues[child].parent, RunQueueId{q});
        all.insert(all.end(), queues[child].cores.begin(), queues[child].cores.end());
      }
      std::ranges::sort(all);
      EXPECT_EQ(all, queue.cores);
    }
  }
}

// --- the forest

struct ForestTest : ::testing::Test {
  ForestTest() : queues(machine_of({2, 2})), forest(queues) {
    team = forest.add_bubble();
    for (int i = 0; i < 3; ++i) threads.push_back(forest.add_thread(team));
  }
  RunQueues queues;
  Forest forest;
  EntityId team;
  std::vector<EntityId> threads;
};

TEST_F(ForestTest, ARegionTakesTheThreadsPlace) {
  const EntityId inner = forest.enclose(threads[1]);
  EXPECT_EQ(forest[team].members, (std::vector<EntityId>{threads[0], inner, threads[2]}));
  EXPECT_EQ(forest[inner].parent, team);
  EXPECT_EQ(forest[threads[1]].parent, inner);
  const EntityId mate = forest.add_thread(inner);
  EXPECT_EQ(forest.threads_of(team),
            (std::vector<EntityId>{threads[0], threads[1], mate, threads[2]}));
  forest.remove(mate);
  forest.open(inner);
  EXPECT_EQ(forest[team].members, threads);
  EXPECT_EQ(forest[threads[1]].parent, team);
  EXPECT_FALSE(forest[inner].alive);
}

TEST_F(ForestTest, RemovalTakesTheMembersAlong) {
  const EntityId inner = forest.enclose(threads[1]);
  const EntityId mate = forest.add_thread(inner);
  forest.remove(inner);
  EXPECT_FALSE(forest[threads[1]].alive || forest[mate].alive || forest[inner].alive);
  EXPECT_EQ(forest[team].members, (std::vector<EntityId>{threads[0], threads[2]}));
  forest.remove(team);
  EXPECT_TRUE(forest.outermost().empty());
  EXPECT_TRUE(forest.threads().empty());
}

TEST_F(ForestTest, NumbersAreUsedAgainWithoutThePast) {
  forest.attach(threads[2], domain(1), 7);
  forest.set_load(threads[2], 9);
  forest.put(threads[2], queues.of(CoreId{1}));
  forest.remove(threads[2]);
  const EntityId next = forest.add_thread(team);
  EXPECT_EQ(next, threads[2]);
  EXPECT_FALSE(forest[next].queue.valid() || forest[next].last.valid());
  EXPECT_EQ(forest.bytes_of(next), 0U);
  EXPECT_EQ(forest[next].load, 1);
}

TEST_F(ForestTest, AThreadIsWhereItsBubbleIs) {
  EXPECT_EQ(forest.where(threads[0]), queues.whole());
  forest.put(team, queues.of(domain(1)));
  EXPECT_EQ(forest.where(threads[0]), queues.of(domain(1)));
  forest.put(threads[0], queues.of(CoreId{2}));
  EXPECT_EQ(forest.where(threads[0]), queues.of(CoreId{2}));
  EXPECT_EQ(forest.threads_on(CoreId{2}), threads);
  EXPECT_EQ(forest.threads_on(CoreId{3}), (std::vector<EntityId>{threads[1], threads[2]}));
  EXPECT_TRUE(forest.threads_on(CoreId{0}).empty());
}

TEST_F(ForestTest, OnlyAnotherQueueIsAMove) {
  forest.put(threads[0], queues.of(CoreId{0}));
  EXPECT_TRUE(forest.take_moves().empty()) << "it begins there";
  forest.put(threads[0], queues.of(CoreId{0}));
  EXPECT_TRUE(forest.take_moves().empty());
  forest.put(threads[0], queues.of(CoreId{1}));
  forest.put(threads[0], queues.of(CoreId{2}));
  const auto moves = forest.take_moves();
  ASSERT_EQ(moves.size(), 1U) << "the last word counts";
  EXPECT_EQ(moves[0].to, queues.of(CoreId{2}));
  EXPECT_EQ(forest[threads[0]].last, CoreId{2});
  EXPECT_TRUE(forest.take_moves().empty());
}

TEST_F(ForestTest, NobodyMovesWhoIsGone) {
  forest.put(threads[0], queues.of(CoreId{0}));
  forest.put(threads[0], queues.of(CoreId{1}));
  forest.remove(threads[0]);
  EXPECT_TRUE(forest.take_moves().empty());
}

TEST_F(ForestTest, DataThatComesAlongIsThere) {
  forest.attach(threads[0], domain(0), 5);
  forest.attach(threads[0], domain(1), 2);
  EXPECT_EQ(forest.attached_to(team), (std::vector<std::uint64_t>{5, 2}));
  forest.put(threads[0], queues.of(CoreId{3}), true);
  EXPECT_EQ(forest.attached_to(team), (std::vector<std::uint64_t>{0, 7}));
  ASSERT_EQ(forest.take_moves().size(), 1U) << "also of a thread that begins";
  forest.detach(threads[0]);
  EXPECT_EQ(forest.bytes_of(team), 0U);
}

TEST_F(ForestTest, ABubblesLoadIsThatOfItsThreads) {
  forest.set_load(threads[0], 3);
  EXPECT_EQ(forest.load_of(team), 5);
}

TEST_F(ForestTest, WhoRestsKeepsItsQueueAndIsInNobodysWay) {
  for (const EntityId thread : threads) forest.put(thread, queues.of(CoreId{1}));
  EXPECT_TRUE(forest.busy_cores().any_idle_beside_crowded());
  for (const EntityId thread : threads) forest.rest(thread);
  EXPECT_FALSE(forest.busy_cores().any_crowded());
  EXPECT_EQ(forest.busy_cores().idle().size(), 4U);
  EXPECT_EQ(forest.where(threads[2]), queues.of(CoreId{1}));
  forest.resume(threads[2], 3);
  EXPECT_EQ(forest.load_of(team), 3);
  EXPECT_EQ(forest.busy_cores().idle(), cores({0, 2, 3}));
  EXPECT_TRUE(forest.take_moves().empty());
}

}  // namespace
}  // namespace lares::policy
