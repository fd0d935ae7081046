// What each bubble scheduler does with the shapes that OpenMP programs have.
#include <gtest/gtest.h>

#include "policy_bubbles_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;

constexpr std::uint64_t megabyte = 1U << 20U;

Machine four_by_four() { return machine_of({4, 4, 4, 4}); }

// The paper's machine: each node has two neighbours and one opposite.
Machine opteron() {
  Machine m = four_by_four();
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      if (a != b) set_distance(m, a, b, a + b == 3 ? 14 : 12);
    }
  }
  return m;
}

void attach_all(Grove& grove, EntityId bubble, std::size_t to, std::uint64_t bytes) {
  for (const EntityId thread : grove.forest.threads_of(bubble)) {
    grove.forest.attach(thread, domain(to), bytes);
  }
}

// --- outer teams

TEST(Bubbles, AnOuterTeamHasAThreadOnEachNode) {
  for (const char* name : {"cache", "memory", "spread"}) {
    Grove grove(four_by_four(), name);
    const EntityId team = grove.submit_team(4);
    EXPECT_EQ(grove.domains_of(team), (Numbers{0, 1, 2, 3})) << name;
  }
}

TEST(Bubbles, AFullTeamHasNeighboursTogether) {
  Grove grove(four_by_four(), "cache");
  const EntityId team = grove.submit_team(16);
  Numbers expected;
  for (std::size_t core = 0; core < 16; ++core) expected.push_back(core);
  EXPECT_EQ(grove.cores_of(team), expected);
}

