// How long branches of recursions are left to those at home.
#include "decide/deference.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace lares::decide {
namespace {

constexpr std::uint64_t per_microsecond = 3;

/// How long it defers when it finds a branch at `now`, in microseconds, looking now and then.
std::uint64_t deferred(Deference& deference, std::uint64_t now) {
  const std::uint64_t begin = now;
  while (deference.defers(now, per_microsecond)) now += 30;
  return (now - begin) / per_microsecond;
}

TEST(Deference, IsNotForEver) {
  Deference deference;
  const std::uint64_t first = deferred(deference, 1000);
  EXPECT_GT(first, 50'000U);
  EXPECT_LT(first, 200'000U);
  EXPECT_FALSE(deference.defers(1000 + first * per_microsecond + 30, per_microsecond))
      << "until it has worked";
}

TEST(Deference, BeginsAnewAfterWork) {
  Deference deference;
  const std::uint64_t first = deferred(deference, 1000);
  deference.works(true);
  EXPECT_EQ(deferred(deference, 9'000'000), first);
}

TEST(Deference, IsShorterAndShorterInVain) {
  Deference deference;
  std::uint64_t now = 0;
  std::uint64_t all = 0;
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    last = deferred(deference, now);
    all += last;
    now += 1'000'000;
    deference.works(false);
  }
  EXPECT_LT(last, 200U);
  EXPECT_LT(all, 1'000'000U) << "microseconds, of all 200";
  deference.works(true);
  deferred(deference, now);
  deference.works(true);
  EXPECT_GT(deferred(deference, now), 50'000U) << "there is work at home again";
}

TEST(Deference, OneThatWasNotInVainCostsNothingLater) {
  Deference deference;
  const std::uint64_t first = deferred(deference, 0);
  deference.works(true);
  for (std::uint64_t i = 1; i < 100; ++i) {
    EXPECT_TRUE(deference.defers(i * 10'000'000, per_microsecond));
    deference.works(false);  // a leaf of another domain, in time
  }
  EXPECT_EQ(deferred(deference, 2'000'000'000), first);
}

}  // namespace
}  // namespace lares::decide
