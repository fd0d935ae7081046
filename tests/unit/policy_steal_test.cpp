// Which places an idle worker visits, in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "policy/order.hpp"
#include "policy_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;
using Names = std::vector<std::string>;

Names sorted(Names names) {
  std::ranges::sort(names);
  return names;
}

Names part(const Names& names, std::size_t first, std::size_t count) {
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

TEST(Sweep, MeetsEveryNumberOnce) {
  Random random(3);
  for (std::uint32_t bound = 1; bound <= 200; ++bound) {
    Sweep sweep(random, bound);
    EXPECT_EQ(sweep.size(), bound);
    std::set<std::uint32_t> met;
    for (std::uint32_t i = 0; i < bound; ++i) met.insert(sweep.next());
    EXPECT_EQ(met.size(), bound);
    EXPECT_EQ(*met.rbegin(), bound - 1);
  }
}

TEST(Sweep, KeepsItsLimitAndNeverRepeats) {
  Random random(3);
  for (std::uint32_t bound = 1; bound <= 200; ++bound) {
    Sweep sweep(random, bound, 16);
    ASSERT_EQ(sweep.size(), std::min(bound, 16U));
    std::set<std::uint32_t> met;
    for (std::uint32_t i = 0; i < sweep.size(); ++i) met.insert(sweep.next());
    EXPECT_EQ(met.size(), sweep.size());
    EXPECT_LT(*met.rbegin(), bound);
  }
}

TEST(Sweep, StartsAnywhere) {
  Random random(4);
  std::array<int, 5> hits{};
  for (int i = 0; i < 5000; ++i) ++hits.at(Sweep(random, 5).next());
  for (const int h : hits) EXPECT_NEAR(h, 1000, 150);
}

// Figure 1 of the paper, with 4 domains of 4 cores: own domain (neighbours 2a, place 2b), then one
// other domain (its workers 3a, its place 3b).
TEST(Steal, CoreFirstFollowsFigureOne) {
  Team team(machine_of({4, 4, 4, 4}));
  const auto steal = make_steal("core-first");
  std::set<std::string> others;
  for (int i = 0; i < 100; ++i) {
    const Names visits = ask(*steal, team, 5);
    ASSERT_EQ(visits.size(), 3U + 1U + 4U + 1U);
    EXPECT_EQ(sorted(part(visits, 0, 3)), (Names{"w4", "w6", "w7"}));  // 2a
    EXPECT_EQ(visits[3], "d1");                                        // 2b
    const std::string other = visits[8];                               // 3b
    const std::map<std::string, Names> workers = {{"d0", {"w0", "w1", "w2", "w3"}},
                                                  {"d2", {"w10", "w11", "w8", "w9"}},
                                                  {"d3", {"w12", "w13", "w14", "w15"}}};
    ASSERT_TRUE(workers.contains(other)) << other;
    EXPECT_EQ(sorted(part(visits, 4, 4)), workers.at(other));  // 3a
    others.insert(other);
  }
  EXPECT_EQ(others.size(), 3U);
}

TEST(Steal, DomainFirstSwapsTheSteps) {
  Team team(machine_of({2, 2}));
  const Names visits = ask(*make_steal("domain-first"), team, 0);
  EXPECT_EQ(part(visits, 0, 3), (Names{"d0", "w1", "d1"}));
  EXPECT_EQ(sorted(part(visits, 3, visits.size() - 3)), (Names{"w2", "w3"}));
}

TEST(Steal, CoresOnlyLeavesOutOtherDomainsPlaces) {
  Team team(machine_of({1, 1}));
  EXPECT_EQ(ask(*make_steal("cores-only"), team, 0), (Names{"d0", "w1"}));
  Team larger(machine_of({2, 2}));
  const Names visits = ask(*make_steal("cores-only"), larger, 0);
  EXPECT_EQ(part(visits, 0, 2), (Names{"w1", "d0"}));
  EXPECT_EQ(sorted(part(visits, 2, visits.size() - 2)), (Names{"w2", "w3"}));
}

TEST(Steal, DomainsOnlyLeavesOutWorkersPlaces) {
  Team team(machine_of({2, 2}));
  EXPECT_EQ(ask(*make_steal("domains-only"), team, 3), (Names{"d1", "d0"}));
}

TEST(Steal, RandomVisitsEveryOtherWorkerOfASmallTeam) {
  Team team(machine_of({2, 2}));
  const auto steal = make_steal("random");
  std::map<std::string, int> first;
  for (int i = 0; i < 3000; ++i) {
    const Names visits = ask(*steal, team, 1);
    EXPECT_EQ(sorted(visits), (Names{"w0", "w2", "w3"}));
    ++first[visits.front()];
  }
  for (const auto& [name, count] : first) EXPECT_NEAR(count, 1000, 150) << name;
}

TEST(Steal, RandomBoundsItsRoundsInALargeTeam) {
  Team team(machine_of(std::vector<std::size_t>(24, 8)));
  const auto steal = make_steal("random");
  std::map<std::string, int> met;
  for (int i = 0; i < 19100; ++i) {
    const Names visits = ask(*steal, team, 100);
    ASSERT_EQ(visits.size(), 16U);
    for (const auto& name : visits) ++met[name];
  }
  EXPECT_EQ(met.size(), 191U);
  EXPECT_FALSE(met.contains("w100"));
  for (const auto& [name, count] : met) EXPECT_NEAR(count, 1600, 250) << name;
}

TEST(Steal, RandomDomainDrawsAmongAllDomains) {
  Team team(machine_of({2, 2, 2}));
  const auto steal = make_steal("random-domain");
  std::map<std::string, int> first;
  for (int i = 0; i < 3000; ++i) {
    const Names visits = ask(*steal, team, 0);
    EXPECT_EQ(sorted(visits), (Names{"d0", "d1", "d2"}));
    ++first[visits.front()];
  }
  for (const auto& [name, count] : first) EXPECT_NEAR(count, 1000, 150) << name;
}

TEST(Steal, CyclicScansFromTheOwnDomain) {
  Team team(machine_of({1, 1, 1, 1}));
  EXPECT_EQ(ask(*make_steal("cyclic"), team, 2), (Names{"d2", "d3", "d0", "d1"}));
  EXPECT_EQ(ask(*make_steal("cyclic"), team, 0), (Names{"d0", "d1", "d2", "d3"}));
}

TEST(Steal, CyclicPassesOverDomainsWithoutWorkers) {
  Team team(machine_of({1, 1, 1}), {CoreId{2}, CoreId{0}});
  EXPECT_EQ(ask(*make_steal("cyclic"), team, 0), (Names{"d2", "d0"}));
}

TEST(Steal, CentralVisitsTheRoot) {
  Team team(machine_of({2, 2}));
  EXPECT_EQ(ask(*make_steal("central"), team, 1), (Names{"root"}));
}

TEST(Steal, NearestGoesByDistance) {
  Machine m = machine_of({1, 1, 1});
  set_distance(m, 0, 1, 40);
  set_distance(m, 0, 2, 15);
  Team team(m);
  EXPECT_EQ(ask(*make_steal("nearest"), team, 0), (Names{"d0", "d2", "w2", "d1", "w1"}));
}

TEST(Steal, NearestStartsWithTheOwnDomain) {
  Team team(machine_of({3, 1}));
  const Names visits = ask(*make_steal("nearest"), team, 1);
  EXPECT_EQ(visits.front(), "d0");
  EXPECT_EQ(sorted(part(visits, 1, 2)), (Names{"w0", "w2"}));
  EXPECT_EQ(part(visits, 3, 2), (Names{"d1", "w3"}));
}

TEST(Steal, NearestBeginsWithThoseWhoShareACache) {
  Machine m = machine_of({6});
  for (std::size_t i = 0; i < 3; ++i) {
    m.tree.push_back({.level = Level::l3,
                      .parent = 1,
                      .domain = {},
                      .cores = {CoreId{2 * i}, CoreId{2 * i + 1}}});
  }
  Team team(m);
  const auto steal = make_steal("nearest");
  for (int i = 0; i < 20; ++i) {
    const Names visits = ask(*steal, team, 2);
    ASSERT_EQ(visits.size(), 6U);
    EXPECT_EQ(part(visits, 0, 2), (Names{"d0", "w3"}));
    EXPECT_EQ(sorted(part(visits, 2, 4)), (Names{"w0", "w1", "w4", "w5"}));
  }
}

// All thieves of a domain going to the same victim made its memory the bottleneck in Schmidl's
// measurement (4.2.3 b).
TEST(Steal, NearestSpreadsThievesOverEqualDistances) {
  Team team(machine_of({1, 1, 1, 1}));
  const auto steal = make_steal("nearest");
  std::map<std::string, int> first;
  for (int i = 0; i < 3000; ++i) ++first[ask(*steal, team, 3).at(1)];
  EXPECT_EQ(first.size(), 3U);
  for (const auto& [name, count] : first) EXPECT_NEAR(count, 1000, 150) << name;
}

// That it does so is what it is for.
TEST(Steal, NearSendsAllThievesOfADomainTheSameWay) {
  Machine m = machine_of({2, 2, 2});
  set_distance(m, 2, 0, 30);
  set_distance(m, 2, 1, 20);
  Team team(m);
  const auto steal = make_steal("near");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(ask(*steal, team, 0), (Names{"d0", "w1", "d1", "w2", "w3", "d2", "w4", "w5"}));
    EXPECT_EQ(ask(*steal, team, 1), (Names{"d0", "w0", "d1", "w2", "w3", "d2", "w4", "w5"}));
    EXPECT_EQ(ask(*steal, team, 5), (Names{"d2", "w4", "d1", "w2", "w3", "d0", "w0", "w1"}));
  }
}

