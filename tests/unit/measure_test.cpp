// Measuring: kernels do what their names say, crews meet, plans give valid machine files.
#include "measure/measure.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <numeric>
#include <set>

#include "machine/machine_file.hpp"
#include "machine_support.hpp"
#include "measure/bandwidth.hpp"
#include "measure/caches.hpp"
#include "measure/compute_kernels.hpp"
#include "measure/memory.hpp"
#include "measure/next_touch.hpp"
#include "measure/spread.hpp"

namespace lares::measure {
namespace {

using machine::Machine;
using machine::Measurements;

constexpr std::size_t small = 64U << 10U;

/// One cpu of this process, as often as asked: crews must work on few cores, too.
std::vector<OsCpu> cpus(std::size_t count) {
  const Machine here = machine::test::load("");
  return std::vector<OsCpu>(count, here.cores[0].cpus[0]);
}

TEST(Spread, IsMedianLeastAndMost) {
  const auto spread = spread_of({5, 1, 3, 2, 4});
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.most, 5);
}

TEST(Spread, KeepsFourDigits) {
  EXPECT_DOUBLE_EQ(spread_of({123456.7}).median, 123500);
  EXPECT_DOUBLE_EQ(spread_of({0.00123456}).median, 0.001235);
  EXPECT_EQ(spread_of({0}).median, 0);
}

TEST(Spread, ThatIsMoreThanTwofoldIsUnsteady) {
  machine::Measurements measurements;
  EXPECT_EQ(unsteady(measurements).of, 0U);
  measurements.pairs.resize(2);
  measurements.pairs[0].figure = {10, 5, 10};
  measurements.pairs[1].figure = {10, 4, 10};
  measurements.aggregate.resize(1);
  measurements.aggregate[0].mb_s = {3, 1, 3};
  measurements.migration.resize(1);
  measurements.migration[0].ns_per_page = {3, 3, 3};
  measurements.synchronisation.resize(1);
  measurements.synchronisation[0].ns = {3, 1, 30};
  EXPECT_EQ(unsteady(measurements).figures, 3U);
  EXPECT_EQ(unsteady(measurements).of, 5U);
}

TEST(Kernels, DoWhatTheirNamesSay) {
  std::vector<double> numbers(3 * 100);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Segment all{numbers.data(), numbers.data() + 100, numbers.data() + 200, 100};
  EXPECT_EQ(run_kernel(Kernel::read, std::span(&all, 1)), 4950);
  run_kernel(Kernel::triad, std::span(&all, 1));
  EXPECT_EQ(numbers[7], 107 + 3 * 207);
  run_kernel(Kernel::copy, std::span(&all, 1));
  EXPECT_EQ(numbers[99], 199);
  run_kernel(Kernel::write, std::span(&all, 1));
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[99], 1);
  EXPECT_EQ(numbers[100], 100) << "wrote beyond its array";
}

TEST(Kernels, AnUpdateIsCountedAsReadAndWritten) {
  std::vector<double> numbers{0.25, 1, 7};
  const Segment two{numbers.data(), nullptr, nullptr, 2};
  run_kernel(Kernel::update, std::span(&two, 1));
  EXPECT_EQ(numbers, (std::vector<double>{0.75, 0, 7}));
  EXPECT_EQ(arrays_of(Kernel::update), 1U);
  EXPECT_EQ(accesses_of(Kernel::update), 2U);
  EXPECT_EQ(accesses_of(Kernel::triad), 3U);
}

TEST(Operations, AreDoneAsOftenAsTheyAreCounted) {
  for (const Operations kind : all_operations) {
    const bool multiplies = kind != Operations::add && kind != Operations::scalar_add;
    const Computed none = compute(kind, 0);
    const Computed some = compute(kind, 1000);
    EXPECT_EQ(none.operations, 0U);
    EXPECT_GT(some.operations, 0U);
    // Each adds 1e-6, or not quite that where the sum so far is multiplied by almost 1.
    const double added = (some.sum - none.sum) / 1e-6;
    const double expected = static_cast<double>(some.operations) / (multiplies ? 2 : 1);
    EXPECT_NEAR(added / expected, 1, 0.01) << operations_name(kind);
  }
}

