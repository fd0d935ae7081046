// The simulation against what the papers printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "machine_support.hpp"
#include "simulate/papers.hpp"

namespace lares::simulate {
namespace {

Result<machine::Machine> find_machine(const std::string& name) {
  return machine::discover(
      machine::parse_source(std::string(LARES_SOURCE_DIR) + "/machines/" + name + ".json"));
}

const Cell& cell(const Reproduction& found, const std::string& table, const std::string& what) {
  const auto at = std::find_if(found.cells.begin(), found.cells.end(), [&](const Cell& each) {
    return each.table.ends_with(table) && each.what.starts_with(what);
  });
  if (at == found.cells.end()) ADD_FAILURE() << "no cell " << table << " " << what;
  return at == found.cells.end() ? found.cells.front() : *at;
}

// Calibrated by Tables 1 and 4 and one cell of Table 10 only.
TEST(Papers, ForestGompsTablesComeOutWithinEightPercentOnAverage) {
  const auto found = reproduce_forestgomp(find_machine);
  ASSERT_TRUE(found.ok());
  EXPECT_GE(found.value().cells.size(), 38U);
  EXPECT_LE(mean_error(found.value().cells), 0.08);
  for (const char* table : {"Table 5", "Table 6", "Table 7", "Table 8"}) {
    for (const Cell& each : found.value().cells) {
      if (!each.table.ends_with(table)) continue;
      EXPECT_LT(std::abs(each.error()), 0.10) << each.table << ", " << each.what;
    }
  }
}

TEST(Papers, LoadBalancingComesOutInThePublishedOrder) {
  const auto found = reproduce_schmidl(find_machine, 3);
  ASSERT_TRUE(found.ok());
  for (const Finding& finding : found.value().findings) {
    EXPECT_TRUE(finding.holds) << finding.statement << ": " << finding.evidence;
  }
  EXPECT_LT(std::abs(cell(found.value(), "Figure 4.3", "4 sockets, dynamic").error()), 0.02);
  EXPECT_LT(std::abs(cell(found.value(), "Figure 4.4", "16 sockets, static").error()), 0.02);
  EXPECT_LT(std::abs(cell(found.value(), "Figure 4.6", "most-loaded").error()), 0.08);
  EXPECT_LT(std::abs(cell(found.value(), "Figure 4.6", "random").error()), 0.18);
  EXPECT_LT(std::abs(cell(found.value(), "Figure 4.9", "tasks, Intel").error()), 0.18);
}

}  // namespace
}  // namespace lares::simulate
