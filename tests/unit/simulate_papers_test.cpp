// The simulation against what the papers printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "machine_support.hpp"
#include "simulate/papers/papers.hpp"

namespace lares::simulate::papers {
namespace {

Result<machine::Machine> find_machine(const std::string& name) {
  return machine::discover(
      machine::parse_source(std::string(LARES_SOURCE_DIR) + "/machines/" + name + ".json"));
}

const Cell& cell(const Reproduction& found, const std::string& source, const std::string& what) {
  const auto at = std::find_if(found.cells.begin(), found.cells.end(), [&](const Cell& each) {
    return each.source.ends_with(source) && each.what.starts_with(what);
  });
  if (at == found.cells.end()) ADD_FAILURE() << "no cell " << source << " " << what;
  return at == found.cells.end() ? found.cells.front() : *at;
}

double error(const Reproduction& found, const std::string& source, const std::string& what) {
  return std::abs(cell(found, source, what).error());
}

/// Whether all findings of `source` hold, and there is one.
void expect_holds(const Reproduction& found, const std::string& source) {
  std::size_t count = 0;
  for (const Finding& finding : found.findings) {
    if (!finding.source.ends_with(source)) continue;
    ++count;
    EXPECT_TRUE(finding.holds) << finding.statement << ": " << finding.evidence;
  }
  EXPECT_GT(count, 0U) << source;
}

// Calibrated by Tables 1 and 4 and one cell of Table 10 only.
TEST(Papers, ForestGompsTablesComeOutWithinEightPercentOnAverage) {
  const auto found = reproduce_forestgomp(find_machine);
  ASSERT_TRUE(found.ok());
  EXPECT_GE(found.value().cells.size(), 40U);
  EXPECT_LE(mean_error(found.value().cells), 0.08);
  for (const char* table : {"Table 1", "Table 5", "Table 6", "Table 7", "Table 8"}) {
    for (const Cell& each : found.value().cells) {
      if (!each.source.ends_with(table)) continue;
      EXPECT_LT(std::abs(each.error()), 0.12) << each.source << ", " << each.what;
    }
  }
}

TEST(Papers, ForestGompsFindingsOnMovingThreadsAndDataHold) {
  const auto found = reproduce_forestgomp(find_machine);
  ASSERT_TRUE(found.ok());
  for (const char* where : {"Figure 7", "Figure 8", "Table 10"}) expect_holds(found.value(), where);
  for (const Finding& finding : found.value().findings) {
    EXPECT_TRUE(finding.holds || !finding.why.empty()) << finding.statement;
  }
}

TEST(Papers, BandwidthsGoDownAsThreadsGoAround) {
  const auto found = reproduce_bandwidth(find_machine);
  ASSERT_TRUE(found.ok());
  for (const char* where : {"Figure 2.2", "Figure 2.4", "Figure 2.6", "Figure 2.8 right"}) {
    expect_holds(found.value(), where);
  }
  EXPECT_LT(error(found.value(), "Figure 2.4", "HP, worst"), 0.01);
  EXPECT_LT(error(found.value(), "Figure 2.4", "BCS, start"), 0.05);
  EXPECT_LT(error(found.value(), "Figure 2.2", "Xeon Phi, writes"), 0.10);
  const Cell& worst = cell(found.value(), "Figure 2.4", "BCS, worst");
  EXPECT_LT(worst.low, worst.published);
  EXPECT_GE(worst.high, 0.99 * worst.published) << "without the loss it is the fabric itself";
}

TEST(Papers, ToursAreThoseOfTheThesisOrShorter) {
  const auto found = reproduce_placement(find_machine, 1);
  ASSERT_TRUE(found.ok());
  expect_holds(found.value(), "Table 3.1");
  EXPECT_EQ(cell(found.value(), "Table 3.1", "HP, shortest").simulated, 108.5);
  EXPECT_EQ(cell(found.value(), "Table 3.1", "BCS, shortest").simulated, 377.5);
  EXPECT_EQ(cell(found.value(), "Table 3.1", "Altix, greedy").simulated, 848);
}

TEST(Papers, MigrationPaysWhenTheThesisSays) {
  const auto found = reproduce_placement(find_machine, 1);
  ASSERT_TRUE(found.ok());
  for (const std::string name : {"Westmere, ", "SandyBridge, "}) {
    for (const std::string way : {"migration", "next touch"}) {
      const Cell& printed =
          cell(found.value(), "Figure 3.2", name + way + " pays after, from the printed times");
      EXPECT_EQ(printed.basis, Basis::computed);
      EXPECT_LT(std::abs(printed.error()), 0.01) << printed.what;
    }
    EXPECT_LT(error(found.value(), "Table 3.2", name + "parallel"), 0.02);
  }
  EXPECT_LT(error(found.value(), "Table 3.2", "Westmere, serial"), 0.10);
}

TEST(Papers, LoadBalancingComesOutInThePublishedOrder) {
  const auto found = reproduce_balance(find_machine, 3);
  ASSERT_TRUE(found.ok());
  for (const Finding& finding : found.value().findings) {
    EXPECT_TRUE(finding.holds) << finding.statement << ": " << finding.evidence;
  }
  EXPECT_LT(error(found.value(), "Figure 4.3", "4 sockets, dynamic, s"), 0.02);
  EXPECT_LT(error(found.value(), "Figure 4.3", "4 sockets, dynamic, remote"), 0.05);
  EXPECT_LT(error(found.value(), "Figure 4.4", "16 sockets, static"), 0.02);
  EXPECT_LT(error(found.value(), "Figure 4.6", "most-loaded"), 0.08);
  EXPECT_LT(error(found.value(), "Figure 4.6", "random"), 0.15);
  EXPECT_LT(error(found.value(), "Figure 4.6", "near"), 0.15);
  EXPECT_LT(error(found.value(), "Figure 4.9", "tasks, Intel"), 0.15);
  // Not Table 5.3's shares of a central queue: published is time, and the tasks that a creator runs
  // because its queue is full are the short ones here.
}

TEST(Papers, GradientsScaleOnceTheMatrixIsDistributed) {
  const auto found = reproduce_gradients(find_machine, 1);
  ASSERT_TRUE(found.ok());
  for (const char* where : {"Figure 6.4", "Figure 6.6"}) expect_holds(found.value(), where);
  EXPECT_LT(error(found.value(), "Figure 6.5", "CG"), 0.05);
  EXPECT_LT(error(found.value(), "Figure 6.8", "CG"), 0.15);
}

// The smaller sizes only: the others take minutes.
TEST(Papers, FactorisationsGainFromBothLevels) {
  const auto found = reproduce_virouleau(find_machine, 1, {8192, 16384});
  ASSERT_TRUE(found.ok());
  for (const Finding& finding : found.value().findings) {
    if (finding.source.find("Figure 4") == std::string::npos) continue;
    EXPECT_TRUE(finding.holds) << finding.statement << ": " << finding.evidence;
  }
  const auto initialised = std::find_if(
      found.value().findings.begin(), found.value().findings.end(), [](const Finding& each) {
        return each.statement.find("initialisation") != std::string::npos;
      });
  ASSERT_NE(initialised, found.value().findings.end());
  EXPECT_TRUE(initialised->holds) << initialised->evidence;
}

TEST(Papers, OnlyPredictionsCountForTheMeanError) {
  Cell predicted{"", "", 2, 3, 3, 3};
  Cell fitted{"", "", 1, 9, 9, 9, Basis::fitted};
  Cell computed{"", "", 1, 9, 9, 9, Basis::computed};
  EXPECT_EQ(mean_error({predicted, fitted, computed}), 0.5);
  EXPECT_EQ(mean_error({fitted}), 0);
}

TEST(Papers, WhatIsLeftOutHasAReason) {
  for (const auto list : {left_out_of_forestgomp(), left_out_of_schmidl(), left_out_of_wittmann(),
                          left_out_of_virouleau()}) {
    EXPECT_FALSE(list.empty());
    for (const LeftOut& each : list) EXPECT_FALSE(each.reason.empty()) << each.what;
  }
}

TEST(Papers, SayWhichMachineIsMissing) {
  const FindMachine nowhere = [](const std::string& name) -> Result<machine::Machine> {
    return Error{"no machine " + name};
  };
  EXPECT_FALSE(reproduce_forestgomp(nowhere).ok());
  EXPECT_FALSE(reproduce_bandwidth(nowhere).ok());
  EXPECT_EQ(reproduce_gradients(nowhere, 1).error().sentence, "no machine bull-bcs-16s");
}

}  // namespace
}  // namespace lares::simulate::papers
