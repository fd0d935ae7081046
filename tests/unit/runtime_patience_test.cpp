// How long a worker that finds nothing goes on looking.
#include <gtest/gtest.h>

#include <cstdint>

#include "base/clock.hpp"
#include "runtime/engine.hpp"
#include "runtime/team.hpp"
#include "runtime/waiting.hpp"

namespace lares::runtime {
namespace {

constexpr std::uint32_t any_number = 2'000'000'000;

Nanoseconds time_until_exhausted(std::uint32_t rounds, Nanoseconds longest) {
  Team team(1, 1);
  team.spin_rounds = rounds;
  team.longest_spin = longest;
  team.most_in_teams = 1'000'000;
  Patience patience(team);
  const Nanoseconds start = now();
  while (!patience.exhausted()) {
  }
  EXPECT_TRUE(patience.exhausted()) << "until something is found";
  const Nanoseconds taken{now().count - start.count};
  patience.reset();
  EXPECT_FALSE(patience.exhausted());
  return taken;
}

TEST(Patience, IsOverWhenItsTimeIs) {
  const Nanoseconds taken = time_until_exhausted(any_number, {3'000'000});
  EXPECT_GE(taken.count, 3'000'000);
  EXPECT_LT(taken.count, 10'000'000'000);
}

TEST(Patience, IsOverWhenItsRoundsAre) {
  EXPECT_LT(time_until_exhausted(100, {1'000'000'000'000'000}).count, 10'000'000'000);
}

TEST(Patience, OfAnActiveWaitPolicyKnowsNoTime) {
  Engine engine;
  EXPECT_LE(engine.longest_spin().count, 1'000'000) << "less under disorder";
  EXPECT_GT(engine.longest_spin().count, 0);
  engine.set_wait_policy(WaitPolicy::active);
  EXPECT_GT(engine.longest_spin().count, 86'400'000'000'000) << "a day";
}

// Two threads have a processor each, until each of them makes a team of two.
TEST(Crowd, CountsTheTeamsThatItsThreadsMake) {
  RegionHint hint;
  Team team(2, 2);
  team.most_in_teams = 2;
  EXPECT_FALSE(team.is_crowded()) << "of no region yet";
  team.hint = &hint;
  EXPECT_FALSE(team.is_crowded());
  hint.inner_threads.store(2, std::memory_order_relaxed);
  EXPECT_TRUE(team.is_crowded());
  team.most_in_teams = 4;
  EXPECT_FALSE(team.is_crowded()) << "a processor for each of the four";
}

// It waits by yielding, for its own threads only need the cores.
TEST(Crowd, OfTooManyThreadsAloneIsNotOneOfInnerTeams) {
  RegionHint hint;
  Team team(4, 4);
  team.most_in_teams = 2;
  team.hint = &hint;
  EXPECT_FALSE(team.is_crowded_by_inner_teams());
  hint.inner_threads.store(2, std::memory_order_relaxed);
  EXPECT_TRUE(team.is_crowded_by_inner_teams());
}

}  // namespace
}  // namespace lares::runtime
