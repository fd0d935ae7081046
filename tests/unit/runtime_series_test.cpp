// Where tasks that name no data go: by their place in what one thread makes.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "decide/limits.hpp"
#include "runtime/execution.hpp"
#include "runtime/series.hpp"
#include "support/runtime_host.hpp"
#include "support/sanitized.hpp"

namespace lares::runtime {
namespace {

constexpr std::uintptr_t code = 1;

template <class Body>
void make_series(Worker& worker, int tasks, Body body, std::uintptr_t construct = code) {
  for (int i = 0; i < tasks; ++i) {
    submit_from(worker, *host::make_task(worker, [body, i](Worker& runner) { body(runner, i); }),
                construct, {}, {});
  }
}

std::uint32_t queued_in(Worker& worker, std::size_t domain) {
  return worker.team->length(worker.team->places->of(DomainId{domain}));
}

/// A region of two threads on two domains in which the second one runs nothing before the first
/// has made and looked at what it wants.
template <class Body>
void watched(Body body, const char* policy = "auto") {
  const host::Machine machine({1, 1}, policy);
  std::atomic<bool> made{false};
  host::region(2, [&](Worker& worker) {
    if (worker.id == WorkerId{1}) {
      while (!made.load(std::memory_order_acquire)) std::this_thread::yield();
      return;
    }
    body(worker);
    made.store(true, std::memory_order_release);
  });
}

const auto nothing = [](Worker&, int) {};

TEST(SeriesOfTasks, AreHeldTheFirstTimeAndThenDealtInParts) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    make_series(worker, 10, nothing);
    EXPECT_EQ(worker.deque.size(), 10U);
    EXPECT_NE(worker.deque.held_until(), 0U);
    release_held(worker);
    EXPECT_EQ(worker.deque.held_until(), 0U);
    EXPECT_EQ(worker.deque.size(), 0U) << "where thieves would take them for what tasks make";
    EXPECT_EQ(queued_in(worker, 0), 5U);
    EXPECT_EQ(queued_in(worker, 1), 5U);
  });
}

void pause_for_too_long() {
  std::this_thread::sleep_for(std::chrono::nanoseconds(2 * decide::limits::hold.count));
}

// As where a core has several threads.
TEST(SeriesOfTasks, AreDealtThoughTheirCreatorWasKeptFromItsCore) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    make_series(worker, 5, nothing);
    pause_for_too_long();
    make_series(worker, 1, nothing);
    pause_for_too_long();
    make_series(worker, 4, nothing);
    EXPECT_EQ(worker.deque.size(), 10U);
    EXPECT_GT(worker.deque.held_until(), ticks()) << "left alone again";
    release_held(worker);
    EXPECT_EQ(queued_in(worker, 0), 5U);
    EXPECT_EQ(queued_in(worker, 1), 5U);
    EXPECT_EQ(worker.team->hurried.load(), 0U) << "it has come to its end";
  });
}

TEST(SeriesOfTasks, OfACreatorThatPausesAgainAndAgainAreLetGo) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    make_series(worker, 1, nothing);
    for (std::uint32_t i = 0; i < decide::limits::most_hurried; ++i) {
      EXPECT_NE(worker.hold.count(), 0) << i;
      pause_for_too_long();
      make_series(worker, 1, nothing);
    }
    EXPECT_EQ(worker.hold.count(), 0);
    EXPECT_EQ(worker.deque.held_until(), 0U);
    make_series(worker, 4, nothing, 99);
    EXPECT_EQ(worker.hold.count(), 0) << "nor does the team hold others";
  });
}

TEST(SeriesOfTasks, GoToTheirDomainsFromTheSecondTimeOn) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    make_series(worker, 10, nothing);
    release_held(worker);
    end_series_round(worker);
    const std::uint32_t before = queued_in(worker, 1);
    make_series(worker, 5, nothing);
    EXPECT_EQ(queued_in(worker, 1), before);
    make_series(worker, 5, nothing);
    EXPECT_EQ(queued_in(worker, 1), before + 5);
  });
}

