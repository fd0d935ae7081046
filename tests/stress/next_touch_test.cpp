// Many threads touch one area at once, again and again, and it must neither hang nor lose a byte.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "memory/next_touch/next_touch.hpp"
#include "memory_area.hpp"
#include "memory_calls_fake.hpp"
#include "memory_fakes.hpp"
#include "support/sanitized.hpp"

namespace lares::memory {
namespace {

constexpr int threads = 64;
constexpr int rounds = under_tsan ? 50 : 1000;

class NextTouchStress : public testing::TestWithParam<WantedWay> {};

TEST_P(NextTouchStress, ManyThreadsTouchOneArea) {
  const Nodes nodes{machine_of_nodes({0})};
  NextTouch next_touch(real_calls(), nodes, {page});
  constexpr std::size_t pages = 16;
  const TestArea area(pages);
  NextTouchOptions options;
  options.chunk = {2 * page};
  options.way = GetParam();
  const int error = next_touch.mark(area.address(), area.length(), options).error;
  if (error == EPERM || error == ENOSYS) GTEST_SKIP() << "the kernel refuses userfaultfd";
  std::atomic<int> broken{0};
  std::barrier everybody(threads + 1);
  std::vector<std::thread> touchers;
  for (int t = 0; t < threads; ++t) {
    touchers.emplace_back([&, t] {
      std::mt19937 order(static_cast<unsigned>(t));
      for (int round = 0; round < rounds; ++round) {
        everybody.arrive_and_wait();
        const std::size_t first = order() % pages;
        for (std::size_t i = 0; i < pages; ++i) {
          // Each thread writes a word of its own on every page and reads its neighbour's.
          const std::size_t at = (first + i) % pages * words_per_page + static_cast<std::size_t>(t);
          std::atomic_ref(area.data()[at]).fetch_add(1, std::memory_order_relaxed);
          if (area.data()[at + 2 * threads] != TestArea::value(1, at + 2 * threads)) ++broken;
        }
        everybody.arrive_and_wait();
      }
    });
  }
  for (int round = 0; round < rounds; ++round) {
    const Marked marked = next_touch.mark(area.address(), area.length(), options);
    if (marked.error != 0) ++broken;
    everybody.arrive_and_wait();
    everybody.arrive_and_wait();
  }
  for (std::thread& toucher : touchers) toucher.join();
  EXPECT_EQ(broken, 0);
  for (std::size_t i = 0; i < area.words(); ++i) {
    const bool written = i % words_per_page < threads;
    ASSERT_EQ(area.data()[i], TestArea::value(1, i) + (written ? rounds : 0)) << "word " << i;
  }
}

// The marking goes on while the touching does.
TEST_P(NextTouchStress, MarkingWhileOthersTouch) {
  const Nodes nodes{machine_of_nodes({0})};
  NextTouch next_touch(real_calls(), nodes, {page});
  const TestArea area(64);
  NextTouchOptions options;
  options.chunk = {4 * page};
  options.way = GetParam();
  const int error = next_touch.mark(area.address(), area.length(), options).error;
  if (error == EPERM || error == ENOSYS) GTEST_SKIP() << "the kernel refuses userfaultfd";
  std::atomic<bool> stop{false};
  std::atomic<int> broken{0};
  std::vector<std::thread> touchers;
  for (int t = 0; t < 8; ++t) {
    touchers.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) broken += area.intact() ? 0 : 1;
    });
  }
  std::mt19937 order(1);
  for (int round = 0; round < rounds / 10; ++round) {
    const std::uint64_t first = order() % 48;
    const std::uint64_t count = 1 + order() % 16;
    if (round % 5 == 4) {
      next_touch.settle(area.address() + first * page, {count * page});
    } else if (next_touch.mark(area.address() + first * page, {count * page}, options).error != 0) {
      ++broken;
    }
  }
  stop.store(true, std::memory_order_relaxed);
  for (std::thread& toucher : touchers) toucher.join();
  EXPECT_EQ(broken, 0);
  EXPECT_TRUE(area.intact());
}

