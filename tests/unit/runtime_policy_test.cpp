// A policy that the user named is obeyed: tasks whose data has a home run there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

constexpr std::size_t domain_count = 2;
constexpr std::size_t block_bytes = 4096;
alignas(block_bytes) char g_blocks[domain_count][block_bytes];

std::uint64_t data_tasks(Locality kind) {
  return host::counted([kind](const CounterSlot& slot) {
    return slot.data_tasks[static_cast<std::size_t>(kind)].get();
  });
}

void give_homes() {
  for (std::size_t d = 0; d < domain_count; ++d) {
    ASSERT_TRUE(Engine::instance().homes()->give(reinterpret_cast<std::uintptr_t>(g_blocks[d]),
                                                 Bytes{block_bytes}, DomainId{d}));
  }
}

Task* task_on(Worker& worker, std::size_t block, std::atomic<int>* at_home) {
  Task* task = host::make_task(worker, [block, at_home](Worker& runner) {
    if (runner.domain == DomainId{block}) at_home->fetch_add(1, std::memory_order_relaxed);
    host::work(30);
  });
  reserve_accesses(*task, 1)[0] = {reinterpret_cast<std::uintptr_t>(g_blocks[block]),
                                   Bytes{block_bytes}, policy::AccessMode::read_write};
  return task;
}

std::uint64_t steals_from_other_domains() {
  return host::counted([](const CounterSlot& slot) {
    std::uint64_t sum = 0;
    for (std::size_t rank = 1; rank < distance_ranks; ++rank) sum += slot.steals[rank].get();
    return sum;
  });
}

class NamedPolicies : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, NamedPolicies,
                         testing::Values("locality-queues", "virouleau",
                                         "push=writer-domain,steal=domains-only"));

// Of what `make` has worker 0 make while worker 1, of the other domain, takes nothing: how much
// lies in that domain's queue.
template <class Make>
std::uint32_t queued_abroad(const char* policy, Make make) {
  const host::Machine machine({1, 1}, policy);
  give_homes();
  std::atomic<bool> made{false};
  std::uint32_t queued = 0;
  host::region(2, [&](Worker& worker) {
    if (worker.id == WorkerId{1}) {
      while (!made.load(std::memory_order_acquire)) std::this_thread::yield();
      return;
    }
    make(worker);
    queued = worker.team->length(worker.team->places->of(DomainId{1}));
    made.store(true, std::memory_order_release);
  });
  return queued;
}

// As a library's own thread does, when a message has come.
void fulfil_from_outside(Task& task) {
  std::thread outside([&task] { fulfil(task); });
  outside.join();
}

TEST_P(NamedPolicies, SendTasksToTheQueueOfTheirHome) {
  LARES_NEEDS_ORDER();
  std::atomic<int> at_home{0};
  const auto make = [&at_home](Worker& worker) {
    for (int i = 0; i < 50; ++i) submit(worker, *task_on(worker, 1, &at_home), {});
  };
  EXPECT_EQ(queued_abroad(GetParam(), make), 50U);
}

TEST_P(NamedPolicies, SendTasksThatAreMadeReadyFromOutsideToTheQueueOfTheirHome) {
  LARES_NEEDS_ORDER();
  std::atomic<int> at_home{0};
  const auto make = [&at_home](Worker& worker) {
    Task* event = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
    const Dependence writes = host::out(&at_home);
    const Dependence reads = host::in(&at_home);
    run_pending(worker, *event, {&writes, 1});
    for (int i = 0; i < 50; ++i) submit(worker, *task_on(worker, 1, &at_home), {&reads, 1});
    fulfil_from_outside(*event);
  };
  EXPECT_EQ(queued_abroad(GetParam(), make), 50U);
}

class MadeReadyFromOutside : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, MadeReadyFromOutside,
                         testing::Values("auto", "central", "locality-queues",
                                         "push=local,steal=cores-only",
                                         "push=local,steal=break-even",
                                         "push=local-domain,steal=domains-only"));

