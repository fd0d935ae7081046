// OMP_PLACES from domains in order.
#include "machine/omp_places.hpp"

#include <gtest/gtest.h>

#include "machine_support.hpp"

namespace lares::machine {
namespace {

TEST(OmpPlaces, HardwareThreadsAsAsked) {
  const Machine machine = test::load("synthetic:pack:2 [numa] core:2 pu:2");
  const std::vector<DomainId> domains = {DomainId{1}, DomainId{0}};
  EXPECT_EQ(omp_places(machine, domains, Smt::core), "{4,5},{6,7},{0,1},{2,3}");
  EXPECT_EQ(omp_places(machine, domains, Smt::first), "{4},{6},{0},{2}");
  EXPECT_EQ(omp_places(machine, domains, Smt::thread), "{4},{5},{6},{7},{0},{1},{2},{3}");
  EXPECT_EQ(omp_places(machine, domains, Smt::last), "{4},{6},{0},{2},{5},{7},{1},{3}");
}

TEST(OmpPlaces, WordsAreReadAndOthersRefused) {
  EXPECT_EQ(parse_smt("core").value(), Smt::core);
  EXPECT_EQ(parse_smt("thread").value(), Smt::thread);
  EXPECT_EQ(parse_smt("first").value(), Smt::first);
  EXPECT_EQ(parse_smt("last").value(), Smt::last);
  EXPECT_EQ(parse_smt("both").error().sentence,
            "unknown way with hardware threads \"both\", accepted are core, thread, first, last");
}

/// Cores 0 and 2 share a cache, and so do 1 and 3.
TEST(OmpPlaces, CoresThatShareACacheAreNeighbours) {
  Machine machine = test::load("synthetic:l2:2 core:2 pu:1", Level::numa);
  for (TreeNode& node : machine.tree) {
    if (node.level != Level::l2) continue;
    const bool low = node.cores.front() == CoreId{0};
    node.cores = {CoreId{low ? 0 : 1}, CoreId{low ? 2 : 3}};
  }
  ASSERT_FALSE(validate(machine).has_value());
  EXPECT_EQ(test::numbers(cores_by_cache(machine, DomainId{0})),
            (std::vector<std::int32_t>{0, 2, 1, 3}));
}

TEST(OmpPlaces, DomainsWithoutCoresHaveNone) {
  const Machine machine = test::load(std::string(LARES_SOURCE_DIR) + "/machines/cxl.json");
  const std::vector<DomainId> domains = {DomainId{2}};
  EXPECT_EQ(omp_places(machine, domains, Smt::core), "");
}

}  // namespace
}  // namespace lares::machine
