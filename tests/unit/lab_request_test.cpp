// From what a user asks to a guest: defaults, machines made small, and one sentence for what is
// wrong.
#include "lab/guest_request.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "lab/host_memory.hpp"
#include "lab/sizes.hpp"
#include "machine_support.hpp"

namespace lares::lab {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr Bytes plenty{64 * gibibyte.count};
constexpr Bytes usual{256 * mebibyte.count};

Guest guest_of(const Result<GuestPlan>& plan) {
  if (plan) return plan.value().guest;
  ADD_FAILURE() << plan.error().sentence;
  return {};
}

std::string refusal(const GuestRequest& request, Bytes host_memory = plenty) {
  const auto plan = make_guest(request, host_memory);
  return plan.ok() ? "(accepted)" : plan.error().sentence;
}

machine::Machine shipped(const std::string& name) {
  return machine::test::load(
      (std::filesystem::path(LARES_SOURCE_DIR) / "machines" / (name + ".json")).string());
}

std::string refusal(const GuestRequest& request, const machine::Machine& machine) {
  const auto plan = make_guest(request, machine, plenty);
  return plan.ok() ? "(accepted)" : plan.error().sentence;
}

TEST(LabSizes, AreReadAndWritten) {
  EXPECT_EQ(parse_size("256M").value(), usual);
  EXPECT_EQ(parse_size("1g").value(), gibibyte);
  EXPECT_EQ(parse_size("512KiB").value().count, 512U * 1024);
  EXPECT_EQ(parse_size("2MB").value().count, 2U << 20U);
  EXPECT_EQ(parse_size("4096").value().count, 4096U);
  EXPECT_EQ(parse_size("0").value().count, 0U);
  for (const char* text : {"256M", "1536K", "1000", "1G", "0", "3T"}) {
    EXPECT_EQ(size_text(parse_size(text).value()), text);
  }
}

TEST(LabSizes, WrongOnesAreNamed) {
  for (const char* text : {"", "M", "-1", "+1", "1.5G", "1X", "1 M", "1MM", "0x10"}) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_EQ(size.error().sentence,
              '"' + std::string(text) +
                  "\" is not a size, accepted is a number with K, M or G such as 256M");
  }
  EXPECT_EQ(parse_size("99999999999999999999").error().sentence,
            "\"99999999999999999999\" is too large a size");
  EXPECT_EQ(parse_size("17179869184G").error().sentence, "\"17179869184G\" is too large a size");
}

TEST(LabCaches, AreReadOneByOne) {
  const auto caches = parse_caches("l3=8M,l2=1M,l3-per=package");
  ASSERT_TRUE(caches.ok()) << caches.error().sentence;
  EXPECT_EQ(caches.value().l2, mebibyte);
  EXPECT_EQ(caches.value().l3.count, 8 * mebibyte.count);
  EXPECT_TRUE(caches.value().l3_per_package);
  EXPECT_EQ(parse_caches("l3=1M").value().l2, GuestCaches{}.l2);
}

TEST(LabCaches, WrongOnesAreNamed) {
  const auto refuse = [](const char* text) { return parse_caches(text).error().sentence; };
  EXPECT_EQ(
      refuse("l1=32K"),
      "--cache: there is no \"l1\", accepted are l2=SIZE, l3=SIZE and l3-per=node or package");
  EXPECT_EQ(refuse("l2"),
            "--cache: l2=\"\" is not a size, accepted is a number with K, M or G such as 256M");
  EXPECT_EQ(refuse("l2=1M,l2=2M"), "--cache: \"l2\" is given twice");
  EXPECT_EQ(refuse("l3-per=core"),
            "--cache: \"l3-per=core\" is wrong, accepted are node and package");
}