TEST(Bubbles, SpreadHasNeighboursApart) {
  Grove grove(four_by_four(), "spread");
  const EntityId team = grove.submit_team(8);
  EXPECT_EQ(grove.domains_of(team), (Numbers{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(Bubbles, TwoThreadsOfFourNodesLeaveOneFreeForEach) {
  Grove grove(four_by_four(), "cache");
  const EntityId team = grove.submit_team(2);
  EXPECT_EQ(grove.domains_of(team), (Numbers{0, 2}));
}

TEST(Bubbles, MoreThreadsThanCoresFillThemEvenly) {
  for (const char* name : {"cache", "memory", "spread"}) {
    Grove grove(four_by_four(), name);
    grove.submit_team(32);
    EXPECT_EQ(grove.threads_by_core(), Numbers(16, 2)) << name;
  }
}

TEST(Bubbles, OneCoreHasEverybody) {
  for (const BubbleSchedulerEntry& entry : bubble_schedulers()) {
    Grove grove(machine_of({1}), entry.name);
    const EntityId team = grove.submit_team(3);
    grove.nest(grove.thread(team, 1), 2);
    EXPECT_EQ(grove.threads_by_core(), (Numbers{4})) << entry.name;
  }
}

TEST(Bubbles, OnlyUsableCoresAreUsed) {
  for (const BubbleSchedulerEntry& entry : bubble_schedulers()) {
    Grove grove(four_by_four(), entry.name, {CoreId{1}, CoreId{6}, CoreId{7}});
    grove.submit_team(6);
    expect_sound(grove, 6, {CoreId{1}, CoreId{6}, CoreId{7}});
  }
}

TEST(Bubbles, ANextTeamOfTheSameThreadsHasTheirCores) {
  Grove grove(four_by_four(), "cache");
  const EntityId team = grove.add_team(4);
  const Numbers before = {5, 2, 15, 9};
  for (std::size_t t = 0; t < 4; ++t) {
    grove.forest.set_last(grove.thread(team, t), CoreId{before[t]});
  }
  grove.bubbles->on_submit(grove.forest, team);
  EXPECT_EQ(grove.cores_of(team), before);
}

TEST(Bubbles, NobodyReturnsWhereThatWouldUnbalance) {
  Grove grove(four_by_four(), "cache");
  const EntityId team = grove.add_team(4);
  for (std::size_t t = 0; t < 4; ++t) grove.forest.set_last(grove.thread(team, t), CoreId{t});
  grove.bubbles->on_submit(grove.forest, team);
  const Numbers domains = grove.domains_of(team);
  EXPECT_EQ(std::set<std::size_t>(domains.begin(), domains.end()).size(), 4U);
  EXPECT_EQ(domains.front(), 0U);
}

// --- inner teams

TEST(Bubbles, AnInnerTeamFillsItsMastersNode) {
  for (const char* name : {"cache", "memory"}) {
    Grove grove(four_by_four(), name);
    const EntityId outer = grove.submit_team(4);
    for (std::size_t t = 0; t < 4; ++t) {
      const EntityId master = grove.forest[outer].members[t];
      const std::size_t core = grove.core_of(master);
      const EntityId inner = grove.nest(master, 4);
      EXPECT_EQ(grove.domains_of(inner), Numbers(4, t)) << name;
      EXPECT_EQ(grove.cores_of(inner).front(), core) << "a master keeps its core";
    }
    EXPECT_EQ(grove.threads_by_core(), Numbers(16, 1)) << name;
  }
}

TEST(Bubbles, TwiceAsManyHaveTwoOnEachCore) {
  for (const char* name : {"cache", "memory"}) {
    Grove grove(four_by_four(), name);
    const EntityId outer = grove.submit_team(4);
    for (std::size_t t = 0; t < 4; ++t) {
      const EntityId inner = grove.nest(grove.forest[outer].members[t], 8);
      EXPECT_EQ(grove.domains_of(inner), Numbers(8, t)) << name;
    }
    EXPECT_EQ(grove.threads_by_core(), Numbers(16, 2)) << name;
  }
}

TEST(Bubbles, TwoInnerTeamsShareTheFreeNodes) {
  Grove grove(four_by_four(), "cache");
  const EntityId outer = grove.submit_team(2);
  const EntityId first = grove.nest(grove.forest[outer].members[0], 8);
  const EntityId second = grove.nest(grove.forest[outer].members[1], 8);
  EXPECT_EQ(grove.domains_of(first), (Numbers{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(grove.domains_of(second), (Numbers{2, 2, 2, 2, 3, 3, 3, 3}));
}

TEST(Bubbles, MoreTeamsThanNodesShareThem) {
  Grove grove(four_by_four(), "cache");
  const EntityId outer = grove.submit_team(8);
  for (std::size_t t = 0; t < 8; ++t) {
    const EntityId inner = grove.nest(grove.forest[outer].members[t], 2);
    EXPECT_EQ(grove.domains_of(inner), Numbers(2, t / 2));
  }
  EXPECT_EQ(grove.threads_by_core(), Numbers(16, 1));
}

TEST(Bubbles, ALoneInnerTeamHasTheWholeMachine) {
  Grove grove(four_by_four(), "cache");
  const EntityId outer = grove.submit_team(1);
  const EntityId inner = grove.nest(grove.forest[outer].members[0], 16);
  EXPECT_EQ(grove.threads_by_core(), Numbers(16, 1));
  EXPECT_EQ(grove.cores_of(inner).front(), 0U);
}

TEST(Bubbles, SpreadDealsAnInnerTeamToAllNodes) {
  Grove grove(four_by_four(), "spread");
  const EntityId outer = grove.submit_team(1);
  const EntityId inner = grove.nest(grove.forest[outer].members[0], 8);
  EXPECT_EQ(grove.domains_of(inner), (Numbers{0, 1, 2, 3, 0, 1, 2, 3}));
  expect_nested(grove);
}

TEST(Bubbles, AMasterKeepsItsCoreThoughAnotherProgramLoadsIt) {
  Grove grove(four_by_four(), "cache");
  const EntityId other = grove.submit_team(16);
  const EntityId outer = grove.submit_team(4);
  const EntityId master = grove.forest[outer].members[1];
  const std::size_t core = grove.core_of(master);
  for (const EntityId thread : grove.forest.threads_of(other)) {
    if (grove.core_of(thread) == core) grove.forest.set_load(thread, 50);
  }
  const EntityId inner = grove.nest(master, 4);
  EXPECT_EQ(grove.cores_of(inner).front(), core);
}

TEST(Bubbles, ThreadsWithoutWorkAreDealtToo) {
  Grove grove(four_by_four(), "cache");
  const EntityId team = grove.add_team(16);
  for (const EntityId thread : grove.forest.threads_of(team)) grove.forest.set_load(thread, 0);
  grove.bubbles->on_submit(grove.forest, team);
  EXPECT_EQ(grove.threads_by_core(), Numbers(16, 1));
}

TEST(Bubbles, UnevenInnerTeamsStayInTheirShare) {
  Grove grove(four_by_four(), "cache");
  const EntityId outer = grove.submit_team(4);
  const Numbers sizes = {8, 4, 2, 1};
  for (std::size_t t = 0; t < 4; ++t) {
    const EntityId inner = grove.nest(grove.forest[outer].members[t], sizes[t]);
    EXPECT_EQ(grove.domains_of(inner), Numbers(sizes[t], t));
  }
  EXPECT_EQ(grove.threads_by_core(), (Numbers{2, 2, 2, 2, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0}));
}

TEST(Bubbles, AThirdLevelStaysInItsShareToo) {
  Grove grove(four_by_four(), "cache");
  const EntityId outer = grove.submit_team(4);
  const EntityId inner = grove.nest(grove.forest[outer].members[2], 2);
  const EntityId third = grove.nest(grove.forest[inner].members[1], 2);
  EXPECT_EQ(grove.cores_of(inner), (Numbers{8, 10, 11}));
  EXPECT_EQ(grove.cores_of(third), (Numbers{10, 11}));
}

TEST(Bubbles, AThreadThatComesHomeKeepsItsCore) {
  Grove grove(four_by_four(), "cache");
  const EntityId outer = grove.submit_team(4);
  const EntityId inner = grove.nest(grove.forest[outer].members[1], 4);
  grove.forest.take_moves();
  while (grove.forest[inner].members.size() > 1) {
    grove.forest.remove(grove.forest[inner].members.back());
  }
  grove.forest.open(inner);
  EXPECT_EQ(grove.cores_of(outer), (Numbers{0, 4, 8, 12}));
  EXPECT_TRUE(grove.forest.take_moves().empty());
}

// --- a bubble bursts only where a part would starve

TEST(Bubbles, TeamsThatFitStayWhole) {
  Grove grove(machine_of({2, 2}), "cache");
  const EntityId all = grove.forest.add_bubble();
  const EntityId first = grove.add_team(4, all);
  const EntityId second = grove.add_team(4, all);
  grove.bubbles->on_submit(grove.forest, all);
  EXPECT_EQ(grove.domains_of(first), Numbers(4, 0));
  EXPECT_EQ(grove.domains_of(second), Numbers(4, 1));
}

TEST(Bubbles, OneOfThreeTeamsBurstsForTheFourthNode) {
  Grove grove(four_by_four(), "cache");
  const EntityId all = grove.forest.add_bubble();
  std::vector<EntityId> teams;
  for (int i = 0; i < 3; ++i) teams.push_back(grove.add_team(4, all));
  grove.bubbles->on_submit(grove.forest, all);
  std::size_t whole = 0;
  for (const EntityId team : teams) {
    const Numbers domains = grove.domains_of(team);
    whole += std::set<std::size_t>(domains.begin(), domains.end()).size() == 1 ? 1 : 0;
  }
  EXPECT_EQ(whole, 2U);
  for (std::size_t d = 0; d < 4; ++d) {
    const Numbers domains = grove.domains_of(all);
    EXPECT_GE(std::ranges::count(domains, d), 2) << d;
  }
}

TEST(Bubbles, TheLargestTeamBurstsFirst) {
  Grove grove(four_by_four(), "cache");
  const EntityId all = grove.forest.add_bubble();
  const EntityId large = grove.add_team(4, all);
  const EntityId middle = grove.add_team(3, all);
  const EntityId small = grove.add_team(2, all);
  grove.bubbles->on_submit(grove.forest, all);
  const auto spans = [&](EntityId team) {
    const Numbers domains = grove.domains_of(team);
    return std::set<std::size_t>(domains.begin(), domains.end()).size();
  };
  EXPECT_GT(spans(large), 1U);
  EXPECT_EQ(spans(middle), 1U);
  EXPECT_EQ(spans(small), 1U);
  expect_nested(grove);
}

TEST(Bubbles, OneIdleCoreBesideATooLargeTeamIsEnough) {
  Grove grove(machine_of({4, 4}), "cache");
  const EntityId all = grove.forest.add_bubble();
  grove.add_team(5, all);
  grove.add_team(3, all);
  grove.bubbles->on_submit(grove.forest, all);
  EXPECT_EQ(grove.threads_by_core(), Numbers(8, 1));
}

TEST(Bubbles, ALargeTeamBurstsForIdleCores) {
  Grove grove(four_by_four(), "cache");
  const EntityId all = grove.forest.add_bubble();
  for (const std::size_t size : {8U, 4U, 2U, 2U}) grove.add_team(size, all);
  grove.bubbles->on_submit(grove.forest, all);
  EXPECT_EQ(grove.threads_by_core(), Numbers(16, 1));
}

// --- the paper's Figure 4: two teams of four on two nodes of two cores

struct Figure4 : ::testing::Test {
  Figure4() : grove(machine_of({2, 2}), "memory") {
    all = grove.forest.add_bubble();
    team0 = grove.add_team(4, all);
    team1 = grove.add_team(4, all);
    attach_all(grove, team0, 0, megabyte);
    attach_all(grove, team1, 1, megabyte);
    grove.bubbles->on_submit(grove.forest, all);
    grove.forest.take_moves();
  }
  void end(std::size_t core) {
    for (const EntityId thread : grove.forest.threads_on(CoreId{core})) {
      grove.forest.set_load(thread, 0);
    }
  }
  Grove grove;
  EntityId all, team0, team1;
};

TEST_F(Figure4, TeamsAreDrawnToTheirData) {
  EXPECT_EQ(grove.domains_of(team0), Numbers(4, 0));
  EXPECT_EQ(grove.domains_of(team1), Numbers(4, 1));
  EXPECT_EQ(grove.threads_by_core(), Numbers(4, 2));
}

TEST(Bubbles, TeamsAreDrawnToTheirDataWhereverItIs) {
  Grove grove(machine_of({2, 2}), "memory");
  const EntityId all = grove.forest.add_bubble();
  const EntityId team0 = grove.add_team(4, all);
  const EntityId team1 = grove.add_team(4, all);
  attach_all(grove, team0, 1, megabyte);
  attach_all(grove, team1, 0, megabyte);
  grove.bubbles->on_submit(grove.forest, all);
  EXPECT_EQ(grove.domains_of(team0), Numbers(4, 1));
  EXPECT_EQ(grove.domains_of(team1), Numbers(4, 0));
}

TEST_F(Figure4, AnIdleCoreTakesFromItsOwnNode) {
  end(3);
  grove.idle({3});
  const auto moves = grove.forest.take_moves();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(grove.forest[moves[0].thread].parent, team1);
  EXPECT_EQ(grove.core_of(moves[0].thread), 3U);
  EXPECT_FALSE(moves[0].with_data);
}

TEST_F(Figure4, AnIdleNodeTakesHalfOfATeamWithItsData) {
  end(2);
  end(3);
  grove.idle({2, 3});
  const auto moves = grove.forest.take_moves();
  ASSERT_EQ(moves.size(), 2U);
  std::set<std::size_t> cores;
  for (const ThreadMove& move : moves) {
    EXPECT_EQ(grove.forest[move.thread].parent, team0);
    EXPECT_TRUE(move.with_data);
    cores.insert(grove.core_of(move.thread));
  }
  EXPECT_EQ(cores, (std::set<std::size_t>{2, 3}));
  EXPECT_EQ(grove.domains_of(team0), (Numbers{0, 1, 0, 1})) << "one stays on each core";
}

// --- data

TEST(Bubbles, ThreadsGoToTheirOwnChunks) {
  Grove grove(four_by_four(), "memory");
  const EntityId team = grove.add_team(8);
  for (std::size_t t = 0; t < 8; ++t) {
    grove.forest.attach(grove.thread(team, t), domain(3 - t / 2), megabyte);
  }
  grove.bubbles->on_submit(grove.forest, team);
  EXPECT_EQ(grove.domains_of(team), (Numbers{3, 3, 2, 2, 1, 1, 0, 0}));
  expect_nested(grove);
}

TEST(Bubbles, ATeamWhoseDataIsInSeveralPlacesBursts) {
  Grove grove(four_by_four(), "memory");
  const EntityId all = grove.forest.add_bubble();
  const EntityId team = grove.add_team(4, all);
  grove.bubbles->on_submit(grove.forest, all);
  grove.forest.put(team, grove.queues.of(domain(0)));
  for (std::size_t t = 0; t < 4; ++t) {
    grove.forest.attach(grove.thread(team, t), domain(3 - t), megabyte);
  }
  grove.bubbles->on_submit(grove.forest, all);
  EXPECT_EQ(grove.domains_of(team), (Numbers{3, 2, 1, 0}));
  expect_nested(grove);
}

TEST(Bubbles, CacheAsksNothingOfData) {
  Grove grove(four_by_four(), "cache");
  const EntityId team = grove.add_team(4);
  attach_all(grove, team, 2, megabyte);
  grove.bubbles->on_submit(grove.forest, team);
  EXPECT_EQ(grove.domains_of(team), (Numbers{0, 1, 2, 3}));
  EXPECT_TRUE(grove.forest.take_moves().empty());
  EXPECT_EQ(grove.forest.attached_to(team)[2], 4 * megabyte);
}

TEST(Bubbles, WhoMovesOnGoesToTheNearestNode) {
  Machine m = opteron();
  set_distance(m, 1, 3, 15);
  Grove grove(m, "memory");
  const EntityId all = grove.forest.add_bubble();
  const EntityId large = grove.add_team(4, all);
  const EntityId small = grove.add_team(4, all);
  attach_all(grove, large, 3, 2 * megabyte);
  attach_all(grove, small, 3, megabyte);
  grove.bubbles->on_submit(grove.forest, all);
  EXPECT_EQ(grove.domains_of(large), Numbers(4, 3));
  EXPECT_EQ(grove.domains_of(small), Numbers(4, 2));
}

TEST(Bubbles, IntensityDecidesWhichDataCounts) {
  Grove grove(machine_of({2, 2}), "memory");
  const EntityId team = grove.add_team(2);
  grove.forest.attach(grove.thread(team, 0), domain(0), 4 * megabyte);
  grove.forest.attach(grove.thread(team, 1), domain(1), megabyte);
  const EntityId all = grove.forest[team].members[0];
  grove.forest.set_intensity(all, 0);  // it reads its data once
  grove.bubbles->on_submit(grove.forest, team);
  EXPECT_EQ(grove.domains_of(team)[1], 1U);
  EXPECT_EQ(grove.domains_of(team)[0], 1U) << "no wish of its own: it goes with its team";
}

TEST(Bubbles, ThoseWithTheFewestBytesMoveOn) {
  Grove grove(opteron(), "memory");
  const EntityId all = grove.forest.add_bubble();
  std::vector<EntityId> teams;
  for (std::size_t i = 0; i < 4; ++i) {
    teams.push_back(grove.add_team(4, all));
    attach_all(grove, teams.back(), i < 2 ? 3 : i - 1, (i + 1) * megabyte);
  }
  grove.bubbles->on_submit(grove.forest, all);
  EXPECT_EQ(grove.domains_of(teams[1]), Numbers(4, 3)) << "it has more there";
  EXPECT_EQ(grove.domains_of(teams[2]), Numbers(4, 1));
  EXPECT_EQ(grove.domains_of(teams[3]), Numbers(4, 2));
  EXPECT_EQ(grove.domains_of(teams[0]), Numbers(4, 0)) << "all others are full";
  for (const ThreadMove& move : grove.forest.take_moves()) {
    EXPECT_EQ(grove.forest[move.thread].parent, teams[0]);
    EXPECT_TRUE(move.with_data);
  }
}

TEST(Bubbles, AFullMemoryTakesNoData) {
  Machine m = opteron();
  m.domains[1].memory = Bytes{10 * megabyte};
  m.domains[2].memory = Bytes{10 * megabyte};
  Grove grove(m, "memory");
  const EntityId all = grove.forest.add_bubble();
  const EntityId small = grove.add_team(4, all);
  attach_all(grove, small, 0, 4 * megabyte);
  const EntityId large = grove.add_team(4, all);
  attach_all(grove, large, 0, 5 * megabyte);
  grove.bubbles->on_submit(grove.forest, all);
  EXPECT_EQ(grove.domains_of(large), Numbers(4, 0));
  EXPECT_EQ(grove.domains_of(small), Numbers(4, 3)) << "its neighbours have no room for the data";
}

TEST(Bubbles, AFewThreadsStayWithTheirDataThoughOthersIdle) {
  Grove grove(four_by_four(), "memory");
  const EntityId team = grove.add_team(4);
  attach_all(grove, team, 2, megabyte);
  grove.bubbles->on_submit(grove.forest, team);
  EXPECT_EQ(grove.domains_of(team), Numbers(4, 2));
}

TEST(Bubbles, MemoryWithoutCoresKeepsItsData) {
  Machine m = machine_of({2, 2, 0});
  set_distance(m, 0, 2, 30);
  set_distance(m, 1, 2, 14);
  Grove grove(m, "memory");
  const EntityId team = grove.add_team(2);
  attach_all(grove, team, 2, megabyte);
  grove.bubbles->on_submit(grove.forest, team);
  EXPECT_EQ(grove.domains_of(team), Numbers(2, 1)) << "the nearest cores";
  EXPECT_TRUE(grove.forest.take_moves().empty());
}

// --- Twisted-STREAM: nested teams whose data is a node further, from then on

struct Twisted : ::testing::Test {
  Twisted() : grove(opteron(), "memory") {
    outer = grove.submit_team(4);
    for (std::size_t t = 0; t < 4; ++t) {
      teams.push_back(grove.nest(grove.forest[outer].members[t], 4));
    }
    grove.forest.take_moves();
  }
  Grove grove;
  EntityId outer;
  std::vector<EntityId> teams;
};

TEST_F(Twisted, ThreadsMoveToTheirData) {
  for (std::size_t t = 0; t < 4; ++t) attach_all(grove, teams[t], (t + 1) % 4, 3 * megabyte);
  grove.bubbles->on_shake(grove.forest, outer);
  const auto moves = grove.forest.take_moves();
  EXPECT_EQ(moves.size(), 16U);
  for (const ThreadMove& move : moves) EXPECT_FALSE(move.with_data);
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(grove.domains_of(teams[t]), Numbers(4, (t + 1) % 4));
  }
  EXPECT_EQ(grove.threads_by_core(), Numbers(16, 1));
}

TEST_F(Twisted, OneTeamAfterTheOtherComesToTheSame) {
  for (std::size_t t = 0; t < 4; ++t) attach_all(grove, teams[t], (t + 1) % 4, 3 * megabyte);
  for (const EntityId team : teams) grove.bubbles->on_shake(grove.forest, team);
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(grove.domains_of(teams[t]), Numbers(4, (t + 1) % 4));
  }
  EXPECT_EQ(grove.threads_by_core(), Numbers(16, 1));
}

TEST_F(Twisted, TheSmallerPartFollows) {
  for (std::size_t t = 0; t < 4; ++t) {
    attach_all(grove, teams[t], t, megabyte);
    attach_all(grove, teams[t], (t + 1) % 4, 2 * megabyte);
  }
  grove.bubbles->on_shake(grove.forest, outer);
  const auto moves = grove.forest.take_moves();
  EXPECT_EQ(moves.size(), 16U);
  for (const ThreadMove& move : moves) EXPECT_TRUE(move.with_data);
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(grove.domains_of(teams[t]), Numbers(4, (t + 1) % 4));
    EXPECT_EQ(grove.forest.attached_to(teams[t])[(t + 1) % 4], 12 * megabyte);
  }
}

TEST_F(Twisted, NobodyMovesWhoIsAtItsData) {
  for (std::size_t t = 0; t < 4; ++t) attach_all(grove, teams[t], t, megabyte);
  attach_all(grove, teams[1], 2, megabyte / 2);
  grove.bubbles->on_shake(grove.forest, outer);
  EXPECT_TRUE(grove.forest.take_moves().empty());
}

TEST_F(Twisted, OnlyTheThreadsMoveWhoseDataIsElsewhere) {
  const EntityId team = teams[0];
  for (const EntityId each : teams) grove.forest.put(each, grove.forest.where(each));
  grove.forest.put(team, grove.queues.of(domain(0)));
  attach_all(grove, team, 0, megabyte);
  grove.forest.set_load(grove.thread(teams[2], 3), 0);  // else node 2 is full
  const EntityId stray = grove.thread(team, 3);
  grove.forest.attach(stray, domain(2), 9 * megabyte);
  grove.bubbles->on_shake(grove.forest, outer);
  const auto moves = grove.forest.take_moves();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].thread, stray);
  EXPECT_EQ(grove.domains_of(team), (Numbers{0, 0, 0, 2}));
  expect_nested(grove);
}

// Where there are no cores for the strays, those go who have no data; nobody else.
TEST(Bubbles, ThreadsWithoutDataGiveWay) {
  Grove grove(machine_of({1, 1, 1, 1}), "memory");
  const EntityId team = grove.submit_team(4);
  grove.forest.attach(grove.thread(team, 0), domain(1), megabyte);
  grove.forest.attach(grove.thread(team, 3), domain(3), megabyte);
  grove.bubbles->on_shake(grove.forest, team);
  EXPECT_EQ(grove.domains_of(team), (Numbers{1, 0, 2, 3}));
  for (const auto& move : grove.forest.take_moves()) EXPECT_FALSE(move.with_data);
}

// --- Imbalanced-STREAM: eight threads a node, work of 15, 15, 30 and 1

struct Imbalanced {
  explicit Imbalanced(std::string_view scheduler, const std::vector<double>& work = {15, 15, 30, 1})
      : grove(opteron(), scheduler) {
    const EntityId outer = grove.submit_team(4);
    for (std::size_t t = 0; t < 4; ++t) {
      teams.push_back(grove.nest(grove.forest[outer].members[t], 8));
      attach_all(grove, teams.back(), t, megabyte);
      for (const EntityId thread : grove.forest.threads_of(teams.back())) {
        grove.forest.set_load(thread, t == 3 ? 0 : work[t] - work[3]);
      }
    }
    grove.forest.take_moves();
    grove.idle({12, 13, 14, 15});
  }
  Grove grove;
  std::vector<EntityId> teams;
};

TEST(Bubbles, AnIdleNodeTakesHalfOfTheHeaviestTeam) {
  Imbalanced run("memory");
  const auto moves = run.grove.forest.take_moves();
  ASSERT_EQ(moves.size(), 4U);
  std::set<std::size_t> cores;
  for (const ThreadMove& move : moves) {
    EXPECT_EQ(run.grove.forest[move.thread].parent, run.teams[2]);
    EXPECT_TRUE(move.with_data);
    cores.insert(run.grove.core_of(move.thread));
  }
  EXPECT_EQ(cores, (std::set<std::size_t>{12, 13, 14, 15}));
  EXPECT_EQ(run.grove.forest.attached_to(run.teams[2]),
            (std::vector<std::uint64_t>{0, 0, 4 * megabyte, 4 * megabyte}));
}

TEST(Bubbles, CacheTakesNothingFromOtherNodes) {
  Imbalanced run("cache");
  EXPECT_TRUE(run.grove.forest.take_moves().empty());
}

TEST(Bubbles, NobodyTakesWhatIsAboutToEnd) {
  // Team 1 is a neighbour, team 0 the farthest node.
  Imbalanced run("memory", {30, 3, 2, 1});
  const auto moves = run.grove.forest.take_moves();
  ASSERT_EQ(moves.size(), 4U);
  for (const ThreadMove& move : moves) {
    EXPECT_EQ(run.grove.forest[move.thread].parent, run.teams[0]);
  }
}

TEST(Bubbles, NobodyTakesTheLastRoundOfTheLastTeam) {
  Imbalanced run("memory", {0, 0, 30, 1});
  run.grove.forest.take_moves();
  Grove& grove = run.grove;
  for (const EntityId thread : grove.forest.threads_of(run.teams[2])) {
    grove.forest.put(thread, grove.queues.of(CoreId{8 + thread.index() % 4}));
    grove.forest.set_load(thread, 1);
  }
  grove.forest.take_moves();
  grove.idle({12, 13, 14, 15});
  EXPECT_TRUE(grove.forest.take_moves().empty());
}

TEST(Bubbles, NearerTeamsAreTakenFirst) {
  Imbalanced run("memory", {30, 20, 16, 1});
  for (const ThreadMove& move : run.grove.forest.take_moves()) {
    EXPECT_EQ(run.grove.forest[move.thread].parent, run.teams[1]);
  }
}

TEST(Bubbles, OfTeamsWithAsMuchWorkTheOneWithLessDataIsTaken) {
  Grove grove(opteron(), "memory");
  const EntityId outer = grove.submit_team(4);
  std::vector<EntityId> teams;
  for (std::size_t t = 0; t < 4; ++t) {
    teams.push_back(grove.nest(grove.forest[outer].members[t], 8));
    attach_all(grove, teams[t], t, (4 - t) * megabyte);
  }
  for (const EntityId thread : grove.forest.threads_of(teams[3])) grove.forest.set_load(thread, 0);
  grove.idle({12, 13, 14, 15});
  const auto moves = grove.forest.take_moves();
  ASSERT_EQ(moves.size(), 4U);
  for (const ThreadMove& move : moves) EXPECT_EQ(grove.forest[move.thread].parent, teams[2]);
}

TEST(Bubbles, HalfOfATeamIsTheMost) {
  Grove grove(machine_of({1, 3}), "memory");
  const EntityId team = grove.submit_team(8);
  for (const EntityId thread : grove.forest.threads_of(team)) {
    grove.forest.put(thread, grove.queues.of(CoreId{0}));
  }
  grove.forest.take_moves();
  grove.idle({1, 2, 3});
  EXPECT_EQ(grove.forest.take_moves().size(), 0U) << "nothing is known of them";
  for (const EntityId thread : grove.forest.threads_of(team)) grove.forest.set_load(thread, 1);
  grove.idle({1, 2, 3});
  EXPECT_EQ(grove.forest.take_moves().size(), 4U);
}

// Two teams of two on a core each; the second has more work.
TEST(Bubbles, TheMostLoadedTeamOfADomainIsTaken) {
  Grove grove(machine_of({3}), "cache");
  const EntityId outer = grove.submit_team(3);
  const EntityId light = grove.nest(grove.forest[outer].members[0], 2);
  const EntityId heavy = grove.nest(grove.forest[outer].members[1], 2);
  for (const EntityId thread : grove.forest.threads_of(heavy)) grove.forest.set_load(thread, 3);
  grove.forest.set_load(grove.forest[outer].members[2], 0);
  grove.idle({2});
  const auto moves = grove.forest.take_moves();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(grove.forest[moves[0].thread].parent, heavy);
  EXPECT_EQ(grove.cores_of(light), Numbers(2, 0));
}

TEST(Bubbles, OfTwoThreadsTheOneWithLessDataIsTaken) {
  for (const std::size_t heavy : {0U, 1U}) {
    Grove grove(machine_of({1, 1}), "memory");
    const EntityId team = grove.submit_team(2);
    for (std::size_t t = 0; t < 2; ++t) {
      grove.forest.put(grove.thread(team, t), grove.queues.of(CoreId{0}));
      grove.forest.attach(grove.thread(team, t), domain(0), t == heavy ? 9 : 1);
    }
    grove.forest.take_moves();
    grove.idle({1});
    const auto moves = grove.forest.take_moves();
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves[0].thread, grove.thread(team, 1 - heavy));
  }
}

TEST(Bubbles, NobodyTakesTheLastThreadOfACore) {
  for (const BubbleSchedulerEntry& entry : bubble_schedulers()) {
    if (entry.name == "gang") continue;
    Grove grove(four_by_four(), entry.name);
    const EntityId outer = grove.submit_team(4);
    for (std::size_t t = 0; t < 3; ++t) grove.nest(grove.forest[outer].members[t], 4);
    grove.forest.take_moves();
    grove.idle({13, 14, 15});
    EXPECT_TRUE(grove.forest.take_moves().empty()) << entry.name;
  }
}

TEST(Bubbles, AnIdleCoreTakesFromTheNearestCache) {
  Machine m = machine_of({8});
  m.tree.push_back({.level = Level::l3, .parent = 1, .domain = {}, .cores = {}});
  m.tree.push_back({.level = Level::l3, .parent = 1, .domain = {}, .cores = {}});
  for (std::size_t c = 0; c < 8; ++c) m.tree[2 + c / 4].cores.emplace_back(c);
  Grove grove(m, "cache");
  const EntityId team = grove.submit_team(16);
  for (const EntityId thread : grove.forest.threads_on(CoreId{5})) {
    grove.forest.set_load(thread, 0);
  }
  grove.idle({5});
  const auto moves = grove.forest.take_moves();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].to, grove.queues.of(CoreId{5}));
  const Numbers cores = grove.cores_of(team);
  for (std::size_t core : {0U, 1U, 2U, 3U}) EXPECT_EQ(std::ranges::count(cores, core), 2);
}

