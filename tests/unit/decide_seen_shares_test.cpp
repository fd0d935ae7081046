// Whose an array is, by samples of its users.
#include "decide/seen_shares.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace lares::decide {
namespace {

constexpr std::uintptr_t page = 4096;

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

}  // namespace
}  // namespace lares::decide