// The creator waits for it outside of OpenMP, and so does nobody else of its domain run anything.
TEST_P(MadeReadyFromOutside, ATaskIsFoundThoughNobodyAtHomeRunsTasks) {
  const host::Machine machine({1, 1}, GetParam());
  std::atomic<bool> ran{false};
  host::region(2, [&](Worker& worker) {
    if (worker.id == WorkerId{1}) return;  // to the barrier, where it runs tasks
    Task* event = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
    const Dependence writes = host::out(&ran);
    run_pending(worker, *event, {&writes, 1});
    host::spawn(worker, {host::in(&ran)}, [&ran](Worker&) { ran.store(true); });
    fulfil_from_outside(*event);
    while (!ran.load()) std::this_thread::yield();
  });
  EXPECT_TRUE(ran.load());
}

// What a steal policy leaves to the workers of one place is found all the same if these wait for it
// where they run no tasks.
class LeftAlone : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, LeftAlone,
                         testing::Values("push=local,steal=domains-only",
                                         "push=local,steal=central", "push=local,steal=break-even",
                                         "push=local-domain,steal=cores-only"));

TEST_P(LeftAlone, TasksAreFoundThoughTheirWorkersWaitOutside) {
  constexpr int tasks = 100;
  const host::Machine machine({1, 1}, GetParam());
  std::atomic<int> ran{0};
  host::region(2, [&](Worker& worker) {
    if (worker.id == WorkerId{1}) return;  // to the barrier, where it runs tasks
    for (int i = 0; i < tasks; ++i) host::spawn(worker, [&ran](Worker&) { ran.fetch_add(1); });
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (ran.load() < tasks && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
    EXPECT_EQ(ran.load(), tasks);
  });
}

TEST_P(NamedPolicies, RunTasksAtHomeUnlessTheyAreStolen) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({2, 2}, GetParam());
  give_homes();
  const std::uint64_t remote_before = data_tasks(Locality::remote);
  const std::uint64_t near_before = data_tasks(Locality::local) + data_tasks(Locality::same_domain);
  const std::uint64_t steals_before = steals_from_other_domains();
  std::atomic<int> at_home{0};
  host::single(4, [&at_home](Worker& worker) {
    for (int i = 0; i < 400; ++i) {
      submit(worker, *task_on(worker, static_cast<std::size_t>(i) % domain_count, &at_home), {});
    }
  });
  const std::uint64_t remote = data_tasks(Locality::remote) - remote_before;
  const std::uint64_t near =
      data_tasks(Locality::local) + data_tasks(Locality::same_domain) - near_before;
  EXPECT_EQ(near, static_cast<std::uint64_t>(at_home.load()));
  EXPECT_EQ(near + remote, 400U);
  EXPECT_EQ(remote, steals_from_other_domains() - steals_before);
}

/// Where tasks wait that each write a block which nobody has touched yet.
class DealtTasks : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Pushes, DealtTasks,
                         testing::Values("distribution=cyclic,push=local,steal=nearest",
                                         "distribution=cyclic,push=local-domain,steal=nearest",
                                         "distribution=cyclic,push=writer-domain,steal=nearest"));

TEST_P(DealtTasks, GoToTheDomainsInTurnWhateverThePush) {
  LARES_NEEDS_ORDER();
  constexpr std::size_t tasks = 40;
  alignas(block_bytes) static char fresh[3][tasks][block_bytes];
  static std::size_t round = 0;
  const host::Machine machine({1, 1}, GetParam());
  std::atomic<bool> submitted{false};
  std::array<std::uint32_t, domain_count> queued{};
  host::region(2, [&](Worker& worker) {
    if (worker.id == WorkerId{1}) {
      while (!submitted.load(std::memory_order_acquire)) std::this_thread::yield();
      return;
    }
    for (auto& block : fresh[round]) {
      Task* task = host::make_task(worker, [](Worker&) {});
      reserve_accesses(*task, 1)[0] = {reinterpret_cast<std::uintptr_t>(block), Bytes{block_bytes},
                                       policy::AccessMode::read_write};
      submit(worker, *task, {});
    }
    queued[0] = worker.team->length(worker.place) +
                worker.team->length(worker.team->places->of(DomainId{0}));
    queued[1] = worker.team->length(worker.team->places->of(DomainId{1}));
    submitted.store(true, std::memory_order_release);
  });
  ++round;
  EXPECT_EQ(queued[0], tasks / 2);
  EXPECT_EQ(queued[1], tasks / 2);
}

