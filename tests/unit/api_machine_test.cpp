// The machine of a program that was started plainly, as a made-up kernel tells it.
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "api/machine_here.hpp"
#include "lares/lares.h"

namespace lares::api {
namespace {

namespace fs = std::filesystem;

std::string a_cpu_of_ours() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  std::size_t cpu = 0;
  while (!CPU_ISSET(cpu, &set)) ++cpu;
  return std::to_string(cpu);
}

/// A folder that looks like /sys/devices/system/node.
class MachineOfNodes : public testing::Test {
 protected:
  void SetUp() override {
    const std::string pattern = testing::TempDir() + "lares-nodes-XXXXXX";
    std::vector<char> name(pattern.begin(), pattern.end());
    name.push_back('\0');
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name.data();
    sources_ = {folder_.string(), (folder_ / "status").string()};
    write("status", "Name:\tx\nMems_allowed_list:\t0-7\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void add_node(int node, const std::string& cpus, const std::string& distances) {
    const std::string name = "node" + std::to_string(node) + "/";
    write(name + "cpulist", cpus + "\n");
    write(name + "distance", distances + "\n");
  }
  /// Node 0 has processors of ours, nodes 2 and 5 have memory only, node 3 has no memory.
  void add_three() {
    write("online", "0,2-3,5\n");
    write("has_memory", "0,2,5\n");
    add_node(0, a_cpu_of_ours(), "10 21 99 31");
    add_node(2, "", "22 10 99 41");
    add_node(3, "", "99 99 10 99");
    add_node(5, "", "32 42 99 10");
  }
  [[nodiscard]] machine::Machine machine() const { return machine_of_nodes(sources_); }

  fs::path folder_;
  Sources sources_;
};

TEST_F(MachineOfNodes, DistancesAreThoseOfItsDomains) {
  add_three();
  const machine::Machine here = machine();
  ASSERT_EQ(here.domains.size(), 3U);
  EXPECT_EQ(here.domains[2].node, OsNode{5});
  EXPECT_EQ(here.distances.source, "slit");
  EXPECT_EQ(here.distances.values,
            (std::vector<std::uint32_t>{10, 21, 31, 22, 10, 41, 32, 42, 10}));
}

TEST_F(MachineOfNodes, NodesThatMayNotBeUsedAreNoDomains) {
  add_three();
  write("status", "Mems_allowed_list:\t0,5\n");
  const machine::Machine here = machine();
  ASSERT_EQ(here.domains.size(), 2U);
  EXPECT_EQ(here.distances.values, (std::vector<std::uint32_t>{10, 31, 32, 10}));
}

TEST_F(MachineOfNodes, MemoryWithoutProcessorsOfOursComesLast) {
  add_three();
  add_node(0, "", "10 21 99 31");
  add_node(5, a_cpu_of_ours(), "32 42 99 10");
  const machine::Machine here = machine();
  ASSERT_EQ(here.domains.size(), 3U);
  EXPECT_EQ(here.domains[0].node, OsNode{5});
  EXPECT_EQ(here.distances.at(DomainId{0}, DomainId{1}), 32U);
  EXPECT_EQ(here.distances.at(DomainId{1}, DomainId{0}), 31U);
}

TEST_F(MachineOfNodes, DistancesThatMakeNoSenseAreMadeUp) {
  const std::vector<std::uint32_t> made_up{10, 20, 20, 20, 10, 20, 20, 20, 10};
  for (const char* row : {"", "10 21 99", "10 21 99 31 7", "10 far 99 31", "10 0 99 31"}) {
    add_three();
    add_node(0, a_cpu_of_ours(), row);
    const machine::Machine here = machine();
    EXPECT_EQ(here.distances.values, made_up) << row;
    EXPECT_EQ(here.distances.source, "levels") << row;
  }
}

TEST_F(MachineOfNodes, WithoutAnyFileThereIsOneDomain) {
  const machine::Machine here = machine();
  EXPECT_EQ(here.domains.size(), 1U);
  EXPECT_EQ(here.distances.values, std::vector<std::uint32_t>{10});
}

TEST(Distance, AnswersWithoutLaresRun) {
  ASSERT_EQ(lares_active(), 0);
  const int count = lares_domain_count();
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) EXPECT_GE(lares_distance(from, to), 1);
  }
  EXPECT_EQ(lares_distance(0, count), 0);
  EXPECT_EQ(lares_distance(count, 0), 0);
  EXPECT_EQ(lares_distance(-1, 0), 0);
  EXPECT_EQ(lares_distance(0, -1), 0);
  EXPECT_EQ(lares_distance(0, 0), 10);
}

TEST(Distance, IsTheSameForEveryThread) {
  std::vector<int> answers(4, -1);
  std::vector<std::thread> threads;
  for (int& answer : answers) threads.emplace_back([&answer] { answer = lares_distance(0, 0); });
  for (std::thread& thread : threads) thread.join();
  for (const int answer : answers) EXPECT_EQ(answer, lares_distance(0, 0));
}

}  // namespace
}  // namespace lares::api
