// T = max(Tm, Tc) + Ts: cases reckoned by hand, and what must hold of any.
#include <gtest/gtest.h>

#include <random>

#include "model/least_time.hpp"
#include "prediction_support.hpp"

namespace lares::model {
namespace {

using machine::Machine;

class Predict : public testing::Test {
 protected:
  [[nodiscard]] Seconds tm(const Team& team, const std::vector<Stream>& streams,
                           double imbalance = 1) const {
    return memory_time(figures_, team, streams, imbalance).time;
  }
  [[nodiscard]] Prediction predicted(const Region& region, std::uint32_t threads,
                                     Choice choice = {"libomp", std::nullopt}) const {
    const auto found = predict({"made up", {region}, {}}, machine_, figures_, threads, choice);
    EXPECT_TRUE(found.ok()) << found.error().sentence;
    return found.value();
  }
  [[nodiscard]] std::string refusal(const Region& region, const Choice& choice) const {
    const auto found = predict({"made up", {region}, {}}, machine_, figures_, 8, choice);
    return found.ok() ? "(accepted)" : found.error().sentence;
  }

  Machine machine_ = test::four_domains();
  Figures figures_ = test::figures_of(machine_, test::four_domains_measured());
  const Team all_ = test::team_of({2, 2, 2, 2});
};

Array array_of(double bytes, Placement placement = Placement::local, DomainId domain = {}) {
  return {"a", {static_cast<std::uint64_t>(bytes)}, bytes, Access::read, placement, domain};
}

/// 800 MB: 100 MB for each of eight threads, so that no cache holds a thread's part.
constexpr double large = 8e8;

TEST_F(Predict, ADomainAloneGoesAtItsPairsRate) {
  const Team two = test::team_of({2, 0, 0, 0});
  EXPECT_NEAR(tm(two, {test::stream(test::only(0, 0, 1e9))}).count, 0.1, 1e-12);
  EXPECT_NEAR(tm(two, {test::stream(test::only(0, 3, 1e9))}).count, 0.5, 1e-12);
  const Team one = test::team_of({1, 0, 0, 0});
  EXPECT_NEAR(tm(one, {test::stream(test::only(0, 0, 1e9))}).count, 1 / 6.0, 1e-12);
}

TEST_F(Predict, HomesOfADomainFollowEachOther) {
  const Team two = test::team_of({2, 0, 0, 0});
  std::vector<double> bytes = test::only(0, 0, 1e9);
  bytes[1] = 1e9;
  bytes[3] = 1e9;
  const MemoryTime found = memory_time(figures_, two, {test::stream(bytes)});
  EXPECT_NEAR(found.time.count, 0.1 + 0.2 + 0.5, 1e-12);
  EXPECT_EQ(found.bottleneck, Bottleneck::pair);
  EXPECT_EQ(found.to, DomainId{3}) << "where most of the time goes";
}

TEST_F(Predict, TheHomeOfEverybodysDataIsTheLimit) {
  std::vector<double> bytes(16, 0);
  for (std::size_t from = 0; from < 2; ++from) bytes[from * 4] = 1e9;
  const MemoryTime found =
      memory_time(figures_, test::team_of({2, 2, 0, 0}), {test::stream(bytes)});
  // Domain 1 alone would need 0.2 s for its part; so does the home for both parts. The machine
  // needs 1/32 s for what is near and, for what is far, (1/8 - 1/4/32) / (3/4) = 0.15625 s.
  EXPECT_NEAR(found.time.count, 0.2, 1e-12);
  for (std::size_t from = 0; from < 4; ++from) bytes[from * 4] = 5e8;
  const MemoryTime by_all = memory_time(figures_, all_, {test::stream(bytes)});
  EXPECT_NEAR(by_all.time.count, 0.25, 1e-12) << "5e8 bytes across, at 2 GB/s";
}

TEST_F(Predict, TheHomeLimitsWhereEachPairAloneWouldBeFaster) {
  machine::Measurements same = test::four_domains_measured();
  for (auto& pair : same.pairs) {
    if (pair.footprint == test::in_memory) pair.figure = test::exactly(10'000);
  }
  same.aggregate.clear();
  const Figures figures = test::figures_of(machine_, same);
  std::vector<double> bytes(16, 0);
  for (std::size_t from = 0; from < 4; ++from) bytes[from * 4 + 2] = 1e9;
  const MemoryTime found = memory_time(figures, all_, {test::stream(bytes)});
  EXPECT_EQ(found.bottleneck, Bottleneck::home);
  EXPECT_EQ(found.to, DomainId{2});
  EXPECT_NEAR(found.time.count, 0.4, 1e-12);
  // What caches hold costs the home nothing.
  EXPECT_NEAR(memory_time(figures, all_, {test::stream(bytes, test::cached)}).time.count, 0.01,
              1e-12);
}

TEST_F(Predict, AllCoresTogetherGetLessThanEachAlone) {
  const auto found = predicted({.name = "r", .arrays = {array_of(large)}}, 8);
  EXPECT_NEAR(found.regions[0].memory.count, large / 32e9, 1e-9);
  EXPECT_EQ(found.regions[0].slowest.bottleneck, Bottleneck::machine);
}

TEST_F(Predict, InterleavedPagesAreReckonedByHand) {
  const auto found =
      predicted({.name = "r", .arrays = {array_of(large, Placement::interleaved)}}, 8);
  // Each domain reads 5e7 bytes of each home: 5, 10, 25 and 25 ms.
  EXPECT_NEAR(found.regions[0].memory.count, 0.065, 1e-9);
}

TEST_F(Predict, DataOfOneDomainIsReckonedByHand) {
  const auto found =
      predicted({.name = "r", .arrays = {array_of(large, Placement::in_domain, DomainId{0})}}, 8);
  EXPECT_NEAR(found.regions[0].memory.count, 2e8 / 2e9, 1e-9);
}

TEST_F(Predict, ComputingAndWaitingAreReckonedByHand) {
  Region region{.name = "r", .repeat = 10, .flops = {{Flops::fma, 1.2e9}}};
  region.constructs = {{Construct::parallel, 1}, {Construct::barrier, 2}};
  const RegionTime time = predicted(region, 8).regions[0];
  EXPECT_NEAR(time.computing.count, 0.01, 1e-12);
  EXPECT_NEAR(time.waiting.count, 8e-6 + 2 * 800e-9, 1e-15);
  EXPECT_NEAR(time.total.count, 10 * (0.01 + 9.6e-6), 1e-12);
  EXPECT_EQ(time.bound, Bound::computation);
  EXPECT_FALSE(time.intensity().has_value());
  EXPECT_NEAR(*time.roof(), 120, 1e-9);
}

TEST_F(Predict, ASerialPartUsesOneThread) {
  Region region{.name = "r", .most_threads = 1, .flops = {{Flops::chain, 2e9}}};
  EXPECT_NEAR(predicted(region, 8).regions[0].once.count, 1, 1e-12);
  EXPECT_EQ(predicted(region, 8).regions[0].threads, 1U);
}

TEST_F(Predict, TheBusiestThreadDecides) {
  Region region{.name = "r", .imbalance = 1.5, .flops = {{Flops::fma, 1.2e9}}};
  EXPECT_NEAR(predicted(region, 8).total.count, 0.015, 1e-12);
  region.imbalance = 100;
  EXPECT_NEAR(predicted(region, 1).total.count, 0.06, 1e-12) << "one thread has no busier one";
}

TEST_F(Predict, ThePeakMayBeGiven) {
  Region region{.name = "r", .flops = {{Flops::scalar_add, 8e9}}};
  EXPECT_NEAR(predicted(region, 8, {"libomp", Peak{1}}).total.count, 1, 1e-12);
  EXPECT_NE(refusal(region, {"libomp", {}}).find("give --peak GFLOPS"), std::string::npos);
}

TEST_F(Predict, WhatIsMissingIsSaid) {
  Region region{.name = "r", .constructs = {{Construct::reduction, 1}}};
  EXPECT_NE(refusal(region, {"libgomp", {}}).find("what reduction costs with libgomp"),
            std::string::npos);
  Region placed{.name = "r", .arrays = {array_of(1, Placement::in_domain, DomainId{4})}};
  EXPECT_EQ(refusal(placed, {"libomp", {}}),
            "array \"a\" of region \"r\" is in domain 4, but the machine has 4");
}

/// A region of everything, at random.
Region random_region(std::mt19937_64& random) {
  const auto below = [&](double most) {
    return std::uniform_real_distribution<double>(most / 1e4, most)(random);
  };
  Region region{.name = "r", .imbalance = 1 + below(1)};
  region.flops = {{Flops::fma, below(1e10)}, {Flops::chain, below(1e8)}};
  for (int i = 0; i < 3; ++i) {
    Array array =
        array_of(below(1e9), static_cast<Placement>(random() % 3), DomainId{random() % 4});
    array.access = static_cast<Access>(random() % 5);
    array.traffic = below(1e9);
    region.arrays.push_back(array);
  }
  region.constructs = {{Construct::barrier, below(1e4)}};
  return region;
}

TEST_F(Predict, TimeIsNeverBelowOneOfItsParts) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i) {
    const Region region = random_region(random);
    const auto threads = static_cast<std::uint32_t>(1 + random() % 8);
    const RegionTime time = predicted(region, threads).regions[0];
    EXPECT_GE(time.once, time.memory + time.waiting);
    EXPECT_GE(time.once, time.computing + time.waiting);
    EXPECT_GE(*time.roof(), *time.rate());
    const Prediction whole = predicted(region, threads);
    EXPECT_GE(whole.apart, whole.total);
    EXPECT_LE(whole.apart.count, 2 * whole.total.count);
    EXPECT_NEAR(whole.apart.count, (time.memory + time.computing + time.waiting).count, 1e-9);
  }
}

TEST_F(Predict, MoreBytesAreNeverFaster) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 500; ++i) {
    Region region = random_region(random);
    const auto threads = static_cast<std::uint32_t>(1 + random() % 8);
    const Seconds before = predicted(region, threads).total;
    region.arrays[random() % 3].traffic *= 1.0 + static_cast<double>(random() % 100) / 50;
    EXPECT_GE(predicted(region, threads).total, before);
    region.arrays[random() % 3].footprint.count *= 1 + random() % 8;
    EXPECT_GE(predicted(region, threads).total.count, before.count * (1 - 1e-12))
        << "this machine's curves fall";
  }
}

