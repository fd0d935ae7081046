// Runs of the simulated machine: every task once, dependences kept, the same each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "machine_support.hpp"
#include "policy_sample.hpp"
#include "simulate/cache.hpp"
#include "simulate/graph.hpp"
#include "simulate/graph_file.hpp"
#include "simulate/simulation.hpp"
#include "simulate/workloads/workloads.hpp"

namespace lares::simulate {
namespace {

using policy::AccessMode;

/// A machine of four domains with two cores each, and everything that a run needs.
struct Bench {
  explicit Bench(std::vector<std::size_t> cores = {2, 2, 2, 2})
      : machine(policy::sample::machine_of(cores)) {
    for (auto& node : machine.memory) node.total = Bytes{std::uint64_t{1} << 40U};
    auto read = read_model(machine, R"({"core_mb_s": 1000, "controller_mb_s": 1500,
        "remote": [{"up_to_distance": 100, "core_factor": 0.5}], "cache_bytes": 4000000})");
    EXPECT_TRUE(read.ok());
    parameters = read.value().best;
  }
  [[nodiscard]] Team team() const {
    return {machine, parameters, compact_cores(machine, machine.cores.size())};
  }
  [[nodiscard]] Workload make(const std::string& text) const {
    auto workload = make_workload(text, team());
    EXPECT_TRUE(workload.ok()) << (workload.ok() ? "" : workload.error().sentence);
    return workload.value();
  }
  Outcome run(const Workload& workload, const std::string& policy, std::uint64_t seed = 1,
              std::vector<Interval>* trace = nullptr) const {
    const auto schedule = parse_schedule(policy, machine.domains_with_cores());
    EXPECT_TRUE(schedule.ok());
    auto outcome = simulate({machine, parameters, workload, schedule.value(),
                             compact_cores(machine, machine.cores.size()), seed, trace});
    EXPECT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.error().sentence);
    return outcome.value();
  }

  machine::Machine machine;
  Parameters parameters;
};

const std::vector<std::string>& policies() {
  static const std::vector<std::string> list = {"auto",
                                                "locality-queues",
                                                "virouleau",
                                                "stock-like",
                                                "central",
                                                "push=most-bytes,steal=most-loaded",
                                                "push=local-domain,steal=random-domain",
                                                "push=writer-domain-or-local,steal=cores-only"};
  return list;
}

TEST(Run, DoesEveryTaskOnceUnderEveryPolicy) {
  const Bench bench;
  for (const char* name : {"balance:packages=200,gb=0.01", "cholesky:n=2048,block=256",
                           "jacobi:ni=60,nj=60,nk=60,limit=20", "qr:n=1024,block=256"}) {
    const Workload workload = bench.make(name);
    for (const std::string& policy : policies()) {
      std::vector<Interval> trace;
      bench.run(workload, policy, 3, &trace);
      std::vector<int> times(workload.tasks.size(), 0);
      for (const Interval& interval : trace) ++times[interval.task];
      EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; }))
          << name << " " << policy;
    }
  }
}

/// The time of a recorded program without any noise or costs.
double recorded_seconds(const std::string& lines, std::vector<std::size_t> cores,
                        std::vector<Interval>* trace = nullptr,
                        const std::string& policy = "auto") {
  Bench bench(std::move(cores));
  bench.parameters.noise = 0;
  bench.parameters.costs = {0, 0, 0, 0, 0, 50000, 0, 0};
  auto graph = parse_graph("lares-graph 2\n" + lines, bench.machine.domains.size());
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().sentence);
  return bench.run(graph.value(), policy, 1, trace).seconds;
}

TEST(Recorded, CreatingTakesWhatTheProgramSaysOrElseTheMachine) {
  const std::string tasks = "task 0.001 -\ntask 0.001 -\ntask 0.001 -\n";
  EXPECT_NEAR(recorded_seconds(tasks, {1}), 0.003, 1e-3);
  EXPECT_NEAR(recorded_seconds("create 2\n" + tasks, {1}), 6.003, 1e-3);
  EXPECT_NEAR(recorded_seconds("create 2\n" + tasks, {4}), 6.001, 1e-3);
  EXPECT_NEAR(recorded_seconds("create 2\ntask 0.001 -\ntask 0.001 0\n", {4}), 4.002, 1e-3);
}

