// A policy that the user named is obeyed: tasks whose data has a home run there.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

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

TEST_P(NamedPolicies, SendTasksToTheQueueOfTheirHome) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({1, 1}, GetParam());
  give_homes();
  std::atomic<bool> submitted{false};
  std::atomic<int> at_home{0};
  std::uint32_t queued = 0;
  host::region(2, [&](Worker& worker) {
    if (worker.id == WorkerId{1}) {
      while (!submitted.load(std::memory_order_acquire)) std::this_thread::yield();
      return;
    }
    for (int i = 0; i < 50; ++i) submit(worker, *task_on(worker, 1, &at_home), {});
    queued = worker.team->length(worker.team->places->of(DomainId{1}));
    submitted.store(true, std::memory_order_release);
  });
  EXPECT_EQ(queued, 50U);
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

}  // namespace
}  // namespace lares::runtime
