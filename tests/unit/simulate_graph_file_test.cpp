// Task graphs as text: what they mean, what is refused, and that no text does harm.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph_support.hpp"
#include "machine_support.hpp"
#include "simulate/demand.hpp"
#include "simulate/graph.hpp"
#include "simulate/graph_file.hpp"

namespace lares::simulate {
namespace {

const std::string good =
    "lares-graph 1\n# two tiles\nblock 100 0\nblock 200 -\n\n"
    "task 0.5 - w:0\ntask 1 - w:1:50\ntask 2e-3 0 r:0 rw:1\n";

TEST(GraphFile, IsRead) {
  const auto graph = parse_graph(good, 4);
  ASSERT_TRUE(graph.ok());
  const Workload& workload = graph.value();
  ASSERT_EQ(workload.tasks.size(), 3U);
  EXPECT_EQ(workload.tasks[2].seconds, 2e-3);
  EXPECT_EQ(workload.blocks[0].home, DomainId{0});
  EXPECT_FALSE(workload.blocks[1].home.valid());
  EXPECT_EQ(workload.accesses_of(1)[0].bytes, 50);
  EXPECT_EQ(workload.accesses_of(2)[1].mode, policy::AccessMode::read_write);
  EXPECT_EQ(Graph(workload, workload.phases[0]).predecessors(2), 2U);
}

TEST(GraphFile, TakesHomesModuloTheDomains) {
  const auto graph = parse_graph("lares-graph 1\nblock 8 7\ntask 1 - r:0\n", 4);
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph.value().blocks[0].home, DomainId{3});
}

TEST(GraphFile, NamesTheLineThatIsWrong) {
  const auto refusal = [](const std::string& lines) {
    const auto graph = parse_graph(lines, 2);
    return graph.ok() ? std::string("(accepted)") : graph.error().sentence;
  };
  const std::string head = "lares-graph 1\n";
  EXPECT_EQ(refusal("lares-graph 3\n"),
            "task graph: line 1 is neither \"lares-graph 2\" nor \"lares-graph 1\"");
  EXPECT_EQ(refusal(head), "task graph: there is no task");
  EXPECT_EQ(refusal(""), "task graph: there is no task");
  EXPECT_EQ(refusal(head + "tusk 1 -\n"),
            "task graph: line 2 does not start with block, task or #");
  EXPECT_EQ(refusal(head + "block x 0\n"), "task graph: line 2 has no number of bytes up to 2^50");
  EXPECT_EQ(refusal(head + "task -1 -\n"),
            "task graph: line 2 has no duration from 0 to 1e9 seconds");
  EXPECT_EQ(refusal(head + "task nan -\n"),
            "task graph: line 2 has no duration from 0 to 1e9 seconds");
  EXPECT_EQ(refusal(head + "task 1 0\n"),
            "task graph: line 2 has a creator that is neither - nor an earlier task");
  EXPECT_EQ(refusal(head + "task 1 - r:0\n"),
            "task graph: line 2 uses a block that is not defined above");
  EXPECT_EQ(refusal(head + "block 1 -\ntask 1 - x:0\n"),
            "task graph: line 3 has an access that is none of r:BLOCK, w:BLOCK, rw:BLOCK, a:BLOCK");
}

// Version 2: who creates and waits.

const std::string script =
    "lares-graph 2\nblock 100 0\nspend 1 -\ntask 1 - w:0\ntask 1 0 rw:0\nwait 0\nspend 1 0\n"
    "group -\nnow 2 - r:0\ntask 1 @1 rw:0\nend -\nwait - r:0\nbarrier\ntask 3 -\ntask 1 4\n";

std::vector<std::uint32_t> predecessors(const Workload& workload, std::size_t phase = 0) {
  const Graph graph(workload, workload.phases[phase]);
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < workload.phases[phase].end - workload.phases[phase].first; ++i) {
    found.push_back(graph.predecessors(i));
  }
  return found;
}

TEST(GraphScript, HasAPhaseBetweenBarriers) {
  const auto graph = parse_graph(script, 4);
  ASSERT_TRUE(graph.ok()) << graph.error().sentence;
  ASSERT_EQ(graph.value().phases.size(), 2U);
  EXPECT_EQ(graph.value().task_count(), 6U);
}

