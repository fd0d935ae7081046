// Topologies of every kind, without their hardware.
#include "machine/discover.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>

#include "machine/survey.hpp"
#include "machine_support.hpp"

namespace lares::machine {
namespace {

using test::load;
using test::numbers;
using test::refusal;
using Numbers = std::vector<std::int32_t>;
using Values = std::vector<std::uint32_t>;

std::string data(const char* file) { return (test::data_folder() / file).string(); }

std::vector<std::string> domain_names(const Machine& machine) {
  std::vector<std::string> names;
  for (const Domain& domain : machine.domains) names.push_back(domain.name);
  return names;
}

std::vector<Level> tree_levels(const Machine& machine) {
  std::vector<Level> levels;
  for (const TreeNode& node : machine.tree) levels.push_back(node.level);
  return levels;
}

TEST(Source, IsReadFromWhatUsersWrite) {
  EXPECT_EQ(parse_source("").kind, Source::Kind::process);
  EXPECT_EQ(parse_source("synthetic:pu:1").kind, Source::Kind::synthetic);
  EXPECT_EQ(parse_source("synthetic:pu:1").text, "pu:1");
  EXPECT_EQ(parse_source("a.xml").kind, Source::Kind::file);
}

TEST(Discover, TheDefaultLevelIsTheFirstWithSeveralDomains) {
  EXPECT_EQ(load("synthetic:pack:2 [numa] l3:2 core:2 pu:1").domain_level, Level::numa);
  EXPECT_EQ(load("synthetic:pack:1 [numa] l3:2 l2:2 core:1 pu:1").domain_level, Level::l3);
  EXPECT_EQ(load("synthetic:pack:1 [numa] l3:1 l2:2 core:1 pu:1").domain_level, Level::l2);
  EXPECT_EQ(load("synthetic:pack:2 l2:1 core:2 pu:1").domain_level, Level::l2);
  EXPECT_EQ(load("synthetic:core:4 pu:1").domain_level, Level::numa);
}

TEST(Discover, EachLevelMakesItsDomains) {
  const std::string text = "synthetic:group:2 pack:2 [numa] l3:2 l2:2 core:2 pu:1";
  EXPECT_EQ(load(text, Level::group).domains.size(), 2U);
  EXPECT_EQ(load(text, Level::package).domains.size(), 4U);
  EXPECT_EQ(load(text, Level::numa).domains.size(), 4U);
  EXPECT_EQ(load(text, Level::l3).domains.size(), 8U);
  const Machine l2 = load(text, Level::l2);
  ASSERT_EQ(l2.domains.size(), 16U);
  EXPECT_EQ(numbers(l2.domains[15].cores), (Numbers{30, 31}));
  EXPECT_EQ(l2.domains[15].node, OsNode{3});
  EXPECT_EQ(l2.domains[15].name, "l2 15");
}

TEST(Discover, ALevelThatIsNotThereIsRefusedWithThoseThatAre) {
  EXPECT_EQ(refusal("synthetic:pack:2 [numa] l3:1 core:2 pu:1", Level::group),
            "the machine \"synthetic:pack:2 [numa] l3:1 core:2 pu:1\" has no level group, it has "
            "numa, package, l3");
  EXPECT_EQ(refusal("synthetic:core:2 pu:1", Level::l2),
            "the machine \"synthetic:core:2 pu:1\" has no level l2, it has numa");
}

TEST(Discover, HardwareThreadsOfACoreStayTogether) {
  const Machine machine = load("synthetic:pack:1 core:2 pu:4");
  ASSERT_EQ(machine.cores.size(), 2U);
  EXPECT_EQ(machine.cores[1].cpus, (std::vector<OsCpu>{OsCpu{4}, OsCpu{5}, OsCpu{6}, OsCpu{7}}));
}

TEST(Discover, TheTreeLeavesOutWhatRepeatsButNeverADomain) {
  EXPECT_EQ(tree_levels(load("synthetic:pack:2 [numa] l3:1 core:2 pu:1")),
            (std::vector<Level>{Level::machine, Level::package, Level::package, Level::numa,
                                Level::numa}));
  EXPECT_EQ(tree_levels(load("synthetic:pack:1 [numa] l3:1 core:2 pu:1")),
            (std::vector<Level>{Level::machine, Level::numa}));
  EXPECT_EQ(tree_levels(load("synthetic:pack:1 [numa] l3:1 l2:2 core:1 pu:1")),
            (std::vector<Level>{Level::machine, Level::l2, Level::l2}));
}

TEST(Discover, AnL3CanHoldTwoNodes) {
  const Machine machine = load("synthetic:pack:1 l3:1 numa:2 core:2 pu:1", Level::l3);
  ASSERT_EQ(machine.domains.size(), 1U);
  EXPECT_EQ(machine.domain_of(OsNode{1}), DomainId{0});
  const Machine nodes = load("synthetic:pack:1 l3:2 numa:2 core:2 pu:1", Level::numa);
  EXPECT_EQ(nodes.distances.values, (Values{10, 11, 16, 16,  //
                                            11, 10, 16, 16,  //
                                            16, 16, 10, 11,  //
                                            16, 16, 11, 10}));
}

TEST(Discover, OfNestedGroupsTheOutermostMakeDomains) {
  EXPECT_EQ(load("synthetic:group:2 group:2 core:2 pu:1", Level::group).domains.size(), 2U);
}

TEST(Discover, DistancesFollowTheNarrowestSharedLevel) {
  const Machine machine = load("synthetic:group:2 pack:2 [numa] l3:2 core:2 pu:1", Level::l3);
  const auto at = [&](int from, int to) {
    return machine.distances.at(DomainId{from}, DomainId{to});
  };
  EXPECT_EQ(machine.distances.source, "levels");
  EXPECT_EQ(at(0, 0), 10U);
  EXPECT_EQ(at(0, 1), 12U);
  EXPECT_EQ(at(0, 2), 18U);
  EXPECT_EQ(at(0, 4), 20U);
  const Machine l2 = load("synthetic:pack:1 [numa] l3:1 l2:2 core:1 pu:1");
  EXPECT_EQ(l2.distances.values, (Values{10, 11, 11, 10}));
}

TEST(Discover, SubNumaClustersHaveTheDistancesOfTheSlit) {
  const Machine machine = load(data("snc.xml"));
  EXPECT_EQ(machine.domain_level, Level::numa);
  EXPECT_EQ(machine.distances.source, "slit");
  EXPECT_EQ(machine.distances.values, (Values{10, 12, 21, 21,  //
                                              12, 10, 21, 21,  //
                                              21, 21, 10, 12,  //
                                              21, 21, 12, 10}));
}

TEST(Discover, CachesOfOneNodeAreNearerThanAnyOtherNode) {
  const Machine machine = load(data("snc.xml"), Level::l2);
  ASSERT_EQ(machine.domains.size(), 16U);
  for (std::size_t from = 0; from < 16; ++from) {
    for (std::size_t to = 0; to < 16; ++to) {
      const std::uint32_t value = machine.distances.at(DomainId{from}, DomainId{to});
      const std::uint32_t expected = from == to           ? 10
                                     : from / 4 == to / 4 ? 12
                                     : from / 8 == to / 8 ? 13
                                                          : 21;
      EXPECT_EQ(value, expected) << from << " to " << to;
    }
  }
}

TEST(Discover, MemoryWithoutCoresIsADomainOfItsOwnAtTheEnd) {
  const Machine machine = load(data("cxl.xml"));
  ASSERT_EQ(domain_names(machine), (std::vector<std::string>{"numa 0", "numa 1", "numa 2"}));
  EXPECT_TRUE(machine.domains[2].cores.empty());
  EXPECT_EQ(machine.domain_of(OsNode{2}), DomainId{2});
  ASSERT_EQ(machine.memory.size(), 3U);
  EXPECT_EQ(machine.memory[2].kind, "CXL");
  EXPECT_FALSE(machine.memory[2].has_cores);
  EXPECT_EQ(machine.distances.at(DomainId{1}, DomainId{2}), 34U);
  EXPECT_EQ(tree_levels(machine).size(), 5U);

  const Machine caches = load(data("cxl.xml"), Level::l3);
  ASSERT_EQ(caches.domains.size(), 3U);
  EXPECT_TRUE(caches.domains[2].cores.empty());
}

TEST(Discover, CoresKeepTheirOrdinaryMemoryWhenTheyAlsoHaveFastMemory) {
  const Machine machine = load(data("hbm.xml"));
  EXPECT_EQ(domain_names(machine),
            (std::vector<std::string>{"numa 0", "numa 2", "numa 4", "numa 6", "numa 1", "numa 3",
                                      "numa 5", "numa 7"}));
  EXPECT_EQ(machine.domains_with_cores(), 4U);
  EXPECT_EQ(machine.memory[1].kind, "HBM");
  EXPECT_EQ(machine.memory[0].kind, "DRAM");
  // The fast memory beside a cluster is nearer to it than to any other.
  EXPECT_EQ(machine.distances.at(DomainId{0}, DomainId{4}), 12U);
  EXPECT_EQ(machine.distances.at(DomainId{1}, DomainId{4}), 16U);
}

TEST(Discover, MemoryOfUnknownAmountStillCounts) {
  const Machine machine = load("synthetic:[numa] pack:2 [numa] core:2 pu:1");
  EXPECT_EQ(machine.domains.size(), 3U);
  EXPECT_EQ(machine.domains_with_cores(), 2U);
  EXPECT_EQ(machine.domains[2].memory.count, 0U);
}

TEST(Discover, CoresOfANodeWithoutMemoryJoinTheNearestThatHasSome) {
  const Machine machine = load(data("memoryless.xml"));
  ASSERT_EQ(domain_names(machine), (std::vector<std::string>{"numa 0", "numa 2"}));
  EXPECT_EQ(numbers(machine.domains[0].cores), (Numbers{0, 1}));
  EXPECT_EQ(numbers(machine.domains[1].cores), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(machine.memory.size(), 2U);
  const Machine caches = load(data("memoryless.xml"), Level::l3);
  ASSERT_EQ(caches.domains.size(), 3U);
  EXPECT_EQ(caches.domains[1].node, OsNode{2});
}

TEST(Discover, CpusThatTheCpusetTakesAwayAreNotThere) {
  const Machine machine = load(data("disallowed.xml"));
  ASSERT_EQ(machine.cores.size(), 3U);
  EXPECT_EQ(machine.core_of(OsCpu{2}), CoreId{1});
  EXPECT_FALSE(machine.core_of(OsCpu{1}).valid());
  EXPECT_FALSE(machine.core_of(OsCpu{4}).valid());
  // The memory of the other package may still be used: it has become memory without cores.
  ASSERT_EQ(machine.domains.size(), 2U);
  EXPECT_EQ(machine.domains_with_cores(), 1U);
}

TEST(Discover, OfflineCpusAreNotThere) {
  const Machine machine = load(data("offline.xml"));
  EXPECT_EQ(machine.cores.size(), 4U);
  EXPECT_FALSE(machine.core_of(OsCpu{8}).valid());
}

TEST(Discover, CoresWithoutTheChosenCacheFormADomainToo) {
  const Machine machine = load(data("hybrid.xml"), Level::l3);
  ASSERT_EQ(machine.domains.size(), 2U);
  EXPECT_EQ(numbers(machine.domains[0].cores), (Numbers{0, 1}));
  EXPECT_EQ(numbers(machine.domains[1].cores), (Numbers{2, 3}));
}

TEST(Discover, BrokenInputIsRefusedWithItsName) {
  EXPECT_EQ(refusal("/does/not/exist.xml"),
            "cannot read machine file \"/does/not/exist.xml\": No such file or directory");
  EXPECT_EQ(refusal("/"), "cannot read machine file \"/\": Is a directory");
  EXPECT_NE(refusal("synthetic:nonsense").find("\"synthetic:nonsense\" is not a description"),
            std::string::npos);
  const std::string own = std::string(LARES_SOURCE_DIR) + "/CMakeLists.txt";
  EXPECT_EQ(refusal(own), "machine file \"" + own +
                              "\" is neither a Lares machine file (JSON) nor an hwloc XML file");
}

/// Puts this thread's affinity back however the test ends.
class AffinityGuard {
 public:
  AffinityGuard() { sched_getaffinity(0, sizeof before_, &before_); }
  ~AffinityGuard() { sched_setaffinity(0, sizeof before_, &before_); }
  [[nodiscard]] const cpu_set_t& before() const { return before_; }

 private:
  cpu_set_t before_{};
};

TEST(Discover, ThisProcessHasExactlyTheCpusOfItsAffinityMask) {
  const AffinityGuard guard;
  std::vector<int> allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &guard.before())) allowed.push_back(cpu);
  }
  ASSERT_FALSE(allowed.empty());
  const Machine all = load("");
  for (const int cpu : allowed) EXPECT_TRUE(all.core_of(OsCpu{cpu}).valid()) << cpu;

  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(allowed.back(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const Machine single = load("");
  ASSERT_EQ(single.cores.size(), 1U);
  EXPECT_EQ(single.cores[0].cpus, (std::vector<OsCpu>{OsCpu{allowed.back()}}));
}

Survey nodes_with(const std::vector<std::pair<bool, std::uint64_t>>& nodes) {
  Survey survey;
  for (const auto& [own_cpus, bandwidth] : nodes) {
    SurveyNode node;
    node.kind = "unknown";
    node.own_cpus = own_cpus;
    node.bandwidth = bandwidth;
    survey.nodes.push_back(node);
  }
  guess_kinds(survey);
  return survey;
}

TEST(Kinds, FollowFromBandwidthsWhereNobodyNamesThem) {
  const Survey survey = nodes_with(
      {{true, 900}, {true, 1000}, {false, 1500}, {false, 1400}, {false, 670}, {false, 667}});
  std::vector<std::string> kinds;
  for (const SurveyNode& node : survey.nodes) kinds.push_back(node.kind);
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"unknown", "unknown", "HBM", "unknown", "unknown", "CXL"}));
}

TEST(Kinds, AreNotGuessedOfNothing) {
  EXPECT_EQ(nodes_with({{true, 0}, {false, 100}}).nodes[1].kind, "unknown");
  EXPECT_EQ(nodes_with({{true, 1000}, {false, 0}}).nodes[1].kind, "unknown");
  EXPECT_EQ(nodes_with({{false, 1000}, {false, 10}}).nodes[1].kind, "unknown");
  Survey named = nodes_with({{true, 1000}, {false, 1000}});
  named.nodes[1].kind = "NVM";
  named.nodes[1].bandwidth = 5000;
  guess_kinds(named);
  EXPECT_EQ(named.nodes[1].kind, "NVM");
}

}  // namespace
}  // namespace lares::machine