TEST(Kernels, SegmentsStayInTheirMemory) {
  std::vector<double> memory(1000);
  auto* start = reinterpret_cast<std::byte*>(memory.data());
  for (const Kernel kernel : all_kernels) {
    const Segment s = segment_in(kernel, start, {8000});
    const std::size_t arrays = arrays_of(kernel);
    EXPECT_GT(s.count * arrays, 900U);
    EXPECT_LE(s.count * arrays, 1000U);
    EXPECT_EQ(s.count % 8, 0U);
    EXPECT_EQ(s.b, s.a + s.count);
    EXPECT_EQ(s.c, s.b + s.count);
  }
}

TEST(Crew, EveryMemberRunsOnceAndMeetsTheOthers) {
  Crew crew(cpus(4));
  EXPECT_TRUE(crew.bound());
  std::atomic<int> before{0};
  std::atomic<int> wrong{0};
  std::set<std::size_t> seen;
  std::mutex mutex;
  for (int round = 0; round < 20; ++round) {
    before = 0;
    seen.clear();
    crew.run([&](std::size_t member) {
      ++before;
      crew.meet();
      if (before != 4) ++wrong;
      const std::lock_guard lock(mutex);
      seen.insert(member);
    });
    EXPECT_EQ(seen.size(), 4U);
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Crew, TellsThatItCannotBind) {
  Crew crew({OsCpu{100'000}});
  EXPECT_FALSE(crew.bound());
}

TEST(Memory, OfANodeThatDoesNotExistIsRefusedInOneSentence) {
  const auto memory = Memory::on_node({small}, OsNode{1000});
  ASSERT_FALSE(memory.ok());
  EXPECT_TRUE(machine::test::is_sentence(memory.error().sentence)) << memory.error().sentence;
}

TEST(Memory, WithoutANodeIsWhereItIsTouched) {
  auto memory = Memory::on_node({small}, {});
  ASSERT_TRUE(memory.ok());
  touch(memory.value().data(), {small});
  EXPECT_EQ(*reinterpret_cast<double*>(memory.value().data() + small - 8), 1.0);
}

TEST(Latency, FollowsEveryLineOnce) {
  auto memory = Memory::on_node({small}, {});
  ASSERT_TRUE(memory.ok());
  Crew crew(cpus(1));
  link_chain(crew, memory.value().data(), {small}, 3);
  const auto values = latency(crew, memory.value().data(), {{100'000}, 3});
  EXPECT_EQ(values.size(), 3U);
  EXPECT_GT(values[0], 0);
  std::set<std::size_t> visited;
  std::size_t here = 0;
  for (std::size_t i = 0; i < small / 64; ++i) {
    visited.insert(here);
    here = *reinterpret_cast<std::size_t*>(memory.value().data() + here * 64);
  }
  EXPECT_EQ(visited.size(), small / 64);
  EXPECT_EQ(here, 0U);
}

TEST(Bandwidth, OfACacheIsMoreThanAGigabyte) {
  auto memory = Memory::on_node({small}, {});
  ASSERT_TRUE(memory.ok());
  touch(memory.value().data(), {small});
  Crew crew(cpus(1));
  const Work work{{segment_in(Kernel::read, memory.value().data(), {small})}};
  const auto values = bandwidth(crew, Kernel::read, work, {{1'000'000}, 5});
  EXPECT_EQ(values.size(), 5U);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 1000);
}

TEST(Caches, FootprintIsBetween16And256MiB) {
  const auto here = cpus(1);
  EXPECT_GE(memory_footprint(here).count, 16U << 20U);
  EXPECT_LE(memory_footprint(here).count, 256U << 20U);
  EXPECT_EQ(memory_footprint({}).count, 16U << 20U);
}

TEST(Footprint, FitsIntoTheSmallestNode) {
  constexpr std::uint64_t mib = 1U << 20U;
  const std::vector<NodeNeed> large{{OsNode{0}, 16, {std::uint64_t{64} << 30U}},
                                    {OsNode{1}, 16, {0}}};  // it does not tell
  EXPECT_EQ(fitting_footprint({256 * mib}, large).value().count, 256 * mib);
  const std::vector<NodeNeed> small_hbm{{OsNode{0}, 16, {std::uint64_t{64} << 30U}},
                                        {OsNode{1}, 16, {1024 * mib}}};
  EXPECT_EQ(fitting_footprint({256 * mib}, small_hbm).value().count, 32 * mib);
  const std::vector<NodeNeed> full{{OsNode{3}, 64, {100 * mib}}};
  const auto refused = fitting_footprint({16 * mib}, full);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence.rfind(
                "cannot measure: node 3 has only 100 MiB free for 64 threads", 0),
            0U);
}

Plan tiny_plan(const Machine& machine) {
  Plan plan;
  plan.pace = {{50'000}, 3};
  plan.memory_footprint = {small};
  for (std::size_t d = 0; d < machine.domains.size(); ++d) plan.domains.emplace_back(d);
  return plan;
}

TEST(Measure, FillsAValidMachineFile) {
  Machine machine = machine::test::load("");
  std::size_t last = 0;
  std::size_t all = 0;
  const auto measured =
      measure(machine, tiny_plan(machine), [&](const std::string&, std::size_t d, std::size_t a) {
        EXPECT_TRUE(d >= last && d <= a) << d << " of " << a;
        last = d;
        all = a;
      });
  ASSERT_TRUE(measured.ok()) << measured.error().sentence;
  EXPECT_EQ(last, all);
  EXPECT_FALSE(check_measurements(measured.value(), machine.domains.size()).has_value());
  EXPECT_FALSE(measured.value().aggregate.empty());
  EXPECT_GE(measured.value().compute.size(), std::size(all_operations));
  std::set<std::string> by;
  for (const auto& sync : measured.value().synchronisation) by.insert(sync.by);
  EXPECT_TRUE(by.count("lares") == 1);
  EXPECT_TRUE(apply(measured.value(), machine));
  EXPECT_EQ(machine.distances.source, "measured");
  EXPECT_EQ(machine.distances.values[0], 10U);
  const std::string file = to_machine_file(machine, measured.value());
  const auto read = machine::parse_machine_file(file, "m.json");
  ASSERT_TRUE(read.ok()) << read.error().sentence;
  EXPECT_EQ(to_machine_file(read.value(), machine::parse_measurements(file, "m").value()), file);
}

/// Domain 0 of this machine as the receiver of its own pages: no page changes its node.
std::vector<double> next_touch_here(memory::WantedWay way, std::size_t pages, std::size_t chunk) {
  const Machine machine = machine::test::load("");
  const Plan plan = tiny_plan(machine);
  const Progress quiet = [](const std::string&, std::size_t, std::size_t) {};
  Bench bench{machine, plan, quiet, {small}, {DomainId{0}}, {DomainId{0}}, 0, 0};
  const auto values = measure_next_touch(bench, DomainId{0}, DomainId{0}, {way, pages, chunk});
  EXPECT_TRUE(values.ok());
  return values.ok() ? values.value() : std::vector<double>{};
}

TEST(Measure, SmallFootprintsAreMeasuredInTheOwnMemoryByEveryKernel) {
  const Machine machine = machine::test::load("");
  Plan plan = tiny_plan(machine);
  plan.cache_footprints = {{4096}, {small}};  // the second leaves no room for one that is larger
  plan.migration = false;
  plan.synchronisation = false;
  const auto measured = measure(machine, plan, [](const std::string&, std::size_t, std::size_t) {});
  ASSERT_TRUE(measured.ok()) << measured.error().sentence;
  std::set<std::string> kernels;
  for (const auto& pair : measured.value().pairs) {
    if (pair.footprint.count == 4096 && pair.from == pair.to) kernels.insert(pair.kernel);
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"read", "write", "update", "copy", "triad"}));
  std::size_t small_ones = 0;
  for (const auto& all : measured.value().aggregate) {
    EXPECT_TRUE(all.pattern == "local" || all.footprint.count == small);
    small_ones += all.footprint.count == 4096 ? 1U : 0U;
  }
  EXPECT_EQ(small_ones, std::size(all_kernels));
}

TEST(NextTouch, HasAValueForEachRepetition) {
  const auto values = next_touch_here(memory::WantedWay::protect, 64, 16);
  EXPECT_EQ(values.size(), 3U);
  for (const double value : values) EXPECT_GT(value, 0);
}

// The program's own handler, then next touch, then a fault that is none of next touch's.
[[noreturn]] void fault_after_next_touch() {
  struct sigaction own{};
  own.sa_handler = [](int) { _exit(42); };
  sigaction(SIGSEGV, &own, nullptr);
  next_touch_here(memory::WantedWay::protect, 8, 1);
  *static_cast<volatile char*>(nullptr) = 1;
  _exit(1);
}

TEST(NextTouch, LeavesOtherFaultsToTheProgramsOwnHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // other tests have left threads
  EXPECT_EXIT(fault_after_next_touch(), testing::ExitedWithCode(42), "");
}

TEST(Measure, NextTouchIsMeasuredByEveryWayThatTheKernelAllows) {
  const Machine machine = machine::test::load("");
  Plan plan = tiny_plan(machine);
  plan.aggregate = false;
  plan.synchronisation = false;
  plan.compute = false;
  const auto measured = measure(machine, plan, [](const std::string&, std::size_t, std::size_t) {});
  ASSERT_TRUE(measured.ok()) << measured.error().sentence;
  std::set<std::string> ways;
  for (const auto& move : measured.value().migration) {
    if (move.method != "next-touch") continue;
    ways.insert(move.way);
    EXPECT_EQ(move.pages, next_touch_chunk);
  }
  EXPECT_EQ(ways.count("protect"), 1U) << "needs nothing of the kernel";
  const bool by_signal = !next_touch_here(memory::WantedWay::userfault_signal, 64, 64).empty();
  EXPECT_EQ(ways.count("userfault-signal") == 1, by_signal);
}

TEST(Measure, RefusesDomainsThatAreNotThere) {
  const Machine machine = machine::test::load("");
  Plan plan = tiny_plan(machine);
  plan.domains = {DomainId{900}};
  const auto measured = measure(machine, plan, [](const std::string&, std::size_t, std::size_t) {});
  ASSERT_FALSE(measured.ok());
  EXPECT_NE(measured.error().sentence.find("domain 900 does not exist"), std::string::npos);
}

Measurements pairs(std::initializer_list<std::pair<int, double>> figures, std::size_t size) {
  Measurements m;
  for (const auto& [cell, value] : figures) {
    const auto index = static_cast<std::size_t>(cell);
    m.pairs.push_back({DomainId{index / size},
                       DomainId{index % size},
                       "read",
                       {1U << 24U},
                       1,
                       {value, value, value}});
  }
  return m;
}

TEST(Apply, MakesDistancesOfBandwidths) {
  Machine machine = machine::test::load("synthetic:pack:2 [numa] core:2 pu:1");
  Measurements m = pairs({{0, 1000}, {1, 500}, {2, 400}, {3, 1000}}, 2);
  // A small footprint says nothing about memory.
  m.pairs.push_back({DomainId{0}, DomainId{1}, "read", {4096}, 1, {9000, 9000, 9000}});
  // Nor does a core alone, where there is a figure of all.
  m.pairs.insert(m.pairs.begin(),
                 {DomainId{0}, DomainId{1}, "read", {1U << 24U}, 2, {500, 500, 500}});
  m.pairs[2].figure = {450, 450, 450};
  EXPECT_TRUE(apply(m, machine));
  EXPECT_EQ(machine.distances.values, (std::vector<std::uint32_t>{10, 20, 25, 10}));
  EXPECT_EQ(machine.performance.bandwidth_mb_s, (std::vector<std::uint32_t>{1000, 500, 400, 1000}));
  EXPECT_FALSE(validate(machine).has_value());
}

TEST(Apply, KeepsDistancesIfAPairIsMissing) {
  Machine machine = machine::test::load("synthetic:pack:2 [numa] core:2 pu:1");
  const auto before = machine.distances.values;
  EXPECT_FALSE(apply(pairs({{0, 1000}, {3, 900}}, 2), machine));
  EXPECT_EQ(machine.distances.values, before);
  EXPECT_EQ(machine.performance.bandwidth_mb_s, (std::vector<std::uint32_t>{1000, 0, 0, 900}));
  EXPECT_FALSE(validate(machine).has_value());
}

TEST(Apply, MemoryWithoutCoresIsAsFarAsOthersAreFromIt) {
  Machine machine =
      machine::test::load(std::string(LARES_SOURCE_DIR) + "/machines/cxl.json");  // 2 + 1 domains
  EXPECT_TRUE(
      apply(pairs({{0, 1000}, {1, 500}, {2, 250}, {3, 500}, {4, 1000}, {5, 200}}, 3), machine));
  EXPECT_EQ(machine.distances.values,
            (std::vector<std::uint32_t>{10, 20, 40, 20, 10, 50, 40, 50, 10}));
  EXPECT_FALSE(validate(machine).has_value());
}

}  // namespace
}  // namespace lares::measure