TEST(Recorded, WaitsHoldUpWhoWaits) {
  EXPECT_NEAR(recorded_seconds("task 1 -\ntask 1 -\ntask 1 -\n", {4}), 1, 1e-3);
  EXPECT_NEAR(recorded_seconds("task 1 -\ntask 1 -\nwait -\ntask 1 -\n", {4}), 2, 1e-3);
  EXPECT_NEAR(recorded_seconds("task 1 -\nbarrier\ntask 1 -\n", {4}), 2, 1e-3);
  EXPECT_NEAR(recorded_seconds("task 1 -\nspend 3 -\ntask 1 -\n", {4}), 4, 1e-3);
  EXPECT_NEAR(recorded_seconds("task 1 -\nspend 3 -\ntask 1 -\n", {1}), 5, 1e-3);
  EXPECT_NEAR(recorded_seconds("task 1 -\nnow 2 -\ntask 1 -\n", {4}), 3, 1e-3);
}

TEST(Recorded, UndeferredTaskWaitsForWhatItDependsOn) {
  const std::string block = "block 8 -\n";
  EXPECT_NEAR(recorded_seconds(block + "task 1 - rw:0\nnow 2 - r:0\ntask 1 -\n", {4}), 4, 1e-3);
  EXPECT_NEAR(recorded_seconds(block + "task 1 - rw:0\nwait - r:0\ntask 1 -\n", {4}), 2, 1e-3);
  // Whoever waits may take the long one.
  EXPECT_NEAR(recorded_seconds(block + "task 1 - rw:0\ntask 5 -\nwait - r:0\ntask 1 -\n", {4}), 6,
              1e-3);
}

TEST(Recorded, NestedTasksFollowTheirCreators) {
  // Two children at once, between the halves of their creator.
  const std::string nested = "task 1 -\ntask 2 0\ntask 2 0\nwait 0\nspend 1 0\n";
  EXPECT_NEAR(recorded_seconds(nested, {4}), 4, 1e-3);
  EXPECT_NEAR(recorded_seconds(nested, {1}), 6, 1e-3);
  EXPECT_NEAR(recorded_seconds("task 1 -\nnow 2 0\nspend 1 0\ntask 1 -\n", {2}), 4, 1e-3);
  EXPECT_NEAR(recorded_seconds("group -\ntask 1 -\ntask 2 0\nend -\ntask 1 -\n", {4}), 4, 1e-3);
  EXPECT_NEAR(recorded_seconds("task 1 -\ntask 2 0\nwait -\ntask 1 -\n", {4}), 3, 1e-3);
}

TEST(Recorded, ThreadsCreateSideBySide) {
  EXPECT_NEAR(recorded_seconds("spend 2 -\nspend 2 @1\ntask 1 -\ntask 1 @1\n", {2}), 3, 1e-3);
  EXPECT_NEAR(recorded_seconds("spend 2 -\nspend 2 @1\ntask 1 -\ntask 1 @1\n", {1}), 6, 1e-3);
}

double loop_seconds(const std::string& lines, std::vector<std::size_t> cores,
                    const std::string& policy) {
  return recorded_seconds(lines, std::move(cores), nullptr, policy);
}

TEST(Recorded, LoopsAreSharedAsTheScheduleSays) {
  const std::string uneven = "loop 1\npiece 3\npiece 1\npiece 1\npiece 1\n";
  EXPECT_NEAR(loop_seconds(uneven, {2}, "static"), 4, 1e-3);
  EXPECT_NEAR(loop_seconds(uneven, {2}, "dynamic"), 3, 1e-3);
  EXPECT_NEAR(loop_seconds(uneven, {2}, "numa"), 3, 1e-3);
  EXPECT_NEAR(loop_seconds(uneven, {1, 1}, "numa"), 3, 1e-3);
  // Chunks of two pieces, of eight iterations each: nothing is left to be shared.
  const std::string coarse = "loop 8\npiece 3\npiece 1\npiece 1\npiece 1\n";
  EXPECT_NEAR(loop_seconds(coarse, {2}, "numa,chunk=16"), 4, 1e-3);
  // What the first thread computes between loops is no matter of their schedule.
  EXPECT_NEAR(loop_seconds("spend 1 -\n" + uneven + "spend 2 -\n" + uneven, {2}, "numa"), 9, 1e-3);
}

