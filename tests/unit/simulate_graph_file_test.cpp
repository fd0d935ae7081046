// Task graphs as text: what they mean, what is refused, and that no text does harm.
#include <gtest/gtest.h>

#include <string>

#include "machine_support.hpp"
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
  EXPECT_EQ(refusal("lares-graph 2\n"), "task graph: line 1 is not \"lares-graph 1\"");
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

}  // namespace
}  // namespace lares::simulate
