// Pages for several nodes, moved at the same time or one after the other.
#include "memory/migrate/at_once.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace lares::memory {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uintptr_t base = 0x10000000;

/// Pages that take their time to move, and who moves them. State of a process, as the calls are
/// plain functions; fresh for each test.
struct Kernel {
  std::mutex lock;
  std::unordered_map<std::uintptr_t, int> node_of;
  std::unordered_map<std::thread::id, std::size_t> pages_by;  ///< that it has moved
  int each_us = 20;                                           ///< that a page takes
  std::atomic<int> inside = 0;
  int most_inside = 0;
  bool is_told_to_all = false;  ///< a page takes longer the more are at it
  int doubled = 0;              ///< pages that were moved again
};
Kernel* g_kernel = nullptr;

long move(std::size_t count, void** pages, const int* nodes, int* status) noexcept {
  Kernel& kernel = *g_kernel;
  if (nodes != nullptr) {
    const int inside = kernel.inside.fetch_add(1) + 1;
    const auto each =
        std::chrono::microseconds(kernel.each_us * (kernel.is_told_to_all ? inside * inside : 1));
    std::this_thread::sleep_for(each * count);
    const std::lock_guard guard(kernel.lock);
    kernel.most_inside = std::max(kernel.most_inside, inside);
    kernel.pages_by[std::this_thread::get_id()] += count;
    --kernel.inside;
  }
  const std::lock_guard guard(kernel.lock);
  for (std::size_t i = 0; i < count; ++i) {
    int& node = kernel.node_of[reinterpret_cast<std::uintptr_t>(pages[i])];
    if (nodes != nullptr) {
      kernel.doubled += node == nodes[i] ? 1 : 0;
      node = nodes[i];
    }
    status[i] = node;
  }
  return 0;
}

class AtOnceTest : public testing::Test {
 protected:
  AtOnceTest() {
    g_kernel = &kernel;
    calls.move = &move;
  }
  ~AtOnceTest() override { g_kernel = nullptr; }

  /// So many pages for each of the nodes 1, 2 ...: in two ranges with a gap between them.
  static std::vector<Load> loads(std::size_t nodes, std::uint64_t pages) {
    std::vector<Load> all;
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::uintptr_t begin = base + n * 2 * pages * page;
      const std::uint64_t half = pages / 2 * page;
      all.push_back(
          {OsNode{n + 1},
           {{begin, begin + half}, {begin + 2 * half, begin + 2 * half + pages * page - half}},
           {}});
    }
    return all;
  }
  std::size_t on(int node) {
    std::size_t count = 0;
    for (const auto& [at, where] : kernel.node_of) count += where == node ? 1 : 0;
    return count;
  }

  Kernel kernel;
  SystemCalls calls = real_calls();
  MoveOptions options;
};

TEST_F(AtOnceTest, EachNodeGetsItsPagesOnce) {
  for (const std::uint64_t pages : {1U, 2U, 63U, 64U, 65U, 129U, 1000U}) {
    kernel.node_of.clear();
    const MoveReport report = migrate_at_once(calls, loads(3, pages), options);
    EXPECT_EQ(report.pages, 3 * pages);
    EXPECT_EQ(report.moved, 3 * pages);
    for (int node = 1; node <= 3; ++node) EXPECT_EQ(on(node), pages) << node;
  }
  EXPECT_EQ(kernel.doubled, 0);
}

TEST_F(AtOnceTest, AThreadForEachNodeWhereThatIsFaster) {
  kernel.each_us = 200;  // a thread takes its time to begin on a busy machine
  migrate_at_once(calls, loads(3, 1000), options);
  EXPECT_EQ(kernel.most_inside, 3);
  EXPECT_EQ(kernel.pages_by[std::this_thread::get_id()], 3 * pages_to_try) << "a trial";
}

TEST_F(AtOnceTest, OneAloneWhereTheyWaitForEachOther) {
  kernel.is_told_to_all = true;
  migrate_at_once(calls, loads(3, 1000), options);
  const auto alone = kernel.pages_by[std::this_thread::get_id()];
  EXPECT_EQ(alone, 3 * (1000 - pages_to_try)) << "all but those of the trial";
  for (int node = 1; node <= 3; ++node) EXPECT_EQ(on(node), 1000U);
}

TEST_F(AtOnceTest, FewPagesNeedNoThread) {
  migrate_at_once(calls, loads(4, pages_to_try), options);
  EXPECT_EQ(kernel.pages_by.size(), 1U);
  migrate_at_once(calls, loads(1, 1000), options);
  EXPECT_EQ(kernel.pages_by.size(), 1U) << "nor does one node";
}

TEST_F(AtOnceTest, NothingToMoveIsNoTrouble) {
  EXPECT_EQ(migrate_at_once(calls, {}, options).pages, 0U);
  const std::vector<Load> odd{{OsNode{}, {{base, base + page}}, {}},
                              {OsNode{1}, {}, {}},
                              {OsNode{2}, {{base, base}, {base + page, base}}, {}}};
  EXPECT_EQ(migrate_at_once(calls, odd, options).pages, 0U);
}

TEST_F(AtOnceTest, EndsWhenItIsToldTo) {
  std::atomic<int> calls_left = 3;
  options.argument = &calls_left;
  options.progress = [](void* argument, const MoveReport& /*so_far*/) noexcept {
    return --*static_cast<std::atomic<int>*>(argument) > 0;
  };
  const MoveReport report = migrate_at_once(calls, loads(4, 5000), options);
  EXPECT_LT(report.moved, 4 * 2 * pages_to_try + 4 * pages_per_move);
}

TEST_F(AtOnceTest, ProcessorsThatAreNotOursDoNoHarm) {
  std::vector<Load> all = loads(3, 500);
  const std::array far{OsCpu{std::size_t{1023}}, OsCpu{std::size_t{99999}}};
  for (Load& load : all) load.near = far;
  EXPECT_EQ(migrate_at_once(calls, all, options).moved, 1500U);
}

TEST_F(AtOnceTest, SignalsAreAsBefore) {
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  migrate_at_once(calls, loads(3, 500), options);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
  }
}

}  // namespace
}  // namespace lares::memory
