// Loops that come again: how many threads they need.
#include <gtest/gtest.h>

#include <cstdint>

#include "decide/loop_width.hpp"

namespace lares::decide {
namespace {

// Runs the loop until the width is settled, with the time that `ticks(width)` says.
template <class Ticks>
std::uint32_t settled(LoopWidth& width, Ticks ticks) {
  for (int i = 0; i < 100 && !width.is_settled(); ++i) width.ran(ticks(width.width()));
  EXPECT_TRUE(width.is_settled());
  return width.width();
}

TEST(LoopWidth, OfALoopThatComputesIsAllThereAre) {
  LoopWidth width(16);
  EXPECT_EQ(settled(width, [](std::uint32_t w) { return 16000 / w; }), 16U);
}

TEST(LoopWidth, OfALoopThatSaturatesMemoryIsWhereItIsFastest) {
  LoopWidth width(16);
  // Four saturate it, and more get into each other's way.
  const auto ticks = [](std::uint32_t w) { return w >= 4 ? 3000U + 100 * w : 14000U / w; };
  EXPECT_EQ(settled(width, ticks), 4U);
}

TEST(LoopWidth, StaysWhereFewerAreOnlyAsFast) {
  LoopWidth width(8);
  EXPECT_EQ(settled(width, [](std::uint32_t) { return 1000U; }), 8U);
}

TEST(LoopWidth, IsSoughtAnewWhenTheLoopChanges) {
  LoopWidth width(8);
  EXPECT_EQ(settled(width, [](std::uint32_t w) { return 100 * w; }), 1U);
  const auto computes = [](std::uint32_t w) { return 80000 / w; };
  for (int i = 0; i < 4; ++i) width.ran(computes(width.width()));
  EXPECT_FALSE(width.is_settled());
  EXPECT_EQ(settled(width, computes), 8U);
}

TEST(LoopWidth, OfOneIsOne) {
  LoopWidth width(0);
  EXPECT_TRUE(width.is_settled());
  width.ran(5);
  EXPECT_EQ(width.width(), 1U);
}

}  // namespace
}  // namespace lares::decide