TEST(Recorded, LoopsStandBetweenTasks) {
  const std::string lines = "task 1 -\nloop 1\npiece 3\npiece 1\npiece 1\npiece 1\ntask 1 -\n";
  EXPECT_NEAR(loop_seconds(lines, {2}, "auto"), 5, 1e-3);
  Bench bench({2});
  bench.parameters.noise = 0;
  const auto graph = parse_graph("lares-graph 2\n" + lines, 1);
  ASSERT_TRUE(graph.ok());
  const auto cores = compact_cores(bench.machine, 2);
  auto schedule = parse_schedule("auto", 1).value();
  ASSERT_FALSE(parse_recorded_loops("static", 1, schedule));
  const auto fixed = simulate({bench.machine, bench.parameters, graph.value(), schedule, cores, 1});
  ASSERT_TRUE(fixed.ok());
  EXPECT_NEAR(fixed.value().seconds, 6, 1e-3);
  EXPECT_EQ(fixed.value().tasks, 6U);
  EXPECT_TRUE(parse_recorded_loops("guided", 1, schedule));
  EXPECT_TRUE(parse_recorded_loops("numa,steal=never", 1, schedule));
  const auto for_loops = parse_schedule("numa", 1).value();
  EXPECT_FALSE(
      simulate({bench.machine, bench.parameters, graph.value(), for_loops, cores, 1}).ok());
}

TEST(Recorded, PiecesOfLoopsAreAtHomeWhereAStaticLoopHasThem) {
  const Bench bench;
  std::string lines = "lares-graph 2\nloop 4\n";
  for (int i = 0; i < 96; ++i) lines += i < 48 ? "piece 0.0002\n" : "piece 0.0001\n";
  const auto graph = parse_graph(lines, 4);
  ASSERT_TRUE(graph.ok());
  const auto at_home = [&](const char* policy) {
    std::vector<Interval> trace;
    const Outcome outcome = bench.run(graph.value(), policy, 1, &trace);
    EXPECT_EQ(trace.size(), 96U) << policy;
    EXPECT_EQ(outcome.by_locality[0] + outcome.by_locality[1] + outcome.by_locality[2], 96U);
    return outcome.by_locality[0];
  };
  EXPECT_EQ(at_home("static"), 96U);
  EXPECT_GT(at_home("numa"), 64U);
  EXPECT_LT(at_home("dynamic"), 32U);
}

TEST(Recorded, PiecesOfLoopsFetchTheirData) {
  const std::string lines =
      "block 8000000000 1\nblock 8000000000 0\nloop 1\npiece 1 r:0\npiece 1 r:1\n";
  EXPECT_NEAR(loop_seconds(lines, {1, 1}, "static"), 2, 1e-3);
}

TEST(Recorded, DurationsHoldWhereMemoryIsNearAndGrowWhereItIsFar) {
  // A core's own memory gives 1000 MB/s here, another's half of that.
  const std::string task = "now 1 - r:0\n";  // on the first core, which is in domain 0
  EXPECT_NEAR(recorded_seconds("block 8000000000 0\n" + task, {1, 1}), 1, 1e-3);
  EXPECT_NEAR(recorded_seconds("block 8000000000 1\n" + task, {1, 1}), 2, 1e-3);
  EXPECT_NEAR(recorded_seconds("block 8000000 1\n" + task, {1, 1}), 1, 1e-3);
}

TEST(Recorded, EveryTaskRunsOnceUnderEveryPolicy) {
  const Bench bench;
  std::string lines = "lares-graph 2\n";
  for (int i = 0; i < 40; ++i) lines += "block 4096 " + std::to_string(i % 4) + "\n";
  for (int i = 0; i < 200; ++i) {
    const std::string task = std::to_string(3 * i);
    const std::string block = std::to_string(i % 40);
    lines += "task 1e-4 - rw:" + block + "\ngroup " + task + "\ntask 1e-4 " + task + "\nnow 1e-5 " +
             task + "\nend " + task + "\nspend 1e-5 " + task + "\n";
    if (i % 50 == 49) lines += "wait -\n";
  }
  const auto graph = parse_graph(lines, 4);
  ASSERT_TRUE(graph.ok());
  for (const std::string& policy : policies()) {
    std::vector<Interval> trace;
    const Outcome outcome = bench.run(graph.value(), policy, 3, &trace);
    EXPECT_EQ(outcome.tasks, 600U) << policy;
    EXPECT_EQ(outcome.by_locality[0] + outcome.by_locality[1] + outcome.by_locality[2], 600U);
    std::vector<int> times(graph.value().tasks.size(), 0);
    for (const Interval& interval : trace) ++times[interval.task];
    EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n <= 1; })) << policy;
  }
}

