// Where data goes that has no home yet.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "policy_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;

std::vector<std::int32_t> ask(Distribution& distribution, Team& team, std::size_t self,
                              std::uint64_t blocks, std::uint64_t count) {
  std::vector<std::int32_t> answers;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    answers.push_back(distribution.on_place(team.view(self), {.index = i, .count = count}).value());
  }
  return answers;
}

using Answers = std::vector<std::int32_t>;

TEST(Distribution, FirstTouchLeavesItToTheFirstTouch) {
  Team team(machine_of({2, 2}));
  EXPECT_EQ(ask(*make_distribution("first-touch"), team, 0, 3, 3), (Answers{-1, -1, -1}));
}

TEST(Distribution, CyclicGoesRoundWhateverTheBlock) {
  Team team(machine_of({1, 1, 1}));
  const auto cyclic = make_distribution("cyclic");
  EXPECT_EQ(ask(*cyclic, team, 0, 4, 4), (Answers{0, 1, 2, 0}));
  EXPECT_EQ(ask(*cyclic, team, 0, 2, 2), (Answers{1, 2})) << "it remembers where it was";
}

TEST(Distribution, CyclicStartsEachWorkerElsewhere) {
  Team team(machine_of({1, 1, 1}));
  EXPECT_EQ(ask(*make_distribution("cyclic"), team, 1, 3, 3), (Answers{1, 2, 0}));
}

TEST(Distribution, BlockedCutsTheAreaIntoRuns) {
  Team team(machine_of({1, 1}));
  EXPECT_EQ(ask(*make_distribution("blocked"), team, 0, 6, 6), (Answers{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(ask(*make_distribution("blocked"), team, 0, 5, 5), (Answers{0, 0, 0, 1, 1}));
  EXPECT_EQ(ask(*make_distribution("blocked"), team, 1, 1, 1), (Answers{0}));
}

TEST(Distribution, BlockedWithoutCountDealsBlocksOut) {
  Team team(machine_of({1, 1}));
  EXPECT_EQ(ask(*make_distribution("blocked"), team, 0, 4, 0), (Answers{0, 1, 0, 1}));
}

TEST(Distribution, BlockedSurvivesHugeAndWrongNumbers) {
  Team team(machine_of({1, 1, 1}));
  const auto blocked = make_distribution("blocked");
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const auto at = [&](std::uint64_t index, std::uint64_t count) {
    return blocked->on_place(team.view(0), {.index = index, .count = count}).value();
  };
  EXPECT_EQ(at(most - 1, most), 2);
  EXPECT_EQ(at(most / 2, most), 1);
  EXPECT_EQ(at(most, 1), 2) << "beyond the end is the last run";
  EXPECT_EQ(at(100, 3), 2);
}

TEST(Distribution, InterleaveFollowsTheBlockAlone) {
  Team team(machine_of({1, 1, 1}));
  const auto interleave = make_distribution("interleave");
  EXPECT_EQ(ask(*interleave, team, 0, 4, 4), (Answers{0, 1, 2, 0}));
  EXPECT_EQ(ask(*interleave, team, 2, 4, 4), (Answers{0, 1, 2, 0}));
}

TEST(Distribution, RandomIsFairAndRepeatable) {
  Team team(machine_of({1, 1, 1, 1}));
  Team twin(machine_of({1, 1, 1, 1}));
  const auto first = ask(*make_distribution("random"), team, 0, 4000, 4000);
  EXPECT_EQ(first, ask(*make_distribution("random"), twin, 0, 4000, 4000));
  std::array<int, 4> hits{};
  for (const auto d : first) ++hits.at(static_cast<std::size_t>(d));
  for (const int h : hits) EXPECT_NEAR(h, 1000, 150);
}

// Data in a domain where nobody of the team works could only be reached from afar.
TEST(Distribution, OnlyDomainsWithWorkersGetData) {
  Team team(machine_of({1, 1, 1, 0}), {CoreId{2}, CoreId{0}});
  EXPECT_EQ(ask(*make_distribution("cyclic"), team, 0, 4, 4), (Answers{0, 2, 0, 2}));
  EXPECT_EQ(ask(*make_distribution("interleave"), team, 0, 4, 4), (Answers{0, 2, 0, 2}));
  EXPECT_EQ(ask(*make_distribution("blocked"), team, 0, 4, 4), (Answers{0, 0, 2, 2}));
  for (const auto d : ask(*make_distribution("random"), team, 0, 50, 50)) {
    EXPECT_TRUE(d == 0 || d == 2);
  }
}

}  // namespace
}  // namespace lares::policy
