// Whoever listens is told of work that repeats itself.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "runtime/engine.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

std::uintptr_t g_cause = 0;
std::size_t g_threads = 0;
int g_told = 0;

bool g_by_number = false;

void listen(const Engine::StableWork& work) noexcept {
  g_cause = work.cause;
  g_threads = work.threads;
  g_by_number = work.by_number;
  ++g_told;
}

TEST(StableWork, IsToldToTheListenerUntilItIsGone) {
  Engine::tell_of_stable_work({1, 2});  // nobody listens
  EXPECT_EQ(g_told, 0);
  Engine::set_stable_work_listener(listen);
  Engine::tell_of_stable_work({7, 4});
  EXPECT_EQ(g_cause, 7U);
  EXPECT_EQ(g_threads, 4U);
  Engine::tell_of_stable_work({});
  EXPECT_EQ(g_cause, 0U);
  EXPECT_EQ(g_told, 2);
  Engine::set_stable_work_listener(nullptr);
  Engine::tell_of_stable_work({7, 4});
  EXPECT_EQ(g_told, 2);
}

TEST(StableWork, EachBarrierOfATeamBeginsSome) {
  const host::Machine machine({1, 1});
  g_told = 0;
  Engine::set_stable_work_listener(listen);
  host::region(2, [](Worker& worker) {
    for (int i = 0; i < 5; ++i) barrier(worker);
  });
  Engine::set_stable_work_listener(nullptr);
  EXPECT_GE(g_told, 5);
  EXPECT_LE(g_told, 6);  // the team may meet at the end
  EXPECT_EQ(g_threads, 2U);
}

}  // namespace
}  // namespace lares::runtime
