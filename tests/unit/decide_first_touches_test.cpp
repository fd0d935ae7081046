// Whether tasks come to memory that nobody has touched before.
#include "decide/first_touches.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace lares::decide {
namespace {

constexpr std::uint64_t per_microsecond = 3;
constexpr std::uint64_t millisecond = 1000 * per_microsecond;

class FirstTouchesOfWork : public testing::Test {
 protected:
  void sample(std::uint64_t new_pages, std::uint64_t milliseconds) {
    pages_ += new_pages;
    now_ += milliseconds * millisecond;
    touches_.tell(work_, pages_, now_);
  }
  bool any(std::uint64_t new_pages = 0, std::uint64_t milliseconds = 0) {
    return touches_.any(
        work_, [&] { return pages_ + new_pages; },
        [&] { return now_ + milliseconds * millisecond; });
  }
  std::uint32_t work_ = 1;
  std::uint64_t pages_ = 60;  // what a thread needs itself
  std::uint64_t now_ = 5000 * millisecond;
  FirstTouches touches_{per_microsecond};
};

TEST_F(FirstTouchesOfWork, MayBeBeforeTwoSamples) {
  EXPECT_TRUE(any());
  sample(0, 10);
  EXPECT_TRUE(any());
}

TEST_F(FirstTouchesOfWork, AreNoneWhereAllMemoryIsKnown) {
  sample(0, 10);
  sample(0, 10);
  EXPECT_FALSE(any(0, 1000));
}

TEST_F(FirstTouchesOfWork, AreAskedForOnceBetweenTwoSamples) {
  sample(0, 10);
  sample(0, 10);
  EXPECT_FALSE(any());
  EXPECT_FALSE(any(5000, 10)) << "it has run nothing since";
  sample(5000, 10);
  EXPECT_TRUE(any());
}

TEST_F(FirstTouchesOfWork, OfSmallPagesAreSeen) {
  sample(0, 10);
  sample(5000, 10);
  EXPECT_TRUE(any());
}

TEST_F(FirstTouchesOfWork, OfHugePagesAreSeenAtAGigabyteASecond) {
  sample(0, 10);
  sample(10, 10);  // 20 MiB in 10 ms
  EXPECT_TRUE(any());
  sample(6, 10);  // 1.2 GiB/s
  EXPECT_TRUE(any());
}

TEST_F(FirstTouchesOfWork, OfAStackThatGrowsAreNone) {
  sample(0, 10);
  sample(20, 50);  // a page in 2.5 ms
  EXPECT_FALSE(any(2, 5));
}

TEST_F(FirstTouchesOfWork, SinceTheLastSampleAreSeen) {
  sample(0, 10);
  sample(0, 10);
  EXPECT_TRUE(any(100, 10));
}

TEST_F(FirstTouchesOfWork, OfOtherWorkSayNothing) {
  sample(0, 10);
  sample(0, 10);
  work_ = 3;
  EXPECT_TRUE(any());
  sample(0, 1000);  // most of it before that work
  EXPECT_TRUE(any());
  sample(0, 10);
  EXPECT_FALSE(any());
}

TEST_F(FirstTouchesOfWork, MayBeWhereTheKernelCountsNone) {
  FirstTouches touches(per_microsecond);
  touches.tell(1, 0, 1);
  touches.tell(1, 0, 2);
  EXPECT_TRUE(touches.any(1, [] { return std::uint64_t{0}; }, [] { return std::uint64_t{3}; }));
}

}  // namespace
}  // namespace lares::decide