/// Threads do everything at once to one range that a program may do to it; each owns some of its
/// pages, and keeps a copy of what they must hold.
class EverythingAtOnce {
 public:
  EverythingAtOnce(WantedWay way, bool old)
      : next_touch_(old ? old_calls() : real_calls(), nodes_, {page}) {
    options_.way = way;
  }
  [[nodiscard]] bool refused() {
    const int error = next_touch_.mark(area_.address(), area_.length(), options_).error;
    return error == EPERM || error == ENOSYS;
  }
  /// Words that were not as they had to be.
  int run(int steps) {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < owners; ++t)
      threads.emplace_back([this, t, steps] { own(t, steps); });
    for (std::thread& thread : threads) thread.join();
    next_touch_.settle(area_.address(), area_.length());
    return broken_;
  }

 private:
  static constexpr std::size_t owners = 6;
  static constexpr std::size_t pages = 48;

  /// Page i is of thread i % owners: it alone writes there, and empties it.
  void own(std::size_t t, int steps) {
    std::mt19937 dice(static_cast<unsigned>(t) + 1);
    std::vector<std::uint64_t> copy(pages);
    std::vector<std::uint64_t> emptied(pages);  // what they held before that
    for (std::size_t i = t; i < pages; i += owners) {
      copy[i] = TestArea::value(1, i * words_per_page);
    }
    for (int step = 0; step < steps && broken_ == 0; ++step) {
      const std::size_t i = dice() % (pages / owners) * owners + t;
      std::atomic_ref word(area_.data()[i * words_per_page]);
      const auto what = dice() % 8;
      switch (what) {
        case 0:
        case 1:
          word.store(copy[i] = dice(), std::memory_order_relaxed);
          break;
        case 2:
          mark_some(dice);
          break;
        case 3:
          settle_some(dice);
          break;
        case 4:
          // Under protection a page's emptying and its marking do not meet in the kernel.
          emptied[i] = copy[i];
          madvise(area_.bytes() + i * page, page, MADV_DONTNEED);
          copy[i] = 0;
          break;
        case 5:
          if (options_.way == WantedWay::protect) break;
          mprotect(area_.bytes() + i * page, page, PROT_READ);
          if (word.load(std::memory_order_relaxed) != copy[i]) {
            ADD_FAILURE() << "page " << i << " changed when it was protected";
            ++broken_;
          }
          mprotect(area_.bytes() + i * page, page, PROT_READ | PROT_WRITE);
          break;
        case 6:
          if (dice() % 8 == 0) fork_and_go_on();
          break;
        default:
          break;
      }
      const std::uint64_t found = word.load(std::memory_order_relaxed);
      if (found == copy[i]) continue;
      ++broken_;
      ADD_FAILURE() << "page " << i << " has " << found << " instead of " << copy[i]
                    << " after event " << what << "; it was emptied of " << emptied[i];
    }
  }
  void mark_some(std::mt19937& dice) {
    const std::uint64_t first = dice() % pages;
    const std::uint64_t count = 1 + dice() % (pages - first);
    NextTouchOptions options = options_;
    options.chunk = {dice() % 8 * page};
    next_touch_.mark(area_.address() + first * page, {count * page}, options);
  }
  void settle_some(std::mt19937& dice) {
    const std::uint64_t first = dice() % pages;
    next_touch_.settle(area_.address() + first * page, {(pages - first) * page});
  }
  /// Without the child, which ThreadSanitizer would end: what is locked and brought back is the
  /// same.
  void fork_and_go_on() {
    const std::lock_guard lock(forking_);
    next_touch_.before_fork();
    next_touch_.after_fork_in_parent();
  }

  const Nodes nodes_{machine_of_nodes({0})};
  TestArea area_{pages};
  NextTouch next_touch_;
  NextTouchOptions options_;
  std::mutex forking_;
  std::atomic<int> broken_{0};
};

TEST_P(NextTouchStress, EverythingAtOnce) {
  for (const bool old : {false, true}) {
    EverythingAtOnce everything(GetParam(), old);
    if (everything.refused()) GTEST_SKIP() << "the kernel refuses userfaultfd";
    EXPECT_EQ(everything.run(under_tsan ? 300 : 2000), 0) << (old ? "as before Linux 6.8" : "");
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, NextTouchStress,
                         testing::Values(WantedWay::userfault_thread, WantedWay::userfault_signal,
                                         WantedWay::protect));

}  // namespace
}  // namespace lares::memory