TEST(Run, KeepsDependences) {
  const Bench bench;
  const Workload workload = bench.make("cholesky:n=3072,block=256");
  const Phase& phase = workload.phases.back();
  const Graph graph(workload, phase);
  for (const std::string& policy : policies()) {
    std::vector<Interval> trace;
    bench.run(workload, policy, 5, &trace);
    std::vector<Interval> of(workload.tasks.size());
    for (const Interval& interval : trace) of[interval.task] = interval;
    for (std::uint32_t i = 0; i < phase.end - phase.first; ++i) {
      for (const std::uint32_t successor : graph.successors(i)) {
        EXPECT_LE(of[phase.first + i].end, of[phase.first + successor].begin) << policy;
      }
    }
  }
}

TEST(Run, LetsAWorkerDoOneThingAtATime) {
  const Bench bench;
  std::vector<Interval> trace;
  bench.run(bench.make("cholesky:n=2048,block=256"), "auto", 1, &trace);
  std::vector<double> free_at(bench.machine.cores.size(), 0);
  for (const Interval& interval : trace) {
    EXPECT_GE(interval.begin, free_at[interval.worker.index()]);
    free_at[interval.worker.index()] = interval.end;
  }
}

TEST(Run, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const Bench bench;
  const Workload workload = bench.make("cholesky:n=2048,block=256");
  for (const std::string& policy : policies()) {
    const Outcome first = bench.run(workload, policy, 4);
    const Outcome again = bench.run(workload, policy, 4);
    const Outcome other = bench.run(workload, policy, 5);
    EXPECT_EQ(first.seconds, again.seconds) << policy;
    EXPECT_EQ(first.by_locality, again.by_locality) << policy;
    EXPECT_NE(first.seconds, other.seconds) << policy;
  }
}

// Two cores of one domain share 1500 MB/s; each alone would reach 1000.
TEST(Run, TakesTheTimeThatTheMemoryTakes) {
  Bench bench;
  bench.parameters.noise = 0;
  bench.parameters.costs = {};
  bench.parameters.costs.dispatch = 0;
  bench.parameters.costs.barrier = 0;
  const Workload workload = bench.make("stream:kernel=copy,gb=6,times=2,pieces=4");
  const Outcome outcome = bench.run(workload, "static");
  EXPECT_NEAR(outcome.seconds, 2.0, 1e-3);  // 12 GB over four times 1.5 GB/s
  EXPECT_EQ(outcome.remote_bytes, 0);
  EXPECT_NEAR(outcome.loads.front().share, 1.0, 1e-3);
  EXPECT_EQ(outcome.loads.front().resource, "memory 0");
}

TEST(NumaLoop, StaysWhereAStaticLoopPutItsDataIfAllHaveAsMuch) {
  Bench bench;
  bench.parameters.noise = 0;
  const Workload workload = bench.make("stream:gb=6,times=2,pieces=4");
  const Outcome outcome = bench.run(workload, "numa");
  // The last chunk is for whoever has seen the end of all others.
  EXPECT_GE(outcome.by_locality[0] + 2, workload.tasks.size());
  EXPECT_LT(outcome.remote_bytes, 0.05 * outcome.local_bytes);
}

TEST(NumaLoop, RunsEachIterationOnceAndBalances) {
  const Bench bench;
  const Workload workload = bench.make("balance:packages=500,gb=1");
  const double fixed = bench.run(workload, "static").seconds;
  for (const char* policy : {"numa", "numa,steal=most-loaded", "numa,steal=random,chunk=3"}) {
    std::vector<Interval> trace;
    const Outcome outcome = bench.run(workload, policy, 1, &trace);
    std::vector<int> times(workload.tasks.size());
    for (const Interval& task : trace) ++times[task.task];
    EXPECT_EQ(std::ranges::count(times, 1), static_cast<std::ptrdiff_t>(times.size())) << policy;
    EXPECT_LT(outcome.seconds, 0.9 * fixed) << policy;
    EXPECT_GT(outcome.remote_steals, 0U) << policy;
    EXPECT_GT(outcome.steals, outcome.remote_steals) << policy;
    EXPECT_EQ(outcome.by_locality[0] + outcome.by_locality[1] + outcome.by_locality[2],
              times.size());
    EXPECT_EQ(outcome.seconds, bench.run(workload, policy).seconds) << policy;
  }
}

