// How much time goes into moving data that nobody has asked to move.
#include "decide/bringing.hpp"

#include <gtest/gtest.h>

namespace lares::decide {
namespace {

constexpr Nanoseconds begun{1000};
Nanoseconds at(std::int64_t later) { return {begun.count + later}; }

TEST(TimeBudget, IsHalfOfTheProgramsTime) {
  TimeBudget budget(begun);
  EXPECT_EQ(budget.left(at(0)).count, 0);
  EXPECT_EQ(budget.left(at(100)).count, 50);
  budget.spend(at(100), at(130), false);
  EXPECT_EQ(budget.left(at(130)).count, 35);
  EXPECT_LT(budget.left(at(40)).count, 0);
}

TEST(TimeBudget, WhatRanOutOfTimeGoesOnWhenMuchMoreHasPassed) {
  TimeBudget budget(begun);
  budget.spend(at(100), at(150), true);
  EXPECT_EQ(budget.left(at(224)).count, 0);
  EXPECT_GT(budget.left(at(225)).count, 0);
}

// Whatever a page takes and whenever the program is ready: never more than half of its time, but
// for what was going on when time ran out; and few starts.
TEST(TimeBudget, IsKeptHoweverOftenOneAsks) {
  TimeBudget budget(begun);
  std::int64_t spent = 0;
  int starts = 0;
  for (std::int64_t now = 1; now < 1'000'000; ++now) {
    const std::int64_t left = budget.left(at(now)).count;
    if (left <= 0) continue;
    ++starts;
    budget.spend(at(now), at(now + left), true);
    spent += left;
    now += left;
    ASSERT_LE(2 * spent, now);
  }
  EXPECT_GT(starts, 5);
  EXPECT_LT(starts, 60);
}

}  // namespace
}  // namespace lares::decide