TEST_F(Predict, LocalDataIsNeverSlower) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    std::vector<Stream> streams;
    for (int s = 0; s < 3; ++s) {
      Stream stream = test::stream(std::vector<double>(16, 0));
      for (double& bytes : stream.bytes)
        bytes = random() % 3 == 0 ? 0 : static_cast<double>(random() % 1000) * 1e6;
      stream.footprint.count >>= random() % 16;
      stream.access = random() % 2 == 0 ? Access::read : Access::write;
      streams.push_back(stream);
    }
    const auto local = all_local(streams, 4);
    EXPECT_DOUBLE_EQ(sum_of(local), sum_of(streams));
    EXPECT_LE(tm(all_, local).count, tm(all_, streams).count * (1 + 1e-12));
  }
}

TEST_F(Predict, OneFasterMemoryNeverSlowsDown) {
  std::mt19937_64 random(8);
  const Region region = random_region(random);
  machine::Measurements faster = test::four_domains_measured();
  const Seconds before = predicted(region, 8).total;
  for (auto& pair : faster.pairs) {
    const auto old = pair.figure;
    pair.figure = test::exactly(old.median * 1.5);
    const Figures figures = test::figures_of(machine_, faster);
    const auto now = predict({"d", {region}, {}}, machine_, figures, 8, {"libomp", {}});
    EXPECT_LE(now.value().total.count, before.count * (1 + 1e-9));
    pair.figure = old;
  }
}