// --- gangs

TEST(Bubbles, AGangHasAPartOfTheMachineThatFits) {
  Grove grove(four_by_four(), "gang");
  std::set<RunQueueId> parts;
  const EntityId outer = grove.submit_team(4);
  std::vector<EntityId> teams;
  for (std::size_t t = 0; t < 4; ++t) {
    teams.push_back(grove.nest(grove.forest[outer].members[t], 3));
  }
  for (const EntityId team : teams) {
    const RunQueueId queue = grove.forest[team].queue;
    EXPECT_EQ(grove.queues[queue].cores.size(), 4U);
    for (const EntityId thread : grove.forest.threads_of(team)) {
      EXPECT_EQ(grove.forest[thread].queue, queue);
    }
    parts.insert(queue);
  }
  EXPECT_EQ(parts.size(), 4U);
  expect_nested(grove);
}

TEST(Bubbles, AGangTakesAPartThatHasBecomeFree) {
  Grove grove(machine_of({2, 2}), "gang");
  const EntityId first = grove.submit_team(2);
  const EntityId second = grove.submit_team(2);
  const EntityId third = grove.submit_team(2);
  EXPECT_EQ(grove.forest[third].queue, grove.forest[first].queue);
  grove.forest.remove(second);
  grove.bubbles->on_tick(grove.forest, third);
  EXPECT_NE(grove.forest[third].queue, grove.forest[first].queue);
}

// --- the table

TEST(Bubbles, AreFoundByName) {
  std::set<std::string_view> names;
  for (const BubbleSchedulerEntry& entry : bubble_schedulers()) {
    EXPECT_EQ(find_bubble_scheduler(entry.name), &entry);
    EXPECT_FALSE(entry.source.empty() || entry.summary.empty());
    EXPECT_NE(entry.make(), nullptr);
    names.insert(entry.name);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"cache", "memory", "spread", "gang"}));
  EXPECT_EQ(find_bubble_scheduler("off"), nullptr);
}

}  // namespace
}  // namespace lares::policy