TEST(UndealtTasks, StayWithTheirCreatorIfNoDistributionIsNamed) {
  alignas(block_bytes) static char fresh[10][block_bytes];
  const host::Machine machine({1, 1}, "push=local,steal=nearest");
  EXPECT_FALSE(Engine::instance().wants_data());
  std::uint32_t elsewhere = 1;
  std::atomic<bool> submitted{false};
  host::region(2, [&](Worker& worker) {
    if (worker.id == WorkerId{1}) {
      while (!submitted.load(std::memory_order_acquire)) std::this_thread::yield();
      return;
    }
    for (auto& block : fresh) {
      Task* task = host::make_task(worker, [](Worker&) {});
      reserve_accesses(*task, 1)[0] = {reinterpret_cast<std::uintptr_t>(block), Bytes{block_bytes},
                                       policy::AccessMode::read_write};
      submit(worker, *task, {});
    }
    elsewhere = worker.team->length(worker.team->places->of(DomainId{1}));
    submitted.store(true, std::memory_order_release);
  });
  EXPECT_EQ(elsewhere, 0U);
}

// Each of two threads waits for a task that lies in the queue of the other's domain, where thieves
// of cores never look and whose own worker may not take it: it waits inside another task.
TEST(CoresOnly, ATaskThatSomebodyWaitsForIsFoundInTheEnd) {
  const host::Machine machine({1, 1}, "push=writer-domain-or-local,steal=cores-only");
  give_homes();
  std::atomic<int> at_home{0};
  std::atomic<int> submitted{0};
  for (int round = 1; round <= 20; ++round) {
    host::region(2, [&, round](Worker& worker) {
      submit(worker, *task_on(worker, 1 - worker.id.index(), &at_home), {});
      submitted.fetch_add(1);
      while (submitted.load() < 2 * round) std::this_thread::yield();
      taskwait(worker);
      EXPECT_EQ(worker.current->incomplete_children(), 0);
    });
  }
}

// One member of a group lies in the deque of a worker that has gone on to another task, which
// blocks (as in a lock) until the group is complete. This policy never fetches a single task from
// another domain.
struct BlockedOwner {
  std::atomic<bool> started{false};
  std::atomic<bool> submitted{false};
  std::atomic<bool> left{false};
  std::atomic<bool> complete{false};
  std::atomic<bool> in_time{true};
  std::atomic<int> ran{0};

  void block() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!complete.load() && in_time.load()) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() > limit) in_time.store(false);
    }
  }
  void member(Worker& runner) {
    if (runner.id != WorkerId{2} || started.exchange(true)) return;
    host::spawn(runner, [this](Worker&) { ran.fetch_add(1); });
    while (!submitted.load()) std::this_thread::yield();
    left.store(true);
  }
  void wait_for_group(Worker& worker) {
    begin_group(worker);
    for (int i = 0; i < 8; ++i) host::spawn(worker, [this](Worker& runner) { member(runner); });
    while (!left.load()) std::this_thread::yield();
    end_group(worker);
    complete.store(true);
  }
  void submit_blocking(Worker& worker) {
    while (!started.load()) std::this_thread::yield();
    Task* task = host::make_task(worker, [this](Worker&) { block(); });
    task->priority = 1;
    submit(worker, *task, {});
    submitted.store(true);
    block();
  }
};

TEST(BreakEven, ATaskInTheDequeOfABlockedWorkerIsFoundInTheEnd) {
  LARES_NEEDS_ORDER();  // with tiny queues the creator runs all members itself
  const host::Machine machine({2, 1}, "push=local,steal=break-even");
  BlockedOwner owner;
  host::region(3, [&owner](Worker& worker) {
    if (worker.id == WorkerId{0}) owner.wait_for_group(worker);
    if (worker.id == WorkerId{1}) owner.submit_blocking(worker);
  });
  EXPECT_TRUE(owner.in_time.load());
  EXPECT_EQ(owner.ran.load(), 1);
}

