// Distances by bandwidth, and what the firmware's table hides.
#include <gtest/gtest.h>

#include "machine/distance_findings.hpp"
#include "machine/hwloc_distances.hpp"
#include "machine/machine_file.hpp"
#include "machine_support.hpp"

namespace lares::machine {
namespace {

using Matrix = std::vector<std::uint32_t>;

std::string preset(const char* name) { return std::string(LARES_SOURCE_DIR) + "/machines/" + name; }

DistanceFindings findings_of(const char* name) {
  const Machine machine = test::load(preset(name));
  const auto measured = measurements_of(parse_source(preset(name)));
  const std::size_t size = machine.domains.size();
  return find_in_distances(distance_kinds(machine, measured.value()), size, size);
}

std::vector<std::vector<std::int32_t>> numbers(const DistanceGroups& groups) {
  std::vector<std::vector<std::int32_t>> lists;
  for (const auto& group : groups.groups) {
    auto& list = lists.emplace_back();
    for (const DomainId domain : group) list.push_back(domain.value());
  }
  return lists;
}

TEST(DistancesByBandwidth, AreTenTimesTheFirstOverTheOthersRounded) {
  EXPECT_EQ(distances_by_bandwidth(Matrix{1000, 500, 400, 1050}, 2), (Matrix{10, 20, 25, 10}));
  EXPECT_EQ(distances_by_bandwidth(Matrix{1000, 0, 667, 1}, 2), (Matrix{10, 0, 15, 10'000}));
  EXPECT_EQ(distances_by_bandwidth(Matrix{1, 100, 100'000'000, 1}, 2), (Matrix{10, 1, 1, 10}));
  EXPECT_EQ(distances_by_bandwidth(Matrix{100'000'000, 1, 1, 1}, 2),
            (Matrix{10, max_distance, max_distance, max_distance}));
  EXPECT_TRUE(distances_by_bandwidth(Matrix{0, 1, 1, 1}, 2).empty());
  EXPECT_TRUE(distances_by_bandwidth(Matrix{}, 2).empty());
}

/// The thesis reads the same out of Figure 2.6: two blocks of four, and a table that says nothing.
TEST(DistanceFindings, OfTheFujitsuMachine) {
  const DistanceFindings found = findings_of("fujitsu-8s.json");
  ASSERT_EQ(found.hidden.size(), 1U);
  EXPECT_EQ(found.hidden[0].slit, 12U);
  EXPECT_EQ(found.hidden[0].pairs, 56U);
  EXPECT_EQ(found.hidden[0].least, 15U);
  EXPECT_EQ(found.hidden[0].most, 26U);
  EXPECT_EQ(numbers(found.groups),
            (std::vector<std::vector<std::int32_t>>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_FALSE(found.groups.in_slit);
  EXPECT_EQ(found.groups.inside, 15);
  EXPECT_EQ(found.groups.between, 19);
}

TEST(DistanceFindings, OfTheBoardsOfTheBcsMachine) {
  const DistanceFindings found = findings_of("bull-bcs-16s.json");
  EXPECT_EQ(found.groups.groups.size(), 4U);
  EXPECT_EQ(numbers(found.groups)[1], (std::vector<std::int32_t>{4, 5, 6, 7}));
  EXPECT_TRUE(found.hidden.empty()) << "there is no table that could hide anything";
}

TEST(DistanceFindings, AStrangerThatIsNearerIsTold) {
  const DistanceFindings found = find_in_distances({{}, {10, 20, 15, 20}}, 2, 2);
  ASSERT_EQ(found.strangers.size(), 1U);
  EXPECT_EQ(found.strangers[0].domain, DomainId{1});
  EXPECT_EQ(found.strangers[0].stranger, DomainId{0});
}

TEST(DistanceFindings, ADirectionThatIsFartherIsTold) {
  const DistanceFindings found = find_in_distances({{}, {10, 20, 30, 10}}, 2, 2);
  ASSERT_EQ(found.asymmetric.size(), 1U);
  EXPECT_EQ(found.asymmetric[0].from, DomainId{1});
  EXPECT_EQ(found.asymmetric[0].there, 30U);
  EXPECT_TRUE(find_in_distances({{}, {10, 20, 21, 10}}, 2, 2).asymmetric.empty()) << "noise";
}

TEST(DistanceFindings, UnknownPairsAndDomainsWithoutCoresAreLeftOut) {
  const Matrix slit = {10, 20, 30, 20, 10, 30, 30, 30, 10};
  const Matrix measured = {10, 40, 0, 0, 10, 0, 0, 0, 0};
  const DistanceFindings found = find_in_distances({slit, measured}, 3, 2);
  EXPECT_TRUE(found.hidden.empty());
  EXPECT_TRUE(found.asymmetric.empty());
  EXPECT_TRUE(found.strangers.empty());
}

TEST(HwlocDistances, AreReadBackByHwloc) {
  const std::string source = "synthetic:pack:2 [numa] core:2 pu:1";
  const Machine machine = test::load(source);
  const std::string file = testing::TempDir() + "lares-distances.xml";
  const auto written = write_hwloc_distances(machine, {10, 23, 23, 10}, parse_source(source), file);
  ASSERT_TRUE(written.ok()) << written.error().sentence;
  EXPECT_EQ(test::load(file).distances.values, (Matrix{10, 23, 23, 10}));
}

TEST(HwlocDistances, RefusesWhatHwlocCannotKeep) {
  const std::string source = "synthetic:pack:2 [numa] core:2 pu:1";
  const Machine machine = test::load(source);
  const auto refused = [&](const Machine& m, const Matrix& values, const std::string& file) {
    const auto written = write_hwloc_distances(m, values, parse_source(source), file);
    return written.ok() ? "(accepted)" : written.error().sentence;
  };
  EXPECT_NE(refused(machine, {10, 0, 23, 10}, "x.xml").find("not all distances are known"),
            std::string::npos);
  EXPECT_NE(refused(machine, {10, 23, 23, 10}, "/no/such/folder/x.xml").find("cannot write"),
            std::string::npos);
  const Machine caches = test::load("synthetic:[numa] l2:2 core:1 pu:1", Level::l2);
  EXPECT_NE(refused(caches, {10, 23, 23, 10}, "x.xml").find("shares its NUMA node"),
            std::string::npos);
}

}  // namespace
}  // namespace lares::machine