/// What one thread sees of another's deque while that is taken back and dealt.
class Watched {
 public:
  /// By the owner, around what it does.
  void begin() { turn_.fetch_add(1, std::memory_order_seq_cst); }
  void end() { turn_.fetch_add(1, std::memory_order_seq_cst); }
  /// By the other: counts what it sees in the middle of that.
  void look(const Deque& deque) {
    const int before = turn_.load(std::memory_order_seq_cst);
    if (before % 2 == 0 || deque.size() == 0) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool is_held = deque.held_until() != 0;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (deque.size() == 0 || turn_.load(std::memory_order_seq_cst) != before) return;
    ++(is_held ? held_ : open_);
  }
  [[nodiscard]] int held() const { return held_; }
  [[nodiscard]] int open() const { return open_; }

 private:
  std::atomic<int> turn_{0};  ///< odd in the middle
  int held_ = 0;
  int open_ = 0;
};

const auto not_tiny = [](Worker&, int) {
  for (const Nanoseconds end = now() + Nanoseconds{5'000}; now() < end;) {
  }
};

// Who is idle looks all the time, and would take the first one while the last ones are taken back.
TEST(SeriesOfTasks, AreLeftAloneUntilTheyAreDealt) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({1, 1}, "auto");
  Watched watch;
  std::uintptr_t construct = 100;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (watch.held() + watch.open() < 20 && std::chrono::steady_clock::now() < end) {
    std::atomic<bool> made{false};
    host::region(2, [&](Worker& worker) {
      if (worker.id == WorkerId{1}) {
        const Deque& deque = worker.team->workers[0]->deque;
        while (!made.load(std::memory_order_acquire)) watch.look(deque);
        return;
      }
      for (int i = 0; i < 4; ++i) {
        make_series(worker, 60, not_tiny, ++construct);
        if (worker.hold.count() == 0) continue;
        watch.begin();
        release_held(worker);
        watch.end();
        taskwait(worker);
      }
      made.store(true, std::memory_order_release);
    });
  }
  EXPECT_EQ(watch.open(), 0);
  if (watch.held() == 0) GTEST_SKIP() << "the two threads never ran at the same time";
}

/// The numbers of the tasks that lie in a domain's queue, which are run.
template <class Number>
std::vector<int> taken_from(Worker& worker, std::size_t domain, Number number) {
  std::vector<int> numbers;
  const PlaceId place = worker.team->places->of(DomainId{domain});
  while (Task* const task = worker.team->queues[place.index()]->take(nullptr, true)) {
    numbers.push_back(number(*task));
    execute(worker, *task);
  }
  return numbers;
}

/// A task of two loops: it touches one byte in each page of its row of blocks.
struct BlockTask {
  int row;
  int column;
  char* memory;
  static constexpr int side = 8;
  static constexpr int pages = 64;  ///< of a row of blocks, shared by all of the row
  void operator()(Worker&) const {
    for (int i = 0; i < pages; ++i) memory[4096L * (row * pages + i) + column] = 1;
    host::work(1000);  // so that it is no tiny one
  }
};

/// How many of the tasks of such a series came to domain 0, and how many of those are of the lower
/// half of the rows.
struct DealtBlocks {
  int all = 0;
  int low = 0;
};

DealtBlocks deal_blocks(Worker& worker, std::uintptr_t construct, bool down, char* memory) {
  for (int slow = 0; slow < BlockTask::side; ++slow) {
    for (int fast = 0; fast < BlockTask::side; ++fast) {
      const BlockTask block{down ? fast : slow, down ? slow : fast, memory};
      submit_from(worker, *host::make_task(worker, block), construct, {}, {});
    }
  }
  release_held(worker);
  const auto rows = taken_from(worker, 0, [](const Task& task) {
    return static_cast<const BlockTask*>(task.payload())->row;
  });
  taken_from(worker, 1, [](const Task&) { return 0; });
  end_series_round(worker);
  const auto low =
      std::count_if(rows.begin(), rows.end(), [](int row) { return row < BlockTask::side / 2; });
  return {static_cast<int>(rows.size()), static_cast<int>(low)};
}

class BlocksOfAMatrix : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Orders, BlocksOfAMatrix, testing::Bool());

