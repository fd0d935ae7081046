// How figures and statements of the papers are judged.
#include "simulate/papers/judge.hpp"

#include <gtest/gtest.h>

#include "simulate/papers/papers.hpp"

namespace lares::simulate::papers {
namespace {

Published figure(double value, const char* unit = "s") {
  Published found;
  found.unit = unit;
  found.low = found.high = value;
  return found;
}

Verdict verdict(const Published& published, const Values& simulated,
                const Baseline& baseline = {}) {
  return judge_figure(published, simulated, baseline).verdict;
}

TEST(Judge, AFigureIsAsPublishedWithinTheSameFactorUpAndDown) {
  EXPECT_EQ(verdict(figure(1), 1.09), Verdict::yes);
  EXPECT_EQ(verdict(figure(1), 1 / 1.09), Verdict::yes);
  EXPECT_EQ(verdict(figure(1), 1.11), Verdict::no);
  EXPECT_EQ(verdict(figure(1), 1 / 1.11), Verdict::no);
}

TEST(Judge, AllPointsCount) {
  const Judgement some = judge_figure(figure(1), Values({1, 1, 2}, 2), {});
  EXPECT_EQ(some.verdict, Verdict::depends);
  EXPECT_EQ(some.held, 2U);
  EXPECT_EQ(some.points, 3U);
  EXPECT_EQ(verdict(figure(1), Values({2, 3}, 1)), Verdict::no);
}

// 86.5 % for 93.75 % is a small error of the large share and twice the small one.
TEST(Judge, SharesAreComparedByTheirDifference) {
  EXPECT_EQ(verdict(figure(0.9375, "share"), 0.8651), Verdict::no);
  EXPECT_EQ(verdict(figure(0.0625, "share"), 0.1349), Verdict::no);
  EXPECT_EQ(verdict(figure(0.032, "share"), 0.04), Verdict::yes);
}

TEST(Judge, AnEffectOfTheOtherSignIsNeverAsPublished) {
  const Published slow = figure(1.00);
  const Baseline baseline{&slow, 1.00};
  EXPECT_EQ(verdict(figure(1.05), 0.96, baseline), Verdict::opposite);
  EXPECT_EQ(verdict(figure(0.95), 1.04, baseline), Verdict::opposite);
  EXPECT_EQ(verdict(figure(1.05), 1.00, baseline), Verdict::no) << "no effect";
  EXPECT_EQ(verdict(figure(1.00), 1.05, baseline), Verdict::no) << "an effect out of nothing";
  EXPECT_EQ(verdict(figure(1.05), 1.10, baseline), Verdict::yes);
}

TEST(Judge, AnEffectIsThatOnTheModelsOwnBaseline) {
  const Published published = figure(2);
  EXPECT_EQ(verdict(figure(3), 1.5, {&published, 1}), Verdict::yes);
  EXPECT_EQ(verdict(figure(3), 3, {&published, 1}), Verdict::no);
}

TEST(Judge, ARangeIsAsPublishedAnywhereInside) {
  Published range = figure(0.25);
  range.high = 2;
  for (const double inside : {0.25, 1.0, 2.0}) EXPECT_EQ(verdict(range, inside), Verdict::yes);
  EXPECT_EQ(verdict(range, 2.3), Verdict::no);
}

TEST(Judge, TheContraryOfAStatementIsItsOpposite) {
  EXPECT_EQ(judge(below(1, 1.1)).verdict, Verdict::yes);
  EXPECT_EQ(judge(below(1.1, 1)).verdict, Verdict::opposite);
  EXPECT_EQ(judge(below(1, 1.01)).verdict, Verdict::no) << "a tie";
  EXPECT_EQ(judge(below(1, 1.4, limits::much)).verdict, Verdict::no);
  EXPECT_EQ(judge(at_most(1.01, 1)).verdict, Verdict::yes);
  EXPECT_EQ(judge(at_most(1.03, 1)).verdict, Verdict::opposite);
  EXPECT_EQ(judge(about(1.04, 1)).verdict, Verdict::yes);
  EXPECT_EQ(judge(about(1, 1.04)).verdict, Verdict::yes);
  EXPECT_EQ(judge(about(2, 1)).verdict, Verdict::no);
}

// "Clearly best" and "no clear advantage" cannot both be true, whatever the ratio.
TEST(Judge, OppositeStatementsAreNeverBothTrue) {
  for (double ratio = 0.5; ratio < 2; ratio += 0.001) {
    const bool best = judge(below(ratio, 1, limits::clear)).verdict == Verdict::yes;
    const bool same = judge(about(ratio, 1)).verdict == Verdict::yes;
    EXPECT_FALSE(best && same) << ratio;
  }
}

TEST(Judge, AStatementOfSeveralPartsHoldsIfAllDo) {
  const Answers yes{Answer::yes, Answer::yes};
  const Answers half{Answer::yes, Answer::no};
  const Answers no{Answer::no, Answer::no};
  const Answers opposite{Answer::opposite, Answer::no};
  EXPECT_EQ(judge_all({yes, yes}).verdict, Verdict::yes);
  EXPECT_EQ(judge_all({yes, half}).verdict, Verdict::depends);
  EXPECT_EQ(judge_all({yes, no}).verdict, Verdict::no);
  EXPECT_EQ(judge_all({yes, opposite}).verdict, Verdict::no);
  EXPECT_EQ(judge_all({opposite, no}).verdict, Verdict::opposite);
}

TEST(Judge, QuantitiesOfTwoMachinesAreComparedAtAllPairsOfPoints) {
  const auto [one, other] = crossed(Values({1, 2}, 1), Values({1.5, 3, 4}, 1));
  const Judgement found = judge(below(one, other));
  EXPECT_EQ(found.points, 6U);
  EXPECT_EQ(found.held, 5U);
}

TEST(Judge, AQuantityCountsOnceWithItsWorstVerdict) {
  const Published published = figure(1);
  Cell cell{.published = &published, .basis = Basis::follows, .simulated = 1, .quantity = "q"};
  Cell wrong = cell;
  wrong.simulated = 2;
  Cell fitted = cell;
  fitted.basis = Basis::fitted;
  fitted.quantity = "another";
  const auto counts = count_cells({cell, wrong, cell, fitted});
  const Count& follows = counts[static_cast<std::size_t>(Basis::follows)];
  EXPECT_EQ(follows.figures, 3U);
  EXPECT_EQ(follows.all(), 1U);
  EXPECT_EQ(follows.by_verdict[static_cast<std::size_t>(Verdict::no)], 1U);
  EXPECT_EQ(counts[static_cast<std::size_t>(Basis::fitted)].all(), 1U);
}

}  // namespace
}  // namespace lares::simulate::papers
