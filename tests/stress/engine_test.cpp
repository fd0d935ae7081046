// The engine under load: many tasks, many threads, deep nesting, everything at once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "support/runtime_host.hpp"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LARES_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define LARES_SANITIZED 1
#endif
#endif
#ifndef LARES_SANITIZED
#define LARES_SANITIZED 0
#endif

namespace lares::runtime {
namespace {

// Sanitizers make everything about ten times slower; the tests keep their shape.
constexpr int scale = LARES_SANITIZED != 0 ? 10 : 1;

TEST(Stress, SixtyFourThreadsOnFewCores) {
  const host::Machine machine({2, 2});
  std::atomic<int> ran{0};
  static constexpr int per_thread = 500 / scale;
  for (int round = 1; round <= 4; ++round) {
    host::region(64, [&ran](Worker& worker) {
      for (int i = 0; i < per_thread; ++i) {
        host::spawn(worker, [&ran](Worker& runner) {
          host::spawn(runner, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
        });
      }
      barrier(worker);
    });
    ASSERT_EQ(ran.load(), round * 64 * per_thread);
  }
}

TEST(Stress, ManyShortRegionsFromSeveralMasters) {
  const host::Machine machine({2, 2});
  std::atomic<int> ran{0};
  std::vector<std::thread> masters;
  for (int m = 0; m < 3; ++m) {
    masters.emplace_back([&ran] {
      for (int i = 0; i < 200 / scale; ++i) {
        host::region(3, [&ran](Worker& worker) {
          for (int task = 0; task < 5; ++task) {
            host::spawn(worker, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
          }
        });
      }
    });
  }
  for (std::thread& master : masters) master.join();
  EXPECT_EQ(ran.load(), 3 * (200 / scale) * 3 * 5);
}

TEST(Stress, MutuallyExclusiveTasksOfSeveralRegions) {
  const host::Machine machine({2, 2});
  static constexpr int tasks = 3000 / scale;
  host::region(4, [](Worker& worker) {
    int value = 0;  // unprotected but for mutexinoutset
    int other = 0;
    for (int i = 0; i < tasks; ++i) {
      if (i % 3 == 0) {
        host::spawn(worker, {host::on(&value, DependKind::mutexinoutset)},
                    [&value](Worker&) { ++value; });
      } else {
        host::spawn(worker,
                    {host::on(&value, DependKind::mutexinoutset),
                     host::on(&other, DependKind::mutexinoutset)},
                    [&value, &other](Worker&) {
                      ++value;
                      ++other;
                    });
      }
    }
    taskwait(worker);
    EXPECT_EQ(value, tasks);
    EXPECT_EQ(other, tasks - (tasks + 2) / 3);
  });
}

// --- nested waits
// ---------------------------------------------------------------------------------
// Tasks, tied and untied, that wait in the midst of their bodies. Each looks whether it may run
// where it runs: a task on the stack of another must descend from it, or the two could wait for
// each other for ever.

struct Nest {
  std::atomic<int> ran{0};
  std::atomic<int> misplaced{0};
};

thread_local std::vector<Task*> suspended;  // on this thread's stack, innermost last

void nested(Worker& worker, Nest& nest, std::uint32_t seed, int depth);

// Children of a body, some of them in a chain, some in a group of their own.
void spawn_nested(Worker& worker, Nest& nest, std::uint32_t seed, int depth, const char* chain) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t below = seed * 2654435761U + i;
    const auto body = [&nest, below, depth](Worker& runner) {
      nested(runner, nest, below, depth - 1);
    };
    const auto flags = static_cast<std::uint16_t>((below >> 16U) % 2 == 0 ? task_flag::untied : 0);
    Task* task = host::make_task(worker, body, flags);
    const Dependence link = host::on(chain, DependKind::out);
    const bool chained = (below >> 17U) % 3 == 0;
    submit(worker, *task, {&link, chained ? 1U : 0U});
  }
}

void nested(Worker& worker, Nest& nest, std::uint32_t seed, int depth) {
  Task* self = worker.current;
  if (!suspended.empty() && !descends_from(*self, *suspended.back())) nest.misplaced.fetch_add(1);
  nest.ran.fetch_add(1, std::memory_order_relaxed);
  if (depth == 0) return;
  suspended.push_back(self);
  const char chain = 0;
  const std::uint32_t kind = (seed >> 18U) % 4;
  if (kind == 0) begin_group(worker);
  spawn_nested(worker, nest, seed, depth, &chain);
  if (kind == 0) end_group(worker);
  if (kind == 1) taskyield(worker);
  taskwait(worker);
  suspended.pop_back();
}

class NestedWaits : public testing::TestWithParam<const char*> {};

TEST_P(NestedWaits, OfTiedAndUntiedTasksEnd) {
  const host::Machine machine({2, 2}, GetParam());
  static constexpr int depth = 5;
  static constexpr int tasks_of_one = (4 * 4 * 4 * 4 * 4 * 4 - 1) / 3;
  for (std::uint32_t round = 0; round < 60 / scale; ++round) {
    Nest nest;
    host::region(8, [&nest, round](Worker& worker) {
      if (worker.id.index() % 4 == 0) {
        const std::uint32_t seed = round * 977 + static_cast<std::uint32_t>(worker.id.index());
        host::spawn(worker, [&nest, seed](Worker& runner) { nested(runner, nest, seed, depth); });
      }
    });
    ASSERT_EQ(nest.ran.load(), 2 * tasks_of_one);
    ASSERT_EQ(nest.misplaced.load(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, NestedWaits,
                         testing::Values("auto", "stock-like", "locality-queues", "central",
                                         "virouleau", "push=local,steal=cores-only"));

// What sanitizers keep beside the program's memory, and the stacks that tasks change to, are what
// these two tests are about; neither means anything there.
#if !LARES_SANITIZED

std::size_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long total = 0;
  unsigned long resident = 0;
  const int found = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return found == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

TEST(Stress, AMillionTasksFromOneProducerNeedLittleMemory) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({2, 2});
  std::atomic<int> ran{0};
  const std::size_t before = resident_bytes();
  ASSERT_GT(before, 0U);
  std::size_t after = 0;
  host::single(4, [&](Worker& worker) {
    for (int i = 0; i < 1'000'000; ++i) {
      host::spawn(worker, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
    }
    after = resident_bytes();
  });
  EXPECT_EQ(ran.load(), 1'000'000);
  // A million descriptors at once would be more than 500 MiB.
  EXPECT_LT(after - std::min(before, after), 64UL * 1024 * 1024);
}

// libgomp runs this in constant memory.
void succeed(Worker& worker, int left, std::atomic<int>& ran) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (left > 1)
    host::spawn(worker, [left, &ran](Worker& runner) { succeed(runner, left - 1, ran); });
}

TEST(Stress, AChainOfSuccessorsKeepsNoneOfItsAncestors) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({2, 2});
  for (const std::size_t threads : {1U, 4U}) {
    std::atomic<int> ran{0};
    const std::size_t before = resident_bytes();
    host::single(threads, [&ran](Worker& worker) { succeed(worker, 1'000'000, ran); });
    EXPECT_EQ(ran.load(), 1'000'000);
    // A million descriptors at once would be more than 500 MiB. A thread alone runs each at once,
    // in the one before, until its stack of 8 MiB is low: some hundred thousand small frames.
    EXPECT_LT(resident_bytes() - std::min(before, resident_bytes()), 128UL * 1024 * 1024)
        << threads << " threads, " << before << " bytes before";
  }
}

void recurse(Worker& worker, int depth, std::atomic<int>& deepest) {
  if (depth == 0) return;
  deepest.fetch_add(1, std::memory_order_relaxed);
  host::spawn(worker, [depth, &deepest](Worker& runner) { recurse(runner, depth - 1, deepest); });
  taskwait(worker);
}

TEST(Stress, TasksNestAHundredThousandDeep) {
  const host::Machine machine({2, 2});
  for (const std::size_t threads : {1U, 4U}) {
    std::atomic<int> deepest{0};
    host::single(threads, [&deepest](Worker& worker) { recurse(worker, 100'000, deepest); });
    ASSERT_EQ(deepest.load(), 100'000);
  }
}

#endif

}  // namespace
}  // namespace lares::runtime