TEST_P(BlocksOfAMatrix, AreDealtByRowsThatSharePages) {
  LARES_NEEDS_ORDER();
  if (under_tsan) GTEST_SKIP() << "a sanitizer's own pages are new as well";
  const bool down = GetParam();
  constexpr std::size_t bytes = 4096UL * BlockTask::side * BlockTask::pages;
  // A trial ends where a thread is kept from its core for milliseconds, so it has some tries.
  DealtBlocks first;
  DealtBlocks again;
  for (std::uintptr_t attempt = 0; attempt < 6 && (first.all == 0 || first.low < first.all);
       ++attempt) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    watched([&](Worker& worker) {
      first = deal_blocks(worker, code + attempt, down, static_cast<char*>(memory));
      // Nothing is new then: as the first time.
      again = deal_blocks(worker, code + attempt, down, static_cast<char*>(memory));
    });
    munmap(memory, bytes);
  }
  EXPECT_GE(first.all, 29) << "those that were tried lie in no queue";
  EXPECT_EQ(first.low, first.all);
  EXPECT_EQ(again.all, 32);
  EXPECT_EQ(again.low, again.all);
}

// The children lie above the rest of the series in their creator's deque.
TEST(SeriesOfTasks, OfTwoLoopsAreAllRunIfTheyMakeTasksThatOutliveThem) {
  const host::Machine machine({1, 1});
  static std::atomic<int> ran{0};
  static std::atomic<int> children{0};
  struct Parent {
    int row;
    int column;
    void operator()(Worker& runner) const {
      ran.fetch_add(1);
      for (int i = 0; i < 3; ++i) host::spawn(runner, [](Worker&) { children.fetch_add(1); });
    }
  };
  for (int sweep = 0; sweep < 20; ++sweep) {
    ran = children = 0;
    host::single(2, [sweep](Worker& worker) {
      for (int i = 0; i < 64; ++i) {
        submit_from(worker, *host::make_task(worker, Parent{i % 8, i / 8}),
                    code + static_cast<std::uintptr_t>(sweep), {}, {});
      }
    });
    EXPECT_EQ(ran, 64);
    EXPECT_EQ(children, 3 * 64);
  }
}

// Flags of blocks, made down the columns.
TEST(SeriesOfTasks, ThatHaveNamesAreDealtInTheOrderOfThese) {
  LARES_NEEDS_ORDER();
  static std::array<char, 64> flags;
  watched([](Worker& worker) {
    for (int made = 0; made < 64; ++made) {
      const int at = made % 8 * 8 + made / 8;
      const auto body = [at](Worker&) { flags[static_cast<std::size_t>(at)] = 1; };
      const Dependence out = host::out(&flags[static_cast<std::size_t>(at)]);
      submit_from(worker, *host::make_task(worker, body), code, {}, {&out, 1});
    }
    if (worker.hold.count() != 64) GTEST_SKIP() << "homes are not of pages here";
    release_held(worker);
    for (const std::size_t domain : {0UL, 1UL}) {
      const auto numbers = taken_from(worker, domain, [](const Task& task) {
        return static_cast<int>(task.accesses[0].address -
                                reinterpret_cast<std::uintptr_t>(flags.data()));
      });
      EXPECT_EQ(numbers.size(), 32U);
      for (const int number : numbers) EXPECT_EQ(number / 32, static_cast<int>(domain));
    }
  });
}

class SeriesByData : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, SeriesByData,
                         testing::Values("auto", "locality-queues", "virouleau",
                                         "push=most-bytes,steal=nearest"));

TEST_P(SeriesByData, LieInTheQueueOfTheirHome) {
  LARES_NEEDS_ORDER();
  watched(
      [](Worker& worker) {
        make_series(worker, 8, nothing);
        release_held(worker);
        EXPECT_EQ(queued_in(worker, 1), 4U);
      },
      GetParam());
}

TEST(SeriesOfTasks, ThatWereMadeTogetherRunWhereTheyAreAtHome) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({1, 1});
  static std::atomic<int> at_home{0};
  at_home = 0;
  constexpr int tasks = 64;
  for (int sweep = 0; sweep < 4; ++sweep) {
    host::single(2, [](Worker& worker) {
      make_series(worker, tasks, [](Worker& runner, int i) {
        const DomainId home{static_cast<std::size_t>(i < tasks / 2 ? 0 : 1)};
        if (runner.domain == home) at_home.fetch_add(1);
        host::work(20000);
      });
      taskwait(worker);
    });
  }
  EXPECT_GT(at_home, 4 * tasks / 2);  // each alone would be half of them by chance
}

