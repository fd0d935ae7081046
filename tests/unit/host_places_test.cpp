// Which places teams get: of several teams, of nested ones, and of those that are too large.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "host/openmp/team_places.hpp"

namespace lares::omp {
namespace {

using Numbers = std::vector<std::uint16_t>;

/// `domains` domains of `cores` places each, all free.
std::vector<PlaceState> machine_of(std::size_t domains, std::size_t cores) {
  std::vector<PlaceState> places;
  for (std::size_t i = 0; i < domains * cores; ++i) {
    places.push_back({static_cast<std::uint16_t>(i / cores), true, false});
  }
  return places;
}

void occupy(std::vector<PlaceState>& places, const Numbers& team) {
  for (const std::uint16_t place : team) places[place].free = false;
}

std::set<std::uint16_t> domains_of(const std::vector<PlaceState>& places, const Numbers& team) {
  std::set<std::uint16_t> domains;
  for (const std::uint16_t place : team) domains.insert(places[place].domain);
  return domains;
}

TEST(TeamPlaces, ATeamOfTheMachinesSizeHasThemAllInOrder) {
  for (const TeamOrder order : {TeamOrder::spread, TeamOrder::close}) {
    EXPECT_EQ(places_for_team(machine_of(2, 2), 4, order, std::nullopt), (Numbers{0, 1, 2, 3}));
  }
}

TEST(TeamPlaces, ASmallTeamUsesAllDomains) {
  EXPECT_EQ(places_for_team(machine_of(4, 2), 4, TeamOrder::spread, std::nullopt),
            (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(places_for_team(machine_of(4, 2), 4, TeamOrder::close, std::nullopt),
            (Numbers{0, 1, 2, 3}));
}

TEST(TeamPlaces, AreCountedFromWhereTheMasterWas) {
  const auto places = machine_of(4, 2);
  EXPECT_EQ(places_for_team(places, 8, TeamOrder::spread, std::nullopt, 4),
            (Numbers{4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(places_for_team(places, 4, TeamOrder::spread, std::nullopt, 6), (Numbers{6, 0, 2, 4}));
  EXPECT_EQ(places_for_team(places, 3, TeamOrder::close, std::nullopt, 6), (Numbers{6, 7, 0}));
  auto others = places;
  occupy(others, {2, 3});  // the whole domain
  EXPECT_EQ(places_for_team(others, 3, TeamOrder::spread, std::nullopt, 2), (Numbers{4, 6, 0}));
}

TEST(TeamPlaces, MoreThreadsThanPlacesAreNotBound) {
  EXPECT_FALSE(places_for_team(machine_of(2, 2), 5, TeamOrder::spread, std::nullopt));
  auto places = machine_of(2, 2);
  places[3].free = false;
  EXPECT_FALSE(places_for_team(places, 4, TeamOrder::spread, std::nullopt));
}

TEST(TeamPlaces, TwoTeamsShareThePlacesOut) {
  auto places = machine_of(4, 2);
  const auto first = places_for_team(places, 4, TeamOrder::spread, std::nullopt);
  ASSERT_TRUE(first);
  occupy(places, *first);
  const auto second = places_for_team(places, 4, TeamOrder::spread, std::nullopt);
  EXPECT_EQ(second, (Numbers{1, 3, 5, 7}));
}

TEST(TeamPlaces, WhatAnotherMasterHadIsTakenLast) {
  auto places = machine_of(4, 2);
  for (const std::size_t place : {0U, 2U, 4U, 6U}) places[place].claimed = true;
  EXPECT_EQ(places_for_team(places, 4, TeamOrder::spread, std::nullopt), (Numbers{1, 3, 5, 7}));
  EXPECT_EQ(places_for_team(places, 6, TeamOrder::spread, std::nullopt),
            (Numbers{0, 1, 3, 4, 5, 7}));
}

// Four domains of two cores: an outer team of 4 with inner teams of 2 leaves none of them idle.
TEST(TeamPlaces, NestedTeamsUseEveryDomain) {
  auto places = machine_of(4, 2);
  const auto outer = places_for_team(places, 4, TeamOrder::spread, std::nullopt);
  ASSERT_TRUE(outer);
  occupy(places, *outer);
  std::set<std::uint16_t> all;
  for (const std::uint16_t master : *outer) {
    const auto inner = places_for_team(places, 2, TeamOrder::spread, master);
    ASSERT_TRUE(inner);
    EXPECT_EQ(inner->front(), master);
    EXPECT_EQ(domains_of(places, *inner).size(), 1U);
    occupy(places, *inner);
    all.insert(inner->begin(), inner->end());
  }
  EXPECT_EQ(all.size(), 8U);
}

TEST(TeamPlaces, OneInnerTeamMayUseWhatTheOthersLeave) {
  auto places = machine_of(4, 2);
  occupy(places, {0, 4});
  EXPECT_EQ(places_for_team(places, 7, TeamOrder::spread, 4), (Numbers{4, 1, 2, 3, 5, 6, 7}));
  EXPECT_FALSE(places_for_team(places, 8, TeamOrder::spread, 4));
}

TEST(TeamPlaces, AnInnerTeamStaysInItsDomainFirst) {
  auto places = machine_of(2, 4);
  occupy(places, {2});
  EXPECT_EQ(places_for_team(places, 4, TeamOrder::spread, 2), (Numbers{2, 0, 1, 3}));
}

// The data of its master is near it, and the other team may come back to another place there.
TEST(TeamPlaces, AnInnerTeamRatherTakesAnothersPlaceThanLeavesItsDomain) {
  auto places = machine_of(2, 3);
  occupy(places, {0});
  places[1].claimed = true;
  places[2].claimed = true;
  EXPECT_EQ(places_for_team(places, 2, TeamOrder::spread, 0), (Numbers{0, 1}));
  places[1].claimed = false;
  places[2].claimed = true;
  EXPECT_EQ(places_for_team(places, 2, TeamOrder::spread, 0), (Numbers{0, 1}));
  places[1].claimed = true;
  places[2].claimed = false;
  EXPECT_EQ(places_for_team(places, 2, TeamOrder::spread, 0), (Numbers{0, 2}));
}

}  // namespace
}  // namespace lares::omp
