// Teams that run the same code side by side.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "decide/rounds.hpp"

namespace lares::decide {
namespace {

constexpr std::uintptr_t code = 0x1000;

TEST(Rounds, OneTeamHasOneWithEachBegin) {
  Rounds rounds;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(rounds.begin(code, 1));
}

TEST(Rounds, TheSlowestTeamEndsThem) {
  Rounds rounds;
  EXPECT_TRUE(rounds.begin(code, 1));
  EXPECT_FALSE(rounds.begin(code, 2)) << "the first has not begun since";
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(rounds.begin(code, 2));
  EXPECT_TRUE(rounds.begin(code, 1));
  EXPECT_FALSE(rounds.begin(code, 1));
  EXPECT_TRUE(rounds.begin(code, 2));
}

TEST(Rounds, OtherCodeIsOtherWork) {
  Rounds rounds;
  rounds.begin(code, 1);
  EXPECT_FALSE(rounds.begin(code, 2));
  EXPECT_TRUE(rounds.begin(code + 1, 2));
  EXPECT_TRUE(rounds.begin(code + 1, 2));
  EXPECT_FALSE(rounds.begin(code, 2));
}

TEST(Rounds, WhoDoesNotComeIsWaitedForNoLonger) {
  Rounds rounds;
  rounds.begin(code, 1);
  for (std::uint32_t i = 1; i < Rounds::most_alone; ++i) EXPECT_FALSE(rounds.begin(code, 2));
  EXPECT_TRUE(rounds.begin(code, 2));
  EXPECT_TRUE(rounds.begin(code, 2)) << "nobody waits for the first";
  EXPECT_FALSE(rounds.begin(code, 1)) << "it is back, and the other is waited for";
  EXPECT_TRUE(rounds.begin(code, 2));
}

TEST(Rounds, WhatFindsNoRoomIsARoundEachTime) {
  Rounds rounds;
  for (std::uintptr_t team = 1; team <= Rounds::rows; ++team) rounds.begin(code, team);
  EXPECT_FALSE(rounds.begin(code, 2));
  EXPECT_TRUE(rounds.begin(code, Rounds::rows + 1));
  EXPECT_TRUE(rounds.begin(code, Rounds::rows + 1));
  EXPECT_TRUE(rounds.begin(0, 7));
  EXPECT_TRUE(rounds.begin(0, 7));
}

// Between two rounds each team has begun, unless one has begun very often.
TEST(Rounds, HaveABeginOfEachTeam) {
  std::mt19937 random(3);
  for (int repetition = 0; repetition < 200; ++repetition) {
    Rounds rounds;
    const std::size_t teams = 1 + random() % 8;
    for (std::size_t t = 0; t < teams; ++t) rounds.begin(code, t + 1);
    std::vector<int> since(teams, 0);
    bool counts = false;
    for (int i = 0; i < 300; ++i) {
      const std::size_t team = random() % teams;
      ++since[team];
      if (!rounds.begin(code, team + 1)) continue;
      for (const int each : since) EXPECT_TRUE(!counts || each > 0);
      since.assign(teams, 0);
      counts = true;
    }
  }
}

}  // namespace
}  // namespace lares::decide
