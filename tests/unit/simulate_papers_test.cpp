// The simulation against what the papers printed. What came out stands in docs/papers.md, and that
// this page is up to date is a test of its own; here is what must be true of any such page.
#include "simulate/papers/papers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "machine_support.hpp"
#include "simulate/parameters.hpp"

namespace lares::simulate::papers {
namespace {

Result<machine::Machine> find_machine(const std::string& name) {
  return machine::discover(
      machine::parse_source(std::string(LARES_SOURCE_DIR) + "/machines/" + name + ".json"));
}

/// The statements of one place; there must be one.
std::vector<Finding> findings_of(const Reproduction& found, const std::string& place) {
  std::vector<Finding> some;
  std::copy_if(found.findings.begin(), found.findings.end(), std::back_inserter(some),
               [&](const Finding& finding) { return finding.place == place; });
  EXPECT_FALSE(some.empty()) << place;
  return some;
}

void expect_holds(const Reproduction& found, const std::string& place) {
  for (const Finding& finding : findings_of(found, place)) {
    EXPECT_EQ(finding.judgement().verdict, Verdict::yes)
        << finding.statement << ": " << finding.evidence;
  }
}

void add(Result<Reproduction> found, Reproduction& all) {
  ASSERT_TRUE(found.ok()) << found.error().sentence;
  auto& [cells, findings, inputs] = found.value();
  all.cells.insert(all.cells.end(), cells.begin(), cells.end());
  all.findings.insert(all.findings.end(), findings.begin(), findings.end());
  all.inputs.insert(all.inputs.end(), inputs.begin(), inputs.end());
}

/// All papers with figures, with one seed.
Reproduction all_with_figures() {
  Reproduction all;
  add(reproduce_forestgomp(find_machine, 1), all);
  add(reproduce_bandwidth(find_machine), all);
  add(reproduce_placement(find_machine, 1), all);
  add(reproduce_balance(find_machine, 1), all);
  add(reproduce_gradients(find_machine, 1), all);
  add(reproduce_wittmann(find_machine, 1), all);
  return all;
}

void expect_every_figure_is_used(const Reproduction& all) {
  std::set<const Published*> used(all.inputs.begin(), all.inputs.end());
  for (const Cell& cell : all.cells) used.insert(cell.published);
  for (const Paper& paper : publications()) {
    for (const Place& place : paper.places) {
      for (const Published& figure : place.figures) {
        const std::string name = figure.paper + ", " + figure.place + ", " + figure.what;
        EXPECT_EQ(used.contains(&figure), figure.left_out.empty())
            << name << ": either something is held against it, or a reason says why not";
      }
      EXPECT_TRUE(!place.figures.empty() || !place.left_out.empty()) << paper.name << place.name;
    }
  }
}

/// What is one number in the model is one quantity, and one quantity has one class.
void expect_quantities_are_independent(const Reproduction& all) {
  std::map<std::pair<std::string, std::string>, Basis> classes;
  for (const Cell& cell : all.cells) {
    const auto [at, is_new] =
        classes.try_emplace({cell.published->paper, cell.quantity}, cell.basis);
    EXPECT_EQ(at->second, cell.basis) << cell.quantity;
    for (const Cell& other : all.cells) {
      if (other.published->paper != cell.published->paper) continue;
      EXPECT_TRUE(other.simulated.at != cell.simulated.at || other.quantity == cell.quantity)
          << cell.quantity << " and " << other.quantity << " are the same number";
    }
  }
}

void expect_inputs_come_out(const Reproduction& all) {
  for (const Cell& cell : all.cells) {
    if (cell.basis != Basis::input && cell.basis != Basis::fitted) continue;
    EXPECT_TRUE(cell.judgement().held > 0) << cell.published->place << ", " << cell.published->what;
  }
}

TEST(Papers, UseEveryPublishedFigureOnceOrSayWhyNot) {
  const Reproduction all = all_with_figures();
  expect_every_figure_is_used(all);
  expect_quantities_are_independent(all);
  expect_inputs_come_out(all);
}

TEST(Papers, AskPoliciesForFewOfTheFigures) {
  const auto found = reproduce_balance(find_machine, 1);
  ASSERT_TRUE(found.ok());
  const auto counts = count_cells(found.value().cells);
  EXPECT_EQ(counts[static_cast<std::size_t>(Basis::predicted)].all(), 4U);
}

TEST(Papers, ACentralQueueKeepsNoTaskNearItsCreator) {
  const auto found = reproduce_balance(find_machine, 1);
  ASSERT_TRUE(found.ok());
  for (const Cell& cell : found.value().cells) {
    if (cell.published->place != "Table 5.3") continue;
    EXPECT_EQ(cell.judgement().verdict, Verdict::yes) << cell.published->what;
  }
}

TEST(Papers, ForestGompsThreadsAndDataMoveAsPublished) {
  const auto found = reproduce_forestgomp(find_machine, 1);
  ASSERT_TRUE(found.ok());
  for (const char* place : {"section 5.3", "section 5.5", "Figure 7", "Figure 8"}) {
    expect_holds(found.value(), place);
  }
  for (const Finding& finding : findings_of(found.value(), "Table 10")) {
    EXPECT_EQ(finding.basis, Basis::fitted) << "its best row is what the migration was fitted to";
  }
}

TEST(Papers, GroupsAndToursAreThoseOfTheThesis) {
  const auto bandwidth = reproduce_bandwidth(find_machine);
  ASSERT_TRUE(bandwidth.ok());
  for (const char* place : {"Figure 2.2", "Figure 2.6", "Figure 2.8 left", "Figure 2.8 right"}) {
    expect_holds(bandwidth.value(), place);
  }
  const auto placement = reproduce_placement(find_machine, 1);
  ASSERT_TRUE(placement.ok());
  expect_holds(placement.value(), "Table 3.1");
}

TEST(Papers, GradientsScaleOnceTheMatrixIsDistributed) {
  const auto found = reproduce_gradients(find_machine, 1);
  ASSERT_TRUE(found.ok());
  for (const char* place : {"Figure 6.4", "Figure 6.6"}) expect_holds(found.value(), place);
}

TEST(Papers, FactorisationsAreJudgedWithoutPackingToo) {
  const auto found = reproduce_virouleau(find_machine, 1, {4096});
  ASSERT_TRUE(found.ok());
  const auto machine = find_machine("sgi-uv2000-24s");
  ASSERT_TRUE(machine.ok());
  const auto model = read_model(machine.value(), machine.value().simulation);
  ASSERT_TRUE(model.ok());
  for (const Finding& finding : found.value().findings) {
    // A seed, both ends of each range, and without packing.
    EXPECT_EQ(finding.judgement().points, 2 + 2 * model.value().uncertain.size());
    EXPECT_EQ(finding.basis, Basis::predicted);
  }
}

TEST(Papers, SayWhichMachineIsMissing) {
  const FindMachine nowhere = [](const std::string& name) -> Result<machine::Machine> {
    return Error{"no machine " + name};
  };
  EXPECT_FALSE(reproduce_forestgomp(nowhere, 1).ok());
  EXPECT_FALSE(reproduce_bandwidth(nowhere).ok());
  EXPECT_EQ(reproduce_gradients(nowhere, 1).error().sentence, "no machine bull-bcs-16s");
}

}  // namespace
}  // namespace lares::simulate::papers
