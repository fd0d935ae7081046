// Which memory goes together.
#include "decide/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace lares::decide {
namespace {

PartsByHome parts_of(std::vector<OwnedBlock> blocks) {
  const std::uint64_t nearest = put_in_order(blocks);
  return parts_of(blocks, nearest);
}

TEST(Parts, NeighboursWithOneHomeGoTogether) {
  const PartsByHome parts = parts_of({{3000, 1}, {1000, 0}, {2000, 0}, {4000, 1}});
  ASSERT_EQ(parts.size(), 2U);
  const auto& first = parts[0];
  const auto& second = parts[1];
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(first[0].begin, 1000U);
  EXPECT_EQ(first[0].end, 3000U);
  EXPECT_EQ(second[0].end, 5000U);
}

TEST(Parts, ABlockBeforeAGapIsAsLongAsTheShortest) {
  const PartsByHome parts = parts_of({{1000, 0}, {2000, 0}, {9000, 0}, {10500, 0}});
  ASSERT_EQ(parts.size(), 1U);
  const auto& all = parts[0];
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].end, 3000U);
  EXPECT_EQ(all[1].begin, 9000U);
  EXPECT_EQ(all[1].end, 11500U);
}

TEST(Parts, OneBlockAloneHasNoKnownEnd) {
  const PartsByHome parts = parts_of({{1000, 0}, {1000, 0}});
  EXPECT_TRUE(parts.empty());
}

// Two blocks in different mappings: what is between them is everything else.
TEST(Parts, BlocksWorldsApartHaveNoKnownEnd) {
  const PartsByHome parts = parts_of({{0x555500001000, 0}, {0x7f0000001000, 1}});
  EXPECT_TRUE(parts.empty());
  const PartsByHome large = parts_of({{0x1000, 0}, {0x1000 + largest_block, 0}});
  ASSERT_EQ(large.size(), 1U);
  EXPECT_EQ(large[0].size(), 1U);
}

TEST(Parts, AHomeThatHasNothingGetsNothing) {
  const PartsByHome parts = parts_of({{1000, 2}, {2000, 2}});
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_TRUE(parts[0].empty());
  EXPECT_TRUE(parts[1].empty());
}

// No byte goes to two homes, and each block's first byte goes to its own.
TEST(Parts, EachBlockGoesToItsHomeOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::map<std::uintptr_t, std::uint32_t> wanted;
    std::vector<OwnedBlock> blocks;
    std::uintptr_t at = 4096;
    for (unsigned i = 0; i < 2 + random() % 40; ++i) {
      at += 64 * (1 + random() % 5) + (random() % 8 == 0 ? 100000 : 0);
      blocks.push_back({at, static_cast<std::uint32_t>(random() % 3)});
      wanted[at] = blocks.back().home;
    }
    std::shuffle(blocks.begin(), blocks.end(), random);
    const PartsByHome parts = parts_of(blocks);
    std::map<std::uintptr_t, std::uintptr_t> taken;  // ends by begins
    std::size_t found = 0;
    for (std::uint32_t home = 0; home < parts.size(); ++home) {
      for (const Part& part : parts[home]) {
        taken[part.begin] = part.end;
        for (const auto& [begin, owner] : wanted) {
          if (begin < part.begin || begin >= part.end) continue;
          EXPECT_EQ(owner, home);
          ++found;
        }
      }
    }
    EXPECT_EQ(found, wanted.size());
    std::uintptr_t end = 0;
    for (const auto& [begin, its_end] : taken) {
      EXPECT_GE(begin, end);
      end = its_end;
    }
  }
}

}  // namespace
}  // namespace lares::decide
