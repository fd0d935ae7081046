// Memory that tasks share out by pointers into it.
#include "decide/shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace lares::decide {
namespace {

TEST(Shares, EveryByteIsInOneShare) {
  for (const std::uintptr_t bytes : {1U, 2U, 7U, 4096U, 12345U}) {
    for (std::size_t parts = 2; parts <= most_shares; ++parts) {
      const Part whole{1000, 1000 + bytes};
      std::uintptr_t end = whole.begin;
      for (std::size_t i = 0; i < parts; ++i) {
        const Part share = nth_share(whole, i, parts);
        EXPECT_EQ(share.begin, end);
        EXPECT_LE(share.begin, share.end);
        end = share.end;
        if (share.begin == share.end) continue;
        EXPECT_EQ(share_of(whole, share.begin, parts), i);
        const std::size_t at_end = share_of(whole, share.end - 1, parts);
        EXPECT_EQ(at_end, std::min(i + (share.end - share.begin > 1 ? 1 : 0), parts - 1));
      }
      EXPECT_EQ(end, whole.end);
    }
  }
}

TEST(Shares, PartsOfAnArrayBeginInTheirShares) {
  constexpr std::uintptr_t page = 4096;
  for (const std::uintptr_t bytes : {1'048'576U, 2'000'000U, 4'194'304U, 5'000'003U}) {
    for (const std::uintptr_t in_front : {0U, 16U, 64U}) {
      const Part pages{page, page + (in_front + bytes + page - 1) / page * page};
      for (std::size_t parts = 2; parts <= most_shares; ++parts) {
        for (std::size_t i = 0; i < parts; ++i) {
          const std::uintptr_t begin = pages.begin + in_front + i * bytes / parts;
          EXPECT_EQ(share_of(pages, begin, parts), i) << bytes << ' ' << in_front << ' ' << parts;
        }
      }
    }
  }
}

TEST(Shares, ABlockIsWhereMostOfItIs) {
  const Part whole{0, std::uintptr_t{1} << 20U};
  const std::uintptr_t second = nth_share(whole, 1, 4).begin;
  EXPECT_EQ(share_of(whole, second - 4096, 4), 1U);
  EXPECT_EQ(share_of(whole, second - 4097, 4), 0U);
}

TEST(Shares, AreEqual) {
  const Part whole{0, 4'000'000};
  for (std::size_t i = 0; i < 4; ++i) {
    const Part share = nth_share(whole, i, 4);
    EXPECT_NEAR(static_cast<double>(share.end - share.begin), 1e6, 8);
  }
}

TEST(Shares, MemoryIsSharedOutIfAllPartsAreUsed) {
  EXPECT_TRUE(is_shared_out(std::array{20U, 18U, 22U, 20U}));
  EXPECT_TRUE(is_shared_out(std::array{40U, 18U, 22U, 20U}));
  EXPECT_FALSE(is_shared_out(std::array{20U, 18U, 2U, 20U})) << "too few into one";
  EXPECT_FALSE(is_shared_out(std::array{90U, 5U, 5U, 5U})) << "nearly all into one";
  EXPECT_FALSE(is_shared_out(std::array{0U, 0U, 0U, 0U}));
}

TEST(Votes, TheMostWinAndElseTheOtherwiseOrTheLast) {
  const DomainId a{std::size_t{0}};
  const DomainId b{std::size_t{1}};
  Votes votes;
  EXPECT_FALSE(votes.most({}).valid());
  votes.add(a);
  votes.add(b);
  EXPECT_EQ(votes.most({}), b);
  EXPECT_EQ(votes.most(a), a);
  votes.add(a);
  EXPECT_EQ(votes.most(b), a);
  for (std::size_t i = 0; i < 2 * Votes::most_votes; ++i) votes.add(b);
  EXPECT_EQ(votes.most({}), b);
}

}  // namespace
}  // namespace lares::decide
