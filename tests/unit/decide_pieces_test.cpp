// How a taskloop is cut, and which piece is whose.
#include "decide/pieces.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace lares::decide {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

std::vector<std::uint64_t> sizes(const Pieces& pieces) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t i = 0; i < pieces.count(); ++i) result.push_back(pieces[i].size());
  return result;
}

using Sizes = std::vector<std::uint64_t>;

TEST(Pieces, AreAsLongAsTheStandardSays) {
  EXPECT_EQ(sizes(Pieces::evenly(10, 3)), (Sizes{4, 3, 3}));
  EXPECT_EQ(sizes(Pieces::evenly(2, 5)), (Sizes{1, 1}));
  EXPECT_EQ(sizes(Pieces::by_grain(10, 3, true)), (Sizes{3, 3, 3, 1}));
  EXPECT_EQ(sizes(Pieces::by_grain(10, 3, false)), (Sizes{4, 3, 3}));
  EXPECT_EQ(sizes(Pieces::by_grain(10, 20, true)), (Sizes{10}));
  EXPECT_EQ(sizes(Pieces::by_grain(10, 20, false)), (Sizes{10}));
  EXPECT_EQ(sizes(Pieces::by_grain(10, 6, true)), (Sizes{6, 4}));
}

TEST(Pieces, OfTheLargestLoopEndWithIt) {
  EXPECT_EQ(Pieces::evenly(most, 7)[6].end, most);
  EXPECT_EQ(Pieces::by_grain(most, most - 1, true)[1], (LoopRange{most - 1, most}));
  EXPECT_EQ(Pieces::by_grain(most, most, true).count(), 1U);
}

/// A loop, its cut and a team, by chance.
struct Drawn {
  explicit Drawn(std::mt19937_64& dice)
      : iterations(1 + dice() % 2000),
        argument(1 + dice() % (dice() % 2 == 0 ? 10 : 2500)),
        workers(1 + dice() % 17),
        pieces(draw(dice)) {}
  Pieces draw(std::mt19937_64& dice) const {
    const auto kind = dice() % 3;
    return kind == 0 ? Pieces::evenly(iterations, argument)
                     : Pieces::by_grain(iterations, argument, kind == 1);
  }
  std::uint64_t iterations, argument;
  std::size_t workers;
  Pieces pieces;
};

TEST(Pieces, HoldEachIterationOnce) {
  std::mt19937_64 dice(1);
  for (int round = 0; round < 3000; ++round) {
    const Drawn drawn(dice);
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < drawn.pieces.count(); ++i) {
      ASSERT_EQ(drawn.pieces[i].begin, next);
      next = drawn.pieces[i].end;
      ASSERT_GT(next, drawn.pieces[i].begin);
    }
    ASSERT_EQ(next, drawn.iterations);
    std::uint64_t piece = 0;
    drawn.pieces.for_each([&](LoopRange range, bool last) {
      ASSERT_EQ(range, drawn.pieces[piece++]);
      ASSERT_EQ(last, piece == drawn.pieces.count());
    });
    ASSERT_EQ(piece, drawn.pieces.count());
  }
}

TEST(Pieces, AreEachMadeOnceForTheOwnerOfTheirMiddle) {
  std::mt19937_64 dice(2);
  for (int round = 0; round < 3000; ++round) {
    const Drawn drawn(dice);
    const StaticParts parts(drawn.iterations, drawn.workers);
    std::vector<int> made(drawn.pieces.count());
    for_each_in_turn(drawn.pieces, drawn.workers, [&](std::uint64_t piece, WorkerId worker) {
      ASSERT_LT(piece, made.size());
      ++made[piece];
      const LoopRange range = drawn.pieces[piece];
      ASSERT_EQ(worker.index(), parts.owner(range.begin + (range.size() - 1) / 2));
    });
    for (const int times : made) ASSERT_EQ(times, 1);
  }
}

// Each worker's next piece is made before anybody's next but one: nobody is idle for the length of
// another's part.
TEST(Pieces, AreMadeInTurn) {
  std::mt19937_64 dice(3);
  for (int round = 0; round < 1000; ++round) {
    const Drawn drawn(dice);
    std::vector<std::uint64_t> have(drawn.workers);
    std::uint64_t turn = 0;
    for_each_in_turn(drawn.pieces, drawn.workers, [&](std::uint64_t, WorkerId worker) {
      const std::uint64_t mine = have[worker.index()]++;
      ASSERT_GE(mine, turn);
      turn = mine;
    });
  }
}

TEST(Pieces, OfATeamOfOneAreMadeInTheirOrder) {
  std::uint64_t next = 0;
  for_each_in_turn(Pieces::evenly(100, 9), 1, [&](std::uint64_t piece, WorkerId worker) {
    EXPECT_EQ(piece, next++);
    EXPECT_EQ(worker, WorkerId{std::size_t{0}});
  });
  EXPECT_EQ(next, 9U);
}

}  // namespace
}  // namespace lares::decide
