// What simulated programs gain from opinions about data that they do not name, and what not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "policy_sample.hpp"
#include "simulate/opinions.hpp"
#include "simulate/simulation.hpp"
#include "simulate/workloads/workloads.hpp"

namespace lares::simulate {
namespace {

/// Four domains with four cores each, whose memory the cores of one can just use up.
struct Bench {
  Bench() : machine(policy::sample::machine_of({4, 4, 4, 4})) {
    for (auto& node : machine.memory) node.total = Bytes{std::uint64_t{1} << 40U};
    auto read = read_model(machine, R"({"core_mb_s": 1000, "controller_mb_s": 3000,
        "remote": [{"up_to_distance": 100, "core_factor": 0.5}], "cache_bytes": 4000000})");
    EXPECT_TRUE(read.ok());
    parameters = read.value().best;
  }
  [[nodiscard]] Workload make(const std::string& text) const {
    auto workload =
        make_workload(text, {machine, parameters, compact_cores(machine, machine.cores.size())});
    EXPECT_TRUE(workload.ok()) << (workload.ok() ? "" : workload.error().sentence);
    return workload.value();
  }
  [[nodiscard]] Outcome run(const std::string& text, const std::string& policy,
                            std::vector<Interval>* trace = nullptr) const {
    const Workload workload = make(text);
    const auto schedule = parse_schedule(policy, machine.domains_with_cores());
    EXPECT_TRUE(schedule.ok()) << (schedule.ok() ? "" : schedule.error().sentence);
    auto outcome = simulate({machine, parameters, workload, schedule.value(),
                             compact_cores(machine, machine.cores.size()), 1, trace});
    EXPECT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.error().sentence);
    return outcome.value();
  }

  machine::Machine machine;
  Parameters parameters;
};

constexpr const char* without = "auto,opinions=off";
const std::string jacobi = "jacobi:limit=0,sweeps=6,ni=320,nj=100,nk=100";

double remote(const Outcome& outcome) {
  return outcome.remote_bytes / (outcome.local_bytes + outcome.remote_bytes);
}
double right(const Outcome& outcome) {
  return static_cast<double>(outcome.right_opinions) / static_cast<double>(outcome.opinions);
}

TEST(Opinions, BringTasksHomeThatNameNothing) {
  const Bench bench;
  for (const char* start : {",init=static", ",init=none"}) {
    for (const char* tells : {",tells=nothing", ",tells=names", ",tells=pointers"}) {
      const Outcome with = bench.run(jacobi + start + tells, "auto");
      const Outcome blind = bench.run(jacobi + start + tells, without);
      EXPECT_GT(remote(blind), 0.5) << start << tells;
      EXPECT_LT(remote(with), 0.1) << start << tells;
      EXPECT_LT(with.seconds, blind.seconds) << start << tells;
      EXPECT_GT(with.opinions, 9 * with.tasks / 10) << start << tells;
      EXPECT_GT(right(with), 0.9) << start << tells;
      EXPECT_EQ(blind.opinions, 0U);
    }
  }
}