TEST(GraphScript, TaskIsInPartsWhereItCreatesAndWaits) {
  const auto graph = parse_graph(
      "lares-graph 2\ntask 1 -\nspend 1 0\ntask 4 0\nspend 2 0\nwait 0\n"
      "spend 8 0\ntask 5 -\n",
      1);
  ASSERT_TRUE(graph.ok());
  const Workload& w = graph.value();
  // The task with its first time, its child, its second time, what follows the wait; the other.
  std::vector<double> seconds;
  for (const Task& task : w.tasks) seconds.push_back(task.seconds);
  EXPECT_EQ(seconds, (std::vector<double>{2, 4, 2, 8, 5}));
  EXPECT_EQ(w.script.next[0], 2U);
  EXPECT_EQ(w.script.next[2], 3U);
  EXPECT_EQ(w.script.last[0], 3U);
  EXPECT_EQ(w.script.created_in[1], 0U);
  EXPECT_EQ(predecessors(w), (std::vector<std::uint32_t>{0, 1, 1, 2, 0}));
}

TEST(GraphScript, DependencesHoldAmongTheChildrenOfOneCreator) {
  const auto graph = parse_graph(
      "lares-graph 2\nblock 8 -\ntask 1 - rw:0\ntask 1 0 rw:0\n"
      "task 1 0 rw:0\ntask 1 @1 rw:0\ntask 1 - rw:0\n",
      1);
  ASSERT_TRUE(graph.ok());
  // Its creator; the creator and its sibling; none; the first task; the end of the creator.
  EXPECT_EQ(predecessors(graph.value()), (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 1}));
}

TEST(GraphScript, GroupWaitsForDescendantsAndWaitForChildren) {
  const auto in_group =
      parse_graph("lares-graph 2\ntask 1 -\ngroup -\ntask 1 -\ntask 1 1\nend -\n", 1);
  ASSERT_TRUE(in_group.ok());
  EXPECT_EQ(predecessors(in_group.value()), (std::vector<std::uint32_t>{0, 0, 1, 2, 1}))
      << "the last is the end of the task that creates";
  const auto waits =
      parse_graph("lares-graph 2\ntask 1 -\ntask 1 0\nwait -\ntask 1 -\nwait -\n", 1);
  ASSERT_TRUE(waits.ok());
  EXPECT_EQ(predecessors(waits.value()), (std::vector<std::uint32_t>{0, 1, 1, 0, 1, 1}));
}

TEST(GraphScript, SetsWaitForWhatWasBeforeAndNotForEachOther) {
  const auto graph = parse_graph(
      "lares-graph 2\nblock 8 -\ntask 1 - rw:0\ntask 1 - s:0\ntask 1 - s:0\n"
      "task 1 - r:0\ntask 1 - s:0\ntask 1 - x:0\n",
      1);
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(predecessors(graph.value()), (std::vector<std::uint32_t>{0, 1, 1, 2, 1, 1}));
}

TEST(GraphScript, NamesTheLineThatIsWrong) {
  const auto refusal = [](const std::string& lines) {
    const auto graph = parse_graph("lares-graph 2\ntask 1 -\n" + lines, 2);
    return graph.ok() ? std::string("(accepted)") : graph.error().sentence;
  };
  const std::string creator =
      "task graph: line 3 has a creator that is none of -, @THREAD and an earlier task since the "
      "barrier";
  EXPECT_EQ(refusal("wait 1\n"), creator);
  EXPECT_EQ(refusal("wait @4096\n"), creator);
  EXPECT_EQ(refusal("task 1 @\n"), creator);
  EXPECT_EQ(refusal("barrier\nspend 1 0\n"), "task graph: line 4" + creator.substr(18));
  EXPECT_EQ(refusal("end -\n"), "task graph: line 3 ends a group that its creator has not begun");
  EXPECT_EQ(refusal("barrier now\n"), "task graph: line 3 has more words than barrier");
  EXPECT_EQ(refusal("spend 1 - 3\n"),
            "task graph: line 3 has more words than spend SECONDS CREATOR");
  EXPECT_EQ(refusal("spond 1 -\n"),
            "task graph: line 3 does not start with create, block, task, now, spend, wait, group, "
            "end, barrier, loop, piece or #");
  EXPECT_EQ(refusal("create -1\n"), "task graph: line 3 has no duration from 0 to 1e9 seconds");
  EXPECT_EQ(refusal("create 1 -\n"), "task graph: line 3 has more words than create SECONDS");
  EXPECT_EQ(refusal("create 1\ncreate 1\n"), "task graph: line 4 is a second create SECONDS");
}

