// The child of a fork has one thread, wherever the others were.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "runtime/exclusion.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

/// How a child ends that does `body` after what the host does in a child: 0 is well. One that hangs
/// is ended by its alarm.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    Engine::instance().reset_after_fork(nullptr);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(Fork, AnotherThreadHoldsALock) {
  const host::Machine machine({2});
  std::atomic<bool> stop{false};
  Task* task = nullptr;
  host::single(1, [&](Worker& worker) { task = host::make_task(worker, [](Worker&) {}); });
  ExclusiveLock* lock = join_exclusive(*task, nullptr);
  std::thread other([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      keep_exclusive(lock);
      drop_exclusive(lock);
    }
  });
  int wrong = 0;
  for (int i = 0; i < 100 && wrong == 0; ++i) {
    wrong = status_of_child([&] {
      keep_exclusive(lock);
      return true;
    });
  }
  stop.store(true, std::memory_order_relaxed);
  other.join();
  EXPECT_EQ(wrong, 0);
}

class ForkInRegion : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, ForkInRegion,
                         testing::Values("auto", "central", "push=writer-domain,steal=cores-only",
                                         "push=local,steal=domains-only"));

int spawn_many(Worker& worker, std::atomic<int>& ran) {
  static int data[64];
  for (int& one : data) {
    host::spawn(worker, {host::out(&one)}, [&ran](Worker& runner) {
      host::spawn(runner, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
      ran.fetch_add(1, std::memory_order_relaxed);
    });
  }
  return 2 * 64;
}

TEST_P(ForkInRegion, TheChildIsATeamOfOne) {
  const host::Machine machine({2, 2}, GetParam());
  std::atomic<int> status{-1};
  host::region(4, [&status](Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    status.store(status_of_child([&worker] {
      std::atomic<int> ran{0};
      int expected = spawn_many(worker, ran);
      taskwait(worker);
      expected += spawn_many(worker, ran);
      barrier(worker);
      if (ran.load() != expected) return false;
      begin_group(worker);
      expected += spawn_many(worker, ran);
      end_group(worker);
      return ran.load() == expected;
    }));
  });
  EXPECT_EQ(status.load(), 0);
}

// Tasks that nobody had begun are the child's as well as the parent's.
TEST_P(ForkInRegion, WhatWaitedInQueuesRunsInTheChildToo) {
  const host::Machine machine({2, 2}, GetParam());
  std::atomic<int> status{-1};
  host::region(4, [&status](Worker& worker) {
    static std::atomic<int> arrived;
    static std::atomic<int> outside;
    if (worker.id == WorkerId{0}) {
      arrived.store(0);
      outside.store(0);
    }
    barrier(worker);
    if (worker.id != WorkerId{0}) {
      outside.fetch_add(1);
      while (arrived.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
      return;
    }
    // Whoever has not left the barrier yet may still begin a task there.
    while (outside.load() != 3) std::this_thread::yield();
    std::atomic<int> ran{0};
    const int expected = spawn_many(worker, ran);
    status.store(status_of_child([&] {
      barrier(worker);
      return ran.load() == expected;
    }));
    arrived.store(1, std::memory_order_relaxed);
    taskwait(worker);
    while (ran.load() != expected) taskyield(worker);
  });
  EXPECT_EQ(status.load(), 0);
}

}  // namespace
}  // namespace lares::runtime
