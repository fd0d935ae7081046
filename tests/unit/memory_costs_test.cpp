// Costs, break-even and what is said of them.
#include <gtest/gtest.h>

#include <cmath>

#include "memory/manager/costs.hpp"
#include "memory/manager/usage.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

// Schmidl 2016, table 3.2, microseconds per page, and what 3.3.3 says of it.
TEST(BreakEven, ThePublishedFigures) {
  EXPECT_NEAR(break_even(1.295, 0.204, 0.102), 12.7, 0.05);
  EXPECT_NEAR(break_even(14.458, 0.334, 0.047), 50, 0.5);
  EXPECT_NEAR(break_even(73.939, 0.334, 0.047), 258, 1);
}

TEST(BreakEven, NeverAndAtOnce) {
  EXPECT_TRUE(std::isinf(break_even(1, 2, 2)));
  EXPECT_TRUE(std::isinf(break_even(1, 2, 3)));
  EXPECT_EQ(break_even(0, 2, 2), 0);
}

TEST(AccessCost, BandwidthThenLatencyThenDistance) {
  machine::Machine machine = machine_of_nodes({0, 1});
  const DomainId here{0};
  const DomainId there{1};
  machine.distances = {{10, 21, 21, 10}, 2, "slit"};
  EXPECT_TRUE(access_cost(machine, here, there, {1000}, Use::read).estimated);
  EXPECT_NEAR(access_cost(machine, here, there, {1000}, Use::read).nanoseconds, 210, 1e-9);
  machine.performance.latency_ns = {80, 140, 140, 80};
  EXPECT_NEAR(access_cost(machine, here, there, {6400}, Use::read).nanoseconds, 14'000, 1e-9);
  machine.performance.bandwidth_mb_s = {20'000, 10'000, 10'000, 20'000};
  EXPECT_NEAR(access_cost(machine, here, there, {1'000'000}, Use::read).nanoseconds, 100'000, 1e-6);
  EXPECT_NEAR(access_cost(machine, here, here, {1'000'000}, Use::write).nanoseconds, 100'000, 1e-6);
  EXPECT_FALSE(access_cost(machine, here, there, {1}, Use::read).estimated);
}

TEST(MigrationAdvice, SaysWhenItPays) {
  const Bytes bytes{std::uint64_t{64} << 20U};
  EXPECT_EQ(migration_advice(bytes, DomainId{1}, DomainId{0}, 12.7e6, 2e6, 1e6),
            "moving 64 MiB from domain 1 to domain 0 costs 12.7 ms and pays after 13 sweeps");
  EXPECT_EQ(migration_advice(bytes, DomainId{1}, DomainId{0}, 0.5e6, 2e6, 1e6),
            "moving 64 MiB from domain 1 to domain 0 costs 500 us and pays after 1 sweep");
  EXPECT_EQ(migration_advice({512}, DomainId{0}, DomainId{0}, 10, 1, 1),
            "moving 512 bytes from domain 0 to domain 0 costs 10 ns and never pays: access is no "
            "faster there");
}

TEST(Usage, ReadsTheKernelsText) {
  const Usage usage = parse_usage("Node 1 MemTotal:       1000 kB\nNode 1 MemFree:   250 kB\n");
  EXPECT_EQ(usage.total.count, 1000U * 1024);
  EXPECT_EQ(usage.free.count, 250U * 1024);
  EXPECT_EQ(parse_usage("nothing").total.count, 0U);
  EXPECT_EQ(usage_of(OsNode{900}).total.count, 0U);
  EXPECT_GT(usage_of(OsNode{}).total.count, 0U);
}

}  // namespace
}  // namespace lares::memory
