// How long branches of recursions are left to those at home.
#include "decide/deference.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace lares::decide {
namespace {

constexpr std::uint64_t per_microsecond = 3;
constexpr std::uint64_t ms = 1000 * per_microsecond;
constexpr auto leaf = Deference::For::leaf;
constexpr auto moment = Deference::For::moment;

// Leaves that take so long that they do not matter.
Deference of_long_leaves() {
  Deference deference;
  deference.ran(1000 * ms);
  return deference;
}

TEST(Deference, IsNoLongerThanALeafTakes) {
  Deference deference;
  EXPECT_TRUE(deference.defers(ms, per_microsecond, leaf));
  EXPECT_FALSE(deference.defers(2 * ms, per_microsecond, leaf)) << "not known yet: 50 us";
  deference.works();
  deference.ran(2 * ms);
  EXPECT_TRUE(deference.defers(10 * ms, per_microsecond, leaf));
  EXPECT_TRUE(deference.defers(11 * ms, per_microsecond, leaf));
  EXPECT_FALSE(deference.defers(13 * ms, per_microsecond, leaf));
}

TEST(Deference, AMomentIsPartOfALeaf) {
  Deference deference;
  deference.ran(8 * ms);
  EXPECT_TRUE(deference.defers(100 * ms, per_microsecond, moment));
  EXPECT_FALSE(deference.defers(102 * ms, per_microsecond, moment));
  EXPECT_TRUE(deference.defers(102 * ms, per_microsecond, leaf));
}

TEST(Deference, ABranchAmongTheLeavesCountsLittle) {
  Deference deference;
  deference.ran(4 * ms);
  deference.ran(1000 * ms);
  EXPECT_TRUE(deference.defers(10 * ms, per_microsecond, leaf));
  EXPECT_FALSE(deference.defers(15 * ms, per_microsecond, leaf));
}

TEST(Deference, IsNotForEver) {
  Deference deference = of_long_leaves();
  EXPECT_TRUE(deference.defers(7 * ms, per_microsecond, leaf));
  EXPECT_TRUE(deference.defers(107 * ms, per_microsecond, leaf));
  EXPECT_FALSE(deference.defers(1007 * ms, per_microsecond, leaf));
  EXPECT_FALSE(deference.defers(9000 * ms, per_microsecond, leaf)) << "until it has worked";
}

TEST(Deference, BeginsAnewAfterWork) {
  Deference deference = of_long_leaves();
  EXPECT_TRUE(deference.defers(7 * ms, per_microsecond, leaf));
  EXPECT_FALSE(deference.defers(1007 * ms, per_microsecond, leaf));
  deference.works();
  EXPECT_TRUE(deference.defers(1008 * ms, per_microsecond, leaf));
  EXPECT_FALSE(deference.defers(2008 * ms, per_microsecond, leaf));
}

TEST(Deference, AtTheBeginOfTimeItHasNotMetAny) {
  Deference deference = of_long_leaves();
  EXPECT_TRUE(deference.defers(0, per_microsecond, leaf));
  EXPECT_FALSE(deference.defers(1000 * ms, per_microsecond, leaf));
}

}  // namespace
}  // namespace lares::decide