// ---- traced work
// -------------------------------------------------------------------------------------

WorkDone work_of(std::vector<double> bytes, std::vector<double> busy) {
  WorkDone work{test::team_of({2, 2, 0, 0}), {test::stream(std::move(bytes))}, {}};
  for (const double seconds : busy) work.busy.push_back({seconds});
  return work;
}

TEST_F(Predict, AMemoryBoundRunIsToldFromOthers) {
  // 1e9 bytes from the neighbour take 0.2 s at least, and 0.1 s if they were at home.
  const auto bytes = test::only(0, 1, 1e9);
  const LeastTime bound = least_time(figures_, work_of(bytes, {0.5, 0.1, 0, 0}));
  EXPECT_NEAR(bound.measured.count, 0.25, 1e-12) << "of a thread of the busiest domain";
  EXPECT_NEAR(bound.efficiency, 0.8, 1e-9);
  EXPECT_EQ(bound.verdict, Verdict::memory_bound);
  EXPECT_NEAR(bound.if_local.count, 0.15, 1e-9);
  EXPECT_EQ(least_time(figures_, work_of(bytes, {1, 0, 0, 0})).verdict, Verdict::partly);
  EXPECT_EQ(least_time(figures_, work_of(bytes, {4, 0, 0, 0})).verdict, Verdict::not_memory_bound);
}

