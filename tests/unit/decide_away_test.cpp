#include "decide/away.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "policy_sample.hpp"

namespace lares::decide {
namespace {

constexpr std::uint64_t microsecond = 3000;  // in ticks
constexpr std::uint32_t at_once = 2;
constexpr Bytes mebibyte{std::uint64_t{1} << 20U};

class Outings : public testing::Test {
 protected:
  [[nodiscard]] bool may_go() const { return may_leave(own, there, at_once, microsecond); }
  /// As many as may are away at the same time.
  int go() {
    int gone = 0;
    for (; gone < 1000 && may_go(); ++gone) own.goes();
    return gone;
  }
  void come_back(int count, std::uint64_t duration) {
    for (; count > 0; --count) own.comes_back(at_once, there, duration, mebibyte);
  }

  Away own;
  Away there;
};

TEST_F(Outings, OnlyAFewGoAtOnce) {
  there.ran_at_home(100 * microsecond, mebibyte);
  EXPECT_EQ(go(), 2);
  come_back(1, 170 * microsecond);
  EXPECT_EQ(go(), 1) << "in place of the one that is back";
}

TEST(AwayAtOnce, ThoseOfAllDomainsAreAsManyAsAreAtHomeOrAFewOfEach) {
  const auto first = [](const std::vector<std::size_t>& cores, std::uint32_t least) {
    const machine::Machine machine = policy::sample::machine_of(cores);
    const policy::sample::Team team(machine);
    return away_at_once(team.places, DomainId{0}, least);
  };
  EXPECT_EQ(first({8, 8}, 2), 8U);
  EXPECT_EQ(first({24, 1, 1, 1, 1, 1, 1, 1}, 2), 3U);
  EXPECT_EQ(first({4, 4, 4, 4}, 2), 2U);
  EXPECT_EQ(first({8}, 2), 0U);
  EXPECT_EQ(first({8, 8}, 0), 0U);
}

TEST_F(Outings, AnyNumberGoesWhereThePolicySaysSo) {
  go();
  EXPECT_TRUE(may_leave(own, there, 0, microsecond));
}

TEST_F(Outings, AnyNumberGoesForTasksThatComputeMoreThanTheyMove) {
  there.ran_at_home(500 * microsecond, mebibyte);
  EXPECT_EQ(go(), 2);
  for (int i = 0; i < 20; ++i) there.ran_at_home(2000 * microsecond, mebibyte);
  EXPECT_EQ(go(), 1000);
}

TEST_F(Outings, OfTasksWhoseBytesNobodyHasToldItIsNotSaidThatTheyCompute) {
  for (const Bytes bytes : {Bytes{}, Bytes{8}, Bytes{4095}}) {
    own.set({});
    there.set({});
    there.ran_at_home(100'000 * microsecond, bytes);
    EXPECT_EQ(go(), 2) << bytes.count;
  }
}

TEST_F(Outings, TheyAreMeasuredByTheirTime) {
  there.ran_at_home(100 * microsecond, Bytes{});
  EXPECT_EQ(go(), 2);
  own.comes_back(at_once, there, 140 * microsecond, Bytes{});
  own.comes_back(at_once, there, 140 * microsecond, Bytes{8});
  EXPECT_EQ(go(), 8);
  for (int i = 0; i < 8; ++i) own.comes_back(at_once, there, 210 * microsecond, Bytes{});
  EXPECT_EQ(go(), 2);
}

TEST_F(Outings, ThatTimeIsNotComparedWithWhatOthersMove) {
  there.ran_at_home(100 * microsecond, mebibyte);
  EXPECT_EQ(go(), 2);
  own.comes_back(at_once, there, 10'000 * microsecond, Bytes{});
  EXPECT_EQ(go(), 3) << "nobody has run such a task at home";
  there.ran_at_home(10 * microsecond, Bytes{});
  come_back(4, 140 * microsecond);
  EXPECT_GE(go(), 8);
}

TEST_F(Outings, MoreGoWhereItCostsLittle) {
  there.ran_at_home(100 * microsecond, mebibyte);
  EXPECT_EQ(go(), 2);
  come_back(2, 140 * microsecond);
  EXPECT_EQ(go(), 8);
  come_back(8, 190 * microsecond);
  EXPECT_EQ(go(), 8) << "neither little nor much";
}

TEST_F(Outings, FewerGoOnceItCostsMuch) {
  there.ran_at_home(100 * microsecond, mebibyte);
  go();
  come_back(2, 100 * microsecond);
  EXPECT_EQ(go(), 8);
  come_back(8, 210 * microsecond);
  EXPECT_EQ(go(), 2) << "never fewer than the policy's number";
}

TEST_F(Outings, ATaskIsMeasuredByWhatItMoves) {
  there.ran_at_home(100 * microsecond, mebibyte);
  own.goes();
  own.comes_back(at_once, there, 300 * microsecond, Bytes{4 * mebibyte.count});
  EXPECT_EQ(go(), 4);
}

TEST_F(Outings, MoreGoWhereNobodyHasTimeForWhatIsAtHome) {
  EXPECT_EQ(go(), 2);
  come_back(2, 100 * microsecond);
  EXPECT_EQ(go(), 8);
}

TEST_F(Outings, TheNumberThatMayGoStaysInRange) {
  for (int i = 0; i < 100; ++i) {
    own.goes();
    come_back(1, 1);
  }
  EXPECT_EQ(go(), 1000);
  there.ran_at_home(microsecond, mebibyte);
  come_back(1000, ~std::uint64_t{0});
  EXPECT_EQ(go(), 2);
}

}  // namespace
}  // namespace lares::decide