TEST(SeriesOfTasks, OfADifferentConstructEndWhatIsHeld) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    make_series(worker, 4, nothing);
    make_series(worker, 6, nothing, 99);
    EXPECT_EQ(queued_in(worker, 1), 2U);
    EXPECT_EQ(worker.hold.count(), 6);
  });
}

TEST(SeriesOfTasks, AreLeftAloneWhereThePolicyDoesNotGoByData) {
  LARES_NEEDS_ORDER();
  watched(
      [](Worker& worker) {
        make_series(worker, 8, nothing);
        EXPECT_EQ(worker.hold.count(), 0);
        EXPECT_EQ(worker.deque.held_until(), 0U);
      },
      "stock-like");
}

TEST(SeriesOfTasks, OfOneTaskStayWithTheirCreator) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    make_series(worker, 1, nothing);
    release_held(worker);
    EXPECT_EQ(worker.deque.size(), 1U);
    EXPECT_EQ(queued_in(worker, 1), 0U);
  });
}

TEST(SeriesOfTasks, InsideOfATaskStayThere) {
  const host::Machine machine({1, 1});
  static std::atomic<int> dealt{0};
  dealt = 0;
  host::single(2, [](Worker& worker) {
    host::spawn(worker, [](Worker& runner) {
      if (may_be_in_series(runner)) dealt.fetch_add(1);
    });
  });
  EXPECT_EQ(dealt, 0);
}

// Each thread has its own part of the data then.
TEST(SeriesOfTasks, OfSeveralCreatorsHaveNoHomes) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({1, 1});
  RegionHint hint;
  static std::atomic<int> turn{0};
  turn = 0;
  const auto body = [](Worker& worker) {
    for (int i = 0; i < 8; ++i) {
      while (turn.load() != 2 * i + static_cast<int>(worker.id.index())) std::this_thread::yield();
      make_series(worker, 3, nothing);
      turn.fetch_add(1);
    }
    EXPECT_EQ(worker.hold.count(), 0);
    taskwait(worker);
  };
  host::region(2, body, false, &hint);
  EXPECT_TRUE(hint.several_creators.load());
}

// It waits in the program for what one of its own tasks does: somebody else has to run it.
TEST(SeriesOfTasks, AreFoundThoughTheirCreatorNeverComesBack) {
  const host::Machine machine({1, 1});
  static std::atomic<int> ran{0};
  ran = 0;
  host::single(2, [](Worker& worker) {
    make_series(worker, 5, [](Worker&, int) { ran.fetch_add(1); });
    while (ran.load() < 5) std::this_thread::yield();
  });
  EXPECT_EQ(ran, 5);
}

TEST(SeriesOfTasks, AreAllRunHoweverManyThereAre) {
  const host::Machine machine({2, 2});
  static std::atomic<int> ran{0};
  for (const int tasks : {0, 1, 2, 3, 7, 64, 257, 300, 4096, 4097, 10000}) {
    for (int sweep = 0; sweep < 3; ++sweep) {
      ran = 0;
      host::single(4, [tasks](Worker& worker) {
        make_series(worker, tasks, [](Worker&, int) { ran.fetch_add(1); });
        taskwait(worker);
        EXPECT_EQ(ran, tasks);
      });
    }
  }
}

TEST(SeriesOfTasks, OfTinyOnesGoBackToTheirCreatorOnceThatIsKnown) {
  LARES_NEEDS_ORDER();
  if (under_sanitizer) GTEST_SKIP() << "no task is tiny";
  const host::Machine machine({1, 1});
  host::single(2, [](Worker& worker) {
    constexpr int more_than_enough = 4000;
    make_series(worker, more_than_enough, nothing);
    EXPECT_EQ(worker.hold.count(), 0);
  });
}

}  // namespace
}  // namespace lares::runtime
