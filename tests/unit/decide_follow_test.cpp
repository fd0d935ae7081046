// When data follows work that repeats itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "decide/follow.hpp"

namespace lares::decide {
namespace {

using Step = Follow::Step;

constexpr std::uintptr_t loop = 0x1000;
constexpr std::uintptr_t other = 0x2000;
constexpr std::int64_t turn = 1'000'000;

/// A program's clock, one turn a start, all samples touched unless it is said otherwise.
struct Program {
  explicit Program(double turns_told = 0) : follow(turns_told) {}
  Step begin(std::uintptr_t cause = loop, std::size_t threads = 4, double touched = 1) {
    now += turn;
    const Step step = follow.begin(cause, threads, now, [touched] { return touched; });
    if (step == Step::first_look || step == Step::second_look) follow.looked(now, 100);
    return step;
  }
  /// The next starts until one is good for something, at most `most`.
  Step next(int most = 1000) {
    for (int i = 0; i < most; ++i) {
      ++starts;
      if (const Step step = begin(); step != Step::none) return step;
    }
    return Step::none;
  }
  Follow follow;
  std::int64_t now = 0;
  int starts = 0;
};

TEST(Repetitions, CountWhatBeginsWithTheSameThreads) {
  Repetitions repetitions;
  EXPECT_EQ(repetitions.begin(loop, 4), 1U);
  EXPECT_EQ(repetitions.begin(loop, 4), 2U);
  EXPECT_EQ(repetitions.begin(other, 4), 1U);
  EXPECT_EQ(repetitions.begin(loop, 4), 3U);
  EXPECT_EQ(repetitions.begin(loop, 2), 1U);
  EXPECT_EQ(repetitions.begin(loop, 4), 1U);
  EXPECT_EQ(repetitions.begin(0, 0), 1U);
  EXPECT_EQ(repetitions.begin(0, 0), 2U);
}

TEST(Repetitions, TellWhenAllThatIsExpectedHasBegun) {
  Repetitions repetitions;
  const auto step = [&repetitions] {  // a loop of five rounds, and nine others
    for (int i = 0; i < 5; ++i) repetitions.begin(loop, 4);
    for (std::uintptr_t i = 0; i < 9; ++i) repetitions.begin(other + i, 4);
  };
  EXPECT_TRUE(repetitions.is_round_over(0)) << "nothing is expected";
  step();
  step();
  const std::uint64_t since = repetitions.begins();
  for (int i = 0; i < 5; ++i) repetitions.begin(loop, 4);
  EXPECT_FALSE(repetitions.is_round_over(since)) << "the others come again";
  for (std::uintptr_t i = 0; i < 7; ++i) repetitions.begin(other + i, 4);
  EXPECT_FALSE(repetitions.is_round_over(since)) << "8 of 10";
  repetitions.begin(other + 7, 4);
  EXPECT_TRUE(repetitions.is_round_over(since)) << "9 of 10";
  const std::uint64_t then = repetitions.begins();
  for (int i = 0; i < 10; ++i) repetitions.begin(loop, 4);
  EXPECT_FALSE(repetitions.is_round_over(then));
  EXPECT_TRUE(repetitions.expects(other));
  for (int i = 0; i < 30; ++i) repetitions.begin(loop, 4);
  EXPECT_TRUE(repetitions.is_round_over(then)) << "the others are over";
  EXPECT_FALSE(repetitions.expects(other));
  EXPECT_TRUE(repetitions.expects(loop));
  EXPECT_FALSE(repetitions.expects(0x5000)) << "nobody knows of it";
}

TEST(Repetitions, WhatHasBegunOnceIsExpectedForAWhile) {
  Repetitions repetitions;
  for (std::uintptr_t i = 0; i < 10; ++i) repetitions.begin(other + i, 4);
  repetitions.begin(loop, 4);
  const std::uint64_t since = repetitions.begins();
  repetitions.begin(loop, 4);
  EXPECT_FALSE(repetitions.is_round_over(since));
  EXPECT_TRUE(repetitions.is_round_over(since, 1000)) << "nobody knows that it comes";
  for (int i = 0; i < 640; ++i) repetitions.begin(loop, 4);
  EXPECT_TRUE(repetitions.is_round_over(since)) << "it was the program's beginning";
}

TEST(Repetitions, WhatHasBegunOnceIsNotExpectedFourTimesAsLongAsThatTook) {
  Repetitions repetitions;
  repetitions.begin(other, 4, 1000);
  repetitions.begin(loop, 4, 1200);
  repetitions.begin(loop + 1, 4, 1300);
  EXPECT_TRUE(repetitions.expects(loop));
  repetitions.begin(loop + 1, 4, 2000);
  EXPECT_TRUE(repetitions.expects(loop));
  repetitions.begin(loop + 1, 4, 2001);
  EXPECT_FALSE(repetitions.expects(loop));
}

TEST(Repetitions, NobodyWaitsForWhatComesSeldom) {
  Repetitions repetitions;
  for (int i = 0; i < 200; ++i) {
    repetitions.begin(loop, 4);
    if (i % 50 == 0) repetitions.begin(other, 4);  // as output
  }
  const std::uint64_t since = repetitions.begins();
  repetitions.begin(loop, 4);
  EXPECT_FALSE(repetitions.is_round_over(since));
  EXPECT_FALSE(repetitions.is_round_over(since, 51));
  EXPECT_TRUE(repetitions.is_round_over(since, 50));
}

TEST(Evidence, DataFollowsSteadyUsersThatAreAway) {
  EXPECT_TRUE((Evidence{.touched = 100, .steady = 95, .away = 70}).shall_follow());
  EXPECT_TRUE((Evidence{.touched = 100, .steady = 80, .away = 40}).shall_follow());
  EXPECT_FALSE((Evidence{.touched = 100, .steady = 50, .away = 50}).shall_follow());
  EXPECT_FALSE((Evidence{.touched = 100, .steady = 100, .away = 10}).shall_follow());
  EXPECT_FALSE((Evidence{.touched = 7, .steady = 7, .away = 7}).shall_follow());
  EXPECT_FALSE(Evidence{}.shall_follow());
  EXPECT_TRUE((Evidence{.pairs = 100, .joined = 96}).is_coarse());
  EXPECT_FALSE((Evidence{.pairs = 100, .joined = 75}).is_coarse());
  EXPECT_FALSE(Evidence{}.is_coarse());
}

TEST(Follow, AMoveIsWeighedAgainstTheTimeOfTurns) {
  // All of it remote at twice the time, half of the time memory: a quarter of each turn is gained.
  EXPECT_DOUBLE_EQ(turns_to_pay(1000, 100, 1, 2), 40);
  EXPECT_DOUBLE_EQ(turns_to_pay(1000, 100, 0.5, 2), 80);
  EXPECT_TRUE(std::isinf(turns_to_pay(1000, 100, 0, 2)));
  EXPECT_TRUE(std::isinf(turns_to_pay(1000, 100, 1, 1)));
  EXPECT_TRUE(std::isinf(turns_to_pay(1000, 0, 1, 2)));
}

TEST(Follow, ATurnOfSeveralTeamsIsOverWhenNearlyAllWasTouched) {
  Program program;
  program.follow.expect_several_teams();
  program.begin();
  EXPECT_EQ(program.begin(), Step::first_look);
  EXPECT_EQ(program.begin(loop, 4, 0.6), Step::none) << "with one team it is";
  EXPECT_EQ(program.begin(loop, 4, 0.8), Step::none);
  EXPECT_EQ(program.begin(loop, 4, 0.9), Step::second_look);
  EXPECT_EQ(program.begin(loop, 4, 0.6), Step::none);
  EXPECT_EQ(program.begin(loop, 4, 0.6), Step::judge) << "nobody touches more";
}

TEST(Follow, TwoLooksThenTheJudgement) {
  Program program;
  EXPECT_EQ(program.begin(), Step::none);
  EXPECT_EQ(program.begin(), Step::first_look);
  EXPECT_EQ(program.begin(), Step::second_look);
  EXPECT_EQ(program.begin(), Step::judge);
  EXPECT_EQ(program.follow.turn(), turn);
  EXPECT_TRUE(program.follow.judged(4, program.now));
  EXPECT_EQ(program.follow.moves(), 1U);
}

TEST(Follow, WaitsUntilTheMoveWouldHavePaid) {
  Program program;
  for (int i = 0; i < 4; ++i) program.begin();
  EXPECT_FALSE(program.follow.rests());
  EXPECT_FALSE(program.follow.judged(7, program.now));
  EXPECT_TRUE(program.follow.rests()) << "no samples wait";
  EXPECT_EQ(program.begin(), Step::none);  // 5
  EXPECT_EQ(program.begin(), Step::none);
  EXPECT_EQ(program.begin(), Step::move);
  EXPECT_EQ(program.follow.moves(), 1U);
}

TEST(Follow, OldEvidenceIsNotTrusted) {
  Program program;
  for (int i = 0; i < 4; ++i) program.begin();
  EXPECT_FALSE(program.follow.judged(9, program.now));
  EXPECT_EQ(program.next(), Step::first_look);
}

TEST(Follow, TheUserMayKnowHowManyTurnsCome) {
  Program program(20);
  for (int i = 0; i < 4; ++i) program.begin();
  EXPECT_TRUE(program.follow.judged(19, program.now));
}

TEST(Follow, ATurnLastsUntilTheSamplesWereTouched) {
  Program program;
  program.begin();
  EXPECT_EQ(program.begin(), Step::first_look);
  EXPECT_EQ(program.begin(loop, 4, 0.2), Step::none);
  EXPECT_EQ(program.begin(loop, 4, 0.4), Step::none);
  EXPECT_EQ(program.begin(loop, 4, 0.6), Step::second_look);
  // What is used at all is touched.
  EXPECT_EQ(program.begin(loop, 4, 0.2), Step::none);
  EXPECT_EQ(program.begin(loop, 4, 0.2), Step::judge);
  EXPECT_EQ(program.follow.turn(), 2 * turn);
  EXPECT_DOUBLE_EQ(program.follow.turns_so_far(), 7.0 / 2);
}

// As in a time step of several loops, by which different threads come to a page.
TEST(Follow, TheSecondLookBeginsInTheMiddleOfATurn) {
  constexpr std::uintptr_t loops = 8;
  Program program;
  std::vector<std::uintptr_t> looks;
  std::uintptr_t judged = 0;
  for (int time_step = 0; time_step < 6 && judged == 0; ++time_step) {
    for (std::uintptr_t i = 0; i < loops && judged == 0; ++i) {
      const Step step = program.begin(loop + i);
      if (step == Step::first_look || step == Step::second_look) looks.push_back(loop + i);
      if (step == Step::judge) judged = loop + i;
    }
  }
  EXPECT_EQ(looks, (std::vector<std::uintptr_t>{loop, loop + loops / 2}));
  EXPECT_EQ(judged, loop + loops / 2);
  EXPECT_EQ(program.follow.turn(), loops * turn);
}

TEST(Follow, TheSecondLookDoesNotWaitForWhatComesSeldom) {
  constexpr std::uintptr_t loops = 8;
  Program program;
  std::uintptr_t second = 0;
  int looks = 0;
  for (int time_step = 0; time_step < 100 && second == 0; ++time_step) {
    for (std::uintptr_t i = 0; i < loops && second == 0; ++i) {
      // In the middle of each thirteenth time step, that of the look too.
      if (i == loops / 2 && time_step % 13 == 0) {
        EXPECT_NE(program.begin(other, 4, 0.2), Step::second_look);
      }
      const Step step = program.begin(loop + i, 4, time_step < 26 ? 0.2 : 1);
      looks += step == Step::first_look ? 1 : 0;
      if (step == Step::second_look) second = loop + i;
    }
  }
  EXPECT_GE(looks, 1);
  EXPECT_NE(second, 0U);
}

TEST(Follow, WhatTheFirstLookStillTellsIsAskedForBeforeTheSecond) {
  constexpr std::uintptr_t loops = 8;
  Program program;
  int asked = 0;
  bool was_checking = false;
  const auto begin = [&](std::uintptr_t cause) {
    program.now += turn;
    const Step step = program.follow.begin(cause, 4, program.now, [&] {
      ++asked;
      was_checking = was_checking || program.follow.is_checking();
      return 1.0;
    });
    if (step == Step::first_look || step == Step::second_look)
      program.follow.looked(program.now, 1);
    return step;
  };
  for (std::uintptr_t i = 0; i < loops; ++i) begin(loop + i);
  for (std::uintptr_t i = 0; i < loops; ++i) begin(loop + i);
  std::uintptr_t next = 0;
  while (next < loops && begin(loop + next) != Step::second_look) ++next;
  EXPECT_EQ(next, loops / 2);
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(was_checking);
}

TEST(Follow, SamplesThatNobodyTouchesAreGivenUp) {
  Program program;
  program.begin();
  program.begin();
  int waited = 0;
  while (program.begin(loop, 4, 0) == Step::none && waited < 100) ++waited;
  EXPECT_LT(waited, 100);
}

// As LULESH: in each time step regions that use all data begin once, and between them some that use
// little begin dozens of times.
TEST(Follow, ALoopThatUsesLittleIsNoTurnOfTheTimeStepAroundIt) {
  constexpr std::uintptr_t large = 0x3000;
  constexpr double share = 0.1;  // that the loop uses; each of the others uses as much
  Program program;
  std::vector<double> judged;
  double touched = 0;
  const auto begin = [&](std::uintptr_t cause, double then) {
    const Step step = program.begin(cause, 4, touched);
    if (step == Step::judge) judged.push_back(touched);
    if (step == Step::judge) program.follow.give_up(program.now);
    if (step != Step::none) touched = 0;
    touched = std::max(touched, then);
  };
  for (int time_step = 0; time_step < 200; ++time_step) {
    for (std::uintptr_t i = 0; i < 9; ++i) {
      begin(large + i, std::min(touched + share, 1.0));
      program.now += 4 * turn;  // what uses much takes longer
    }
    for (int i = 0; i < 40; ++i) begin(loop, share);
  }
  ASSERT_GE(judged.size(), 2U);
  for (std::size_t i = 0; i < judged.size(); ++i) EXPECT_GE(judged[i], 0.5) << i;
}

TEST(Follow, NobodyWaitsForMoreWorkWhereNearlyAllDataWasUsed) {
  for (const double touched : {0.6, 0.9}) {
    Program program;
    program.begin(other);
    program.begin();
    EXPECT_EQ(program.begin(), Step::first_look);
    program.begin(other);
    EXPECT_EQ(program.begin(loop, 4, touched), Step::second_look);
    EXPECT_EQ(program.begin(loop, 4, touched), touched < 0.9 ? Step::none : Step::judge);
  }
}

// Its loop comes dozens of times in a turn, of which one that was looked at may be a short one.
TEST(Follow, TimeTellsHowManyTurnsThereHaveBeen) {
  Program program;
  program.begin();
  program.now += 96 * turn;
  for (int i = 0; i < 3; ++i) program.begin();
  EXPECT_DOUBLE_EQ(program.follow.turns_so_far(), 99);
}

TEST(Follow, OtherWorkAndOtherTeamsAreNotTheSame) {
  Program program;
  program.begin();
  program.begin();
  for (std::uintptr_t i = 0; i < 2; ++i) EXPECT_EQ(program.begin(other + i), Step::none);
  EXPECT_EQ(program.begin(), Step::second_look);
  EXPECT_EQ(program.begin(other), Step::none);
  EXPECT_EQ(program.begin(loop, 2), Step::none);
  EXPECT_EQ(program.begin(loop, 2), Step::none);  // it rests
  EXPECT_EQ(program.next(), Step::first_look);
}

TEST(Follow, AnotherTeamInTheMiddleOfATurnEndsTheLook) {
  Program program;
  program.begin();
  program.begin();
  for (std::uintptr_t i = 0; i < 20; ++i) EXPECT_EQ(program.begin(other + i), Step::none);
  EXPECT_EQ(program.begin(), Step::none);  // the middle is to come
  EXPECT_EQ(program.begin(loop, 2), Step::none);
  EXPECT_TRUE(program.follow.rests());
  EXPECT_EQ(program.next(), Step::first_look);
}

TEST(Follow, WorkThatIsOverInTheMiddleOfATurnIsReplaced) {
  constexpr std::uintptr_t loops = 8;
  Program program;
  for (std::uintptr_t i = 0; i <= 2 * loops; ++i) program.begin(loop + i % loops);
  EXPECT_FALSE(program.follow.rests());  // the middle is to come
  Step step = Step::none;
  int starts = 0;
  for (; step == Step::none && starts < 100; ++starts) step = program.begin(other);
  EXPECT_EQ(step, Step::first_look) << starts;
}

TEST(Follow, WorkThatIsOverDoesNotKeepOthersFromBeingSeen) {
  Program program;
  program.begin();
  program.begin();
  int starts = 1;
  while (program.begin(other) != Step::first_look && starts < 100) ++starts;
  EXPECT_EQ(starts, 3);
  EXPECT_EQ(program.begin(other), Step::second_look);
}

TEST(Follow, AProgramThatAlternatesIsFollowedAFewTimesAtMost) {
  Program program;
  for (int i = 0; i < 100000; ++i) {
    if (program.begin() == Step::judge) program.follow.judged(1, program.now);
  }
  EXPECT_EQ(program.follow.moves(), Follow::most_moves);
  EXPECT_TRUE(program.follow.is_over());
  EXPECT_EQ(program.next(100000), Step::none);
}

TEST(Follow, LooksAreRareAndBounded) {
  Program program;
  std::vector<int> at;
  for (int i = 0; i < 10'000'000 && !program.follow.is_over(); ++i) {
    const Step step = program.begin();
    if (step == Step::first_look) at.push_back(i);
    if (step == Step::judge) program.follow.judged(INFINITY, program.now);
  }
  ASSERT_EQ(at.size(), Follow::most_looks);
  for (std::size_t i = 2; i < at.size(); ++i) EXPECT_GT(at[i] - at[i - 1], at[i - 1] - at[i - 2]);
}

// As STREAM, whose data is filled in a region with two barriers before its loop over four kernels:
// none of them is most of what comes afterwards.
TEST(Follow, TurnsToWorkThatGoesRoundWhereTheFirstDoesNotComeBack) {
  constexpr std::uintptr_t filling = 0x3000;
  for (const std::uintptr_t kinds : {1UL, 2UL, 4UL, 12UL}) {
    Program program(1000);
    program.begin(filling);
    EXPECT_EQ(program.begin(filling), Step::first_look);
    int rounds = 0;
    bool looks_again = false;
    for (; rounds < 10 && !looks_again; ++rounds) {
      for (std::uintptr_t kind = 0; kind < kinds; ++kind) {
        looks_again |= program.begin(loop + kind) == Step::first_look;
      }
    }
    EXPECT_TRUE(looks_again) << kinds;
    EXPECT_LE(rounds, 3) << kinds;
  }
}

TEST(RoundsToPay, AreFewerWhereMoreDomainsMoveTheirParts) {
  EXPECT_EQ(rounds_to_pay(2), 5U);
  EXPECT_EQ(rounds_to_pay(4), 2U);
  EXPECT_EQ(rounds_to_pay(8), 1U);
  EXPECT_GT(rounds_to_pay(1), 1'000'000U) << "nothing is far away";
}

}  // namespace
}  // namespace lares::decide
