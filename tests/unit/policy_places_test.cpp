// The tree of a team's queues.
#include <gtest/gtest.h>

#include <set>

#include "policy_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;

Machine two_packages_of_two_domains() {
  Machine m = machine_of({2, 2, 2, 2});
  // Root, two packages, then the domains below them.
  const auto domains = std::vector<machine::TreeNode>(m.tree.begin() + 1, m.tree.end());
  m.tree.resize(1);
  for (std::size_t p = 0; p < 2; ++p) {
    machine::TreeNode package{.level = Level::package, .parent = 0, .domain = {}, .cores = {}};
    for (std::size_t c = 0; c < 4; ++c) package.cores.emplace_back(p * 4 + c);
    m.tree.push_back(package);
  }
  for (std::size_t d = 0; d < 4; ++d) {
    m.tree.push_back(domains[d]);
    m.tree.back().parent = static_cast<std::int32_t>(1 + d / 2);
  }
  return m;
}

TEST(Places, NumbersRootThenNodesThenWorkers) {
  const Team team(machine_of({2, 2}));
  ASSERT_EQ(team.places.size(), 7U);
  EXPECT_EQ(team.places.root(), PlaceId{0});
  EXPECT_EQ(team.of_domain(0), PlaceId{1});
  EXPECT_EQ(team.of_domain(1), PlaceId{2});
  for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(team.of_worker(w), PlaceId{3 + w});
}

TEST(Places, RootHoldsAllWorkersAndNoDomain) {
  const Team team(machine_of({2, 2}));
  const Place& root = team.places[team.places.root()];
  EXPECT_EQ(root.level, Level::machine);
  EXPECT_FALSE(root.parent.valid());
  EXPECT_FALSE(root.domain.valid());
  EXPECT_EQ(root.workers.size(), 4U);
}

TEST(Places, OneDomainIsStillAPlaceOfItsOwn) {
  const Team team(machine_of({1}));
  EXPECT_EQ(team.places.size(), 3U);
  EXPECT_NE(team.of_domain(0), team.places.root());
  EXPECT_EQ(team.places[team.of_domain(0)].parent, team.places.root());
}

TEST(Places, DomainWithoutTreeNodeGetsAPlace) {
  Machine m = machine_of({2});
  m.tree.resize(1);
  const Places places(m, one_worker_per_core(m));
  EXPECT_NE(places.of(domain(0)), places.root());
  EXPECT_EQ(places.workers_in(domain(0)).size(), 2U);
  EXPECT_EQ(places[places.of(worker(1))].parent, places.of(domain(0)));
}

TEST(Places, LevelsAboveTheDomainsHaveNoDomain) {
  const Team team(two_packages_of_two_domains());
  const PlaceId package = team.places[team.of_domain(2)].parent;
  EXPECT_EQ(team.places[package].level, Level::package);
  EXPECT_FALSE(team.places[package].domain.valid());
  EXPECT_EQ(team.places[package].workers,
            (std::vector<WorkerId>{worker(4), worker(5), worker(6), worker(7)}));
  EXPECT_EQ(team.places[package].parent, team.places.root());
}

TEST(Places, LevelsBelowTheDomainsBelongToIt) {
  Machine m = machine_of({4});
  for (std::size_t i = 0; i < 2; ++i) {
    m.tree.push_back({.level = Level::l3,
                      .parent = 1,
                      .domain = {},
                      .cores = {CoreId{2 * i}, CoreId{2 * i + 1}}});
  }
  const Team team(m);
  const PlaceId cache = team.places[team.of_worker(2)].parent;
  EXPECT_EQ(team.places[cache].level, Level::l3);
  EXPECT_EQ(team.places[cache].domain, domain(0));
  EXPECT_EQ(team.places[cache].workers, (std::vector<WorkerId>{worker(2), worker(3)}));
}

TEST(Places, NodesOfOneCoreAreLeftOut) {
  Machine m = machine_of({2});
  for (std::size_t c = 0; c < 2; ++c) {
    m.tree.push_back({.level = Level::l2, .parent = 1, .domain = {}, .cores = {CoreId{c}}});
  }
  const Team team(m);
  EXPECT_EQ(team.places.size(), 1U + 1U + 2U);
  EXPECT_EQ(team.places[team.of_worker(1)].parent, team.of_domain(0));
}

TEST(Places, NodesWithoutWorkersAreLeftOutUnlessTheyAreDomains) {
  const Machine m = two_packages_of_two_domains();
  const Team team(m, {CoreId{0}, CoreId{1}});  // both in domain 0 of package 0
  EXPECT_TRUE(team.places.workers_in(domain(3)).empty());
  EXPECT_EQ(team.places[team.of_domain(3)].parent, team.places.root());  // no place for package 1
  EXPECT_EQ(team.places[team.of_domain(0)].level, Level::numa);
  EXPECT_EQ(team.places.size(), 1U + 1U + 4U + 2U);
}