TEST(GraphFile, BlocksWithAHomeAreInItsCache) {
  const std::string_view text = "lares-graph 2\nblock 1000 1\nblock 1000 -\ntask 1 - r:0 r:1\n";
  const auto graph = parse_graph(text, 2);
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(graph.value().written);
  Parameters parameters;
  parameters.cache_bytes = 4000;
  parameters.core_mb_s = 1000;
  for (std::size_t where = 0; where < 2; ++where) {
    std::vector<DomainId> homes = {DomainId{1}, DomainId{}};
    Demand demand(graph.value(), parameters, 2, homes);
    TaskIndex task = 0;
    while (graph.value().accesses_of(task).empty()) ++task;
    demand.run(task, DomainId{where}, true);
    EXPECT_EQ(demand.fetched().from_caches, where == 0 ? 1000 : 0);
    EXPECT_EQ(demand.fetched().local, 1000);  // the block that had no page
    EXPECT_EQ(demand.fetched().remote, 0);
  }
}

TEST(GraphScript, AnyTextHasNoCycle) {
  Random random(7);
  for (int round = 0; round < 5000; ++round) {
    const auto graph = parse_graph(machine::test::mutate(script, random), 3);
    if (!graph.ok()) continue;
    for (const Phase& phase : graph.value().phases) {
      ASSERT_EQ(test::reachable(graph.value(), phase), phase.end - phase.first);
    }
  }
}

TEST(GraphFile, SurvivesAnyText) {
  Random random(5);
  for (int round = 0; round < 5000; ++round) {
    const auto graph = parse_graph(machine::test::mutate(good, random), 3);
    if (!graph.ok()) continue;
    for (const Access& access : graph.value().accesses) {
      ASSERT_LT(access.block, graph.value().blocks.size());
    }
  }
}

TEST(GraphFile, HasLoopsAsPhasesOfTheirPieces) {
  const auto graph = parse_graph(
      "lares-graph 2\nblock 8 1\ntask 1 -\nloop 16\npiece 0.5\n# half\npiece 0.25 rw:0\n"
      "spend 2 -\nloop 1\nloop 2\npiece 3\nbarrier\ntask 1 -\n",
      2);
  ASSERT_TRUE(graph.ok()) << graph.error().sentence;
  const Workload& workload = graph.value();
  ASSERT_EQ(workload.phases.size(), 5U);
  EXPECT_EQ(workload.task_count(), 5U);
  const std::vector<std::uint64_t> expected{0, 16, 0, 2, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(workload.phases[i].piece_iterations, expected[i]) << i;
    EXPECT_EQ(workload.phases[i].dependences, expected[i] == 0) << i;
  }
  const TaskIndex first = workload.phases[1].first;
  EXPECT_EQ(workload.phases[1].end - first, 2U);
  EXPECT_EQ(workload.tasks[first + 1].seconds, 0.25);
  EXPECT_EQ(workload.accesses_of(first + 1).size(), 1U);
}

TEST(GraphFile, RefusesLoopsThatMakeNoSense) {
  const auto refusal = [](const std::string& lines) {
    const auto graph = parse_graph("lares-graph 2\n" + lines, 2);
    return graph.ok() ? std::string("(accepted)") : graph.error().sentence;
  };
  EXPECT_EQ(refusal("piece 1\n"), "task graph: line 2 is a piece without a loop before it");
  EXPECT_EQ(refusal("loop 1\nwait -\npiece 1\n"),
            "task graph: line 4 is a piece without a loop before it");
  EXPECT_EQ(refusal("loop 0\npiece 1\n"),
            "task graph: line 2 has no number of iterations from 1 on");
  EXPECT_EQ(refusal("loop 1 2\n"), "task graph: line 2 has more words than loop ITERATIONS");
  EXPECT_EQ(refusal("loop 1\npiece x\n"),
            "task graph: line 3 has no duration from 0 to 1e9 seconds");
  EXPECT_EQ(refusal("loop 1\npiece 1 r:0\n"),
            "task graph: line 3 uses a block that is not defined above");
  EXPECT_EQ(refusal("loop 1\n"), "task graph: there is no task");
}

}  // namespace
}  // namespace lares::simulate