// Tasks of one round beyond what a creator has room for are dealt out in several pieces.
TEST(Opinions, AreRightOfMoreTasksThanCanBeHeld) {
  const Bench bench;
  const std::string many = "jacobi:limit=0,sweeps=3,ni=1000,nj=1000,nk=40,bi=10,bj=10";
  for (const char* start : {",init=static", ",init=none"}) {
    for (const char* tells : {",tells=nothing", ",tells=names"}) {
      const Outcome with = bench.run(many + start + tells, "auto");
      EXPECT_EQ(with.tasks, 30'000U);
      EXPECT_GT(right(with), start == std::string(",init=none") ? 0.9 : 0.6) << start << tells;
    }
  }
}

TEST(Opinions, APlaceInTheSeriesIsWrongWhereDataIsDealtInTurnAndAPointerIsNot) {
  const Bench bench;
  const Outcome place = bench.run(jacobi + ",init=static1,tells=nothing", "auto");
  EXPECT_LT(right(place), 0.4);
  EXPECT_GT(remote(place), 0.5);
  const Outcome pointer = bench.run(jacobi + ",init=static1,tells=pointers", "auto");
  EXPECT_GT(right(pointer), 0.9);
  EXPECT_LT(remote(pointer), 0.3) << "the first round does not know it yet";
}

TEST(Opinions, AreNotAskedWhereTheProgramTellsOrSeveralThreadsCreate) {
  const Bench bench;
  for (const std::string& text :
       {jacobi, std::string("stream:times=3,gb=0.1,tells=nothing"),
        std::string("balance:packages=200,gb=0.01"), std::string("cholesky:n=2048,block=256")}) {
    const Outcome with = bench.run(text, "auto");
    EXPECT_EQ(with.opinions, 0U) << text;
    EXPECT_EQ(with.seconds, bench.run(text, without).seconds) << text;
  }
}

TEST(Opinions, EveryTaskRunsOnceWhoeverHasThem) {
  const Bench bench;
  for (const char* text :
       {"jacobi:limit=0,sweeps=3,ni=60,nj=60,nk=60,tells=nothing",
        "jacobi:limit=20,sweeps=3,ni=60,nj=60,nk=60,init=none,tells=pointers",
        "jacobi:limit=0,ni=60,nj=60,nk=60,bi=60,bj=30,tells=nothing",
        "stream:creators=one,times=3,gb=0.01,pieces=1,tells=names",
        "stream:creators=one,times=3,gb=0.001,pieces=100,tells=nothing",
        "cholesky:n=2048,block=256,tells=names", "qr:n=2048,block=256,init=serial,tells=names"}) {
    for (const char* policy : {"auto", "central", "stock-like", "virouleau", "locality-queues",
                               "push=local,steal=random"}) {
      std::vector<Interval> trace;
      EXPECT_GT(bench.run(text, policy, &trace).tasks, 0U);
      std::vector<int> times(bench.make(text).tasks.size());
      for (const Interval& interval : trace) ++times[interval.task];
      EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; })) << text << policy;
    }
  }
}

TEST(Opinions, NamesOfAFactorisationAreRight) {
  const Bench bench;
  for (const char* text :
       {"cholesky:n=4096,block=256,tells=names", "qr:n=4096,block=256,tells=names"}) {
    const Outcome with = bench.run(text, "auto");
    EXPECT_GT(right(with), 0.9) << text;
    EXPECT_LT(remote(with), remote(bench.run(text, without))) << text;
  }
}

TEST(Opinions, AreNoMatterOfLoops) {
  const auto schedule = parse_schedule("numa,opinions=off", 4);
  ASSERT_FALSE(schedule.ok());
  EXPECT_NE(schedule.error().sentence.find("for loops"), std::string::npos);
  EXPECT_FALSE(parse_schedule("auto,opinions=on", 4).ok());
}

TEST(HomeOfMost, CountsWhatIsWrittenTwice) {
  Workload workload;
  workload.blocks.resize(3);
  workload.add_task(0);
  workload.accesses = {{0, policy::AccessMode::read, 100},
                       {1, policy::AccessMode::read, 90},
                       {2, policy::AccessMode::read_write, 60}};
  const DomainId none;
  EXPECT_EQ(home_of_most(workload, 0, {DomainId{0}, DomainId{1}, DomainId{2}}), DomainId{2});
  EXPECT_EQ(home_of_most(workload, 0, {DomainId{0}, DomainId{0}, DomainId{2}}), DomainId{0});
  EXPECT_EQ(home_of_most(workload, 0, {none, DomainId{1}, none}), DomainId{1});
  EXPECT_FALSE(home_of_most(workload, 0, {none, none, none}).valid());
}

}  // namespace
}  // namespace lares::simulate