// No thief of another domain before the own one has nothing left: worker 0 has all but nothing to
// do, its neighbour most of the domain's part, and the other domains as much each.
TEST(NumaLoop, LooksFarOnlyWhenItsOwnDomainHasNothingLeft) {
  Bench bench({2, 2});
  Workload workload;
  workload.name = "uneven";
  for (int i = 0; i < 64; ++i) workload.add_task(i < 16 ? 1e-6 : 1e-3);
  workload.add_phase();
  std::vector<Interval> trace;
  bench.run(workload, "numa,steal=most-loaded", 1, &trace);
  double home_began = 0;
  double first_far = 1e9;
  for (const Interval& task : trace) {
    if (task.worker.index() > 1) continue;
    if (task.task < 32) home_began = std::max(home_began, task.begin);
    if (task.task >= 32 && task.task < 63) first_far = std::min(first_far, task.begin);
  }
  EXPECT_LT(home_began, first_far);
}

TEST(NumaLoop, IsChosenAsInRun) {
  EXPECT_EQ(parse_schedule("numa,steal=random", 2).value().loops.steal, policy::LoopSteal::random);
  EXPECT_FALSE(parse_schedule("numa,steal=far", 2).ok());
}

TEST(Run, FindsOneMemoryAHotSpot) {
  const Bench bench;
  const Outcome outcome = bench.run(bench.make("stream:gb=6,init=serial,times=1"), "static");
  EXPECT_NEAR(outcome.seconds, 4.0, 0.2);  // 6 GB from one controller of 1.5 GB/s
  EXPECT_NEAR(outcome.remote_bytes / (outcome.remote_bytes + outcome.local_bytes), 0.75, 0.02);
}

TEST(Run, HalvesWhatTwoWorkersOnACoreGet) {
  Bench bench({1});
  bench.parameters.noise = 0;
  Workload workload;
  workload.name = "two";
  workload.add_task(1.0, 0);
  workload.add_task(1.0, 1);
  workload.add_phase();
  const auto schedule = parse_schedule("static", 1);
  const simulate::Setup setup{bench.machine,    bench.parameters,       workload,
                              schedule.value(), {CoreId{0}, CoreId{0}}, 1};
  EXPECT_NEAR(simulate(setup).value().seconds, 2.0, 0.01);
}

/// When each of some bound threads ends, without any noise or costs.
std::vector<double> ends_of(const Workload& workload, const std::vector<CoreId>& cores) {
  Bench bench({1, 1});
  bench.parameters.noise = 0;
  bench.parameters.costs = {0, 0, 0, 0, 0, 50000, 0, 0};
  const Schedule schedule{Schedule::Kind::static_loop, {}};
  return simulate({bench.machine, bench.parameters, workload, schedule, cores, 1}).value().ended;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
}

TEST(Threads, HaveACoreToThemselvesOnceTheOthersAreThrough) {
  Workload workload;
  workload.add_task(1.0, 0);
  workload.add_task(3.0, 1);
  workload.add_phase();
  expect_near(ends_of(workload, {CoreId{0}, CoreId{0}}), {2, 4});
}

/// Teams of one thread and of two, on a core each; the second is stolen from.
TeamPlan one_and_two(bool brings_data) {
  TeamPlan plan{.scheduler = "cache", .teams = {{.threads = 1}, {.threads = 2}}};
  plan.stealing = Stealing::given;
  plan.victim = 1;
  plan.brings_data = brings_data;
  return plan;
}

TEST(Threads, GoToACoreThatIsLeftInTheMiddleOfATask) {
  Workload workload;
  workload.add_task(1.0, 0);
  workload.add_task(2.0, 1);
  workload.add_task(2.0, 2);
  workload.add_phase();
  workload.teams = one_and_two(false);
  expect_near(ends_of(workload, {CoreId{0}, CoreId{1}, CoreId{1}}), {1, 2.5, 2.5});
}