TEST_F(Predict, CachesMayBeFasterThanTheModel) {
  const LeastTime fast = least_time(figures_, work_of(test::only(0, 1, 1e9), {0.1, 0, 0, 0}));
  EXPECT_NEAR(fast.efficiency, 4, 1e-9);
  EXPECT_NEAR(fast.if_local.count, 0.025, 1e-9) << "not below 0";
}

TEST_F(Predict, WithoutBytesNothingIsSaid) {
  const LeastTime silent = least_time(figures_, work_of(std::vector<double>(16, 0), {1, 1, 0, 0}));
  EXPECT_EQ(silent.verdict, Verdict::no_bytes);
  EXPECT_EQ(silent.if_local, silent.measured);
}

// ---- the thesis' own figures
// ----------------------------------------------------------------------------

// Schmidl 2016, section 6.2: a machine of 128 cores with 1024 GFLOPS, 512 without multiply-adds and
// 256 without vectors. 128 threads get 226 GB/s with 3.1 GB and 155 GB/s with 45 MB.
class Thesis : public testing::Test {
 protected:
  static Figures bcs(const Machine& machine) {
    machine::Measurements m;
    const auto add = [&](double bytes, double gb_s) {
      m.pairs.push_back({DomainId{0},
                         DomainId{0},
                         "read",
                         {static_cast<std::uint64_t>(bytes / 128)},
                         128,
                         test::exactly(gb_s * 1e3)});
    };
    add(45e6, 155);
    add(3.1e9, 226);
    m.compute = {{"fma", 128, test::exactly(1024)},
                 {"add", 128, test::exactly(512)},
                 {"scalar-add", 128, test::exactly(256)}};
    return test::figures_of(machine, m);
  }
};

TEST_F(Thesis, ItsConjugateGradientsAreMemoryBoundByTheFootprint) {
  const Machine machine = machine::test::load("synthetic:core:128 pu:1");
  const Figures figures = bcs(machine);
  Region product{.name = "product", .flops = {{Flops::scalar_add, 2 * 283'073'458.0}}};
  product.arrays = {array_of(3.1e9)};
  Region vectors{.name = "vectors"};
  vectors.arrays = {array_of(45e6)};
  const auto found = predict({"cg", {product, vectors}, {}}, machine, figures, 128, {});
  ASSERT_TRUE(found.ok()) << found.error().sentence;
  EXPECT_NEAR(found.value().regions[0].once.count, 3.1 / 226, 1e-6);
  EXPECT_NEAR(found.value().regions[1].once.count, 0.045 / 155, 1e-8);
  EXPECT_EQ(found.value().regions[0].bound, Bound::memory);
  // Its roofline takes the same rate for both; the small arrays take 46 % longer than that.
  EXPECT_NEAR(found.value().regions[1].once.count / (0.045 / 226), 1.458, 0.001);
}

TEST_F(Thesis, ItsCeilingsAreHalvedTwice) {
  const Machine machine = machine::test::load("synthetic:core:128 pu:1");
  const Figures figures = bcs(machine);
  const auto seconds = [&](Flops kind) {
    Region region{.name = "r", .flops = {{kind, 1.024e12}}};
    return predict({"r", {region}, {}}, machine, figures, 128, {}).value().total.count;
  };
  EXPECT_NEAR(seconds(Flops::fma), 1, 1e-9);
  EXPECT_NEAR(seconds(Flops::add), 2, 1e-9);
  EXPECT_NEAR(seconds(Flops::scalar_add), 4, 1e-9);
}

}  // namespace
}  // namespace lares::model
