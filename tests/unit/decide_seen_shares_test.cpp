// Whose an array is, by samples of its users.
#include "decide/seen_shares.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace lares::decide {
namespace {

constexpr std::uintptr_t page = 4096;
constexpr std::size_t sample_pages = 16;

/// An array of so many pages, sampled at `samples` places in no rhythm, `run` pages each.
std::vector<SeenUse> sampled(const std::vector<std::size_t>& owners, std::size_t samples,
                             std::size_t run = 4) {
  std::vector<SeenUse> uses;
  std::mt19937 random(5);
  for (std::size_t s = 0; s < samples; ++s) {
    const std::size_t part = owners.size() / samples;
    const std::size_t first = s * part + random() % (part - run);
    for (std::size_t i = first; i < std::min(first + run, owners.size()); ++i) {
      uses.push_back({(1 + i) * page, s, DomainId{owners[i]}});
    }
  }
  return uses;
}

/// In `pieces` pieces that go to the domains in turn.
std::vector<std::size_t> dealt(std::size_t pages, std::size_t pieces, std::size_t domains) {
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < pages; ++i) owners.push_back(i * pieces / pages % domains);
  return owners;
}

TEST(SeenShares, AShareForEachDomainIsSeen) {
  EXPECT_TRUE(are_shares(sampled(dealt(1024, 4, 4), 16)));
  EXPECT_TRUE(are_shares(sampled(dealt(1024, 4, 4), 8)));
  EXPECT_TRUE(are_shares(sampled(dealt(1024, 2, 2), 8)));
  EXPECT_TRUE(are_shares(sampled(dealt(1024, 1, 1), 8)));
}

TEST(SeenShares, TooFewSamplesSayNothing) {
  EXPECT_FALSE(are_shares({}));
  EXPECT_FALSE(are_shares(sampled(dealt(1024, 4, 4), 7)));
  EXPECT_FALSE(are_shares(sampled(dealt(1024, 5, 5), 9)));
  EXPECT_FALSE(are_shares(sampled(dealt(1024, 1, 1), 7)));
}

TEST(SeenShares, SeveralSharesForADomainNeedMoreSamples) {
  EXPECT_FALSE(are_shares(sampled(dealt(1024, 8, 4), 16)));
  EXPECT_TRUE(are_shares(sampled(dealt(1024, 8, 4), 32)));
}

TEST(SeenShares, WhatIsDealtOutInSmallPiecesIsNotTakenForShares) {
  for (const std::size_t samples : {4U, 13U, 16U, 32U}) {
    for (const std::size_t pieces : {32U, 63U, 64U, 128U, 1000U}) {
      EXPECT_FALSE(are_shares(sampled(dealt(4096, pieces, 4), samples)))
          << samples << ' ' << pieces;
    }
  }
}

// Everything is told of once, nothing goes to a wrong domain, and what is left open is small.
TEST(SeenShares, EachPageGoesToItsUserOrIsLeftOpen) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t domains = 1 + random() % 5;
    const std::size_t pages = 400 + random() % 4000;
    const std::vector<std::size_t> owners = dealt(pages, domains, domains);
    const std::vector<SeenUse> uses = sampled(owners, 8 + 4 * domains + random() % 8);
    ASSERT_TRUE(are_shares(uses));
    SeenShares shares;
    share_out({page, (1 + pages) * page}, uses, shares);
    std::vector<int> told(pages);
    for (std::size_t domain = 0; domain < shares.known.size(); ++domain) {
      for (const Part& part : shares.known[domain]) {
        for (std::uintptr_t at = part.begin; at < part.end; at += page) {
          EXPECT_EQ(owners[at / page - 1], domain);
          ++told[at / page - 1];
        }
      }
    }
    std::size_t open = 0;
    for (const Part& part : shares.unknown) {
      for (std::uintptr_t at = part.begin; at < part.end; at += page, ++open) {
        ++told[at / page - 1];
      }
    }
    for (const int times : told) ASSERT_EQ(times, 1);
    EXPECT_LE(open, (domains - 1) * (2 * pages / (8 + 4 * domains) + 1));
  }
}

