// What the model reads off a machine's measurements: teams, curves, pairs, peaks, synchronisation.
#include <gtest/gtest.h>

#include <fstream>

#include "machine/machine_file.hpp"
#include "model/curve.hpp"
#include "model/roofs.hpp"
#include "prediction_support.hpp"

namespace lares::model {
namespace {

using machine::Machine;
using machine::Measurements;

TEST(Team, IsSpreadOverTheDomainsAsLaresRunDoes) {
  const Machine machine = test::four_domains();
  const auto spread = [&](std::uint32_t threads) {
    return spread_team(machine, threads).value().of_domain;
  };
  EXPECT_EQ(spread(1), (std::vector<std::uint32_t>{1, 0, 0, 0}));
  EXPECT_EQ(spread(2), (std::vector<std::uint32_t>{1, 0, 1, 0}));
  EXPECT_EQ(spread(4), (std::vector<std::uint32_t>{1, 1, 1, 1}));
  EXPECT_EQ(spread(8), (std::vector<std::uint32_t>{2, 2, 2, 2}));
  EXPECT_EQ(spread(3), (std::vector<std::uint32_t>{1, 1, 1, 0}));
}

TEST(Team, IsNotLargerThanTheMachine) {
  const auto refused = spread_team(test::four_domains(), 9);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence,
            "the machine has 8 cores, so it cannot have a team of 9 threads with a core for each");
  EXPECT_FALSE(spread_team(test::four_domains(), 0).ok());
}

TEST(Curve, GoesStraightOnLogarithmicPaper) {
  Curve curve;
  curve.add({1024}, {8000});
  curve.add({1024 * 1024}, {2000});
  EXPECT_DOUBLE_EQ(curve.at({512}).mb_s, 8000);
  EXPECT_DOUBLE_EQ(curve.at({1024}).mb_s, 8000);
  EXPECT_NEAR(curve.at({32 * 1024}).mb_s, 4000, 1e-6) << "the middle of both logarithms";
  EXPECT_DOUBLE_EQ(curve.at({std::uint64_t{1} << 40U}).mb_s, 2000);
  curve.add({1024}, {4000});
  EXPECT_DOUBLE_EQ(curve.at({0}).mb_s, 4000) << "the later figure counts";
}

TEST(Curve, TellsWhatComesFromMemory) {
  Curve curve;
  curve.add({1024}, {8000});
  EXPECT_EQ(curve.memory_share({1}), 1) << "nothing is known of caches";
  curve.add({1024 * 1024}, {2000});
  EXPECT_DOUBLE_EQ(curve.memory_share({1024}), 0);
  EXPECT_DOUBLE_EQ(curve.memory_share({std::uint64_t{1} << 30U}), 1);
  // 4000 MB/s: 250 ns a KB, between 125 and 500.
  EXPECT_NEAR(curve.memory_share({32 * 1024}), 1.0 / 3, 1e-9);
}

TEST(Figures, OfPairsAreThoseMeasured) {
  const Figures f = test::figures_of(test::four_domains(), test::four_domains_measured());
  const auto rate = [&](std::size_t from, std::size_t to, std::uint32_t threads, Bytes footprint,
                        Access access) {
    return f.pair(DomainId{from}, DomainId{to}, threads, footprint, access).mb_s;
  };
  EXPECT_DOUBLE_EQ(rate(0, 0, 2, test::in_memory, Access::read), 10'000);
  EXPECT_DOUBLE_EQ(rate(1, 0, 2, test::in_memory, Access::read), 5'000);
  EXPECT_DOUBLE_EQ(rate(0, 3, 2, test::in_memory, Access::read), 2'000);
  EXPECT_DOUBLE_EQ(rate(0, 3, 2, test::cached, Access::read), 100'000);
  EXPECT_DOUBLE_EQ(rate(0, 0, 2, test::in_memory, Access::write), 5'000);
  // Writing has no figure for caches: it becomes faster as reading does.
  EXPECT_DOUBLE_EQ(rate(0, 0, 2, test::cached, Access::write), 50'000);
}

TEST(Figures, OfFewThreadsAreMeasuredOrTheirPart) {
  const Figures f = test::figures_of(test::four_domains(), test::four_domains_measured());
  const auto one = [&](std::size_t to) {
    return f.pair(DomainId{0}, DomainId{to}, 1, test::in_memory, Access::read).mb_s;
  };
  EXPECT_DOUBLE_EQ(one(0), 6'000) << "measured";
  EXPECT_DOUBLE_EQ(one(1), 2'500) << "half of what both reach";
  // One core was only seen reading; it writes as both do, in caches as well.
  EXPECT_DOUBLE_EQ(f.pair(DomainId{0}, DomainId{0}, 1, test::in_memory, Access::write).mb_s, 3'000);
  EXPECT_DOUBLE_EQ(f.pair(DomainId{0}, DomainId{0}, 1, test::cached, Access::write).mb_s, 3'000);
  EXPECT_DOUBLE_EQ(f.pair(DomainId{0}, DomainId{0}, 9, test::in_memory, Access::read).mb_s, 10'000);
}

TEST(Figures, OfTheMachineBlendNearAndFar) {
  const Figures f = test::figures_of(test::four_domains(), test::four_domains_measured());
  // All-to-all: a quarter near at 32 GB/s, the rest far, together 8 GB/s.
  const double near = f.machine_local(test::in_memory, Access::read).count * 1e9;
  const double far = f.machine_remote(test::in_memory, Access::read, false).count * 1e9;
  EXPECT_NEAR(near, 1 / 32.0, 1e-9);
  EXPECT_NEAR(near / 4 + far * 3 / 4, 1 / 8.0, 1e-9);
  const double pages = f.machine_remote(test::in_memory, Access::read, true).count * 1e9;
  EXPECT_NEAR(near / 4 + pages * 3 / 4, 1 / 16.0, 1e-9);
  EXPECT_EQ(f.machine_local(test::cached, Access::read).count, 0) << "no memory is used";
}

TEST(Figures, OfComputingLieBetweenOneCoreAndAll) {
  const Figures f = test::figures_of(test::four_domains(), test::four_domains_measured());
  EXPECT_DOUBLE_EQ(f.peak(Flops::fma, 1)->gflops, 20);
  EXPECT_DOUBLE_EQ(f.peak(Flops::fma, 8)->gflops, 120);
  // Each core has 20 alone and 15 among eight.
  EXPECT_NEAR(f.peak(Flops::fma, 4)->gflops, 4 * (20 - 5.0 * 3 / 7), 1e-9);
  EXPECT_DOUBLE_EQ(f.peak(Flops::chain, 8)->gflops, 16);
  EXPECT_FALSE(f.peak(Flops::scalar_add, 1).has_value());
}

TEST(Figures, OfSynchronisationAreOfTheRuntime) {
  const Figures f = test::figures_of(test::four_domains(), test::four_domains_measured());
  EXPECT_EQ(f.default_runtime(), "libomp");
  EXPECT_DOUBLE_EQ(f.sync(Construct::barrier, "libomp", 4)->count, 400e-9);
  EXPECT_DOUBLE_EQ(f.sync(Construct::parallel_for, "libomp", 8)->count, 8e-6);
  EXPECT_DOUBLE_EQ(f.sync(Construct::reduction, "lares", 8)->count, 800e-9);
  const double three = f.sync(Construct::barrier, "libomp", 3)->count;
  EXPECT_GT(three, 200e-9);
  EXPECT_LT(three, 400e-9);
  EXPECT_FALSE(f.sync(Construct::barrier, "libgomp", 4).has_value());
}

TEST(Figures, ThatAreMissingAreSaid) {
  const Machine machine = test::four_domains();
  const auto nothing = Figures::of(machine, {});
  ASSERT_FALSE(nothing.ok());
  EXPECT_NE(nothing.error().sentence.find("lares measure --output FILE"), std::string::npos);
  Measurements gap = test::four_domains_measured();
  std::erase_if(gap.pairs, [](const auto& pair) { return pair.to == DomainId{2}; });
  const auto refused = Figures::of(machine, gap);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence.find("domain 0 reads the memory of domain 2"),
            std::string::npos);
  const Figures f = test::figures_of(machine, test::four_domains_measured());
  ASSERT_EQ(f.notes().size(), 3U) << "update, copy and triad are guessed";
  EXPECT_EQ(f.notes()[0],
            "nobody has measured the kernel update there, so the figures of read are taken");
}

TEST(Figures, MayBePublishedOnes) {
  Machine machine = test::four_domains();
  machine.performance.bandwidth_mb_s.assign(16, 3'000);
  for (std::size_t d = 0; d < 4; ++d) machine.performance.bandwidth_mb_s[5 * d] = 9'000;
  const Figures f = test::figures_of(machine, {});
  EXPECT_DOUBLE_EQ(f.pair(DomainId{2}, DomainId{2}, 2, test::cached, Access::triad).mb_s, 9'000);
  EXPECT_DOUBLE_EQ(f.pair(DomainId{2}, DomainId{1}, 1, test::cached, Access::read).mb_s, 1'500);
  EXPECT_EQ(f.default_runtime(), "");
  EXPECT_FALSE(f.notes().empty());
}

TEST(Roofs, DistancesThatAreAlmostTheSameAreOneClass) {
  Machine machine = test::four_domains();
  machine.distances.values = {10, 20, 30, 31, 21, 10, 33, 32, 30, 34, 10, 22, 31, 30, 20, 10};
  const Figures f = test::figures_of(machine, test::four_domains_measured());
  const auto roofs = memory_roofs(machine, f, spread_team(machine, 8).value());
  ASSERT_EQ(roofs.size(), 4U);
  EXPECT_EQ(roofs[1].least_distance, 20U);
  EXPECT_EQ(roofs[1].most_distance, 22U);
  EXPECT_EQ(roofs[2].most_distance, 33U);
  EXPECT_EQ(roofs[3].least_distance, 34U);
}

TEST(Roofs, ThereIsOneForEachClassOfPairs) {
  const Machine machine = test::four_domains();
  const Figures f = test::figures_of(machine, test::four_domains_measured());
  const auto roofs = memory_roofs(machine, f, spread_team(machine, 8).value());
  ASSERT_EQ(roofs.size(), 3U);
  EXPECT_TRUE(roofs[0].local);
  // All cores get 32 GB/s together, though four domains alone would get 40.
  EXPECT_NEAR(roofs[0].rate.mb_s, 32'000, 1e-6);
  EXPECT_EQ(roofs[1].least_distance, 20U);
  EXPECT_EQ(roofs[2].most_distance, 30U);
  EXPECT_LE(roofs[1].rate, roofs[0].rate);
  EXPECT_NEAR(roofs[2].rate.mb_s, 4 * 2'000 * 0.75 / 0.9375, 400) << "limited by all-to-all";
  const auto peaks = peak_roofs(f, spread_team(machine, 8).value(), std::nullopt);
  ASSERT_EQ(peaks.size(), 2U);
  EXPECT_EQ(peaks[0].kind, Flops::fma);
}

}  // namespace
}  // namespace lares::model
