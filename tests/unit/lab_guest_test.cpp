// A guest as a value: what it counts, and what cannot be booted.
#include "lab/guest.hpp"

#include <gtest/gtest.h>

namespace lares::lab {
namespace {

constexpr Bytes plenty{64 * gibibyte.count};

/// Four nodes; the last two share package 1, the first two package 0.
Guest sound() {
  Guest guest;
  guest.name = "test";
  for (std::uint32_t n = 0; n < 4; ++n) guest.nodes.push_back({2, {gibibyte}, n / 2, "DRAM"});
  guest.distances = {10, 12, 32, 32, 12, 10, 32, 32, 32, 32, 10, 12, 32, 32, 12, 10};
  return guest;
}

std::string refusal(const Guest& guest, Bytes host_memory = plenty) {
  const auto error = validate(guest, host_memory);
  return error ? error->sentence : "(accepted)";
}

TEST(LabGuest, CpusAreNumberedNodeByNode) {
  Guest guest = sound();
  guest.nodes[1].cpus = 0;
  EXPECT_EQ(guest.cpus(), 6U);
  EXPECT_EQ(guest.first_cpu_of(0), 0U);
  EXPECT_EQ(guest.first_cpu_of(1), 2U);
  EXPECT_EQ(guest.first_cpu_of(2), 2U);
  EXPECT_EQ(guest.first_cpu_of(3), 4U);
}

TEST(LabGuest, MemoryAndPackagesAreCounted) {
  Guest guest = sound();
  EXPECT_EQ(guest.memory().count, 4 * gibibyte.count);
  EXPECT_EQ(guest.packages(), 2U);
  guest.nodes.push_back({0, {gibibyte}, 7, "CXL"});
  EXPECT_EQ(guest.packages(), 2U);
}

TEST(LabGuest, ASoundGuestIsAccepted) { EXPECT_EQ(refusal(sound()), "(accepted)"); }

TEST(LabGuest, NodesWithoutCpusOrMemoryAreAccepted) {
  Guest guest = sound();
  guest.nodes[1].memory = {};
  guest.nodes[3] = {0, {gibibyte}, 0, "CXL"};
  guest.nodes[2].package = 1;
  guest.nodes[2].cpus = 4;
  EXPECT_EQ(refusal(guest), "(accepted)");
}

TEST(LabGuest, CountsHaveLimits) {
  EXPECT_EQ(refusal(Guest{}), "a guest cannot have 0 nodes, accepted are 1 to 64");
  Guest guest = sound();
  guest.nodes[0].cpus = 250;
  EXPECT_EQ(refusal(guest), "a guest cannot have 256 cpus in all, accepted are 1 to 255");
  for (GuestNode& node : guest.nodes) node.cpus = UINT32_MAX;
  EXPECT_EQ(refusal(guest), "a guest cannot have 17179869180 cpus in all, accepted are 1 to 255");
  for (GuestNode& node : guest.nodes) node.cpus = 0;
  EXPECT_EQ(refusal(guest), "a guest cannot have 0 cpus in all, accepted are 1 to 255");
}

TEST(LabGuest, MemoryMustFitTheHostAndLinux) {
  EXPECT_EQ(refusal(sound(), {3 * gibibyte.count}),
            "a guest of 4 nodes needs 4G of memory and only 3G are available on this host: use "
            "fewer nodes or a smaller --memory-per-node");
  Guest guest = sound();
  guest.nodes[1].memory = {mebibyte.count};
  EXPECT_EQ(refusal(guest), "node 1 cannot have 1M of memory, accepted are 0 and 16M or more");
  guest.nodes[1].memory = {mebibyte.count * 20 + 4096};
  EXPECT_EQ(refusal(guest), "node 1 cannot have 20484K of memory, accepted are multiples of 1M");
  for (GuestNode& node : guest.nodes) node.memory = {16 * mebibyte.count};
  EXPECT_EQ(refusal(guest), "a guest cannot boot with 64M of memory in all, it takes 128M or more");
  for (GuestNode& node : guest.nodes) node.memory = {UINT64_MAX / mebibyte.count * mebibyte.count};
  EXPECT_NE(refusal(guest), "(accepted)");
}

TEST(LabGuest, DistancesHaveALimitEach) {
  Guest guest = sound();
  guest.distances.pop_back();
  EXPECT_EQ(refusal(guest), "the distances of 4 nodes must be 4 rows of 4 values");
  guest = sound();
  guest.distances[1] = 10;
  EXPECT_EQ(refusal(guest),
            "the distance from node 0 to node 1 cannot be 10, accepted are 11 to 254");
  guest.distances[1] = 255;
  EXPECT_EQ(refusal(guest),
            "the distance from node 0 to node 1 cannot be 255, accepted are 11 to 254");
  guest = sound();
  guest.distances[5] = 11;
  EXPECT_EQ(refusal(guest), "the distance from node 1 to node 1 cannot be 11, accepted is 10");
  guest = sound();
  guest.distances[1] = 13;
  EXPECT_EQ(refusal(guest), "(accepted)") << "asymmetric";
}

TEST(LabGuest, FiguresMustBeWholeAndFitTheFirmware) {
  Guest guest = sound();
  guest.latency_ns.assign(16, 100);
  guest.bandwidth_mb_s.assign(16, 1000);
  EXPECT_EQ(refusal(guest), "(accepted)");
  guest.bandwidth_mb_s.pop_back();
  EXPECT_EQ(refusal(guest), "the bandwidths of 4 nodes must be 4 rows of 4 values");
  guest.bandwidth_mb_s.clear();
  guest.latency_ns[3] = 65'001;
  EXPECT_EQ(refusal(guest), "a latency cannot be 65001 ns, accepted are up to 65000 ns");
}

TEST(LabGuest, PackagesAreOfEqualSizeAndInOrder) {
  Guest guest = sound();
  guest.nodes[3].package = 2;
  EXPECT_EQ(refusal(guest), "package 1 cannot have 2 cpus where package 0 has 4");
  guest.nodes[3].package = 0;
  EXPECT_EQ(refusal(guest),
            "node 3 cannot be in package 0: packages are numbered in the order of the nodes");
  guest = sound();
  for (GuestNode& node : guest.nodes) node.package += 1;
  EXPECT_EQ(refusal(guest),
            "node 0 cannot be in package 1: packages are numbered in the order of the nodes");
}

TEST(LabGuest, CachesAreWholePages) {
  Guest guest = sound();
  guest.caches.l2 = {};
  EXPECT_EQ(refusal(guest), "a cache l2 cannot be 0, accepted are multiples of 4K from 4K to 1G");
  guest.caches.l2 = {4 * kibibyte.count};
  guest.caches.l3 = {5 * kibibyte.count};
  EXPECT_EQ(refusal(guest), "a cache l3 cannot be 5K, accepted are multiples of 4K from 4K to 1G");
  guest.caches.l3 = {};
  EXPECT_EQ(refusal(guest), "(accepted)");
}

}  // namespace
}  // namespace lares::lab