TEST(Steal, NearestBoundsItsRoundsAndStillReachesTheFarthest) {
  Machine m = machine_of(std::vector<std::size_t>(24, 8));
  for (std::size_t i = 0; i < 24; ++i) {
    for (std::size_t j = 0; j < 24; ++j) {
      if (i != j) set_distance(m, i, j, static_cast<std::uint32_t>(10 + (i > j ? i - j : j - i)));
    }
  }
  Team team(m);
  const auto steal = make_steal("nearest");
  std::set<std::string> met;
  for (int i = 0; i < 300; ++i) {
    const Names visits = ask(*steal, team, 0);
    EXPECT_LE(visits.size(), 64U + 2 * 9U);
    EXPECT_EQ(visits.at(8), "d1");
    met.insert(visits.begin(), visits.end());
  }
  EXPECT_EQ(met.size(), 24U + 191U) << "all but the own place";
}

TEST(Steal, NearestThenLongestGoesToPlacesByDistanceAndToWorkersByLength) {
  Machine m = machine_of({2, 1, 2});
  set_distance(m, 0, 1, 40);
  set_distance(m, 0, 2, 15);
  Team team(m);
  const auto set = [&](PlaceId place, std::uint32_t n) { team.lengths.values[place.index()] = n; };
  set(team.of_worker(2), 9);
  set(team.of_worker(3), 4);
  set(team.of_worker(4), 7);
  set(team.of_domain(1), 100);
  EXPECT_EQ(ask(*make_steal("nearest-then-longest"), team, 0),
            (Names{"d0", "w1", "d2", "d1", "w2", "w4", "w3"}));
}

