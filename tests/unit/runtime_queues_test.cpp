// The queues by themselves, and the pool that descriptors come from.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "runtime/deque.hpp"
#include "runtime/priority_queue.hpp"
#include "runtime/shared_queue.hpp"
#include "runtime/thread_state.hpp"
#include "support/needs_order.hpp"
#include "support/sanitized.hpp"

namespace lares::runtime {
namespace {

// A parent and its children: enough of a tree for the queues' conditions.
struct Family {
  explicit Family(std::size_t count) : children(count) {
    parent.depth = 4;
    for (Task& child : children) {
      child.parent = &parent;
      child.depth = 5;
    }
  }
  Task parent;
  std::vector<Task> children;
};

TEST(Deque, TheOwnerTakesTheNewestAndThievesTheOldest) {
  LARES_NEEDS_ORDER();
  const auto deque = std::make_unique<Deque>();
  Family family(3);
  for (Task& task : family.children) ASSERT_TRUE(deque->push(task));
  EXPECT_EQ(deque->size(), 3U);
  EXPECT_EQ(deque->steal(nullptr), &family.children[0]);
  EXPECT_EQ(deque->pop(), &family.children[2]);
  EXPECT_EQ(deque->pop(), &family.children[1]);
  EXPECT_EQ(deque->pop(), nullptr);
  EXPECT_EQ(deque->steal(nullptr), nullptr);
}

TEST(Deque, RefusesWhenFullAndTakesAgainAfterATheft) {
  LARES_NEEDS_ORDER();
  const auto deque = std::make_unique<Deque>();
  Family family(Deque::capacity + 1);
  for (std::size_t i = 0; i < Deque::capacity; ++i) ASSERT_TRUE(deque->push(family.children[i]));
  EXPECT_FALSE(deque->push(family.children.back()));
  EXPECT_EQ(deque->steal(nullptr), &family.children[0]);
  EXPECT_TRUE(deque->push(family.children.back()));
  EXPECT_EQ(deque->pop(), &family.children.back());
}

TEST(Deque, AThiefLeavesWhatDoesNotDescendFromItsOwnTask) {
  LARES_NEEDS_ORDER();
  const auto deque = std::make_unique<Deque>();
  Family family(1);
  Family other(1);
  ASSERT_TRUE(deque->push(family.children[0]));
  EXPECT_EQ(deque->steal(&other.parent), nullptr);  // not deeper than its own would be, but foreign
  EXPECT_EQ(deque->steal(&other.children[0]), nullptr);  // as deep
  EXPECT_EQ(deque->size(), 1U);
  EXPECT_EQ(deque->steal(&family.parent), &family.children[0]);
}

TEST(Deque, DepthsBeyondWhatASlotHoldsCountAsDeeper) {
  LARES_NEEDS_ORDER();
  const auto deque = std::make_unique<Deque>();
  Family family(1);
  family.parent.depth = 999'999;
  family.children[0].depth = 1'000'000;
  ASSERT_TRUE(deque->push(family.children[0]));
  EXPECT_EQ(deque->steal(&family.parent), &family.children[0]);
}

TEST(Deque, EachTaskIsTakenExactlyOnce) {
  LARES_NEEDS_ORDER();
  constexpr std::size_t count = 60'000;
  const auto deque = std::make_unique<Deque>();
  Family family(count);
  std::vector<std::atomic<int>> taken(count);
  const auto take = [&family, &taken](const Task* task) {
    taken[static_cast<std::size_t>(task - family.children.data())].fetch_add(
        1, std::memory_order_relaxed);
  };
  std::atomic<bool> done{false};
  std::vector<std::thread> thieves;
  for (int i = 0; i < 3; ++i) {
    thieves.emplace_back([&] {
      while (!done.load(std::memory_order_acquire)) {
        if (const Task* task = deque->steal(nullptr); task != nullptr) take(task);
      }
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    while (!deque->push(family.children[i])) std::this_thread::yield();
    if (i % 3 == 2) {
      if (const Task* task = deque->pop(); task != nullptr) take(task);
    }
  }
  while (const Task* task = deque->pop()) take(task);
  done.store(true, std::memory_order_release);
  for (std::thread& thief : thieves) thief.join();
  while (const Task* task = deque->pop()) take(task);  // lost to a thief's race at the last look
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(taken[i].load(), 1) << "task " << i;
}

TEST(SharedQueue, IsFirstInFirstOut) {
  LARES_NEEDS_ORDER();
  SharedQueue queue;
  Family family(3);
  for (Task& task : family.children) queue.push(task);
  EXPECT_EQ(queue.length(), 3U);
  for (Task& task : family.children) EXPECT_EQ(queue.take(nullptr, true), &task);
  EXPECT_EQ(queue.take(nullptr, true), nullptr);
  EXPECT_EQ(queue.length(), 0U);
}

TEST(SharedQueue, AWorkerTakesWhatWasDealtToItOrToNobodyFirst) {
  LARES_NEEDS_ORDER();
  SharedQueue queue;
  Family family(5);
  const WorkerId me{1};
  const WorkerId mate{2};
  const WorkerId dealt[] = {mate, me, mate, {}, me};
  for (std::size_t i = 0; i < 5; ++i) queue.push(family.children[i], dealt[i]);
  EXPECT_EQ(queue.take(nullptr, true, me), &family.children[1]);
  EXPECT_EQ(queue.take(nullptr, true, me), &family.children[3]);
  EXPECT_EQ(queue.take(nullptr, true), &family.children[0]) << "others take the oldest";
  EXPECT_EQ(queue.take(nullptr, true, me), &family.children[4]) << "the last one";
  queue.push(family.children[0], mate);
  EXPECT_EQ(queue.length(), 2U);
  EXPECT_EQ(queue.take(nullptr, true, me), &family.children[2]) << "rather than nothing";
  EXPECT_EQ(queue.take(nullptr, true, me), &family.children[0]);
  EXPECT_EQ(queue.take(nullptr, true, me), nullptr);
}

TEST(SharedQueue, AWorkerLooksForWhatWasDealtToItAmongTheFirstFewOnly) {
  LARES_NEEDS_ORDER();
  SharedQueue queue;
  Family family(decide::limits::dealt_look + 2);
  const WorkerId me{1};
  const WorkerId mate{2};
  for (Task& task : family.children) queue.push(task, &task == &family.children.back() ? me : mate);
  EXPECT_EQ(queue.take(nullptr, true, me), &family.children[0]);
  EXPECT_EQ(queue.take(nullptr, true, me), &family.children[1]);
  EXPECT_EQ(queue.take(nullptr, true, me), &family.children.back()) << "it has come near enough";
}

TEST(SharedQueue, AConstrainedWorkerTakesDescendantsOnlyEvenIfOthersAreUntied) {
  LARES_NEEDS_ORDER();
  SharedQueue queue;
  Family mine(3);
  Family other(2);
  queue.push(other.children[0]);
  queue.push(mine.children[0]);
  other.children[1].flags = task_flag::untied;
  queue.push(other.children[1]);
  queue.push(mine.children[2]);
  EXPECT_EQ(queue.take(&mine.parent, true), &mine.children[0]);
  EXPECT_EQ(queue.take(&mine.parent, true), &mine.children[2]);
  EXPECT_EQ(queue.take(&mine.parent, true), nullptr);
  EXPECT_EQ(queue.take(nullptr, true), &other.children[0]);
  queue.push(other.children[0]);
  queue.push(mine.children[1]);  // the tail was taken out meanwhile: the list must still hold
  EXPECT_EQ(queue.take(nullptr, true), &other.children[1]);
  EXPECT_EQ(queue.take(nullptr, true), &other.children[0]);
  EXPECT_EQ(queue.take(nullptr, true), &mine.children[1]);
  EXPECT_EQ(queue.length(), 0U);
}

TEST(SharedQueue, NothingHidesForEverBehindForbiddenTasks) {
  LARES_NEEDS_ORDER();
  SharedQueue queue;
  Family other(1000);
  Family mine(1);
  for (Task& task : other.children) queue.push(task);
  queue.push(mine.children[0]);
  Task* found = nullptr;
  for (int looks = 0; looks < 8 && found == nullptr; ++looks)
    found = queue.take(&mine.parent, true);
  EXPECT_EQ(found, &mine.children[0]);
  std::set<Task*> rest;
  while (Task* task = queue.take(nullptr, true)) rest.insert(task);
  EXPECT_EQ(rest.size(), 1000U);
}

/// As a task makes it that is a branch of a recursion, or a leaf.
Task& recursive(Task& task, bool is_branch) {
  task.kind = 1;
  task.home = DomainId{std::size_t{0}};
  task.is_branch.store(is_branch);
  return task;
}

TEST(SharedQueue, PartsOfARecursionComeNewestFirst) {
  LARES_NEEDS_ORDER();
  SharedQueue queue;
  Family family(4);
  queue.push(recursive(family.children[0], true));
  queue.push(family.children[1]);
  queue.push(recursive(family.children[2], false));
  family.children[3].kind = 1;  // at home nowhere
  queue.push(family.children[3]);
  for (const std::size_t i : {2U, 0U, 1U, 3U}) {
    EXPECT_EQ(queue.take(nullptr, true), &family.children[i]) << i;
  }
  queue.push(recursive(family.children[0], false));
  queue.push(family.children[1]);  // the first one was also the last
  EXPECT_EQ(queue.take(nullptr, true), &family.children[0]);
  EXPECT_EQ(queue.take(nullptr, true), &family.children[1]);
  EXPECT_EQ(queue.take(nullptr, true), nullptr);
}

TEST(SharedQueue, AThiefFromAfarTakesLeaves) {
  LARES_NEEDS_ORDER();
  SharedQueue queue;
  Family mine(3);
  Family other(2);
  queue.push(recursive(other.children[0], false));
  queue.push(recursive(mine.children[0], false));
  queue.push(recursive(mine.children[1], true));
  queue.push(recursive(other.children[1], true));
  EXPECT_EQ(queue.length(), 4U);
  EXPECT_EQ(queue.branches(), 2U);
  EXPECT_EQ(queue.take_leaf(&mine.parent, true), &mine.children[0]);
  EXPECT_EQ(queue.take_leaf(&mine.parent, true), nullptr) << "another's leaf, and branches";
  EXPECT_EQ(queue.take_leaf(nullptr, true), &other.children[0]);
  EXPECT_EQ(queue.take_leaf(nullptr, true), nullptr);
  EXPECT_EQ(queue.branches(), 2U);
  EXPECT_EQ(queue.take(nullptr, true), &other.children[1]);
  queue.renew_after_fork();
  EXPECT_EQ(queue.branches(), 1U);
  EXPECT_EQ(queue.take(nullptr, true), &mine.children[1]);
  EXPECT_EQ(queue.branches(), 0U);
  EXPECT_EQ(queue.length(), 0U);
}

TEST(Deque, TellsWhetherTheOldestIsABranch) {
  const auto deque = std::make_unique<Deque>();
  Family family(2);
  EXPECT_FALSE(deque->has_branch_first());
  deque->push(recursive(family.children[0], true));
  deque->push(recursive(family.children[1], false));
  EXPECT_TRUE(deque->has_branch_first());
  EXPECT_EQ(deque->steal(nullptr), &family.children[0]);
  EXPECT_FALSE(deque->has_branch_first());
}

TEST(PriorityQueue, HighestFirstAndFirstInFirstOutAmongEquals) {
  PriorityQueue queue;
  Family family(6);
  const std::int32_t priorities[] = {1, 5, 1, 9, 5, 9};
  for (std::size_t i = 0; i < 6; ++i) {
    family.children[i].priority = priorities[i];
    queue.push(family.children[i]);
  }
  for (const std::size_t expected : {3U, 5U, 1U, 4U, 0U, 2U}) {
    EXPECT_EQ(queue.take(nullptr), &family.children[expected]);
  }
  EXPECT_EQ(queue.take(nullptr), nullptr);
}

TEST(PriorityQueue, AConstrainedWorkerSkipsWhatItMayNotRun) {
  PriorityQueue queue;
  Family mine(1);
  Family other(1);
  mine.children[0].priority = 1;
  other.children[0].priority = 2;
  queue.push(mine.children[0]);
  queue.push(other.children[0]);
  EXPECT_EQ(queue.take(&mine.parent), &mine.children[0]);
  EXPECT_EQ(queue.take(&mine.parent), nullptr);
  EXPECT_EQ(queue.length(), 1U);
}

// What takes a look at each task for each operation would take hours.
TEST(PriorityQueue, EveryTaskMayHaveAPriorityOfItsOwn) {
  constexpr std::size_t count = 300'000;
  PriorityQueue queue;
  Family family(count);
  for (std::size_t i = 0; i < count; ++i) {
    family.children[i].priority = static_cast<std::int32_t>(i * 7919 % count);
    queue.push(family.children[i]);
  }
  std::int32_t last = count;
  for (std::size_t i = 0; i < count; ++i) {
    const Task* task = queue.take(nullptr);
    ASSERT_NE(task, nullptr);
    ASSERT_LT(task->priority, last);
    last = task->priority;
  }
}

TEST(PriorityQueue, AConstrainedWorkerLooksFarOnlyIfItHasToWait) {
  constexpr std::size_t count = 300'000;
  PriorityQueue queue;
  Family mine(1);
  Family other(count);
  mine.children[0].priority = 1;
  queue.push(mine.children[0]);
  for (Task& task : other.children) {
    task.priority = 2;
    queue.push(task);
  }
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(queue.take(&mine.parent), nullptr);
  EXPECT_EQ(queue.take_awaited(&mine.parent), &mine.children[0]);
  EXPECT_EQ(queue.take_awaited(&mine.parent), nullptr);
  for (Task& task : other.children) ASSERT_EQ(queue.take(nullptr), &task);
}

TEST(TaskPool, GivesTheSameMemoryAgain) {
  ThreadState& self = *this_thread();
  Task* first = self.pool.allocate(self, 100);
  TaskPool::release(self, first);
  EXPECT_EQ(self.pool.allocate(self, 100), first);
  TaskPool::release(self, first);
}

TEST(TaskPool, EverySizeHasRoomForItsPayload) {
  ThreadState& self = *this_thread();
  std::vector<Task*> tasks;
  for (const std::size_t bytes : {0U, 1U, 64U, 65U, 1536U, 1537U, 2048U, 2049U, 100'000U}) {
    Task* task = self.pool.allocate(self, bytes);
    auto* payload = static_cast<unsigned char*>(task->payload());
    for (std::size_t i = 0; i < bytes; ++i) payload[i] = static_cast<unsigned char>(bytes);
    task->depth = static_cast<std::uint32_t>(bytes);
    tasks.push_back(task);
  }
  for (Task* task : tasks) {
    const auto* payload = static_cast<const unsigned char*>(task->payload());
    for (std::size_t i = 0; i < task->depth; ++i) {
      ASSERT_EQ(payload[i], static_cast<unsigned char>(task->depth));
    }
    TaskPool::release(self, task);
  }
}

TEST(TaskPool, WhatOthersGiveBackIsUsedAgain) {
  ThreadState& self = *this_thread();
  constexpr std::size_t window = 64;
  constexpr std::size_t bytes = 1400;  // a size that nothing else here asks for
  std::set<Task*> seen;
  for (int round = 0; round < 50; ++round) {
    std::vector<Task*> tasks;
    for (std::size_t i = 0; i < window; ++i) {
      tasks.push_back(self.pool.allocate(self, bytes));
      seen.insert(tasks.back());
    }
    std::thread([&tasks] {
      for (Task* task : tasks) TaskPool::release(*this_thread(), task);
    }).join();
  }
  EXPECT_LE(seen.size(), 2 * window);
}

TEST(TaskPool, OthersGiveBackSeveralAtOnce) {
  ThreadState& self = *this_thread();
  constexpr std::size_t bytes = 1300;  // a size that nothing else here asks for
  constexpr std::size_t several = 16;
  std::vector<Task*> tasks;
  for (std::size_t i = 0; i < several; ++i) tasks.push_back(self.pool.allocate(self, bytes));
  std::promise<void> first_was_given;
  std::promise<void> owner_has_looked;
  std::thread other([&] {
    TaskPool::release(*this_thread(), tasks[0]);
    first_was_given.set_value();
    owner_has_looked.get_future().wait();
    for (std::size_t i = 1; i < several; ++i) TaskPool::release(*this_thread(), tasks[i]);
  });
  first_was_given.get_future().wait();
  Task* const fresh = self.pool.allocate(self, bytes);
  EXPECT_NE(fresh, tasks[0]);  // one is not worth a write to a line that all consumers share
  owner_has_looked.set_value();
  other.join();
  std::set<Task*> again;
  for (std::size_t i = 0; i < several; ++i) again.insert(self.pool.allocate(self, bytes));
  EXPECT_EQ(again, std::set<Task*>(tasks.begin(), tasks.end()));
}

TEST(TaskPool, AThreadThatEndsKeepsNothingOfOthers) {
  ThreadState& self = *this_thread();
  constexpr std::size_t bytes = 1200;  // likewise
  Task* const task = self.pool.allocate(self, bytes);
  std::thread([task] { TaskPool::release(*this_thread(), task); }).join();
  EXPECT_EQ(self.pool.allocate(self, bytes), task);
}

// Pages of the heap may lie on the node of whoever used them before.
TEST(TaskPool, FreshMemoryIsNobodysOld) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizer's heap works in its own way";
  ThreadState& self = *this_thread();
  constexpr std::size_t large = std::size_t{1} << 20U;
  void* volatile first = std::malloc(large);
  std::free(first);  // from now on the C library keeps such pieces
  const volatile auto begin = reinterpret_cast<std::uintptr_t>(std::malloc(large));
  std::memset(reinterpret_cast<void*>(begin), 1, large);
  void* const behind_it = std::malloc(64);
  std::free(reinterpret_cast<void*>(begin));
  std::vector<Task*> tasks;
  for (int i = 0; i < 1000; ++i) tasks.push_back(self.pool.allocate(self, 1100));
  std::free(behind_it);
  for (Task* task : tasks) {
    const auto at = reinterpret_cast<std::uintptr_t>(task);
    EXPECT_FALSE(begin <= at && at < begin + large);
    TaskPool::release(self, task);
  }
}

}  // namespace
}  // namespace lares::runtime
