// Which place a ready task enters.
#include <gtest/gtest.h>

#include "policy_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;
using Mode = AccessMode;

class PushTest : public testing::Test {
 protected:
  // Workers 0 and 1 in domain 0, workers 2 and 3 in domain 1.
  Team team{machine_of({2, 2})};
  std::string answer(std::string_view push, std::size_t self,
                     const std::vector<DataHome>& data = {}) {
    return ask(*make_push(push), team, self, data);
  }
};

TEST_F(PushTest, LocalIsTheOwnPlace) {
  EXPECT_EQ(answer("local", 2), "w2");
  EXPECT_EQ(answer("local", 2, {datum(Mode::write, 0)}), "w2");
}

TEST_F(PushTest, LocalDomainIsTheOwnDomainsPlace) {
  EXPECT_EQ(answer("local-domain", 2), "d1");
  EXPECT_EQ(answer("local-domain", 2, {datum(Mode::write, 0)}), "d1");
}

TEST_F(PushTest, RootIsTheOneQueue) {
  EXPECT_EQ(answer("root", 3, {datum(Mode::write, 0)}), "root");
}

TEST_F(PushTest, WriterDomainFollowsTheFirstWrite) {
  EXPECT_EQ(answer("writer-domain", 0, {datum(Mode::write, 1)}), "d1");
  EXPECT_EQ(answer("writer-domain", 0, {datum(Mode::read_write, 1)}), "d1");
  EXPECT_EQ(answer("writer-domain", 0, {datum(Mode::read, 0), datum(Mode::write, 1)}), "d1");
  EXPECT_EQ(answer("writer-domain", 0, {datum(Mode::write, 1), datum(Mode::write, 0)}), "d1");
  EXPECT_EQ(answer("writer-domain", 2, {datum(Mode::write, 1)}), "d1") << "own domain: its place";
}

TEST_F(PushTest, WriterDomainPassesOverUnknownHomes) {
  EXPECT_EQ(answer("writer-domain", 0, {homeless(Mode::write), datum(Mode::write, 1)}), "d1");
  EXPECT_EQ(answer("writer-domain", 0, {homeless(Mode::write)}), "d0");
  EXPECT_EQ(answer("writer-domain", 3), "d1");
}

TEST_F(PushTest, WriterDomainOfAReaderFollowsWhatItReads) {
  EXPECT_EQ(answer("writer-domain", 0, {datum(Mode::read, 1)}), "d1");
  EXPECT_EQ(answer("writer-domain", 0, {homeless(Mode::write), datum(Mode::read, 1)}), "d1");
}

TEST_F(PushTest, AffinityIsTheUsersWordAndComesFirst) {
  const std::vector<DataHome> data = {datum(Mode::write, 0), datum(Mode::affinity, 1)};
  EXPECT_EQ(answer("writer-domain", 0, data), "d1");
  EXPECT_EQ(answer("writer-domain-or-local", 0, data), "d1");
  EXPECT_EQ(answer("most-bytes", 0, data), "d1");
  const std::vector<DataHome> unknown = {datum(Mode::write, 0), homeless(Mode::affinity)};
  EXPECT_EQ(answer("writer-domain", 3, unknown), "d0");
  EXPECT_EQ(answer("most-bytes", 3, unknown), "d0");
}

TEST_F(PushTest, WriterDomainOrLocalKeepsWhatIsHereOrUnknown) {
  EXPECT_EQ(answer("writer-domain-or-local", 1, {datum(Mode::write, 0)}), "w1");
  EXPECT_EQ(answer("writer-domain-or-local", 1, {datum(Mode::write, 1)}), "d1");
  EXPECT_EQ(answer("writer-domain-or-local", 1, {homeless(Mode::write)}), "w1");
  EXPECT_EQ(answer("writer-domain-or-local", 3), "w3");
}