TEST(Steal, NearestThenLongestBoundsItsRoundsAndStillReachesAll) {
  Team team(machine_of(std::vector<std::size_t>(100, 4)));
  const auto steal = make_steal("nearest-then-longest");
  std::set<std::string> met;
  for (int i = 0; i < 3000; ++i) {
    const Names visits = ask(*steal, team, 5);
    // The own domain's four places, twelve domains of five places each, and one more.
    EXPECT_LE(visits.size(), 4U + 12U + 1U + 16U);
    met.insert(visits.begin(), visits.end());
  }
  EXPECT_EQ(met.size(), 100U + 399U) << "all but the own place";
}

TEST(Steal, NearestThenLongestGoesAsFarAsNearest) {
  Machine m = machine_of(std::vector<std::size_t>(24, 8));
  for (std::size_t i = 0; i < 24; ++i) {
    for (std::size_t j = 0; j < 24; ++j) {
      if (i != j) set_distance(m, i, j, static_cast<std::uint32_t>(10 + (i > j ? i - j : j - i)));
    }
  }
  Team team(m);
  const auto domains_of = [&](std::string_view policy) {
    std::map<std::string, int> rounds;
    const auto steal = make_steal(policy);
    for (int i = 0; i < 300; ++i) {
      for (const std::string& name : ask(*steal, team, 0)) {
        if (name.starts_with('d')) ++rounds[name];
      }
    }
    std::erase_if(rounds, [](const auto& each) { return each.second < 300; });
    return rounds;
  };
  EXPECT_EQ(domains_of("nearest").size(), 8U) << "its own and those that it visits in each round";
  EXPECT_EQ(domains_of("nearest-then-longest"), domains_of("nearest"));
}

