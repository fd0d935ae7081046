// Threads that go to their pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "decide/rebinding.hpp"

namespace lares::decide {
namespace {

using Places = std::vector<std::uint16_t>;

Places first_places(std::size_t count) {
  Places places(count);
  std::iota(places.begin(), places.end(), std::uint16_t{0});
  return places;
}

std::int64_t at_home(const Uses& uses, const Places& places, std::size_t of_a_domain) {
  std::int64_t pages = 0;
  for (std::size_t t = 0; t < places.size(); ++t) pages += uses.of(t, places[t] / of_a_domain);
  return pages;
}

/// By trying all.
std::int64_t best_at_home(const Uses& uses, Places places, std::size_t of_a_domain) {
  std::sort(places.begin(), places.end());
  std::int64_t best = 0;
  do {
    best = std::max(best, at_home(uses, places, of_a_domain));
  } while (std::next_permutation(places.begin(), places.end()));
  return best;
}

TEST(Rebinding, AnOppositeInitialisationExchangesTheDomains) {
  constexpr std::size_t threads = 8;
  Uses uses(threads, 4);
  for (std::size_t t = 0; t < threads; ++t) {
    for (int page = 0; page < 10; ++page) uses.add(t, DomainId{(threads - 1 - t) / 2});
  }
  const Rebinding result =
      rebind(uses, first_places(threads), [](std::uint16_t place) { return place / 2U; });
  EXPECT_EQ(result.pages, 80);
  EXPECT_EQ(result.at_home_before, 0);
  EXPECT_EQ(result.at_home_after, 80);
  EXPECT_EQ(result.places, (Places{6, 7, 4, 5, 2, 3, 0, 1}));
}

TEST(Rebinding, ACircleOfDomainsIsFoundThoughNoTwoCanSwap) {
  Uses uses(3, 3);
  for (std::size_t t = 0; t < 3; ++t) {
    for (int page = 0; page < 8; ++page) uses.add(t, DomainId{(t + 1) % 3});
    for (int page = 0; page < 6; ++page) uses.add(t, DomainId{t});
  }
  const Rebinding one =
      rebind(uses, first_places(3), [](std::uint16_t place) { return std::size_t{place}; });
  EXPECT_TRUE(one.places.empty()) << "a gain of 2 of 14 pages";
  EXPECT_EQ(one.at_home_after, 24);
  for (std::size_t t = 0; t < 3; ++t) {
    for (int page = 0; page < 8; ++page) uses.add(t, DomainId{(t + 1) % 3});
  }
  const Rebinding all =
      rebind(uses, first_places(3), [](std::uint16_t place) { return std::size_t{place}; });
  EXPECT_EQ(all.places, (Places{1, 2, 0}));
}

TEST(Rebinding, DataOfOneDomainMovesNobody) {
  Uses uses(8, 4);
  for (std::size_t t = 0; t < 8; ++t) {
    for (int page = 0; page < 64; ++page) uses.add(t, DomainId{0});
  }
  const Rebinding result =
      rebind(uses, first_places(8), [](std::uint16_t place) { return place / 2U; });
  EXPECT_TRUE(result.places.empty());
  EXPECT_EQ(result.at_home_before, result.at_home_after);
  const Uses nothing(4, 2);
  EXPECT_TRUE(rebind(nothing, first_places(4), [](std::uint16_t place) {
                return place / 2U;
              }).places.empty());
}

TEST(Rebinding, WhoWasNotMetGoesWithItsNeighbour) {
  Uses uses(8, 2);
  for (int page = 0; page < 16; ++page) {
    uses.add(1, DomainId{1});
    uses.add(6, DomainId{0});
  }
  uses.fill_gaps();
  EXPECT_EQ(uses.all(), 8 * 16);
  const Rebinding result =
      rebind(uses, first_places(8), [](std::uint16_t place) { return place / 4U; });
  EXPECT_EQ(result.places, (Places{4, 5, 6, 7, 0, 1, 2, 3}));
  Uses nothing(3, 2);
  nothing.fill_gaps();
  EXPECT_EQ(nothing.all(), 0);
}

TEST(Rebinding, IsTheBestOfAllAndKeepsThePlaces) {
  std::mt19937 random(20261127);
  for (int round = 0; round < 400; ++round) {
    const std::size_t of_a_domain = 1 + random() % 3;
    const std::size_t threads = 2 + random() % 6;
    // Teams smaller than the machine leave domains without threads, which may have pages.
    Places places = first_places(threads + random() % 4);
    std::shuffle(places.begin(), places.end(), random);
    const std::size_t domains = (places.size() - 1) / of_a_domain + 1;
    places.resize(threads);
    Uses uses(threads, domains);
    const std::size_t pages = random() % 60;
    for (std::size_t i = 0; i < pages; ++i)
      uses.add(random() % threads, DomainId{random() % domains});
    const Rebinding result =
        rebind(uses, places, [&](std::uint16_t place) { return place / of_a_domain; });
    EXPECT_EQ(result.at_home_before, at_home(uses, places, of_a_domain));
    EXPECT_EQ(result.at_home_after, best_at_home(uses, places, of_a_domain));
    if (result.places.empty()) {
      EXPECT_LT(4 * (result.at_home_after - result.at_home_before), std::max(result.pages, 1L));
      continue;
    }
    EXPECT_EQ(at_home(uses, result.places, of_a_domain), result.at_home_after);
    Places sorted = result.places;
    std::sort(sorted.begin(), sorted.end());
    std::sort(places.begin(), places.end());
    EXPECT_EQ(sorted, places);
  }
}

TEST(Rebinding, ALargeMachineTakesNoTime) {
  constexpr std::size_t domains = 64;
  constexpr std::size_t threads = 1024;
  Uses uses(threads, domains);
  std::mt19937 random(5);
  for (int page = 0; page < 512; ++page) uses.add(random() % threads, DomainId{random() % domains});
  uses.fill_gaps();
  const Rebinding result = rebind(uses, first_places(threads),
                                  [](std::uint16_t place) { return place / (threads / domains); });
  EXPECT_FALSE(result.places.empty());
}

}  // namespace
}  // namespace lares::decide
