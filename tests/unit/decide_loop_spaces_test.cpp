// Which loops are the rest of a longer one, and that all threads of a team find the same.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "decide/loop_spaces.hpp"

namespace lares::decide {
namespace {

using Loop = LoopSpaces::Loop;

struct Known {
  LoopSpaces earlier;
  LoopSpaces inside;

  LoopSpace meet(std::uint64_t end, std::uint64_t step, std::uint64_t iterations) {
    return space_of({end, step, iterations}, earlier, inside);
  }
  void end_region() {
    earlier.put_all(inside);
    inside.clear();
  }
};

void expect_whole(LoopSpace space, std::uint64_t iterations) {
  EXPECT_EQ(space.before, 0U);
  EXPECT_EQ(space.total, iterations);
}

TEST(LoopSpaces, AFactorisationKeepsItsRowsWhereTheyAre) {
  Known known;
  expect_whole(known.meet(100, 1, 100), 100);
  for (std::uint64_t k = 0; k < 100; ++k) {
    const LoopSpace rest = known.meet(100, 1, 99 - k);
    EXPECT_EQ(rest.before, k + 1);
    EXPECT_EQ(rest.total, 100U);
    if (k % 3 == 0) known.end_region();
  }
  expect_whole(known.meet(100, 1, 100), 100);
}

TEST(LoopSpaces, ASmallerArrayIsNoRest) {
  Known known;
  expect_whole(known.meet(1000, 1, 1000), 1000);
  expect_whole(known.meet(10, 1, 10), 10);
  known.end_region();
  expect_whole(known.meet(500, 1, 500), 500);
}

TEST(LoopSpaces, AnotherStepIsAnotherSpace) {
  Known known;
  expect_whole(known.meet(100, 1, 100), 100);
  expect_whole(known.meet(100, 2, 50), 50);
  // Down from 99 to 0, then from 49: its last ones.
  const std::uint64_t down = ~std::uint64_t{0};
  expect_whole(known.meet(down, down, 100), 100);
  EXPECT_EQ(known.meet(down, down, 50).before, 50U);
}

TEST(LoopSpaces, ALongerLoopIsTheSpaceFromThenOn) {
  Known known;
  expect_whole(known.meet(100, 1, 10), 10);
  known.end_region();
  expect_whole(known.meet(100, 1, 60), 60);
  EXPECT_EQ(known.meet(100, 1, 10).before, 50U);
}

// Rows collide here: what one thread finds must not hang on when others come to a loop, only on the
// loops' order.
TEST(LoopSpaces, AllThreadsFindTheSame) {
  Random random(3);
  LoopSpaces earlier;
  for (int region = 0; region < 300; ++region) {
    std::vector<Loop> loops;
    for (std::uint32_t i = 0; i < 1 + random.below(40); ++i) {
      loops.push_back({1 + random.below(30), 1 + random.below(3), random.below(50)});
    }
    std::vector<LoopSpaces> threads(3);
    for (LoopSpaces& thread : threads) thread.clear();
    std::vector<LoopSpace> first;
    for (LoopSpaces& thread : threads) {
      for (std::size_t i = 0; i < loops.size(); ++i) {
        const LoopSpace space = space_of(loops[i], earlier, thread);
        ASSERT_LE(space.before + loops[i].iterations, space.total);
        if (&thread == &threads.front()) first.push_back(space);
        ASSERT_EQ(space.before, first[i].before);
        ASSERT_EQ(space.total, first[i].total);
      }
    }
    earlier.put_all(threads[0]);
  }
}

}  // namespace
}  // namespace lares::decide