TEST(Places, UnboundWorkersAreDealtToTheDomainsInTurn) {
  const Team team(machine_of({2, 2, 2}), std::vector<CoreId>(5));
  const std::vector<std::size_t> expected = {0, 1, 2, 0, 1};
  for (std::size_t w = 0; w < 5; ++w) {
    EXPECT_EQ(team.places.domain_of(worker(w)), domain(expected[w])) << w;
  }
}

TEST(Places, WorkersOnCoresOfAnotherMachineCountAsUnbound) {
  const Team team(machine_of({1, 1}), {CoreId{7}, CoreId{99}});
  EXPECT_EQ(team.places.domain_of(worker(0)), domain(0));
  EXPECT_EQ(team.places.domain_of(worker(1)), domain(1));
}

TEST(Places, SeveralWorkersMayShareACore) {
  const Team team(machine_of({1, 1}), {CoreId{1}, CoreId{1}, CoreId{1}});
  EXPECT_EQ(team.places.workers_in(domain(1)).size(), 3U);
  EXPECT_NE(team.of_worker(0), team.of_worker(1));
}

TEST(Places, NearestFirstFollowsTheRowOfTheMatrix) {
  Machine m = machine_of({1, 1, 1});
  set_distance(m, 0, 1, 40);
  set_distance(m, 0, 2, 15);
  set_distance(m, 2, 0, 30);  // the way back is longer
  set_distance(m, 2, 1, 12);
  const Team team(m);
  const auto row = [&](std::size_t from) {
    const auto span = team.places.nearest_first(domain(from));
    return std::vector<DomainId>(span.begin(), span.end());
  };
  EXPECT_EQ(row(0), (std::vector<DomainId>{domain(0), domain(2), domain(1)}));
  EXPECT_EQ(row(1), (std::vector<DomainId>{domain(1), domain(0), domain(2)}));  // a tie: by number
  EXPECT_EQ(row(2), (std::vector<DomainId>{domain(2), domain(1), domain(0)}));
  EXPECT_EQ(team.places.distance(domain(0), domain(2)), 15U);
  EXPECT_EQ(team.places.distance(domain(2), domain(0)), 30U);
}

TEST(Places, MemoryOnlyDomainsAreServedByTheNearestCores) {
  Machine m = machine_of({1, 1, 0});
  set_distance(m, 0, 2, 28);
  set_distance(m, 1, 2, 14);
  const Team team(m);
  EXPECT_EQ(team.places.domain_count(), 2U);
  EXPECT_EQ(team.places.with_cores(domain(2)), domain(1));
  EXPECT_EQ(team.places.with_cores(domain(0)), domain(0));
  EXPECT_EQ(team.places.with_workers(domain(2)), domain(1));
}

TEST(Places, TasksForADomainWithoutWorkersGoToTheNearestThatHasSome) {
  Machine m = machine_of({1, 1, 1, 0});
  set_distance(m, 0, 2, 30);
  set_distance(m, 1, 2, 12);
  set_distance(m, 2, 3, 11);  // domain 2 is nearest to the memory but has no worker
  set_distance(m, 0, 3, 13);
  const Team team(m, {CoreId{0}, CoreId{1}});
  EXPECT_EQ(team.places.with_workers(domain(2)), domain(1));
  EXPECT_EQ(team.places.with_workers(domain(1)), domain(1));
  EXPECT_EQ(team.places.with_workers(domain(3)), domain(0));
  EXPECT_EQ(team.places.with_cores(domain(3)), domain(2));
  const auto busy = team.places.domains_with_workers();
  EXPECT_EQ(std::vector<DomainId>(busy.begin(), busy.end()),
            (std::vector<DomainId>{domain(0), domain(1)}));
}

TEST(Places, MachineWithoutMatrixHasTwoDistances) {
  Machine m = machine_of({1, 1});
  m.distances = {};
  const Places places(m, one_worker_per_core(m));
  EXPECT_EQ(places.distance(domain(0), domain(0)), 10U);
  EXPECT_EQ(places.distance(domain(0), domain(1)), 20U);
}

void expect_consistent(const Places& places) {
  for (std::size_t w = 0; w < places.worker_count(); ++w) {
    PlaceId place = places.of(worker(w));
    EXPECT_EQ(places[place].worker, worker(w));
    std::set<PlaceId> chain;
    for (; place.valid(); place = places[place].parent) {
      EXPECT_TRUE(chain.insert(place).second) << "a cycle";
      EXPECT_EQ(std::ranges::count(places[place].workers, worker(w)), 1);
    }
    EXPECT_TRUE(chain.contains(places.root()));
    EXPECT_TRUE(chain.contains(places.of(places.domain_of(worker(w)))));
  }
}

TEST(PlacesProperty, TreesAreConsistentOnRandomMachines) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const Machine m = random_machine(random);
    const Team team(m, random_team(m, random));
    expect_consistent(team.places);
    for (std::size_t d = 0; d < m.domains.size(); ++d) {
      EXPECT_FALSE(team.places.workers_in(team.places.with_workers(domain(d))).empty());
    }
    for (std::size_t p = 1; p < team.places.size(); ++p) {
      EXPECT_LT(team.places[PlaceId{p}].parent, PlaceId{p}) << "parents come first";
    }
  }
}

}  // namespace
}  // namespace lares::policy