TEST(LabCounts, AreOneOrOnePerNode) {
  EXPECT_EQ(parse_counts("--c", "2").value(), Values{2});
  EXPECT_EQ(parse_counts("--c", "2,0,1").value(), (Values{2, 0, 1}));
  EXPECT_EQ(parse_counts("--c", "2,,1").error().sentence,
            "--c: \"\" is no number, accepted is one for all nodes, or one for each with commas "
            "between them");
  EXPECT_EQ(parse_sizes("--m", "1G,0").value(), (std::vector<Bytes>{gibibyte, {}}));
  EXPECT_EQ(parse_sizes("--m", "1G,x").error().sentence,
            "--m: \"x\" is not a size, accepted is a number with K, M or G such as 256M");
}

TEST(LabRequest, NothingAskedGivesFourEqualNodes) {
  const Guest guest = guest_of(make_guest({}, plenty));
  ASSERT_EQ(guest.nodes.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(guest.nodes[n].cpus, 2U);
    EXPECT_EQ(guest.nodes[n].memory, usual);
    EXPECT_EQ(guest.nodes[n].package, n);
    EXPECT_EQ(guest.nodes[n].kind, "DRAM");
  }
  EXPECT_EQ(guest.distances[1], 20U);
}

TEST(LabRequest, DistancesTellTheNumberOfNodes) {
  GuestRequest request;
  request.distance_table = DistanceTable{2, {10, 40, 30, 10}};
  const Guest guest = guest_of(make_guest(request, plenty));
  EXPECT_EQ(guest.nodes.size(), 2U);
  EXPECT_EQ(guest.distances, (Values{10, 40, 30, 10}));
  request.nodes = 3;
  EXPECT_EQ(refusal(request), "--nodes is for 3 nodes and --distances for 2: they must be as many");
}

TEST(LabRequest, GroupsOfTwoLevelsArePackages) {
  GuestRequest request;
  request.nodes = 8;
  request.distance_preset = "two-level";
  const Guest guest = guest_of(make_guest(request, plenty));
  EXPECT_EQ(guest.packages(), 4U);
  EXPECT_EQ(guest.nodes[1].package, 0U);
  EXPECT_EQ(guest.nodes[2].package, 1U);
}

TEST(LabRequest, NodesCanLackCpusOrMemory) {
  GuestRequest request;
  request.nodes = 3;
  request.cpuless = 1;
  request.cpus_per_node = {4};
  Guest guest = guest_of(make_guest(request, plenty));
  EXPECT_EQ(guest.nodes[1].cpus, 4U);
  EXPECT_EQ(guest.nodes[2].cpus, 0U);
  EXPECT_EQ(guest.nodes[2].kind, "unknown");
  request = {};
  request.cpus_per_node = {1, 0, 2};
  request.memory_per_node = {gibibyte, usual, {}};
  guest = guest_of(make_guest(request, plenty));
  ASSERT_EQ(guest.nodes.size(), 3U);
  EXPECT_EQ(guest.nodes[1].cpus, 0U);
  EXPECT_EQ(guest.nodes[2].memory.count, 0U);
  EXPECT_EQ(guest.packages(), 1U) << "packages of different size cannot be described";
}

TEST(LabRequest, MistakesAreOneSentence) {
  GuestRequest request;
  request.nodes = 0;
  EXPECT_EQ(refusal(request), "--nodes cannot be 0, accepted are 1 to 64");
  request.nodes = 65;
  EXPECT_EQ(refusal(request), "--nodes cannot be 65, accepted are 1 to 64");
  request.nodes = 2;
  request.cpuless = 2;
  EXPECT_EQ(refusal(request), "--cpuless cannot be 2 of 2 nodes: one node at least needs cpus");
  request.cpuless = 1;
  request.cpus_per_node = {1, 1};
  EXPECT_EQ(refusal(request),
            "--cpuless cannot stand beside a list in --cpus-per-node: write 0 in the list");
  request = {};
  request.cpus_per_node = {64};
  EXPECT_EQ(refusal(request), "a guest cannot have 256 cpus in all, accepted are 1 to 255");
  request = {};
  request.memory_per_node = {{32 * gibibyte.count}};
  EXPECT_EQ(refusal(request),
            "a guest of 4 nodes needs 128G of memory and only 64G are available on this host: use "
            "fewer nodes or a smaller --memory-per-node");
  request = {};
  request.distance_preset = "star";
  EXPECT_EQ(refusal(request),
            "--distances: there are no distances \"star\", accepted are a file and "
            "fully-connected, ring, square, mesh, two-level");
}