TEST(Steal, MostLoadedGoesToTheLongestQueue) {
  Team team(machine_of({2, 2}));
  const auto set = [&](PlaceId place, std::uint32_t n) { team.lengths.values[place.index()] = n; };
  set(team.of_worker(3), 9);
  set(team.of_domain(0), 4);
  set(team.of_domain(1), 7);
  set(team.of_worker(1), 1);
  const Names visits = ask(*make_steal("most-loaded"), team, 0);
  EXPECT_EQ(visits, (Names{"w3", "d1", "d0", "w1", "w2"}));
}

TEST(Steal, MostLoadedPrefersTheOwnDomainOnATie) {
  Team team(machine_of({2, 2}));
  std::ranges::fill(team.lengths.values, 3U);
  const Names visits = ask(*make_steal("most-loaded"), team, 2);
  EXPECT_EQ(part(visits, 0, 3), (Names{"d1", "w3", "d0"}));
}

TEST(Steal, MostLoadedBoundsItsSampleAndStillReachesAll) {
  Team team(machine_of(std::vector<std::size_t>(24, 8)));
  const auto steal = make_steal("most-loaded");
  std::set<std::string> met;
  for (int i = 0; i < 1000; ++i) {
    const Names visits = ask(*steal, team, 17);
    EXPECT_LE(visits.size(), 49U);
    met.insert(visits.begin(), visits.end());
  }
  EXPECT_EQ(met.size(), 24U + 191U);
}

TEST(Steal, MostLoadedBoundsTheSampleOfOneLargeDomain) {
  Team team(machine_of({200}));
  EXPECT_LE(ask(*make_steal("most-loaded"), team, 0).size(), 17U);
}

TEST(Steal, BreakEvenLeavesWhatWouldNotWaitForLong) {
  Machine m = machine_of({2, 2, 1});
  set_distance(m, 0, 1, 21);
  set_distance(m, 0, 2, 30);
  Team team(m);
  const auto set = [&](PlaceId place, std::uint32_t n) { team.lengths.values[place.index()] = n; };
  const auto visits = [&] {
    const Names names = ask(*make_steal("break-even"), team, 0);
    EXPECT_EQ(part(names, 0, 2), (Names{"d0", "w1"})) << "the own domain is always worth a look";
    return part(names, 2, names.size() - 2);
  };
  EXPECT_EQ(visits(), Names{});
  set(team.of_domain(1), 2);  // a task for each of its workers: 1 is less than 1.1
  set(team.of_worker(2), 1);
  set(team.of_domain(2), 2);  // 2 is not more than 2
  EXPECT_EQ(visits(), Names{});
  set(team.of_domain(1), 3);
  EXPECT_EQ(visits(), Names{"d1"});
  set(team.of_worker(2), 2);
  set(team.of_domain(2), 4);
  EXPECT_EQ(visits(), (Names{"d2", "w2", "d1"})) << "most to gain first";
}

