// Constructs of made-up traces beside what their bytes take on a made-up machine.
#include "trace/model/least_times.hpp"

#include <gtest/gtest.h>

#include "prediction_support.hpp"
#include "trace_sample.hpp"

namespace lares::trace {
namespace {

constexpr Time second = 1'000'000'000;
constexpr std::uint64_t billion = 1'000'000'000;

class LeastTimesTest : public testing::Test {
 protected:
  LeastTimesTest() {
    trace_.about.level = "numa";
    trace_.constructs.resize(2);
  }

  /// A grain of thread `number`, which runs in the domain of that number.
  void add_grain(Index number, Index construct, Time self, const std::vector<Access>& accesses) {
    Grain grain;
    grain.thread = number;
    grain.domain = static_cast<std::uint16_t>(number);
    grain.construct = construct;
    grain.self = self;
    grain.first_access = static_cast<Index>(trace_.accesses.size());
    grain.accesses = static_cast<std::uint16_t>(accesses.size());
    trace_.accesses.insert(trace_.accesses.end(), accesses.begin(), accesses.end());
    trace_.grains.push_back(grain);
  }

  [[nodiscard]] LeastTimes found() const {
    auto times = least_times(trace_, machine_, figures_);
    EXPECT_TRUE(times.ok()) << times.error().sentence;
    return std::move(times.value());
  }

  [[nodiscard]] std::string refusal() const {
    const auto times = least_times(trace_, machine_, figures_);
    return times.ok() ? "" : times.error().sentence;
  }

  machine::Machine machine_ = model::test::four_domains();
  model::Figures figures_ = model::test::figures_of(machine_, model::test::four_domains_measured());
  Trace trace_ = sample_trace({.threads = 4, .domains = 4, .grains_per_thread = 0});
};

TEST_F(LeastTimesTest, AreThoseOfTheBytesFromWhereTheyWere) {
  // One core of domain 1 reads what domain 0 holds: half of the 5 GB/s of both.
  add_grain(1, 0, second / 2, {{0x1000, billion, 0, false}});
  add_grain(0, 1, second, {});
  const LeastTimes times = found();
  ASSERT_EQ(times.rows.size(), 2U);
  EXPECT_EQ(times.machine, machine_.name);
  EXPECT_EQ(times.rows[0].construct, 1U) << "most time first";
  EXPECT_FALSE(times.rows[0].is_known());
  const LeastRow& row = times.rows[1];
  EXPECT_DOUBLE_EQ(row.bytes, 1e9);
  EXPECT_EQ(row.homeless, 0);
  EXPECT_NEAR(row.least.memory.time.count, 0.4, 1e-6);
  EXPECT_EQ(row.least.memory.from, DomainId{1});
  EXPECT_EQ(row.least.memory.to, DomainId{0});
  EXPECT_NEAR(row.least.efficiency, 0.8, 1e-6);
  EXPECT_EQ(row.least.verdict, model::Verdict::memory_bound);
}

TEST_F(LeastTimesTest, OfFewerDomainsThanTheMachineHas) {
  const auto of_domains = [this](std::uint32_t domains) {
    trace_ = sample_trace({.threads = domains, .domains = domains, .grains_per_thread = 0});
    add_grain(1, 0, second, {{0x1000, billion, 0, false}, {0x1000, billion, 1, true}});
    return found().rows[0].least.memory;
  };
  const model::MemoryTime all = of_domains(4);
  const model::MemoryTime few = of_domains(2);
  EXPECT_DOUBLE_EQ(few.time.count, all.time.count);
  EXPECT_EQ(few.from, DomainId{1});
  EXPECT_EQ(few.to, all.to);
}

TEST_F(LeastTimesTest, OfOtherDomainsAreRefused) {
  add_grain(0, 0, second, {{0x1000, billion, 0, false}});
  trace_.domains = 5;
  EXPECT_NE(refusal().find("had 5 domains at level numa, but the machine"), std::string::npos);
  EXPECT_NE(refusal().find("with the same --domain"), std::string::npos);
  trace_.domains = 4;
  trace_.about.level = "l3";
  EXPECT_NE(refusal().find("4 domains at level l3"), std::string::npos) << "as many, but others";
  trace_.about.level.clear();
  EXPECT_EQ(refusal(), "") << "an old trace does not tell its level";
}

TEST_F(LeastTimesTest, RemarksSayWhatIsMissing) {
  add_grain(0, 0, second, {});
  ASSERT_EQ(remarks_on(found()).size(), 1U);
  EXPECT_NE(remarks_on(found())[0].find("The trace has no bytes"), std::string::npos);
  add_grain(0, 1, second, {{0x1000, billion / 4, 0, false}});
  add_grain(0, 1, second, {{0x1000, billion / 4, no_domain, false}});
  const auto remarks = remarks_on(found());
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_EQ(remarks[0], "1 of 2 constructs name no bytes, so nothing can be said of them.");
  EXPECT_EQ(remarks[1], "No home is known of 50 % of the bytes; they count as local.");
}

TEST_F(LeastTimesTest, RemarksTellThatCachesHelped) {
  add_grain(0, 0, second / 100, {{0x1000, billion, 0, false}});
  const auto remarks = remarks_on(found());
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_NE(remarks[0].find("Above 100 %"), std::string::npos);
}

}  // namespace
}  // namespace lares::trace
