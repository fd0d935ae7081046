// How long the tasks of a new series wait at their creator.
#include "decide/hold.hpp"

#include <gtest/gtest.h>

namespace lares::decide {
namespace {

using Next = Hold::Next;
using End = Hold::End;

constexpr std::uint64_t microsecond = 1000;  // ticks
constexpr std::int64_t enough = 100;

/// Keeps tasks that are made every `pace` from `now` on, up to `count` of them.
End keep(Hold& hold, std::int64_t count, std::uint64_t pace, std::uint64_t& now) {
  if (hold.count() == 0) hold.begin(now);
  while (hold.count() < count) {
    if (const End end = hold.kept(now += pace); end != End::none) return end;
  }
  return End::none;
}

TEST(Hold, KeepsWhatIsMadeFastUntilThereIsEnough) {
  Hold hold(microsecond);
  std::uint64_t now = 5;
  EXPECT_EQ(hold.until(), 0U);
  EXPECT_EQ(keep(hold, enough, microsecond, now), End::none);
  EXPECT_EQ(hold.count(), enough);
  EXPECT_EQ(hold.until(), now + to_ticks(limits::hold, microsecond));
  Hold few(microsecond);
  for (std::int64_t i = 0; i < enough; ++i) {
    EXPECT_EQ(few.next(enough, true), Next::keep) << i;
    keep(few, i + 1, microsecond, now);
  }
}

TEST(Hold, FindsOutOnceWhetherItsCreatorIsWhatAllWaitFor) {
  const std::uint64_t pace = to_ticks(limits::leisurely, microsecond);
  for (const bool is_slow : {false, true}) {
    Hold hold(microsecond);
    std::uint64_t now = 5;
    keep(hold, limits::held_before_pace, pace, now);
    EXPECT_EQ(hold.next(enough, false), Next::keep);  // their pace says nothing
    ASSERT_EQ(hold.next(enough, true), Next::run_for_pace);
    EXPECT_EQ(hold.ran(Next::run_for_pace, is_slow ? 2 * pace - 1 : 2 * pace),
              is_slow ? End::slow_creator : End::none);
    EXPECT_EQ(hold.next(enough, true), Next::keep);
  }
}

// A creator may be kept from its core for a while.
TEST(Hold, GoesByTheFastestTwo) {
  const std::uint64_t pace = to_ticks(limits::leisurely, microsecond);
  Hold hold(microsecond);
  std::uint64_t now = 5;
  keep(hold, limits::held_before_pace - 1, pace, now);
  keep(hold, limits::held_before_pace, pace - 1, now);
  EXPECT_EQ(hold.next(enough, true), Next::keep);
}

TEST(Hold, TriesAFewOfMany) {
  Hold hold(microsecond);
  std::uint64_t now = 5;
  keep(hold, enough, microsecond, now);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(hold.next(enough, true), Next::run_for_length) << i;
    EXPECT_EQ(hold.ran(Next::run_for_length, 10 * microsecond), End::none);
  }
  EXPECT_EQ(hold.next(enough, true), Next::keep);
  EXPECT_EQ(hold.ran(Next::run_for_length, microsecond / 2 - 1), End::tiny_tasks);
  EXPECT_EQ(hold.ran(Next::run_for_length, microsecond / 2), End::none);
}

TEST(Hold, EndsWhereTheNextComesTooLate) {
  Hold hold(microsecond);
  std::uint64_t now = 5;
  keep(hold, 3, microsecond, now);
  EXPECT_EQ(keep(hold, 4, to_ticks(limits::hold, microsecond) - 1, now), End::none);
  EXPECT_EQ(keep(hold, 5, to_ticks(limits::hold, microsecond), now), End::pause);
  // All of them together take too long.
  Hold slow(microsecond);
  const std::uint64_t start = now;
  EXPECT_EQ(keep(slow, 1000, to_ticks(limits::hold, microsecond) / 2, now), End::late);
  EXPECT_GE(now, start + to_ticks(limits::longest_hold, microsecond));
  EXPECT_LE(now, start + to_ticks(limits::longest_hold, microsecond) * 11 / 10);
}

TEST(Hold, GoesOnAfterFewPauses) {
  EXPECT_TRUE(Hold::goes_on_after(End::none, 0));
  EXPECT_TRUE(Hold::goes_on_after(End::pause, 1));
  EXPECT_TRUE(Hold::goes_on_after(End::pause, limits::most_hurried - 1));
  EXPECT_FALSE(Hold::goes_on_after(End::pause, limits::most_hurried));
  EXPECT_FALSE(Hold::goes_on_after(End::late, 1));
  EXPECT_FALSE(Hold::goes_on_after(End::slow_creator, 0));
  EXPECT_FALSE(Hold::goes_on_after(End::tiny_tasks, 0));
}

TEST(Hold, LeavesTheOthersAloneAgainAfterAPause) {
  Hold hold(microsecond);
  std::uint64_t now = 5;
  keep(hold, 3, microsecond, now);
  EXPECT_EQ(keep(hold, 4, 3 * to_ticks(limits::hold, microsecond), now), End::pause);
  EXPECT_EQ(hold.count(), 4);
  EXPECT_EQ(hold.until(), now + to_ticks(limits::hold, microsecond));
  EXPECT_EQ(keep(hold, 5, microsecond, now), End::none);
}

TEST(Hold, SeesNewMemoryByThoseThatRanAtOnce) {
  Hold hold(microsecond);
  std::uint64_t now = 5;
  keep(hold, enough, microsecond, now);
  for (int tried = 0; tried < 4; ++tried) {
    EXPECT_FALSE(tried < 3 && hold.comes_to_new_memory()) << "one may be the stack's";
    EXPECT_NE(hold.next(enough, false), Next::keep);
    hold.touched(tried == 1 ? 0 : 2);
  }
  EXPECT_TRUE(hold.comes_to_new_memory());
  hold.end();
  EXPECT_FALSE(hold.comes_to_new_memory());
}

TEST(Hold, BeginsAnew) {
  Hold hold(microsecond);
  std::uint64_t now = 5;
  keep(hold, enough, microsecond, now);
  while (hold.next(enough, true) != Next::keep) continue;
  hold.end();
  EXPECT_EQ(hold.count(), 0);
  EXPECT_EQ(hold.until(), 0U);
  EXPECT_EQ(keep(hold, enough, to_ticks(limits::leisurely, microsecond), now), End::none);
  EXPECT_EQ(hold.next(enough, true), Next::run_for_length);
}

}  // namespace
}  // namespace lares::decide