TEST(LabRequest, MemoryThatNobodyAskedForShrinksWithTheHost) {
  const auto plan = make_guest({}, {gibibyte.count});
  const Guest guest = guest_of(plan);
  EXPECT_EQ(guest.nodes[0].memory.count, 192 * mebibyte.count);
  EXPECT_EQ(plan.value().notes,
            std::vector<std::string>{
                "nodes have up to 192M of memory, because this host has 1G available"});
  GuestRequest request;
  request.memory_per_node = {usual};
  EXPECT_EQ(guest_of(make_guest(request, {gibibyte.count})).memory(), gibibyte);
  EXPECT_NE(refusal(GuestRequest{}, Bytes{100 * mebibyte.count}), "(accepted)");
}

TEST(LabMachine, EveryMachineThatComesWithLaresBecomesAGuest) {
  const auto folder = std::filesystem::path(LARES_SOURCE_DIR) / "machines";
  for (const std::string& file : machine::test::files_in(folder, ".json")) {
    const machine::Machine machine = machine::test::load(file);
    const auto plan = make_guest({}, machine, plenty);
    const Guest guest = guest_of(plan);
    EXPECT_EQ(guest.nodes.size(), machine.memory.size()) << file;
    EXPECT_LE(guest.cpus(), 64U) << file;
    EXPECT_LE(guest.memory().count, 32 * usual.count) << file;
    EXPECT_FALSE(plan.value().notes.empty()) << file;
  }
}

TEST(LabMachine, AllDescriptionsOfTheTestsGiveAGuestOrASentence) {
  for (const std::string& description : machine::test::all_machines()) {
    const auto plan = make_guest({}, machine::test::load(description), plenty);
    if (!plan) {
      EXPECT_TRUE(machine::test::is_sentence(plan.error().sentence)) << description;
    }
  }
}

TEST(LabMachine, ALargeMachineKeepsItsNodesAndPackages) {
  const auto plan = make_guest({}, shipped("sgi-uv2000-24s"), plenty);
  const Guest guest = guest_of(plan);
  ASSERT_EQ(guest.nodes.size(), 24U);
  EXPECT_EQ(guest.packages(), 24U);
  EXPECT_EQ(guest.nodes[23].cpus, 2U);
  EXPECT_EQ(guest.nodes[23].memory, usual);
  EXPECT_EQ(guest.distances[1], 50U);
  EXPECT_EQ(guest.distances[23], 79U);
  EXPECT_EQ(plan.value().notes,
            (std::vector<std::string>{
                "nodes have 2 of the 8 cores of \"SGI UV 2000, 24 sockets\"",
                "nodes have up to 256M of memory, not up to 31G as \"SGI UV 2000, 24 sockets\" "
                "has"}));
}

TEST(LabMachine, PackagesHoldSeveralNodes) {
  const Guest guest = guest_of(make_guest({}, shipped("epyc-9654-2s-nps4"), plenty));
  EXPECT_EQ(guest.packages(), 2U);
  EXPECT_EQ(guest.nodes[3].package, 0U);
  EXPECT_EQ(guest.nodes[4].package, 1U);
}

