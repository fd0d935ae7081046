// The plain value: names of levels, look-ups, and the invariants that validate() guards.
#include "machine/machine.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "machine_support.hpp"

namespace lares::machine {
namespace {

using test::load;

TEST(Level, EveryNameThatUsersMayWriteIsReadBack) {
  for (const Level level : {Level::numa, Level::package, Level::l3, Level::l2, Level::group}) {
    const auto parsed = parse_level(level_name(level));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value(), level);
  }
}

TEST(Level, OtherNamesAreRefusedWithTheAcceptedOnes) {
  for (const char* name : {"", "core", "machine", "NUMA", "l4", "numa "}) {
    const auto parsed = parse_level(name);
    ASSERT_FALSE(parsed.ok()) << name;
    EXPECT_EQ(parsed.error().sentence, "unknown domain level \"" + std::string(name) +
                                           "\", accepted are numa, package, l3, l2, group");
  }
}

TEST(Machine, FindsTheCoreOfEachHardwareThread) {
  const Machine machine = load("synthetic:pack:2 [numa] core:2 pu:2");
  EXPECT_EQ(machine.core_of(OsCpu{0}), CoreId{0});
  EXPECT_EQ(machine.core_of(OsCpu{1}), CoreId{0});
  EXPECT_EQ(machine.core_of(OsCpu{7}), CoreId{3});
  EXPECT_FALSE(machine.core_of(OsCpu{8}).valid());
  EXPECT_FALSE(machine.core_of(OsCpu{}).valid());
}

TEST(Machine, PagesOfEveryNodeAreAtHomeSomewhere) {
  const Machine packages = load("synthetic:pack:2 numa:2 core:2 pu:1", Level::package);
  EXPECT_EQ(packages.domain_of(OsNode{0}), DomainId{0});
  EXPECT_EQ(packages.domain_of(OsNode{1}), DomainId{0});
  EXPECT_EQ(packages.domain_of(OsNode{2}), DomainId{1});
  EXPECT_EQ(packages.domain_of(OsNode{3}), DomainId{1});
  EXPECT_FALSE(packages.domain_of(OsNode{4}).valid());
  EXPECT_FALSE(packages.domain_of(OsNode{}).valid());
}

TEST(Machine, CountsDomainsWithCores) {
  EXPECT_EQ(load((test::data_folder() / "cxl.xml").string()).domains_with_cores(), 2U);
  EXPECT_EQ(load("synthetic:pack:2 [numa] core:2 pu:1").domains_with_cores(), 2U);
  EXPECT_EQ(Machine{}.domains_with_cores(), 0U);
}

struct Damage {
  const char* sentence;
  std::function<void(Machine&)> apply;
};

/// Applied to two packages of one node and two cores, plus a memory-only node 0 (domain 2).
const std::vector<Damage>& damages() {
  static const std::vector<Damage> list = {
      {"the domain level is core, accepted are numa, package, l3, l2, group",
       [](Machine& m) { m.domain_level = Level::core; }},
      {"the machine's name holds a control character", [](Machine& m) { m.name = "a\nb"; }},
      {"the name of domain 1 holds a control character",
       [](Machine& m) { m.domains[1].name = "\t"; }},
      {"the machine has no core", [](Machine& m) { m.cores.clear(); }},
      {"core 2 has no cpu", [](Machine& m) { m.cores[2].cpus.clear(); }},
      {"core 2 has a negative cpu number", [](Machine& m) { m.cores[2].cpus[0] = OsCpu{-3}; }},
      {"core 1 is in a domain that does not exist",
       [](Machine& m) { m.cores[1].domain = DomainId{3}; }},
      {"core 1 is in a domain that does not exist", [](Machine& m) { m.cores[1].domain = {}; }},
      {"cpu 0 is listed twice", [](Machine& m) { m.cores[1].cpus = {OsCpu{0}}; }},
      {"domain 0 does not list the cores that say they are in it",
       [](Machine& m) { m.domains[0].cores.pop_back(); }},
      {"domain 1 has cores but comes after a domain that has none",
       [](Machine& m) {
         for (Core& core : m.cores) core.domain = DomainId{1};
         m.domains[1].cores = m.tree[0].cores;
         m.domains[0].cores.clear();
       }},
      {"the tree has no root", [](Machine& m) { m.tree.clear(); }},
      {"tree node 0 is not the whole machine without a parent",
       [](Machine& m) { m.tree[0].level = Level::package; }},
      {"tree node 0 is not the whole machine without a parent",
       [](Machine& m) { m.tree[0].parent = 0; }},
      {"tree node 0 does not list every core", [](Machine& m) { m.tree[0].cores.pop_back(); }},
      {"tree node 1 does not come after its parent", [](Machine& m) { m.tree[1].parent = 1; }},
      {"tree node 1 does not come after its parent", [](Machine& m) { m.tree[1].parent = -1; }},
      {"tree node 1 has the level core, accepted are numa, package, l3, l2, group",
       [](Machine& m) { m.tree[1].level = Level::core; }},
      {"tree node 2 has no core", [](Machine& m) { m.tree[2].cores.clear(); }},
      {"tree node 1 does not list its cores in order",
       [](Machine& m) { m.tree[1].cores = {CoreId{1}, CoreId{0}}; }},
      {"tree node 1 lists a core that does not exist",
       [](Machine& m) { m.tree[1].cores = {CoreId{0}, CoreId{4}}; }},
      {"tree node 4 has a core that its parent has not",
       [](Machine& m) { m.tree[4].cores = {CoreId{1}, CoreId{2}}; }},
      {"tree node 3 is a domain that does not exist",
       [](Machine& m) { m.tree[3].domain = DomainId{9}; }},
      {"tree node 3 is a domain but its level is not that of domains",
       [](Machine& m) { m.tree[3].level = Level::l3; }},
      {"tree node 4 and domain 0 do not have the same cores",
       [](Machine& m) {
         m.tree[3].domain = {};
         m.tree[4].domain = DomainId{0};
       }},
      {"domain 1 has no tree node", [](Machine& m) { m.tree[4].domain = {}; }},
      {"core 0 is in two children of tree node 0",
       [](Machine& m) { m.tree.push_back({Level::l2, 0, {}, {CoreId{0}}}); }},
      {"memory node 0 is not in ascending order", [](Machine& m) { m.memory[1].node = OsNode{0}; }},
      {"a memory node has a negative number", [](Machine& m) { m.memory[1].node = {}; }},
      {"memory node 1 has an unknown kind, accepted are DRAM, HBM, CXL, NVM, GPU, unknown",
       [](Machine& m) { m.memory[1].kind = "dram"; }},
      {"memory node 1 is in a domain that does not exist",
       [](Machine& m) { m.memory[1].domain = DomainId{3}; }},
      {"memory node 1 has more free memory than memory",
       [](Machine& m) { m.memory[1].free.count = m.memory[1].total.count + 1; }},
      {"the distance matrix does not have 3 rows of 3 values",
       [](Machine& m) { m.distances.values.pop_back(); }},
      {"the distance matrix does not have 3 rows of 3 values",
       [](Machine& m) { m.distances.size = 2; }},
      {"the distances have an unknown source, accepted are slit, measured, levels, file",
       [](Machine& m) { m.distances.source = "guess"; }},
      {"distance row 1 has a value outside 1 to 65535",
       [](Machine& m) { m.distances.values[5] = 65536; }},
      {"distance row 1 has a value outside 1 to 65535",
       [](Machine& m) { m.distances.values[5] = 0; }},
  };
  return list;
}

TEST(Validate, NamesTheFirstBrokenInvariant) {
  const Machine sound =
      load("synthetic:[numa(memory=64GB)] pack:2 [numa(memory=16GB)] core:2 pu:1");
  ASSERT_EQ(validate(sound), std::nullopt);
  ASSERT_EQ(sound.tree.size(), 5U);
  ASSERT_EQ(sound.domains.size(), 3U);
  for (const Damage& damage : damages()) {
    Machine machine = sound;
    damage.apply(machine);
    const auto verdict = validate(machine);
    ASSERT_TRUE(verdict.has_value()) << "accepted although: " << damage.sentence;
    EXPECT_EQ(verdict->sentence, damage.sentence);
  }
}

TEST(Validate, AcceptsEveryMachineAtEveryLevelThatItHas) {
  std::size_t accepted = 0;
  for (const std::string& description : test::all_machines()) {
    for (const Level level : {Level::numa, Level::package, Level::l3, Level::l2, Level::group}) {
      const auto machine = discover(parse_source(description), level);
      if (!machine) continue;
      EXPECT_EQ(validate(machine.value()), std::nullopt) << description;
      EXPECT_EQ(machine.value().domain_level, level);
      ++accepted;
    }
  }
  EXPECT_GT(accepted, test::all_machines().size());
}

}  // namespace
}  // namespace lares::machine