TEST(Steal, BreakEvenTakesAnyLengthForWhatItIs) {
  Machine m = machine_of({1, 1});
  set_distance(m, 0, 1, machine::max_distance);
  Team team(m);
  std::ranges::fill(team.lengths.values, 4'000'000'000U);
  EXPECT_EQ(ask(*make_steal("break-even"), team, 0).front(), "d0");
}

TEST(Steal, BreakEvenBoundsItsSampleAndStillReachesAll) {
  Team team(machine_of(std::vector<std::size_t>(24, 8)));
  std::ranges::fill(team.lengths.values, 1000U);
  const auto steal = make_steal("break-even");
  std::set<std::string> met;
  for (int i = 0; i < 1000; ++i) {
    const Names visits = ask(*steal, team, 17);
    EXPECT_LE(visits.size(), 8U + 2 * 16U);
    met.insert(visits.begin(), visits.end());
  }
  EXPECT_EQ(met.size(), 24U + 191U);
}

TEST(Steal, OneWorkerAloneHasOnlyItsDomain) {
  Team team(machine_of({1}));
  for (const auto& row : steals()) {
    const auto steal = row.make();
    const Names visits = ask(*steal, team, 0);
    const Names expected = row.places.root == Reach::all       ? Names{"root"}
                           : row.places.domains == Reach::none ? Names{}
                                                               : Names{"d0"};
    EXPECT_EQ(visits, expected) << row.name;
  }
}

TEST(Steal, FullListsAreNotOverrun) {
  Team team(machine_of({4, 4}));
  for (const auto& row : steals()) {
    std::array<PlaceId, 2> storage;
    Victims victims(storage);
    row.make()->on_idle(team.view(0), victims);
    EXPECT_LE(victims.list().size(), 2U) << row.name;
  }
}

TEST(Steal, EachRoundStartsANewList) {
  Team team(machine_of({2, 2}));
  for (const auto& row : steals()) {
    std::vector<PlaceId> storage(100);
    Victims victims(storage);
    const auto steal = row.make();
    for (int i = 0; i < 10; ++i) steal->on_idle(team.view(0), victims);
    EXPECT_LE(victims.list().size(), team.places.size()) << row.name;
  }
}

TEST(StealProperty, ListsOnlyWhatExistsAndWhatTheTableSays) {
  Random random(8);
  for (int i = 0; i < 300; ++i) {
    const Machine m = random_machine(random);
    const auto cores = random_team(m, random);
    Team team(m, cores);
    const std::size_t self = random.below(static_cast<std::uint32_t>(cores.size()));
    const DomainId own = team.places.domain_of(worker(self));
    for (const auto& row : steals()) {
      const auto steal = row.make();
      std::vector<PlaceId> storage(1000);
      Victims victims(storage);
      steal->on_idle(team.view(self), victims);
      EXPECT_LE(victims.list().size(), steal->max_victims(team.places)) << row.name;
      for (const PlaceId place : victims.list()) {
        ASSERT_TRUE(place.valid() && place.index() < team.places.size()) << row.name;
        const std::string name = name_of(team.places, place);
        EXPECT_NE(place, team.of_worker(self)) << row.name;
        const bool near = team.places[place].domain == own;
        if (name.front() == 'w') {
          EXPECT_TRUE(row.places.workers == Reach::all || near) << row.name << " visits " << name;
        } else if (name == "root") {
          EXPECT_EQ(row.places.root, Reach::all) << row.name;
        } else {
          ASSERT_EQ(name.front(), 'd') << row.name;
          EXPECT_FALSE(team.places[place].workers.empty()) << row.name << " visits " << name;
          EXPECT_GE(row.places.domains, near ? Reach::own : Reach::all) << row.name;
        }
      }
    }
  }
}

// What the table promises to reach is reached.
TEST(StealProperty, RoundsReachWhatTheTableSays) {
  Random random(9);
  for (int i = 0; i < 60; ++i) {
    const Machine m = random_machine(random);
    Team team(m, random_team(m, random));
    const DomainId own = team.places.domain_of(worker(0));
    for (const auto& row : steals()) {
      const auto steal = row.make();
      std::set<std::string> met;
      for (int round = 0; round < 400; ++round) {
        for (auto& name : ask(*steal, team, 0)) met.insert(std::move(name));
      }
      for (std::size_t w = 1; w < team.places.worker_count(); ++w) {
        const bool near = team.places.domain_of(worker(w)) == own;
        if (row.places.workers == Reach::all) {
          EXPECT_TRUE(met.contains(tag('w', w))) << row.name;
        } else if (!near) {
          EXPECT_FALSE(met.contains(tag('w', w))) << row.name;
        }
      }
      for (const DomainId d : team.places.domains_with_workers()) {
        const Reach needed = d == own ? Reach::own : Reach::all;
        EXPECT_EQ(met.contains(tag('d', d.value())), row.places.domains >= needed) << row.name;
      }
      EXPECT_EQ(met.contains("root"), row.places.root == Reach::all) << row.name;
    }
  }
}

TEST(StealProperty, SameSeedSameAnswers) {
  Random random(10);
  for (int i = 0; i < 50; ++i) {
    const Machine m = random_machine(random);
    const auto cores = random_team(m, random);
    Team one(m, cores);
    Team two(m, cores);
    for (const auto& row : steals()) {
      const auto first = row.make();
      const auto second = row.make();
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(ask(*first, one, 0), ask(*second, two, 0)) << row.name;
      }
    }
  }
}

}  // namespace
}  // namespace lares::policy