TEST_F(PushTest, WriterDomainDealtKeepsWhatReadsNothingButWhatItWrites) {
  EXPECT_EQ(answer("writer-domain-dealt", 1, {datum(Mode::write, 0)}), "w1");
  EXPECT_EQ(answer("writer-domain-dealt", 1, {datum(Mode::read_write, 0)}), "w1");
  EXPECT_EQ(answer("writer-domain-dealt", 1, {homeless(Mode::write), homeless(Mode::read)}), "w1");
  EXPECT_EQ(answer("writer-domain-dealt", 1, {datum(Mode::write, 1)}), "d1");
  EXPECT_EQ(answer("writer-domain-dealt", 3), "w3");
}

TEST_F(PushTest, WriterDomainDealtSharesWhatReadsOtherData) {
  for (const std::size_t read : {0U, 1U}) {
    const std::vector<DataHome> data = {datum(Mode::read, read), datum(Mode::write, 0)};
    EXPECT_EQ(answer("writer-domain-dealt", 1, data), "d0");
    EXPECT_EQ(answer("writer-domain-dealt", 2, data), "d0");
  }
}

TEST(WriterDomainDealt, HasNobodyToDealToInADomainOfOneWorker) {
  Team team(machine_of({1, 2}));
  const std::vector<DataHome> data = {datum(Mode::read, 1), datum(Mode::write, 0)};
  const auto push = make_push("writer-domain-dealt");
  EXPECT_EQ(ask(*push, team, 0, data), "w0");
  EXPECT_FALSE(push->rather_for(team.view(0), ReadyTask{data}, domain(0)).valid());
}

/// Whom `writer-domain-dealt` deals a task to that reads a datum of domain 1 and writes in domain
/// 0.
WorkerId dealt_to(Team& team, std::uint32_t name, std::size_t self = 0) {
  std::vector<DataHome> data = {datum(Mode::read, 0), datum(Mode::read, 1), datum(Mode::write, 0)};
  data[0].name = 17 * name;
  data[1].name = name;
  data[2].name = 5 * name;
  return make_push("writer-domain-dealt")->rather_for(team.view(self), ReadyTask{data}, domain(0));
}

TEST(WriterDomainDealt, DealsByWhatIsReadFromAfarAndNothingElse) {
  Team team(machine_of({4, 1}));
  for (const std::uint32_t step : {1U, 64U, 576U}) {  // lines, pages, and pages with a gap
    std::vector<int> tasks(5);
    for (std::uint32_t i = 0; i < 400; ++i) {
      const WorkerId chosen = dealt_to(team, step * i);
      ASSERT_TRUE(chosen.valid());
      EXPECT_EQ(chosen, dealt_to(team, step * i, 4)) << "whoever makes it ready";
      ++tasks[chosen.index()];
    }
    for (std::size_t w = 0; w < 4; ++w) EXPECT_NEAR(tasks[w], 100, 35) << step << ", " << w;
    EXPECT_EQ(tasks[4], 0) << "of the other domain";
  }
}

TEST(WriterDomainDealt, DealsNothingThatUsesDataOfItsOwnDomain) {
  Team team(machine_of({2, 2}));
  const std::vector<DataHome> data = {datum(Mode::read, 0), homeless(Mode::read),
                                      datum(Mode::write, 0)};
  const auto push = make_push("writer-domain-dealt");
  EXPECT_FALSE(push->rather_for(team.view(2), ReadyTask{data}, domain(0)).valid());
}

TEST(Deals, OnlyThoseThatSaySo) {
  Team team(machine_of({2, 2}));
  const std::vector<DataHome> data = {datum(Mode::read, 1), datum(Mode::write, 0)};
  for (const auto& row : pushes()) {
    const auto push = row.make();
    EXPECT_EQ(push->rather_for(team.view(0), ReadyTask{data}, domain(0)).valid(), push->deals())
        << row.name;
  }
}

TEST_F(PushTest, MostBytesGoesWhereMostOfItIs) {
  EXPECT_EQ(answer("most-bytes", 0, {datum(Mode::read, 0, 100), datum(Mode::read, 1, 101)}), "d1");
  EXPECT_EQ(answer("most-bytes", 0, {datum(Mode::read, 0, 101), datum(Mode::read, 1, 100)}), "w0");
  EXPECT_EQ(answer("most-bytes", 0), "w0");
  EXPECT_EQ(answer("most-bytes", 0, {homeless(Mode::write)}), "w0");
}