TEST(Threads, StayWhereASchedulerDoesNotSteal) {
  Workload workload;
  workload.add_task(1.0, 0);
  workload.add_task(2.0, 1);
  workload.add_task(2.0, 2);
  workload.add_phase();
  workload.teams = one_and_two(false);
  workload.teams.stealing = Stealing::none;
  expect_near(ends_of(workload, {CoreId{0}, CoreId{1}, CoreId{1}}), {1, 4, 4});
  // The cores are domains of their own.
  workload.teams.stealing = Stealing::decided;
  expect_near(ends_of(workload, {CoreId{0}, CoreId{1}, CoreId{1}}), {1, 4, 4});
  workload.teams.scheduler = "memory";
  expect_near(ends_of(workload, {CoreId{0}, CoreId{1}, CoreId{1}}), {1, 2.5, 2.5});
}

// A core reads 1000 MB/s of its own memory, half of that of another's, and moves 500. It is shared
// until the first thread is through.
TEST(Threads, TakeTheirDataAlongIfTheyShall) {
  for (const bool brings_data : {false, true}) {
    Workload workload;
    workload.blocks.push_back({Bytes{1'000'000'000}, DomainId{1}, {}});
    workload.add_task(0.5, 0);
    workload.add_task(3.0, 1);
    for (int pass = 0; pass < 2; ++pass) {
      workload.add_task(0, 2);
      workload.accesses.push_back({0, AccessMode::read, 1e9});
    }
    workload.add_phase();
    workload.teams = one_and_two(brings_data);
    workload.teams.teams[1].touched_by = {1};
    workload.teams.teams[1].bytes = 1e9;
    const std::vector<CoreId> cores = {CoreId{0}, CoreId{1}, CoreId{1}};
    expect_near(ends_of(workload, cores), {0.5, 3.25, brings_data ? 4.25 : 4.0});
  }
}

TEST(Run, MovesBlocksOnceIfAPhaseMigrates) {
  Bench bench;
  Workload workload = bench.make("stream:gb=1,init=serial,times=3,pieces=2");
  const Outcome stays = bench.run(workload, "static");
  workload.phases[0].migrates = true;
  const Outcome moved = bench.run(workload, "static");
  EXPECT_GT(stays.remote_bytes, 2.0e9);
  EXPECT_LT(moved.remote_bytes, 1.0e9);
}

TEST(Run, KeepsTasksOnTheirData) {
  const Bench bench;
  const Workload workload = bench.make("jacobi:init=static1,ni=200,nj=200,nk=200");
  const Outcome queues = bench.run(workload, "locality-queues");
  const Outcome plain = bench.run(workload, "central");
  EXPECT_LT(queues.remote_bytes, 0.1 * plain.remote_bytes);
  EXPECT_LT(queues.seconds, plain.seconds);
}

TEST(Run, TellsWhatMemoryDeliveredFromWhatCachesDid) {
  const Bench bench;
  // Without caches all comes from memory: what flows is what is read, and what is written.
  const Outcome reads = bench.run(bench.make("stream:gb=1,init=static,times=1"), "static");
  EXPECT_EQ(reads.fetched.from_caches, 0);
  EXPECT_EQ(reads.fetched.remote, 0);
  EXPECT_GT(reads.fetched.local, 0);
  EXPECT_LE(reads.fetched.local, 1.2 * reads.local_bytes);
  const Outcome tiles = bench.run(bench.make("cholesky:n=2048,block=128"), "locality-queues");
  EXPECT_GT(tiles.fetched.from_caches, 0);
  EXPECT_GT(tiles.fetched.local, 0);
  EXPECT_LT(tiles.fetched.local + tiles.fetched.remote + tiles.fetched.from_caches,
            1.2 * (tiles.local_bytes + tiles.remote_bytes));
}

TEST(Run, RefusesWhatCannotBe) {
  Bench bench;
  const auto schedule = parse_schedule("static", 4);
  const auto cores = compact_cores(bench.machine, 8);
  const Workload graph = bench.make("cholesky:n=1024,block=256");
  const auto loop = simulate({bench.machine, bench.parameters, graph, schedule.value(), cores, 1});
  ASSERT_FALSE(loop.ok());
  EXPECT_NE(loop.error().sentence.find("depend on each other"), std::string::npos);
  const Workload large = bench.make("stream:gb=100000");
  const auto refused =
      simulate({bench.machine, bench.parameters, large, schedule.value(), cores, 1});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence,
            "workload \"stream triad\" needs 93133 GiB and machine \"sample\" has 4096 GiB");
}

TEST(Workloads, NameWhatIsWrong) {
  const Bench bench;
  const auto refusal = [&](const char* text) {
    const auto made = make_workload(text, bench.team());
    return made.ok() ? std::string("(accepted)") : made.error().sentence;
  };
  EXPECT_EQ(refusal("lu"),
            "workload \"lu\" is unknown; accepted: stream, balance, jacobi, cholesky, qr, cg, "
            "file:PATH");
  EXPECT_EQ(refusal("qr:n=abc"), "workload qr: n \"abc\" is not a number from 64 to 1000000");
  EXPECT_EQ(refusal("qr:m=4"),
            "workload qr: setting \"m\" is unknown; accepted: n, block, init, tells");
  EXPECT_EQ(refusal("qr:n"),
            "workload qr: \"n\" is not a setting; accepted: KEY=VALUE with commas between");
  EXPECT_EQ(refusal("jacobi:order=jik"),
            "workload jacobi: order \"jik\" is unknown; accepted: ijk, kji");
  EXPECT_EQ(refusal("cholesky:n=1000000,block=16"), "workload cholesky: n is more than 400 blocks");
}

// --- the parts

TEST(Graph, OrdersReadersAndWriters) {
  Workload workload;
  workload.blocks.resize(1);
  const auto add = [&workload](AccessMode mode) {
    workload.add_task(0);
    workload.accesses.push_back({0, mode, 0});
  };
  add(AccessMode::write);
  add(AccessMode::read);
  add(AccessMode::read);
  add(AccessMode::read_write);
  add(AccessMode::read);
  workload.add_phase().dependences = true;
  const Graph graph(workload, workload.phases[0]);
  std::vector<std::uint32_t> waits;
  for (std::uint32_t i = 0; i < 5; ++i) waits.push_back(graph.predecessors(i));
  EXPECT_EQ(waits, (std::vector<std::uint32_t>{0, 1, 1, 2, 1}));
  const auto of_first = graph.successors(0);
  EXPECT_EQ(std::vector<std::uint32_t>(of_first.begin(), of_first.end()),
            (std::vector<std::uint32_t>{1, 2}));
}

TEST(Caches, KeepWhatWasUsedLastAndForgetWhatOthersWrote) {
  const std::vector<Block> blocks(4, Block{Bytes{100}, DomainId{0}, {}});
  Caches caches(2, 250, blocks);
  const DomainId here{0};
  const DomainId there{1};
  EXPECT_EQ(caches.use(here, 0, false), Caches::Source::memory);
  EXPECT_EQ(caches.use(here, 1, false), Caches::Source::memory);
  EXPECT_EQ(caches.use(here, 0, false), Caches::Source::own_cache);
  EXPECT_EQ(caches.use(here, 2, false), Caches::Source::memory);  // 1 has to leave
  EXPECT_EQ(caches.use(here, 0, false), Caches::Source::own_cache);
  EXPECT_EQ(caches.use(here, 1, false), Caches::Source::memory);
  EXPECT_EQ(caches.use(there, 0, true), Caches::Source::memory);
  EXPECT_EQ(caches.use(here, 0, false), Caches::Source::other_cache);  // old
  EXPECT_EQ(caches.use(there, 0, false), Caches::Source::own_cache);
}

TEST(Caches, TheLastWriterOwesABlockUntilItHasToLeave) {
  const std::vector<Block> blocks(4, Block{Bytes{100}, DomainId{0}, {}});
  Caches caches(3, 250, blocks);
  const DomainId writer{0};
  caches.use(writer, 0, true);
  EXPECT_EQ(caches.use(DomainId{1}, 0, false), Caches::Source::other_cache);
  EXPECT_EQ(caches.use(DomainId{2}, 0, false), Caches::Source::other_cache);
  caches.use(writer, 1, false);
  caches.use(writer, 2, false);  // 0 leaves its writer's cache; another still has a copy
  EXPECT_EQ(caches.use(writer, 0, false), Caches::Source::memory);
}

TEST(Caches, APartDoesNotBringTheRest) {
  const std::vector<Block> blocks(1, Block{Bytes{100}, DomainId{0}, {}});
  Caches caches(2, 250, blocks);
  EXPECT_EQ(caches.read_part(DomainId{0}, 0), Caches::Source::memory);
  EXPECT_EQ(caches.use(DomainId{0}, 0, true), Caches::Source::memory);
  EXPECT_EQ(caches.read_part(DomainId{0}, 0), Caches::Source::own_cache);
  EXPECT_EQ(caches.read_part(DomainId{1}, 0), Caches::Source::other_cache);
  EXPECT_EQ(caches.use(DomainId{1}, 0, false), Caches::Source::other_cache);
  Caches none(1, 0, blocks);
  EXPECT_EQ(none.read_part(DomainId{0}, 0), Caches::Source::memory);
}

TEST(Caches, NeverHoldABlockThatIsLarger) {
  const std::vector<Block> blocks(1, Block{Bytes{1000}, DomainId{0}, {}});
  Caches caches(1, 999, blocks);
  EXPECT_EQ(caches.use(DomainId{0}, 0, true), Caches::Source::memory);
  EXPECT_EQ(caches.use(DomainId{0}, 0, false), Caches::Source::memory);
}

// --- parameters

std::string refusal(const char* text) {
  const auto machine = policy::sample::machine_of({1, 1});
  const auto model = read_model(machine, text);
  return model.ok() ? "(accepted)" : model.error().sentence;
}

TEST(Model, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(refusal("{\"cores\": 1}"), "field \"simulation.cores\" is unknown");
  EXPECT_EQ(refusal("{\"core_mb_s\": -1}"),
            "field \"simulation.core_mb_s\" must be a number above 0");
  EXPECT_EQ(refusal("{\"controller_mb_s\": 0}"),
            "field \"simulation.controller_mb_s\" must be a number above 0");
  EXPECT_EQ(refusal("{\"noise\": [0.1, 0.2]}"),
            "field \"simulation.noise\" must be a number, or three of them: low, best, high");
  EXPECT_EQ(refusal("{\"noise\": [0.3, 0.2, 0.4]}"),
            "field \"simulation.noise\" must ascend: low, best, high");
  EXPECT_EQ(refusal(R"({"fabrics": [{"mb_s": 1, "groups": [[0], [2]]}]})"),
            "field \"simulation.fabrics[0].groups\" names a domain that does not exist");
  EXPECT_EQ(refusal(R"({"fabrics": [{"mb_s": 1, "groups": [[0], [0]]}]})"),
            "field \"simulation.fabrics[0].groups\" names domain 0 twice");
  EXPECT_EQ(refusal(R"({"fabrics": [{"mb_s": 1, "groups": [[0]]}]})"),
            "field \"simulation.fabrics[0].groups\" leaves domain 1 out");
  EXPECT_EQ(refusal("[1]"), "field \"simulation\" must be an object");
}

TEST(Model, ReadsRanges) {
  const auto machine = policy::sample::machine_of({1, 1});
  const auto model = read_model(machine, R"({"core_mb_s": [1, 2, 4], "noise": 0.1})");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model.value().best.core_mb_s, 2);
  ASSERT_EQ(model.value().uncertain.size(), 1U);
  EXPECT_EQ(model.value().uncertain[0].name, "core_mb_s");
  EXPECT_EQ(model.value().uncertain[0].low.core_mb_s, 1);
  EXPECT_EQ(model.value().uncertain[0].high.core_mb_s, 4);
}

TEST(Model, NamesWhatIsAssumed) {
  const auto machine = policy::sample::machine_of({1, 1});
  const auto model = read_model(machine, "");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model.value().assumed,
            (std::vector<std::string>{"controller_mb_s", "core_mb_s", "remote", "cache_bytes"}));
}

TEST(Model, SurvivesAnyText) {
  const auto machine = policy::sample::machine_of({1, 1});
  Random random(3);
  const std::string good =
      R"({"core_mb_s": [1, 2, 4], "remote": [{"up_to_distance": 20, "core_factor": 0.5}],)"
      R"( "fabrics": [{"mb_s": 10, "scope": "pair", "groups": [[0], [1]]}], "noise": 0.1})";
  for (int round = 0; round < 2000; ++round) {
    const auto model = read_model(machine, machine::test::mutate(good, random));
    EXPECT_TRUE(model.ok() || !model.error().sentence.empty());
  }
}

TEST(Model, IsRightInEveryMachineThatComesWithLares) {
  const auto folder = std::filesystem::path(LARES_SOURCE_DIR) / "machines";
  for (const std::string& file : machine::test::files_in(folder, ".json")) {
    const auto machine = machine::test::load(file);
    const auto model = read_model(machine, machine.simulation);
    EXPECT_TRUE(model.ok()) << file << ": " << (model.ok() ? "" : model.error().sentence);
  }
}

}  // namespace
}  // namespace lares::simulate
