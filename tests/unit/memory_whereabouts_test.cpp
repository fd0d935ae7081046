// What threads tell of themselves to who serves their touches.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "memory/whereabouts.hpp"

namespace lares::memory {
namespace {

TEST(Whereabouts, AreFoundByNumberUntilTheyAreReleased) {
  constexpr std::int32_t thread = 1'000'001;
  EXPECT_EQ(find_whereabouts(thread), nullptr);
  Whereabouts* const row = claim_whereabouts(thread);
  ASSERT_NE(row, nullptr);
  row->cpu = 3;
  row->home = 2;
  EXPECT_EQ(find_whereabouts(thread), row);
  EXPECT_EQ(find_whereabouts(thread + 1), nullptr);
  release_whereabouts(row);
  EXPECT_EQ(find_whereabouts(thread), nullptr);
  Whereabouts* const again = claim_whereabouts(thread);
  ASSERT_EQ(again, row);
  EXPECT_EQ(again->cpu, -1);
  EXPECT_EQ(again->home, -1);
  release_whereabouts(again);
  release_whereabouts(nullptr);
}

TEST(Whereabouts, NumbersThatFallUponEachOtherHaveRoomForAFew) {
  std::vector<Whereabouts*> claimed;
  for (std::int32_t i = 1; i <= 12; ++i) claimed.push_back(claim_whereabouts(2'000'007 + i * 4096));
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    const auto thread = static_cast<std::int32_t>(2'000'007 + (i + 1) * 4096);
    EXPECT_EQ(find_whereabouts(thread), claimed[i]);
    EXPECT_EQ(claimed[i] == nullptr, i >= 8) << i;
  }
  for (Whereabouts* const row : claimed) release_whereabouts(row);
}

TEST(Whereabouts, AreForgottenAllTogether) {
  constexpr std::int32_t thread = 3'000'001;
  ASSERT_NE(claim_whereabouts(thread), nullptr);
  forget_whereabouts();
  EXPECT_EQ(find_whereabouts(thread), nullptr);
}

TEST(Whereabouts, OfManyThreadsAreTheirOwn) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&wrong, t] {
      for (int round = 0; round < 2000; ++round) {
        const std::int32_t thread = 4'000'000 + t;
        Whereabouts* const row = claim_whereabouts(thread);
        if (row == nullptr) continue;
        if (row->cpu != -1 || row->home != -1) ++wrong;
        row->cpu = t;
        row->home = round;
        const Whereabouts* const found = find_whereabouts(thread);
        if (found != row || found->cpu != t || found->home != round) ++wrong;
        release_whereabouts(row);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace lares::memory
