// What constructs of a trace moved between domains, on traces made by hand.
#include <gtest/gtest.h>

#include <limits>

#include "trace/findings/construct_traffic.hpp"
#include "trace_sample.hpp"

namespace lares::trace {
namespace {

/// Two threads in two domains, two constructs, no grain yet.
Trace empty_trace() {
  Trace trace = sample_trace({.threads = 2, .domains = 2, .grains_per_thread = 0});
  trace.constructs.resize(2);
  return trace;
}

Grain& add_grain(Trace& trace, Index thread, Index construct, Time self,
                 const std::vector<Access>& accesses) {
  Grain grain;
  grain.thread = thread;
  grain.domain = static_cast<std::uint16_t>(thread);
  grain.construct = construct;
  grain.self = self;
  grain.first_access = static_cast<Index>(trace.accesses.size());
  grain.accesses = static_cast<std::uint16_t>(accesses.size());
  trace.accesses.insert(trace.accesses.end(), accesses.begin(), accesses.end());
  trace.grains.push_back(grain);
  return trace.grains.back();
}

TEST(ConstructTraffic, IsByConstructDomainAndHome) {
  Trace trace = empty_trace();
  add_grain(trace, 0, 0, 100, {{0x1000, 64, 1, false}, {0x2000, 32, 0, true}});
  add_grain(trace, 1, 0, 300, {{0x1000, 64, 1, false}});
  add_grain(trace, 1, 1, 1000, {});
  const auto found = construct_traffic(trace);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].construct, 1U) << "most time first";
  EXPECT_EQ(found[0].distinct, 0U);
  const ConstructTraffic& first = found[1];
  EXPECT_EQ(first.read, (std::vector<std::uint64_t>{0, 64, 0, 64}));
  EXPECT_EQ(first.written, (std::vector<std::uint64_t>{32, 0, 0, 0}));
  EXPECT_EQ(first.busy, (std::vector<Time>{100, 300}));
  EXPECT_EQ(first.threads, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(first.distinct, 96U) << "what both read counts once";
  EXPECT_EQ(first.homeless, 0U);
}

TEST(ConstructTraffic, WithoutAHomeIsLocal) {
  Trace trace = empty_trace();
  add_grain(trace, 1, 0, 5, {{0x1000, 10, no_domain, false}, {0x1000, 0, 0, false}});
  const auto found = construct_traffic(trace);
  EXPECT_EQ(found[0].read, (std::vector<std::uint64_t>{0, 0, 0, 10}));
  EXPECT_EQ(found[0].homeless, 10U);
}

TEST(ConstructTraffic, OfLaterPartsIsTimeOnly) {
  Trace trace = empty_trace();
  add_grain(trace, 0, none, 5, {{0x1000, 10, 0, false}});
  add_grain(trace, 0, none, 7, {{0x1000, 10, 0, false}}).flags = grain_flag::goes_on;
  const auto found = construct_traffic(trace);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].construct, none);
  EXPECT_EQ(found[0].read[0], 10U);
  EXPECT_EQ(found[0].busy[0], 12U);
  EXPECT_EQ(found[0].threads[0], 1U) << "a thread counts once";
}

TEST(ConstructTraffic, RangesThatOverlapOrAreDamageCountOnce) {
  Trace trace = empty_trace();
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  add_grain(trace, 0, 0, 5, {{100, 50, 0, false}, {120, 10, 0, true}, {140, 60, 0, true}});
  add_grain(trace, 0, 0, 5, {{last - 10, last, 0, false}});
  EXPECT_EQ(construct_traffic(trace)[0].distinct, 100U + 10U);
}

TEST(ConstructTraffic, OfAnyTraceAddsUp) {
  const Trace trace = sample_trace({.threads = 4, .domains = 2, .grains_per_thread = 200});
  Time time = 0;
  for (const Grain& grain : trace.grains) time += grain.self;
  for (const ConstructTraffic& each : construct_traffic(trace)) {
    for (const Time busy : each.busy) time -= busy;
  }
  EXPECT_EQ(time, 0U);
}

}  // namespace
}  // namespace lares::trace