TEST_F(PushTest, MostBytesCountsWritesTwice) {
  const auto read = datum(Mode::read, 0, 1999);
  EXPECT_EQ(answer("most-bytes", 0, {read, datum(Mode::write, 1, 1000)}), "d1");
  EXPECT_EQ(answer("most-bytes", 0, {read, datum(Mode::read_write, 1, 1000)}), "d1");
  EXPECT_EQ(answer("most-bytes", 0, {read, datum(Mode::read, 1, 1000)}), "w0");
}

TEST_F(PushTest, MostBytesAddsUpByHome) {
  EXPECT_EQ(
      answer("most-bytes", 0,
             {datum(Mode::read, 0, 150), datum(Mode::read, 1, 100), datum(Mode::read, 1, 100)}),
      "d1");
}

TEST_F(PushTest, MostBytesTakesUnknownLengthsForALine) {
  EXPECT_EQ(answer("most-bytes", 0, {datum(Mode::read, 1, 0)}), "d1");
  EXPECT_EQ(answer("most-bytes", 0, {datum(Mode::read, 0, 65), datum(Mode::read, 1, 0)}), "w0");
  EXPECT_EQ(answer("most-bytes", 2, {datum(Mode::read, 0, 65), datum(Mode::read, 1, 0)}), "d0");
}

TEST_F(PushTest, MostBytesPrefersHomeOnATie) {
  const std::vector<DataHome> even = {datum(Mode::read, 0), datum(Mode::read, 1)};
  EXPECT_EQ(answer("most-bytes", 0, even), "w0");
  EXPECT_EQ(answer("most-bytes", 3, even), "w3");
}

TEST_F(PushTest, MostBytesSurvivesHugeLengths) {
  constexpr auto most = ~std::uint64_t{0};
  std::vector<DataHome> data(200, datum(Mode::write, 1, most));
  data.push_back(datum(Mode::write, 0, 64));
  EXPECT_EQ(answer("most-bytes", 0, data), "d1");
}

TEST(MostBytes, BreaksTiesAmongOthersByNumber) {
  Team team(machine_of({1, 1, 1}));
  const auto push = make_push("most-bytes");
  EXPECT_EQ(ask(*push, team, 0, {datum(Mode::read, 2), datum(Mode::read, 1)}), "d1");
}

// Three homes, each far from the others but near to a fourth domain between them.
TEST(MostBytes, MayChooseADomainThatHoldsNothing) {
  Machine m = machine_of({1, 1, 1, 1});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i != j) set_distance(m, i, j, 32);
    }
    set_distance(m, 3, i, 16);
  }
  Team team(m);
  const std::vector<DataHome> data = {datum(Mode::read, 0), datum(Mode::read, 1),
                                      datum(Mode::read, 2)};
  // 3 x 16 at the hub against 10 + 32 + 32.
  EXPECT_EQ(ask(*make_push("most-bytes"), team, 0, data), "d3");
}

TEST(MostBytes, LooksFromTheCoreToTheMemory) {
  Machine m = machine_of({1, 1, 1});
  set_distance(m, 0, 1, 50);  // domain 0 is far from domain 1, but not the other way round
  const std::vector<DataHome> data = {datum(Mode::read, 0, 1000), datum(Mode::read, 1, 900)};
  Team team(m);
  // From 0: 10 + 45; from 1: 20 + 9; in thousands.
  EXPECT_EQ(ask(*make_push("most-bytes"), team, 2, data), "d1");
}

TEST(MostBytes, IgnoresHomesBeyondTheSixtyFourth) {
  Team team(machine_of(std::vector<std::size_t>(70, 1)));
  std::vector<DataHome> data;
  for (std::size_t d = 1; d < 70; ++d) data.push_back(datum(Mode::read, d, d == 69 ? 1 << 20 : 64));
  EXPECT_EQ(ask(*make_push("most-bytes"), team, 0, data), "d1");
}