TEST(SeenShares, SeveralArraysAddUp) {
  SeenShares shares;
  const std::vector<SeenUse> uses{{page, 0, DomainId{std::size_t{1}}},
                                  {5 * page, 1, DomainId{std::size_t{1}}}};
  share_out({page, 9 * page}, uses, shares);
  share_out({20 * page, 29 * page}, std::vector<SeenUse>{{24 * page, 2, DomainId{std::size_t{0}}}},
            shares);
  ASSERT_EQ(shares.known.size(), 2U);
  EXPECT_EQ(shares.known[1].at(0).end, 9 * page);
  EXPECT_EQ(shares.known[0].at(0).begin, 20 * page);
  EXPECT_TRUE(shares.unknown.empty());
}

/// Arrays one after another in memory, of which each has one sample at a place that `seed` chooses.
struct Sampled {
  std::vector<Part> arrays;
  std::vector<std::vector<SeenUse>> uses;
};
template <class Owner>
Sampled one_sample_each(std::size_t arrays, std::size_t pages, unsigned seed, Owner owner) {
  Sampled all;
  std::mt19937 random(seed);
  for (std::size_t a = 0; a < arrays; ++a) {
    const std::uintptr_t begin = (1 + 2 * a * pages) * page;
    all.arrays.push_back({begin, begin + pages * page});
    all.uses.emplace_back();
    const std::size_t first = random() % (pages - sample_pages);
    for (std::size_t i = first; i < first + sample_pages; ++i) {
      all.uses.back().push_back({begin + i * page, a, DomainId{owner(a, i)}});
    }
  }
  return all;
}

TEST(SeenShares, ArraysOfOneSizeTellOfEachOther) {
  constexpr std::size_t pages = 1424;
  // At the edges of a share its neighbour may be the one that is seen.
  const auto owner = [](std::size_t, std::size_t at) { return at * 4 / pages; };
  const auto user = [](std::size_t array, std::size_t at) {
    return (4 * at + array % 2 * 4) / pages;
  };
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Sampled all = one_sample_each(32, pages, seed, user);
    EXPECT_FALSE(are_shares(all.uses[7]));
    const std::vector<SeenUse> uses = uses_of_alike(all.arrays, 7, all.uses, page, sample_pages);
    ASSERT_TRUE(are_shares(uses)) << seed;
    SeenShares shares;
    share_out(all.arrays[7], uses, shares);
    std::size_t known = 0;
    for (std::size_t domain = 0; domain < shares.known.size(); ++domain) {
      for (const Part& part : shares.known[domain]) {
        const std::size_t first = (part.begin - all.arrays[7].begin) / page;
        const std::size_t end = (part.end - all.arrays[7].begin) / page;
        EXPECT_EQ(owner(7, first + 1), domain);
        EXPECT_EQ(owner(7, end - 1), domain);
        known += end - first;
      }
    }
    EXPECT_GT(known, pages / 2);
  }
}

TEST(SeenShares, ArraysOfOneThreadEachAreNotAlike) {
  for (const std::size_t arrays : {8U, 16U, 32U}) {
    int taken = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
      const auto owner = [arrays](std::size_t array, std::size_t) { return array * 4 / arrays; };
      const Sampled all = one_sample_each(arrays, 1024, seed, owner);
      taken += are_shares(uses_of_alike(all.arrays, 0, all.uses, page, sample_pages)) ? 1 : 0;
    }
    EXPECT_LE(taken, arrays == 8 ? 30 : 0) << arrays;
  }
}

TEST(SeenShares, ArraysThatContradictEachOtherOrHaveAnotherSizeSayNothing) {
  const std::vector<Part> arrays{{0, 8 * page}, {100 * page, 108 * page}, {200 * page, 209 * page}};
  std::vector<std::vector<SeenUse>> uses{
      {{2 * page, 0, DomainId{0}}}, {{103 * page, 1, DomainId{1}}}, {{202 * page, 2, DomainId{2}}}};
  const std::vector<SeenUse> both = uses_of_alike(arrays, 0, uses, page, sample_pages);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].at, 3 * page);
  EXPECT_EQ(both[1].by, DomainId{1});
  EXPECT_EQ(both[1].sample, both[0].sample) << "side by side";
  EXPECT_EQ(uses_of_alike(arrays, 2, uses, page, sample_pages).size(), 1U);
  uses[1][0].at = 102 * page;
  EXPECT_TRUE(uses_of_alike(arrays, 0, uses, page, sample_pages).empty());
}

}  // namespace
}  // namespace lares::decide
