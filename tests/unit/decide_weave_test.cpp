// Series whose tasks lie woven into each other in memory.
#include "decide/weave.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace lares::decide {
namespace {

using Arguments = std::vector<std::vector<std::uint32_t>>;

/// What two loops of `slow` and `fast` turns give their tasks, beside an address that is the same
/// for all and one that is not.
Arguments two_loops(std::uint32_t slow, std::uint32_t fast) {
  Arguments all;
  for (std::uint32_t j = 0; j < slow; ++j) {
    for (std::uint32_t i = 0; i < fast; ++i) {
      all.push_back({0x1000, 128 * i, 0x77, 128 * j, 64 * static_cast<std::uint32_t>(all.size())});
    }
  }
  return all;
}

std::uint64_t period_in(const Arguments& all, std::uint64_t first = 0) {
  return period_of(first, all.size(), all[0].size(),
                   [&all](std::uint64_t task, std::size_t at) { return all[task][at]; });
}

TEST(Weave, HasThePeriodOfTheInnerLoop) {
  EXPECT_EQ(period_in(two_loops(8, 4)), 4U);
  EXPECT_EQ(period_in(two_loops(2, 16)), 16U);
  EXPECT_EQ(period_in(two_loops(16, 2)), 2U);
}

TEST(Weave, HasItAlsoIfTheFirstTasksAreGone) {
  for (std::uint64_t first = 0; first < 12; ++first) {
    EXPECT_EQ(period_in(two_loops(8, 4), first), 4U) << first;
  }
}

TEST(Weave, HasNoneInOneLoop) {
  EXPECT_EQ(period_in(two_loops(1, 16)), 0U);
  EXPECT_EQ(period_in(two_loops(16, 1)), 0U);
}

TEST(Weave, HasNoneIfARowIsShorter) {
  Arguments triangle;
  for (std::uint32_t j = 0; j < 6; ++j) {
    for (std::uint32_t i = 0; i <= j; ++i) triangle.push_back({i, j});
  }
  EXPECT_EQ(period_in(triangle), 0U);
}

TEST(Weave, HasNoneIfNothingStepsWithThePeriod) {
  Arguments one_word;
  for (std::uint32_t i = 0; i < 32; ++i) one_word.push_back({i % 8, 5});
  EXPECT_EQ(period_in(one_word), 0U);
}

TEST(Weave, FindsNoneInWordsOfChance) {
  std::mt19937 random(7);
  std::uint32_t found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Arguments words(16, std::vector<std::uint32_t>(6));
    for (auto& task : words) {
      for (auto& word : task) word = static_cast<std::uint32_t>(random() % 3);
    }
    found += period_in(words) != 0 ? 1 : 0;
  }
  EXPECT_LT(found, 5U);
}

TEST(Weave, RanksEachTaskOnceAndNeighboursBesideEachOther) {
  const Weave weave{24, 4};
  std::set<std::uint64_t> ranks;
  for (std::uint64_t position = 0; position < weave.count; ++position) {
    ranks.insert(weave.rank(position));
    if (position + weave.period < weave.count) {
      EXPECT_EQ(weave.rank(position + weave.period), weave.rank(position) + 1);
    }
  }
  EXPECT_EQ(ranks.size(), 24U);
  EXPECT_EQ(*ranks.rbegin(), 23U);
  EXPECT_EQ((Weave{24, 0}.rank(17)), 17U);
}

// Blocks of a matrix of 1024 pages whose rows have two: what a task touches of one is every
// second page.
constexpr std::uintptr_t page = 4096;
constexpr NewMemory rows(std::uintptr_t from, std::uintptr_t to, std::uint64_t pages) {
  return {from * page, to * page, pages};
}

TEST(MemoryOrder, IsWovenDownTheColumnsOfAMatrix) {
  const NewMemory first = rows(0, 127, 64);
  EXPECT_EQ(memory_order(first, rows(896, 1023, 64), {}), MemoryOrder::woven);
  EXPECT_EQ(memory_order(first, rows(896, 1023, 64), rows(1, 128, 64)), MemoryOrder::woven);
}

TEST(MemoryOrder, IsAsMadeAlongTheRows) {
  EXPECT_EQ(memory_order(rows(0, 127, 64), rows(1, 128, 64), rows(128, 255, 64)),
            MemoryOrder::as_made);
}

TEST(MemoryOrder, IsAsMadeForPiecesThatFollowEachOther) {
  EXPECT_EQ(memory_order(rows(0, 16, 16), rows(112, 128, 16), rows(128, 144, 16)),
            MemoryOrder::as_made);
}

TEST(MemoryOrder, IsAsMadeWhereTheOnesBeforeTheFirstHaveTouchedItsPages) {
  EXPECT_EQ(memory_order({}, rows(1, 128, 64), rows(128, 255, 64)), MemoryOrder::as_made);
}

TEST(MemoryOrder, IsUnknownWhereNothingIsNew) {
  EXPECT_EQ(memory_order({}, rows(112, 128, 16), {}), MemoryOrder::unknown);
  EXPECT_EQ(memory_order(rows(0, 16, 16), {}, {}), MemoryOrder::unknown);
}

constexpr auto unknown = MemoryOrder::unknown;
constexpr auto as_made = MemoryOrder::as_made;
constexpr auto woven = MemoryOrder::woven;

TEST(Weaves, WhoShowsNothingIsAsTheLastOneThatDid) {
  Weaves weaves;
  const Weave weave{64, 8};
  EXPECT_EQ(weaves.order_of(1, weave, unknown), unknown);
  EXPECT_EQ(weaves.order_of(1, weave, woven), woven);
  EXPECT_EQ(weaves.order_of(2, {64, 16}, as_made), as_made);
  EXPECT_EQ(weaves.order_of(3, weave, unknown), woven);
  EXPECT_EQ(weaves.order_of(4, weave, as_made), as_made);
  EXPECT_EQ(weaves.order_of(5, weave, unknown), as_made);
}

// KaStORS' Jacobi, of which main() calls all of it twice: two initialisations, a copy to new
// memory, and a sweep that touches nothing new.
TEST(Weaves, WhoShowsNothingAgainIsAsItWas) {
  Weaves weaves;
  const Weave weave{64, 8};
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(weaves.order_of(1, weave, woven), woven);
    EXPECT_EQ(weaves.order_of(2, weave, woven), woven);
    EXPECT_EQ(weaves.order_of(3, weave, run == 0 ? as_made : unknown), as_made);
    EXPECT_EQ(weaves.order_of(4, weave, unknown), as_made);
  }
  EXPECT_EQ(weaves.order_of(4, weave, woven), woven) << "new memory, and another order";
}

TEST(Weaves, KnowAFew) {
  Weaves weaves;
  const Weave weave{64, 8};
  EXPECT_EQ(weaves.order_of(1, weave, woven), woven);
  for (std::uint64_t i = 2; i < 40; ++i) {
    EXPECT_EQ(weaves.order_of(i, {100 * i, i}, as_made), as_made);
  }
  EXPECT_EQ(weaves.order_of(1, weave, unknown), unknown) << "more than are kept";
}

}  // namespace
}  // namespace lares::decide
