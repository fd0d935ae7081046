// How long branches of recursions are left to those at home.
#include "decide/deference.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace lares::decide {
namespace {

TEST(Deference, IsNotForEver) {
  Deference deference;
  EXPECT_TRUE(deference.defers(1000, 500));
  EXPECT_TRUE(deference.defers(1499, 500));
  EXPECT_FALSE(deference.defers(1501, 500));
  EXPECT_FALSE(deference.defers(9000, 500)) << "until it has worked";
}

TEST(Deference, BeginsAnewAfterWork) {
  Deference deference;
  EXPECT_TRUE(deference.defers(1000, 500));
  EXPECT_FALSE(deference.defers(2000, 500));
  deference.works();
  EXPECT_TRUE(deference.defers(2100, 500));
  EXPECT_FALSE(deference.defers(2700, 500));
}

TEST(Deference, IsAsLongAsTheMomentAsks) {
  Deference deference;
  EXPECT_TRUE(deference.defers(1000, 10'000));
  EXPECT_FALSE(deference.defers(2000, 100)) << "inside of a task of its own";
  EXPECT_TRUE(deference.defers(2000, 10'000));
}

TEST(Deference, AtTheBeginOfTimeIsNoneAtAll) {
  Deference deference;
  EXPECT_TRUE(deference.defers(0, 100));
  EXPECT_FALSE(deference.defers(200, 100));
}

}  // namespace
}  // namespace lares::decide
