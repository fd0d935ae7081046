// What tasks promise: waiting, groups, priorities, events, cancellation, nesting.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

class Teams : public testing::TestWithParam<std::size_t> {
 protected:
  const host::Machine machine_{{2, 2}};
};
INSTANTIATE_TEST_SUITE_P(Sizes, Teams,
                         testing::Values(std::size_t{1}, std::size_t{2}, std::size_t{4}));

std::uint64_t fibonacci(Worker& worker, int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  host::spawn(worker, [&a, n](Worker& runner) { a = fibonacci(runner, n - 1); });
  host::spawn(worker, [&b, n](Worker& runner) { b = fibonacci(runner, n - 2); });
  taskwait(worker);
  return a + b;
}

TEST_P(Teams, TaskwaitWaitsForChildren) {
  std::uint64_t result = 0;
  host::single(GetParam(), [&result](Worker& worker) { result = fibonacci(worker, 18); });
  EXPECT_EQ(result, 2584U);
}

TEST_P(Teams, EveryThreadMakesTasksAndTheRegionEndsWithThem) {
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    ran.store(0);
    host::region(GetParam(), [&ran](Worker& worker) {
      for (int i = 0; i < 100; ++i) {
        host::spawn(worker, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
      }
    });
    ASSERT_EQ(ran.load(), 100 * static_cast<int>(GetParam()));
  }
}

