// What a least time and its verdict are called.
#include "model/least_words.hpp"

#include <gtest/gtest.h>

namespace lares::model {
namespace {

MemoryTime waiting_for(Bottleneck bottleneck, std::size_t from = 0, std::size_t to = 0) {
  return {{1}, bottleneck, DomainId{from}, DomainId{to}};
}

TEST(LeastWords, NameWhatIsWaitedFor) {
  EXPECT_EQ(bottleneck_text(waiting_for(Bottleneck::nothing)), "nothing");
  EXPECT_EQ(bottleneck_text(waiting_for(Bottleneck::pair, 2, 2)), "domain 2 with its own memory");
  EXPECT_EQ(bottleneck_text(waiting_for(Bottleneck::pair, 0, 3)), "domain 0 with the memory of 3");
  EXPECT_EQ(bottleneck_text(waiting_for(Bottleneck::home, 0, 1)),
            "the memory of domain 1, which several use");
  EXPECT_EQ(bottleneck_text(waiting_for(Bottleneck::machine)), "memory that all cores share");
  EXPECT_EQ(bottleneck_word(Bottleneck::home), "home");
}

TEST(LeastWords, OfAVerdictSayForWhat) {
  LeastTime least;
  EXPECT_EQ(verdict_text(least), "names no bytes");
  EXPECT_EQ(verdict_word(least.verdict), "no-bytes");
  least.memory = waiting_for(Bottleneck::pair, 1, 1);
  least.verdict = Verdict::partly;
  EXPECT_EQ(verdict_text(least), "partly memory-bound: domain 1 with its own memory");
  least.verdict = Verdict::memory_bound;
  EXPECT_EQ(verdict_text(least), "memory-bound: domain 1 with its own memory");
  least.verdict = Verdict::not_memory_bound;
  EXPECT_EQ(verdict_text(least), "not memory-bound");
  EXPECT_EQ(verdict_word(least.verdict), "not-memory-bound");
}

}  // namespace
}  // namespace lares::model