/// Of four workers of a domain, how many are away for eight tasks at home in the other, while none
/// of these ends.
std::uint32_t away_for_blocked_tasks() {
  std::atomic<int> running{0};
  std::atomic<bool> may_end{false};
  std::uint32_t away = 0;
  Team* team = nullptr;
  host::region(5, [&](Worker& worker) {
    if (worker.id != WorkerId{0}) return;  // to the barrier, where it runs tasks
    team = worker.team;
    for (int i = 0; i < 8; ++i) {
      Task* task = host::make_task(worker, [&](Worker&) {
        running.fetch_add(1);
        while (!may_end.load()) std::this_thread::yield();
      });
      reserve_accesses(*task, 1)[0] = {reinterpret_cast<std::uintptr_t>(g_blocks[0]),
                                       Bytes{block_bytes}, policy::AccessMode::read_write};
      submit(worker, *task, {});
    }
    while (running.load() < 2) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const int seen = running.load();  // who is away may not have begun yet
    away = team->away[1].state().away;
    EXPECT_LE(seen, static_cast<int>(away));
    may_end.store(true);
  });
  EXPECT_EQ(running.load(), 8);
  EXPECT_EQ(team->away[0].state().away, 0U);
  EXPECT_EQ(team->away[1].state().away, 0U);
  return away;
}

// Nobody has shown yet what a task costs that is fetched from there. Two who ask at the same moment
// may both go, so once in a while there are three.
TEST(NearestThenLongest, FewWorkersOfADomainAreAwayForTasksThatAreAtHomeElsewhere) {
  LARES_NEEDS_ORDER();
  std::vector<std::uint32_t> away;
  for (int i = 0; i < 5; ++i) {
    const host::Machine machine({1, 4}, "push=writer-domain,steal=nearest-then-longest");
    give_homes();
    away.push_back(away_for_blocked_tasks());
  }
  EXPECT_GE(std::ranges::count(away, 2U), 3) << ::testing::PrintToString(away);
}

TEST(Thrift, KnowsTinyTasksByTheirTimeHoweverFastTheCounterIs) {
  for (const std::uint64_t per_microsecond : {19U, 25U, 100U, 1000U, 3000U}) {
    decide::Thrift thrift(per_microsecond);
    for (int i = 0; i < 100; ++i) thrift.ran(false, 2 * per_microsecond, 0);
    EXPECT_FALSE(thrift.tasks_are_tiny()) << per_microsecond;
    for (int i = 0; i < 100; ++i) thrift.ran(false, per_microsecond / 4, 0);
    EXPECT_TRUE(thrift.tasks_are_tiny()) << per_microsecond;
  }
}

// What each task asks for is one look; the answer follows the times of tasks that were run.
TEST(Thrift, AWorkerLearnsThatItsTasksAreTiny) {
  LARES_NEEDS_ORDER();  // another limit may hold
  const host::Machine machine({1, 1}, "auto");
  host::region(2, [](Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    worker.may_deviate = true;
    // An empty task is tiny by this scale under ThreadSanitizer, too; one that the machine
    // interrupts is not, so one of many rounds has to end in that opinion, not the last.
    worker.thrift = decide::Thrift(20 * ticks_per_microsecond());
    learn_from_thrift(worker);
    EXPECT_FALSE(worker.keeps_tiny);
    const std::int64_t usual = worker.own_queue_limits[0];
    for (int round = 0; round < 1000 && !worker.keeps_tiny; ++round) {
      for (int i = 0; i < 300; ++i) host::spawn(worker, [](Worker&) {});
      taskwait(worker);
    }
    EXPECT_TRUE(worker.keeps_tiny);
    EXPECT_FALSE(worker.makes_series);
    EXPECT_EQ(2 * worker.own_queue_limits[0], usual);
  });
}

}  // namespace
}  // namespace lares::runtime
