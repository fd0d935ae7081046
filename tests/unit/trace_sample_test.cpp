#include <gtest/gtest.h>

#include "trace/names.hpp"
#include "trace_sample.hpp"

namespace lares::trace {
namespace {

TEST(TraceSample, KeepsTheInvariants) {
  const Trace trace = sample_trace();
  ASSERT_EQ(trace.grains_of.size(), trace.threads.size() + 1);
  for (std::size_t i = 0; i < trace.grains.size(); ++i) {
    const Grain& grain = trace.grains[i];
    EXPECT_LE(grain.begin, grain.end);
    EXPECT_LE(grain.self, grain.length());
    EXPECT_LE(grain.created, grain.ready);
    EXPECT_LE(grain.ready, grain.begin);
    if (i > trace.grains_of[grain.thread]) {
      EXPECT_LE(trace.grains[i - 1].begin, grain.begin);
    }
  }
}

TEST(TraceNames, TimesHaveThreeFigures) {
  EXPECT_EQ(human_time(0), "0 ns");
  EXPECT_EQ(human_time(999), "999 ns");
  EXPECT_EQ(human_time(1234), "1.23 us");
  EXPECT_EQ(human_time(999'700), "1.00 ms");
  EXPECT_EQ(human_time(45'600'000'000), "45.6 s");
}

}  // namespace
}  // namespace lares::trace
