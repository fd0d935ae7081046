// Who of the simulated workers looks around, sleeps and is on its way.
#include "simulate/idle_workers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lares::simulate {
namespace {

constexpr double park = 10;
const DomainId here{0};
const DomainId there{1};
const auto anybody = [](std::uint32_t) { return true; };
const auto nobody = [](std::uint32_t) { return false; };

/// Workers 0 and 1 are here, 2 and 3 there; all look since the beginning.
struct Idle : testing::Test {
  Idle() : idle(2, {here, here, there, there}, 4, park) {}
  void all_look() {
    for (std::uint32_t w = 0; w < 4; ++w) idle.add(w, 0, 0, true);
  }
  std::vector<std::uint32_t> fall_asleep(double clock) {
    std::vector<std::uint32_t> slept;
    idle.pass_time(clock, [&](std::uint32_t w) { slept.push_back(w); });
    return slept;
  }
  IdleWorkers idle;
};

TEST_F(Idle, LooksBeforeItSleeps) {
  all_look();
  EXPECT_EQ(idle.looking(here), 2U);
  EXPECT_TRUE(fall_asleep(park).empty());
  EXPECT_EQ(fall_asleep(park + 1), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(idle.looking(here), 0U);
  EXPECT_EQ(idle.asleep(), 4U);
  EXPECT_EQ(idle.first_asleep(there), 2U);
}

TEST_F(Idle, SleepsAtOnceIfItHasLookedForLong) {
  idle.add(1, 0, park + 1, true);
  EXPECT_TRUE(idle.is_asleep(1));
}

TEST_F(Idle, WhoFoundWorkMeanwhileDoesNotFallAsleep) {
  all_look();
  idle.remove(0);
  idle.remove(1);
  idle.add(1, 5, 5, true);  // idle anew: its time has begun again
  EXPECT_EQ(fall_asleep(park + 1), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(fall_asleep(park + 6), (std::vector<std::uint32_t>{1}));
  EXPECT_FALSE(idle.is_idle(0));
}

TEST_F(Idle, TheLongestLookingNoticesWhatIsNear) {
  all_look();
  const std::vector<DomainId> nearest{there, here};
  EXPECT_EQ(idle.choose_looking(nearest, anybody), 2U);
  EXPECT_EQ(idle.looking(there), 2U) << "it counts until it has looked";
  EXPECT_EQ(idle.choose_looking(nearest, anybody), 3U);
  EXPECT_EQ(idle.choose_looking(nearest, anybody), 0U);
  EXPECT_EQ(idle.choose_looking(nearest, nobody), std::nullopt);
  idle.has_looked(2);
  EXPECT_EQ(idle.looking(there), 1U);
}

TEST_F(Idle, WhoIsWokenIsOnItsWayUntilItHasLooked) {
  all_look();
  EXPECT_EQ(idle.choose_asleep(here, anybody), std::nullopt);
  fall_asleep(park + 1);
  EXPECT_EQ(idle.choose_asleep(there, anybody), 2U);
  EXPECT_EQ(idle.on_their_way(), 1);
  EXPECT_EQ(idle.asleep(), 3U);
  EXPECT_FALSE(idle.is_idle(2));
  idle.has_looked(2);
  EXPECT_EQ(idle.on_their_way(), 0);
}

TEST_F(Idle, RatherWakesWhoMayRunAnything) {
  idle.add(0, 0, park + 1, false);
  idle.add(1, 0, park + 1, true);
  EXPECT_EQ(idle.choose_asleep(here, anybody), 1U);
  EXPECT_EQ(idle.choose_asleep(here, nobody), std::nullopt);
  EXPECT_EQ(idle.choose_asleep(here, anybody), 0U);
}

TEST_F(Idle, WhoMayNotRunAnythingDoesNotCountAsLooking) {
  idle.add(0, 0, 0, false);
  idle.add(1, 0, 0, true);
  EXPECT_EQ(idle.looking(here), 1U);
  EXPECT_TRUE(idle.any());
}

TEST_F(Idle, AreForgottenBetweenPhases) {
  all_look();
  fall_asleep(park + 1);
  static_cast<void>(idle.choose_asleep(here, anybody));
  idle.clear();
  EXPECT_FALSE(idle.any());
  EXPECT_EQ(idle.asleep(), 0U);
  EXPECT_EQ(idle.on_their_way(), 0);
  EXPECT_EQ(idle.looking(there), 0U);
}

}  // namespace
}  // namespace lares::simulate