TEST(Push, DataInMemoryWithoutCoresGoesToTheNearestCores) {
  Machine m = machine_of({1, 1, 0});
  set_distance(m, 0, 2, 28);
  set_distance(m, 1, 2, 14);
  Team team(m);
  for (const auto* name : {"writer-domain", "writer-domain-or-local", "most-bytes"}) {
    EXPECT_EQ(ask(*make_push(name), team, 0, {datum(Mode::write, 2)}), "d1") << name;
  }
  EXPECT_EQ(ask(*make_push("writer-domain-or-local"), team, 1, {datum(Mode::write, 2)}), "w1");
  EXPECT_EQ(ask(*make_push("most-bytes"), team, 1, {datum(Mode::write, 2)}), "w1");
}

TEST(Push, NoTaskEntersADomainWithoutWorkers) {
  Machine m = machine_of({1, 1, 1});
  set_distance(m, 1, 2, 12);
  Team team(m, {CoreId{0}, CoreId{1}});
  for (const auto* name : {"writer-domain", "writer-domain-or-local", "most-bytes"}) {
    EXPECT_EQ(ask(*make_push(name), team, 0, {datum(Mode::write, 2)}), "d1") << name;
  }
}

TEST(Push, OneDomainWithOneWorkerHasItsOwnAnswers) {
  Team team(machine_of({1}));
  EXPECT_EQ(ask(*make_push("writer-domain"), team, 0, {datum(Mode::write, 0)}), "d0");
  EXPECT_EQ(ask(*make_push("most-bytes"), team, 0, {datum(Mode::write, 0)}), "w0");
}

// The executor relies on both answers to skip the question.
TEST(Push, SaysTruthfullyWhenItNeedNotBeAsked) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const Machine m = random_machine(random);
    const auto cores = random_team(m, random);
    Team team(m, cores);
    const std::size_t self = random.below(static_cast<std::uint32_t>(cores.size()));
    std::vector<DataHome> data;
    for (std::uint32_t n = random.below(4); n > 0; --n) {
      data.push_back(datum(static_cast<Mode>(random.below(4)),
                           random.below(static_cast<std::uint32_t>(m.domains.size())),
                           random.below(10000)));
    }
    for (const auto& row : pushes()) {
      const auto push = row.make();
      const std::string own = tag('w', self);
      const std::string dataless = ask(*push, team, self);
      EXPECT_EQ(push->keeps_dataless_tasks(), dataless == own) << row.name;
      if (!push->uses_data()) {
        EXPECT_EQ(ask(*push, team, self, data), dataless) << row.name;
      }
      const std::string place = ask(*push, team, self, data);
      const bool filled = place == "root"        ? row.places.root
                          : place.front() == 'w' ? row.places.workers && place == own
                                                 : row.places.domains;
      EXPECT_TRUE(filled) << row.name << " fills " << place;
    }
  }
}

/// Every domain tried, nothing clever: what most-bytes promises.
std::string cheapest(const Team& team, std::size_t self, const std::vector<DataHome>& data) {
  const auto cost = [&](DomainId at) {
    std::uint64_t sum = 0;
    for (const DataHome& d : data) {
      sum += std::max<std::uint64_t>(64, d.bytes.count) * (writes(d.mode) ? 2 : 1) *
             team.places.distance(at, d.home);
    }
    return sum;
  };
  const DomainId own = team.places.domain_of(worker(self));
  DomainId best = own;
  for (const DomainId d : team.places.domains_with_workers()) {
    if (cost(d) < cost(best)) best = d;
  }
  return best == own ? tag('w', self) : tag('d', best.value());
}

TEST(MostBytesProperty, AgreesWithTryingEveryDomain) {
  Random random(6);
  for (int i = 0; i < 2000; ++i) {
    const Machine m = random_machine(random);
    const auto cores = random_team(m, random);
    Team team(m, cores);
    const std::size_t self = random.below(static_cast<std::uint32_t>(cores.size()));
    std::vector<DataHome> data;
    for (std::uint32_t n = 1 + random.below(6); n > 0; --n) {
      data.push_back(datum(static_cast<Mode>(random.below(3)),
                           random.below(static_cast<std::uint32_t>(m.domains.size())),
                           random.below(1000)));
    }
    EXPECT_EQ(ask(*make_push("most-bytes"), team, self, data), cheapest(team, self, data));
  }
}

}  // namespace
}  // namespace lares::policy
