// Tasks of a group go where the memory is that the group is said to use.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include "runtime/group_data.hpp"
#include "runtime/series.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

constexpr std::size_t domain_count = 2;
constexpr std::size_t block_bytes = 4096;
alignas(block_bytes) char g_blocks[domain_count][block_bytes];
constexpr std::uintptr_t code = 1;

std::uintptr_t block_of(std::size_t domain) {
  return reinterpret_cast<std::uintptr_t>(g_blocks[domain]);
}

/// A region of two threads on two domains, each with a block, in which the second one runs nothing
/// before the first has done what it wants. The groups that are open then end.
template <class Body>
void watched(Body body) {
  const host::Machine machine({1, 1}, "locality-queues");
  for (std::size_t d = 0; d < domain_count; ++d) {
    ASSERT_TRUE(Engine::instance().homes()->give(block_of(d), Bytes{block_bytes}, DomainId{d}));
  }
  std::atomic<bool> done{false};
  host::region(2, [&](Worker& worker) {
    if (worker.id == WorkerId{1}) {
      while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
      return;
    }
    body(worker);
    done.store(true, std::memory_order_release);
    while (worker.current->open_group != nullptr) end_group(worker);
  });
}

std::uint32_t queued_abroad(Worker& worker) {
  return worker.team->length(worker.team->places->of(DomainId{std::size_t{1}}));
}

bool say(Worker& worker, std::size_t domain) {
  return set_group_data(worker, block_of(domain), Bytes{block_bytes});
}

Task* plain_task(Worker& worker) {
  return host::make_task(worker, [](Worker&) {});
}

/// How many of `count` new tasks go to the second domain.
std::uint32_t sent(Worker& worker, std::uint32_t count = 1) {
  const std::uint32_t before = queued_abroad(worker);
  for (std::uint32_t i = 0; i < count; ++i) {
    submit_from(worker, *plain_task(worker), code, {}, {});
  }
  return queued_abroad(worker) - before;
}

TEST(GroupData, SendsTheTasksThatAreMadeAfterItWasSaid) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    begin_group(worker);
    EXPECT_EQ(sent(worker, 3), 0U);
    ASSERT_TRUE(say(worker, 1));
    EXPECT_EQ(sent(worker, 3), 3U);
    ASSERT_TRUE(say(worker, 0)) << "the last one counts";
    EXPECT_EQ(sent(worker, 3), 0U);
    ASSERT_TRUE(say(worker, 1));
    ASSERT_TRUE(set_group_data(worker, 0, Bytes{}));
    EXPECT_EQ(sent(worker, 3), 0U) << "none any more";
  });
}

TEST(GroupData, IsOfTheInnermostGroupAndEndsWithIt) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    EXPECT_FALSE(say(worker, 1)) << "there is no group";
    begin_group(worker);
    ASSERT_TRUE(say(worker, 1));
    begin_group(worker);
    EXPECT_EQ(sent(worker), 0U);
    end_group(worker);
    EXPECT_EQ(sent(worker), 1U);
  });
}

TEST(GroupData, IsForgottenByAGroupThatIsUsedAgain) {
  const host::Machine machine({1});
  host::single(1, [](Worker& worker) {
    begin_group(worker);
    ASSERT_TRUE(say(worker, 1));
    end_group(worker);
    begin_group(worker);
    EXPECT_FALSE(has_group_data(worker));
    end_group(worker);
    EXPECT_FALSE(say(worker, 1));
  });
}

TEST(GroupData, IsNotThatOfWhatItsTasksMake) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    begin_group(worker);
    ASSERT_TRUE(say(worker, 1));
    Task& inner = *host::make_task(worker, [](Worker& runner) {
      EXPECT_FALSE(has_group_data(runner));
      EXPECT_FALSE(say(runner, 1)) << "it is in the group, and has not opened it";
      EXPECT_EQ(sent(runner), 0U);
      begin_group(runner);
      EXPECT_TRUE(say(runner, 1));
      EXPECT_TRUE(has_group_data(runner));
      end_group(runner);
    });
    run_undeferred(worker, inner, {});
    EXPECT_EQ(sent(worker), 1U) << "what the inner one has said is its own";
  });
}

TEST(GroupData, GivesWayToATasksOwnAffinityAndGoesBeforeItsDependences) {
  LARES_NEEDS_ORDER();
  watched([](Worker& worker) {
    begin_group(worker);
    ASSERT_TRUE(say(worker, 1));
    const std::uint32_t before = queued_abroad(worker);
    Task& own = *plain_task(worker);
    reserve_accesses(own, 1)[0] = {block_of(0), Bytes{block_bytes}, policy::AccessMode::affinity};
    submit_from(worker, own, code, {}, {});
    EXPECT_EQ(queued_abroad(worker), before);
    const std::array dependences{Dependence{block_of(0), Bytes{block_bytes}, DependKind::out}};
    submit_from(worker, *plain_task(worker), code, {}, dependences);
    EXPECT_EQ(queued_abroad(worker), before + 1);
  });
}

}  // namespace
}  // namespace lares::runtime