TEST_P(Teams, ABarrierCompletesTasksAndTheirChildren) {
  std::atomic<int> ran{0};
  std::atomic<int> wrong{0};
  host::region(GetParam(), [&](Worker& worker) {
    for (int phase = 1; phase <= 20; ++phase) {
      for (int i = 0; i < 10; ++i) {
        host::spawn(worker, [&ran](Worker& runner) {
          host::spawn(runner, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
        });
      }
      barrier(worker);
      if (ran.load(std::memory_order_relaxed) != 10 * phase * static_cast<int>(GetParam())) {
        wrong.fetch_add(1, std::memory_order_relaxed);
      }
      barrier(worker);
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(Teams, AGroupWaitsForDescendantsAndOnlyForMembers) {
  std::atomic<int> inside{0};
  int seen = 0;
  host::single(GetParam(), [&](Worker& worker) {
    for (int round = 0; round < 50; ++round) {
      begin_group(worker);
      for (int i = 0; i < 8; ++i) {
        host::spawn(worker, [&inside](Worker& runner) {
          host::spawn(runner, [&inside](Worker& deeper) {
            host::spawn(deeper,
                        [&inside](Worker&) { inside.fetch_add(1, std::memory_order_relaxed); });
          });
        });
      }
      end_group(worker);
      if (inside.load(std::memory_order_relaxed) == 8 * (round + 1)) ++seen;
    }
  });
  EXPECT_EQ(seen, 50);
}

TEST_P(Teams, AnUndeferredTaskIsOverWhenItsCreatorGoesOn) {
  int value = 0;
  bool in_order = true;
  host::single(GetParam(), [&](Worker& worker) {
    for (int i = 0; i < 200; ++i) {
      host::spawn(worker, {host::out(&value)}, [&value](Worker&) { ++value; });
      Task* task = host::make_task(worker, [&value](Worker&) { ++value; });
      const Dependence after = host::out(&value);
      run_undeferred(worker, *task, {&after, 1});
      in_order = in_order && value == 2 * (i + 1);
    }
  });
  EXPECT_TRUE(in_order);
}

TEST_P(Teams, TaskwaitDependWaitsForWhatItNames) {
  int first = 0;
  int second = 0;
  bool in_order = true;
  host::single(GetParam(), [&](Worker& worker) {
    for (int i = 1; i <= 200; ++i) {
      host::spawn(worker, {host::out(&first)}, [&first](Worker&) { ++first; });
      host::spawn(worker, {host::out(&second)}, [&second](Worker&) { ++second; });
      const Dependence named = host::in(&first);
      taskwait_depend(worker, {&named, 1});
      in_order = in_order && first == i;
    }
  });
  EXPECT_TRUE(in_order);
  EXPECT_EQ(second, 200);
}

TEST_P(Teams, TasksRunInlineMayLeaveChildrenBehind) {
  std::atomic<int> ran{0};
  host::single(GetParam(), [&ran](Worker& worker) {
    for (int i = 0; i < 500; ++i) {
      host::run_inline(
          worker,
          [](Task& task, Worker& runner) {
            auto* count = static_cast<std::atomic<int>*>(task.host.call.data);
            host::spawn(runner, [count](Worker& deeper) {
              host::spawn(deeper, [count](Worker&) { count->fetch_add(1); });
            });
          },
          nullptr, &ran, 0);
    }
  });
  EXPECT_EQ(ran.load(), 500);
}

// The descriptors of the tasks below a task that runs at once, by depth.
struct Descriptors {
  static constexpr std::size_t depth = 20;
  std::size_t at = 0;
  std::array<const Task*, depth> of{};
};

void run_below(Task& task, Worker& worker) {
  auto& descriptors = *static_cast<Descriptors*>(task.host.call.data);
  if (descriptors.at == Descriptors::depth) return;
  descriptors.of[descriptors.at++] = &task;
  host::run_inline(worker, run_below, nullptr, &descriptors, 0);
}

TEST(TasksRunInline, UseTheirDescriptorsAgainHoweverDeepTheyAreNested) {
  const host::Machine machine({2, 2});
  host::single(1, [](Worker& worker) {
    Descriptors first;
    Descriptors second;
    host::run_inline(worker, run_below, nullptr, &first, 0);
    host::run_inline(worker, run_below, nullptr, &second, 0);
    EXPECT_EQ(first.at, Descriptors::depth);
    EXPECT_EQ(first.of, second.of);
    // One that a child outlives is not used again while the child needs it.
    const Task* kept = nullptr;
    host::run_inline(
        worker,
        [](Task& task, Worker& runner) {
          *static_cast<const Task**>(task.host.call.data) = &task;
          Task* const child = host::make_task(runner, [](Worker&) {}, 0);
          child->priority = 1;  // so it is queued
          submit(runner, *child, {});
        },
        nullptr, &kept, 0);
    Descriptors third;
    host::run_inline(worker, run_below, nullptr, &third, 0);
    EXPECT_EQ(std::count(third.of.begin(), third.of.end(), kept), 0);
    taskwait(worker);
  });
}

// Nobody else takes them, so a creator that may run tasks itself does; one that may not queues all.
TEST(Throttling, CreatorsRunTasksOfFullQueuesUnlessTheUserForbidsIt) {
  LARES_NEEDS_ORDER();
  for (const bool throttles : {true, false}) {
    const host::Machine machine({2, 2});
    Engine::instance().set_throttling(throttles);
    std::atomic<bool> created{false};
    std::atomic<int> ran_early{0};
    host::region(2, [&](Worker& worker) {
      if (worker.id == WorkerId{1}) {
        while (!created.load()) std::this_thread::yield();
        return;
      }
      for (int i = 0; i < 20'000; ++i) {
        host::spawn(worker, [&](Worker&) {
          if (!created.load(std::memory_order_relaxed)) ran_early.fetch_add(1);
        });
      }
      created.store(true);
    });
    if (throttles) {
      EXPECT_GT(ran_early.load(), 0);
    } else {
      EXPECT_EQ(ran_early.load(), 0);
    }
  }
  Engine::instance().set_throttling(true);
}

namespace binding {

bool bind_to(std::size_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/// The core that a region of one thread thinks it runs on.
CoreId core_in_a_region() {
  ThreadState& master = *this_thread();
  Team* team = acquire_team(master, 1, host::Machine::generation());
  Worker& worker = enter(*team, WorkerId{0});
  const CoreId core = worker.core;
  leave(worker);
  release_team(master, team);
  return core;
}

}  // namespace binding

// Runtimes bind a thread anew when the size of its team changes.
TEST(Binding, AThreadThatIsBoundAnewIsFollowed) {
  const host::Machine machine({1, 1});
  bool allowed = false;
  std::thread([&] {
    allowed = binding::bind_to(0) && binding::bind_to(1);
    if (!allowed) return;
    for (const std::size_t cpu : {0U, 1U, 0U}) {
      binding::bind_to(cpu);
      binding::core_in_a_region();  // the one that notices
      EXPECT_EQ(binding::core_in_a_region(), CoreId{cpu});
    }
  }).join();
  if (!allowed) GTEST_SKIP() << "needs the cpus 0 and 1";
}

TEST(Priorities, HigherOnesStartFirst) {
  const host::Machine machine({2});
  std::vector<int> order;
  host::single(1, [&order](Worker& worker) {
    int gate = 0;
    // The detachable task keeps the others from being run as they are made.
    Task* hold = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
    const Dependence closes = host::out(&gate);
    submit(worker, *hold, {&closes, 1});
    for (const int priority : {1, 3, 2, 3}) {
      Task* task =
          host::make_task(worker, [&order, priority](Worker&) { order.push_back(priority); });
      task->priority = priority;
      const Dependence waits = host::in(&gate);
      submit(worker, *task, {&waits, 1});
    }
    fulfil(*hold);
    taskwait(worker);
  });
  EXPECT_EQ(order, (std::vector<int>{3, 3, 2, 1}));
}

TEST(Priorities, GoBeforeWhatIsInTheOwnQueue) {
  const host::Machine machine({2});
  std::vector<int> order;
  host::single(1, [&order](Worker& worker) {
    int gate = 0;
    Task* hold = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
    const Dependence closes = host::out(&gate);
    submit(worker, *hold, {&closes, 1});
    for (const int priority : {0, 0, 1, 0, 2}) {
      Task* task =
          host::make_task(worker, [&order, priority](Worker&) { order.push_back(priority); });
      task->priority = priority;
      const Dependence waits = host::in(&gate);
      submit(worker, *task, {&waits, 1});
    }
    fulfil(*hold);
    taskwait(worker);
  });
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0, 0, 0}));
}

// --- producers ----------------------------------------------------------------------------------

/// The most tasks of one producer that were made but had not run, of `count` with `priority`.
struct Backlog {
  int count = 200'000;
  int priority = 0;
  int ran = 0;
  int most = 0;

  void make_all(Worker& worker) {
    for (int made = 1; made <= count; ++made) {
      Task* task = host::make_task(worker, [this](Worker&) { ++ran; });
      task->priority = priority;
      submit(worker, *task, {});
      most = std::max(most, made - ran);
    }
  }
};

TEST(Producers, AreThrottledAlsoIfTasksHavePriorities) {
  const host::Machine machine({2});
  Backlog backlog;
  backlog.priority = 1;
  host::single(1, [&backlog](Worker& worker) { backlog.make_all(worker); });
  EXPECT_EQ(backlog.ran, backlog.count);
  EXPECT_LE(backlog.most, 20'000);
}

// All wait for one long task of another worker: more of them are of no use to anybody.
TEST(Producers, WaitForALongTaskInsteadOfMakingMore) {
  const host::Machine machine({2});
  constexpr int too_many = 5 * 32'768;
  int value = 0;
  std::atomic<bool> begun{false};
  std::atomic<bool> goes_on{false};
  std::atomic<int> ran{0};
  int made = 0;
  host::single(2, [&](Worker& worker) {
    host::spawn(worker, {host::out(&value)}, [&](Worker&) {
      begun.store(true);
      while (!goes_on.load()) std::this_thread::yield();
    });
    while (!begun.load()) std::this_thread::yield();  // by the other one
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    while (made < too_many && std::chrono::steady_clock::now() < enough) {
      host::spawn(worker, {host::in(&value)}, [&](Worker&) { ran.fetch_add(1); });
      ++made;
    }
    goes_on.store(true);
  });
  EXPECT_LT(made, too_many);
  EXPECT_EQ(ran.load(), made);
}

// What the other one runs waits for the creator's next statement.
TEST(Producers, GoOnWhereTheOthersWaitForThem) {
  const host::Machine machine({2});
  constexpr int count = 5 * 32'768;
  int value = 0;
  std::atomic<bool> begun{false};
  std::atomic<bool> all_are_made{false};
  std::atomic<int> ran{0};
  host::single(2, [&](Worker& worker) {
    host::spawn(worker, {host::out(&value)}, [&](Worker&) {
      begun.store(true);
      while (!all_are_made.load()) std::this_thread::yield();
    });
    while (!begun.load()) std::this_thread::yield();  // by the other one
    for (int i = 0; i < count; ++i) {
      host::spawn(worker, {host::in(&value)}, [&](Worker&) { ran.fetch_add(1); });
    }
    all_are_made.store(true);
  });
  EXPECT_EQ(ran.load(), count);
}

// Nobody else can do anything for them: then waiting makes no sense.
TEST(Producers, GoOnWhereTasksWaitForThemselves) {
  const host::Machine machine({2});
  constexpr int count = 5 * 32'768;
  int value = 0;
  std::atomic<int> ran{0};
  host::single(2, [&](Worker& worker) {
    Task* first = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
    const Dependence writes = host::out(&value);
    submit(worker, *first, {&writes, 1});
    for (int i = 0; i < count; ++i) {
      host::spawn(worker, {host::in(&value)}, [&](Worker&) { ran.fetch_add(1); });
    }
    fulfil(*first);
  });
  EXPECT_EQ(ran.load(), count);
}

#ifndef __SANITIZE_ADDRESS__  // its frames need more stack
void run_on_stack_of(std::size_t bytes, Backlog& backlog) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  const auto body = [](void* argument) -> void* {
    host::single(1, [argument](Worker& worker) {
      // As if something had been left for later: tasks are queued, not run as they come.
      host::spawn(worker, {host::out(argument)}, [](Worker&) {});
      static_cast<Backlog*>(argument)->make_all(worker);
    });
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &backlog), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Producers, AreThrottledOnSmallStacks) {
  const host::Machine machine({2});
  for (const std::size_t kilobytes : {160U, 192U, 256U, 400U}) {
    Backlog backlog;
    run_on_stack_of(kilobytes * 1024, backlog);
    EXPECT_EQ(backlog.ran, backlog.count);
    EXPECT_LE(backlog.most, 20'000) << kilobytes << " KiB";
  }
}

// Little is left of a large stack: bodies run elsewhere, but they run.
TEST(Producers, AreThrottledNearTheEndOfTheirStack) {
  const host::Machine machine({2});
  Backlog backlog;
  host::single(1, [&backlog](Worker& worker) {
    ThreadState& thread = *worker.thread;
    const std::uintptr_t margin = std::exchange(thread.stack_margin, SIZE_MAX);
    backlog.make_all(worker);
    thread.stack_margin = margin;
  });
  EXPECT_EQ(backlog.ran, backlog.count);
  EXPECT_LE(backlog.most, 20'000);
}
#endif

// --- events -------------------------------------------------------------------------------------

TEST_P(Teams, AnEventFulfilledBeforeTheBodyRuns) {
  int value = 0;
  int seen = 0;
  host::single(GetParam(), [&](Worker& worker) {
    Task* task = host::make_task(worker, [&value](Worker&) { value = 1; }, task_flag::detachable);
    fulfil(*task);
    const Dependence writes = host::out(&value);
    submit(worker, *task, {&writes, 1});
    host::spawn(worker, {host::in(&value)}, [&](Worker&) { seen = value; });
  });
  EXPECT_EQ(seen, 1);
}

TEST_P(Teams, AnEventFulfilledInTheBody) {
  int value = 0;
  int seen = 0;
  host::single(GetParam(), [&](Worker& worker) {
    const auto body = [&value](Worker& runner) {
      fulfil(*runner.current);
      value = 1;
    };
    Task* task = host::make_task(worker, body, task_flag::detachable);
    const Dependence writes = host::out(&value);
    submit(worker, *task, {&writes, 1});
    host::spawn(worker, {host::in(&value)}, [&](Worker&) { seen = value; });
  });
  EXPECT_EQ(seen, 1);
}

// One detachable task with children and a successor, in a group, whose event comes from a thread of
// the program's own: at once after submission, or `delay` later, when the body may have ended.
struct EventRound {
  std::atomic<bool> fulfilled{false};
  std::atomic<int> children{0};
  bool successor_waited = false;
  bool group_waited = false;

  void run(Worker& worker, std::uint32_t delay) {
    begin_group(worker);
    const auto body = [this](Worker& runner) {
      for (int i = 0; i < 6; ++i) {
        host::spawn(runner, [this](Worker&) {
          host::work(20);
          children.fetch_add(1, std::memory_order_relaxed);
        });
      }
    };
    Task* task = host::make_task(worker, body, task_flag::detachable);
    const Dependence writes = host::out(this);
    submit(worker, *task, {&writes, 1});
    host::spawn(worker, {host::in(this)},
                [this](Worker&) { successor_waited = fulfilled.load(std::memory_order_relaxed); });
    std::thread outside([this, task, delay] {
      host::work(delay);
      fulfilled.store(true, std::memory_order_relaxed);
      fulfil(*task);
    });
    end_group(worker);
    group_waited = fulfilled.load(std::memory_order_relaxed);
    outside.join();
  }
};

TEST_P(Teams, EventsFulfilledByForeignThreads) {
  host::single(GetParam(), [](Worker& worker) {
    for (std::uint32_t i = 0; i < 60; ++i) {
      EventRound round;
      round.run(worker, i * 10);
      ASSERT_TRUE(round.successor_waited);
      ASSERT_TRUE(round.group_waited);
      ASSERT_EQ(round.children.load(), 6);
    }
  });
}

TEST_P(Teams, AnUndeferredTaskWaitsForItsEvent) {
  bool waited = true;
  host::single(GetParam(), [&waited](Worker& worker) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> fulfilled{false};
      Task* task = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
      begin_undeferred(worker, *task, {});
      std::thread outside([task, &fulfilled] {
        fulfilled.store(true, std::memory_order_relaxed);
        fulfil(*task);
      });
      end_undeferred(worker, *task);
      waited = waited && fulfilled.load(std::memory_order_relaxed);
      outside.join();
    }
  });
  EXPECT_TRUE(waited);
}

// A detachable task that is run at once, with children, while a thread of the program's own fulfils
// its event: the children are the worker's, the completion may be the other's.
TEST_P(Teams, ATaskRunAtOnceIsLeftPendingUntilItsEvent) {
  std::atomic<int> children{0};
  std::atomic<int> wrong{0};
  host::single(GetParam(), [&](Worker& worker) {
    for (std::uint32_t round = 0; round < 60; ++round) {
      std::atomic<bool> begun{false};
      std::atomic<bool> fulfilled{false};
      const auto body = [&children, &begun](Worker& runner) {
        begun.store(true);
        for (int i = 0; i < 6; ++i) {
          host::spawn(runner, [&children](Worker&) {
            host::work(20);
            children.fetch_add(1, std::memory_order_relaxed);
          });
        }
      };
      Task* task = host::make_task(worker, body, task_flag::detachable);
      begin_group(worker);
      std::thread outside([task, &begun, &fulfilled, round] {
        while (!begun.load()) std::this_thread::yield();
        host::work(round * 10);
        fulfilled.store(true, std::memory_order_relaxed);
        fulfil(*task);
      });
      const Dependence writes = host::out(&children);
      run_pending(worker, *task, {&writes, 1});
      host::spawn(worker, {host::in(&children)}, [&](Worker&) {
        if (!fulfilled.load(std::memory_order_relaxed)) wrong.fetch_add(1);
      });
      end_group(worker);
      if (!fulfilled.load(std::memory_order_relaxed)) wrong.fetch_add(1);
      outside.join();
    }
  });
  EXPECT_EQ(children.load(), 60 * 6);
  EXPECT_EQ(wrong.load(), 0);
}

// --- cancellation -------------------------------------------------------------------------------

TEST_P(Teams, ACancelledGroupDropsWhatHasNotStarted) {
  std::atomic<int> dropped_ran{0};
  bool after = false;
  host::single(
      GetParam(),
      [&](Worker& worker) {
        int gate = 0;
        Taskgroup* group = begin_group(worker);
        Task* hold = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
        const Dependence closes = host::out(&gate);
        submit(worker, *hold, {&closes, 1});
        for (int i = 0; i < 100; ++i) {
          host::spawn(worker, {host::in(&gate)}, [&](Worker&) { dropped_ran.fetch_add(1); });
        }
        cancel_group(*group);
        EXPECT_TRUE(is_cancelled(worker));
        fulfil(*hold);
        end_group(worker);
        EXPECT_FALSE(is_cancelled(worker));
        host::spawn(worker, [&after](Worker&) { after = true; });
      },
      true);
  EXPECT_EQ(dropped_ran.load(), 0);
  EXPECT_TRUE(after);
}

TEST_P(Teams, ACancelledRegionOpensBarriersAndTheNextOneIsWhole) {
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> told{0};
    host::region(
        GetParam(),
        [&told](Worker& worker) {
          for (int i = 0; i < 50; ++i) host::spawn(worker, [](Worker&) { host::work(5); });
          if (worker.id == WorkerId{0}) cancel_team(*worker.team);
          if (barrier(worker)) told.fetch_add(1);
        },
        true);
    EXPECT_EQ(told.load(), static_cast<int>(GetParam()));
    std::atomic<int> ran{0};
    host::region(
        GetParam(),
        [&ran](Worker& worker) {
          host::spawn(worker, [&ran](Worker&) { ran.fetch_add(1); });
          EXPECT_FALSE(barrier(worker));
        },
        true);
    ASSERT_EQ(ran.load(), static_cast<int>(GetParam()));
  }
}

// --- the rest -----------------------------------------------------------------------------------

TEST_P(Teams, RegionsNestInTasks) {
  std::atomic<int> ran{0};
  host::single(GetParam(), [&ran](Worker& worker) {
    for (int i = 0; i < 6; ++i) {
      host::spawn(worker, [&ran](Worker& outer) {
        host::region(2, [&ran](Worker& inner) {
          host::spawn(inner, [&ran](Worker&) { ran.fetch_add(1); });
        });
        EXPECT_EQ(this_worker(), &outer);
      });
    }
  });
  EXPECT_EQ(ran.load(), 12);
}

// A suspended tied task lends its thread to its descendants only: otherwise a sibling that wants
// the same lock would run on top of its holder and never get it.
TEST_P(Teams, ATaskThatWaitsWithALockIsNotInterruptedBySiblings) {
  std::atomic<bool> locked{false};
  std::atomic<int> interrupted{0};
  int ran = 0;
  host::single(GetParam(), [&](Worker& worker) {
    for (int i = 0; i < 64; ++i) {
      Task* task = host::make_task(worker, [&](Worker& runner) {
        static thread_local bool holds = false;
        if (holds) {  // this thread's suspended task has it: waiting would be for ever
          interrupted.fetch_add(1);
          return;
        }
        while (locked.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
        holds = true;
        for (int child = 0; child < 4; ++child) {
          host::spawn(runner, [](Worker&) { host::work(5); });
        }
        taskwait(runner);
        ++ran;
        holds = false;
        locked.store(false, std::memory_order_release);
      });
      submit(worker, *task, {});
    }
  });
  EXPECT_EQ(interrupted.load(), 0);
  EXPECT_EQ(ran, 64);
}

// A program may ask for another number of threads each time: what is kept for the next region must
// not grow with the numbers that there were.
TEST(TeamSizes, ManyDoNotGatherManyWorkers) {
  const host::Machine machine({2, 2});
  static constexpr std::size_t most = 40;
  std::thread([] {  // a thread of its own, whose teams are only of this test
    const Team* const before = this_thread()->cached_team;
    std::atomic<int> ran{0};
    int expected = 0;
    for (int round = 0; round < 3; ++round) {
      for (std::size_t size = round % 2 == 0 ? 1 : most; size >= 1 && size <= most;
           round % 2 == 0 ? ++size : --size) {
        host::region(size, [&ran](Worker& worker) {
          host::spawn(worker, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
          barrier(worker);
          host::spawn(worker, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
        });
        expected += 2 * static_cast<int>(size);
      }
    }
    EXPECT_EQ(ran.load(), expected);
    std::size_t workers = 0;
    for (const Team* team = this_thread()->cached_team; team != before; team = team->next_cached) {
      workers += team->capacity();
    }
    EXPECT_LE(workers, 4 * most);  // one team for each number would be 820
  })
      .join();
}

}  // namespace
}  // namespace lares::runtime