TEST(LabMachine, NodesKeepTheOperatingSystemsOrderAndTheirKind) {
  const Guest guest = guest_of(make_guest({}, shipped("hbm"), plenty));
  ASSERT_EQ(guest.nodes.size(), 8U);
  EXPECT_EQ(guest.nodes[0].kind, "DRAM");
  EXPECT_EQ(guest.nodes[1].kind, "HBM");
  EXPECT_EQ(guest.nodes[1].cpus, 0U);
  EXPECT_EQ(guest.distances[1], 12U) << "node 1 is the first cluster's own HBM";
  EXPECT_EQ(guest.distances[3], 16U);
  EXPECT_EQ(guest.bandwidth_mb_s[0], 22500U);
  EXPECT_EQ(guest.bandwidth_mb_s[2], 0U);
  EXPECT_EQ(guest.nodes[1].memory.count, 64 * mebibyte.count) << "in proportion, but not less";
}

TEST(LabMachine, BandwidthsShareAUnitOfSixteenBits) {
  const Guest guest = guest_of(make_guest({}, shipped("granite-rapids-2s-snc3"), plenty));
  EXPECT_EQ(guest.bandwidth_mb_s[0], 194772U);  // 194,770 in units of 4
  EXPECT_EQ(guest.latency_ns[3], 252U);
  std::uint32_t bits = 0;
  for (const std::uint32_t value : guest.bandwidth_mb_s) bits |= value;
  EXPECT_EQ(bits % 4, 0U);
  EXPECT_LT(bits / 4, 65'536U);
}

TEST(LabMachine, NoiseInMeasuredDistancesIsMadeFit) {
  const auto plan = make_guest({}, shipped("hp-dl980-8s"), plenty);
  const Guest guest = guest_of(plan);
  EXPECT_EQ(guest.distances[1], 11U) << "printed as 10";
  EXPECT_EQ(guest.distances[63], 10U) << "printed as 9";
}

TEST(LabMachine, CacheDomainsOfOneNodeAreOneNode) {
  const auto machine =
      machine::test::load("synthetic:pack:2 [numa] l3:2 core:4 pu:2", machine::Level::l3);
  ASSERT_EQ(machine.domains.size(), 4U);
  const Guest guest = guest_of(make_guest({}, machine, plenty));
  EXPECT_EQ(guest.nodes.size(), 2U);
  EXPECT_EQ(guest.packages(), 2U);
  EXPECT_EQ(guest.distances, (Values{10, 20, 20, 10}));
}

TEST(LabMachine, WhatIsAskedGoesBeforeTheMachine) {
  GuestRequest request;
  request.cpus_per_node = {4};
  request.memory_per_node = {gibibyte};
  request.distance_preset = "ring";
  const Guest guest = guest_of(make_guest(request, shipped("opteron-4s-square"), plenty));
  EXPECT_EQ(guest.nodes[3].cpus, 4U);
  EXPECT_EQ(guest.nodes[3].memory, gibibyte);
  EXPECT_EQ(guest.distances[2], 22U);
}

TEST(LabMachine, MistakesAreOneSentence) {
  const machine::Machine machine = shipped("opteron-4s-square");
  GuestRequest request;
  request.nodes = 4;
  EXPECT_EQ(refusal(request, machine),
            "--nodes cannot stand beside --machine, which says what nodes there are");
  request = {};
  request.cpuless = 1;
  EXPECT_EQ(refusal(request, machine),
            "--cpuless cannot stand beside --machine, which says what nodes there are");
  request = {};
  request.memory_per_node = {usual, usual};
  EXPECT_EQ(refusal(request, machine), "--memory-per-node is for 2 nodes and the machine has 4");
  request = {};
  request.distance_preset = "two-level";
  EXPECT_EQ(refusal(request, machine), "(accepted)");
}

TEST(LabHostMemory, IsReadFromTheKernelsText) {
  EXPECT_EQ(available_in_meminfo("MemTotal:  8 kB\nMemAvailable:   4 kB\n").count, 4096U);
  EXPECT_EQ(available_in_meminfo("MemTotal:  8 kB\n").count, 0U);
  EXPECT_EQ(available_in_meminfo("MemAvailable:").count, 0U);
  EXPECT_GT(available_host_memory(), Bytes{});
}

}  // namespace
}  // namespace lares::lab
