// lares/tbb.hpp over the real oneTBB: what runs, how often, where, and how threads come back.
#include <gtest/gtest.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <lares/tbb.hpp>

#include <numeric>
#include <random>

namespace {

using Range = oneapi::tbb::blocked_range<std::size_t>;

std::vector<int> own_processors() {
  return lares::internal::ProcessorMask::of_this_thread().list();
}

// Domains that share this machine's processors: what is tested is who runs what, not how fast.
std::vector<std::vector<int>> domains(std::size_t count) {
  const std::vector<int> cpus = own_processors();
  std::vector<std::vector<int>> all(count);
  for (std::size_t d = 0; d < count; ++d) all[d] = {cpus[d % cpus.size()]};
  return all;
}

class Loops : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Domains, Loops, testing::Values(1, 2, 4, 7));

TEST_P(Loops, RunEachIterationOnce) {
  lares::DomainArenas arenas(domains(GetParam()));
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  for (int round = 0; round < 200; ++round) {
    const std::size_t first = random() % 1000;
    const std::size_t count = random() % 3000;
    const std::size_t grain = 1 + random() % 100;
    std::vector<std::atomic<int>> ran(count);
    std::atomic<std::size_t> largest{0};
    const auto homes = [&](const Range& piece) {
      return static_cast<int>(piece.begin() / 64 % (GetParam() + 2)) - 1;  // some are no domain's
    };
    lares::parallel_for(arenas, Range(first, first + count, grain), homes, [&](const Range& piece) {
      if (piece.size() > largest.load()) largest.store(piece.size());
      for (std::size_t i = piece.begin(); i != piece.end(); ++i) ran[i - first].fetch_add(1);
    });
    for (const auto& times : ran) ASSERT_EQ(times.load(), 1);
    EXPECT_LE(largest.load(), grain);
  }
}

TEST_P(Loops, MayBeNestedAndCalledByManyThreads) {
  lares::DomainArenas arenas(domains(GetParam()));
  std::atomic<long> sum{0};
  const auto homes = [](const Range& piece) { return static_cast<int>(piece.begin() % 4); };
  const auto nest = [&] {
    lares::parallel_for(arenas, Range(0, 40, 3), homes, [&](const Range& outer) {
      for (std::size_t i = outer.begin(); i != outer.end(); ++i) {
        lares::parallel_for(arenas, Range(0, 50), homes, [&](const Range& inner) {
          sum.fetch_add(static_cast<long>(inner.size()));
        });
        oneapi::tbb::parallel_for(0, 5, [&](int) { sum.fetch_add(1); });
      }
    });
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back(nest);
  oneapi::tbb::parallel_for(0, 4, [&](int) { nest(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.load(), 10L * 40 * 55);
}

TEST_P(Loops, ThrowWhatABodyThrowsAndCanBeUsedAgain) {
  lares::DomainArenas arenas(domains(GetParam()));
  const auto homes = [](const Range& piece) { return static_cast<int>(piece.begin() % 3); };
  int least = 10'000;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    const auto body = [&](const Range& piece) {
      ran.fetch_add(1);
      if (piece.begin() == 10) throw std::runtime_error("ten");
    };
    EXPECT_THROW(lares::parallel_for(arenas, Range(0, 10'000), homes, body), std::runtime_error);
    least = std::min(least, ran.load());
    const auto bad_homes = [](const Range& piece) -> int {
      if (piece.begin() == 99) throw std::logic_error("no home");
      return 0;
    };
    EXPECT_THROW(lares::parallel_for(arenas, Range(0, 200), bad_homes, [](const Range&) {}),
                 std::logic_error);
  }
  EXPECT_LT(least, 10'000);  // what had not begun was dropped, unless the thrower was held up
  std::atomic<int> ran{0};
  lares::parallel_for(arenas, Range(0, 100), homes, [&](const Range&) { ran.fetch_add(1); });
  EXPECT_EQ(ran.load(), 100);
}

TEST_P(Loops, EndIfOnlyOneThreadIsAllowed) {
  const oneapi::tbb::global_control one(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  lares::DomainArenas arenas(domains(GetParam()));
  std::atomic<int> ran{0};
  const auto homes = [](const Range& piece) { return static_cast<int>(piece.begin() % 4); };
  lares::parallel_for(arenas, Range(0, 1000), homes, [&](const Range&) { ran.fetch_add(1); });
  EXPECT_EQ(ran.load(), 1000);
}

TEST(LoopRanges, MayHaveMoreDimensions) {
  lares::DomainArenas arenas(domains(3));
  using Plane = oneapi::tbb::blocked_range2d<int>;
  std::vector<std::atomic<int>> ran(40 * 60);
  lares::parallel_for(
      arenas, Plane(0, 40, 7, 0, 60, 5), [](const Plane& p) { return p.rows().begin() % 3; },
      [&](const Plane& p) {
        for (int i = p.rows().begin(); i != p.rows().end(); ++i) {
          for (int k = p.cols().begin(); k != p.cols().end(); ++k) {
            ran[static_cast<std::size_t>(i * 60 + k)].fetch_add(1);
          }
        }
      });
  for (const auto& times : ran) ASSERT_EQ(times.load(), 1);
}

// Each domain's pieces are as many as the other's and as long: few are left for thieves. Where
// other programs take the processors one domain may stand still for a while, so the best round
// counts.
TEST(Placement, PiecesRunAtHomeWhileBothDomainsHaveSome) {
  if (own_processors().size() < 2) GTEST_SKIP() << "one processor";
  lares::DomainArenas arenas(domains(2));
  const auto homes = [](const Range& piece) { return static_cast<int>(piece.begin() % 2); };
  int best = 0;
  bool both = false;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> at_home{0};
    std::atomic<bool> begun[2] = {false, false};
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    lares::parallel_for(arenas, Range(0, 400), homes, [&](const Range& piece) {
      const auto home = static_cast<std::size_t>(homes(piece));
      begun[arenas.here()].store(true);
      while (!begun[1 - arenas.here()].load() && std::chrono::steady_clock::now() < soon) {
      }
      if (piece.begin() == 0) both = both || begun[1 - arenas.here()].load();
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
      while (std::chrono::steady_clock::now() < end) {
      }
      at_home.fetch_add(arenas.here() == home ? 1 : 0);
    });
    best = std::max(best, at_home.load());
  }
  if (!both) GTEST_SKIP() << "the second thread got no processor for four seconds";
  EXPECT_GT(best, 260);  // 200 if nobody cared, with a deviation of 10
}

// One domain has all pieces: the other's threads take some, whichever is blocked.
TEST(Placement, NoThreadStaysIdleWhileThereAreOthersPieces) {
  lares::DomainArenas arenas(domains(2));
  std::atomic<int> inside{0};
  const auto body = [&](const Range&) {
    inside.fetch_add(1);
    while (inside.load() < 2) std::this_thread::yield();  // two at the same time
  };
  lares::parallel_for(arenas, Range(0, 2), [](const Range&) { return 1; }, body);
  EXPECT_EQ(inside.load(), 2);
}

TEST(Binding, ThreadsAreBoundInsideAndAsBeforeOutside) {
  const std::vector<int> before = own_processors();
  for (const lares::Binding binding : {lares::Binding::domain, lares::Binding::none}) {
    lares::DomainArenas arenas(domains(3), binding);
    std::atomic<int> elsewhere{0};
    const auto homes = [](const Range& piece) { return static_cast<int>(piece.begin() % 3); };
    lares::parallel_for(arenas, Range(0, 300), homes, [&](const Range&) {
      elsewhere.fetch_add(own_processors() == arenas.processors(arenas.here()) ? 0 : 1);
      lares::DomainArenas inner(domains(2));
      lares::parallel_for(inner, Range(0, 2), homes, [&](const Range&) {
        elsewhere.fetch_add(own_processors() == inner.processors(inner.here()) ? 0 : 1000);
      });
      elsewhere.fetch_add(own_processors() == arenas.processors(arenas.here()) ? 0 : 1);
    });
    EXPECT_EQ(elsewhere.load(), binding == lares::Binding::domain || before.size() == 1 ? 0 : 600);
    EXPECT_EQ(own_processors(), before);
    EXPECT_EQ(arenas.shortfall(), "");
  }
}

TEST(Binding, WhatTheSystemRefusesIsSaid) {
  const std::vector<int> before = own_processors();
  lares::DomainArenas arenas({{0}, {4000}});
  EXPECT_EQ(arenas.shortfall(), "");
  int ran = 0;
  arenas.arena(1).execute([&] { ++ran; });
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(arenas.shortfall(),
            "threads could not be bound to domain 1: " + std::string(std::strerror(EINVAL)));
  EXPECT_EQ(own_processors(), before);
}

TEST(Domains, OfThisProcessAreNeverUnknown) {
  lares::DomainArenas& arenas = lares::DomainArenas::usual();
  ASSERT_GE(arenas.size(), 1U);
  EXPECT_LE(static_cast<int>(arenas.size()), lares_domain_count());
  std::vector<int> all;
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    for (const int cpu : arenas.processors(i)) all.push_back(cpu);
    EXPECT_EQ(arenas.visits(i).front(), i);
    EXPECT_EQ(arenas.visits(i).size(), arenas.size());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, own_processors());
  EXPECT_EQ(arenas.size() == 1, !arenas.shortfall().empty());
  EXPECT_EQ(lares_domain_processors(-1, nullptr, 0), 0U);
  EXPECT_EQ(lares_domain_processors(lares_domain_count(), nullptr, 0), 0U);
}

TEST(Domains, WithoutProcessorsAreServedByOthers) {
  const int cpu = own_processors().front();
  lares::DomainArenas arenas(std::vector<std::vector<int>>{{}, {cpu}, {}});
  EXPECT_EQ(arenas.size(), 1U);
  EXPECT_TRUE(arenas.is_domain(2));
  EXPECT_FALSE(arenas.is_domain(3));
  std::atomic<int> ran{0};
  const auto homes = [](const Range& piece) { return static_cast<int>(piece.begin()) - 1; };
  lares::parallel_for(arenas, Range(0, 6), homes, [&](const Range&) { ran.fetch_add(1); });
  EXPECT_EQ(ran.load(), 6);
}

TEST(Domains, WithoutAnyProcessorAreAMistake) {
  EXPECT_THROW(lares::DomainArenas(std::vector<std::vector<int>>(2)), std::invalid_argument);
  EXPECT_THROW(lares::DomainArenas({{0}, {-1}}), std::invalid_argument);
}

TEST(Homes, OfPagesAreThoseOfTheLibrary) {
  constexpr std::size_t count = 100'000;
  auto* const data = static_cast<double*>(lares_alloc(count * sizeof(double), nullptr, 0));
  ASSERT_NE(data, nullptr);
  const lares::PageHomes before(data, count);
  EXPECT_EQ(before(Range(0, count)), -1);  // nobody has touched it
  std::fill_n(data, count, 1.0);
  const lares::PageHomes homes(data, count);
  for (std::size_t i = 0; i < count; i += 777) {
    int home = -2;
    lares_page_homes(data + i, 1, &home, 1);
    EXPECT_EQ(homes(Range(i, i + 1)), home);
  }
  lares_free(data);
}

TEST(Homes, ByIndexFollowTheProcessors) {
  const int cpu = own_processors().front();
  const lares::DomainArenas arenas({{cpu}, {}, {cpu, cpu, cpu}}, lares::Binding::none);
  const lares::StaticHomes homes(1000, arenas);
  EXPECT_EQ(homes(Range(0, 1)), 0);
  EXPECT_EQ(homes(Range(249, 250)), 0);
  EXPECT_EQ(homes(Range(250, 251)), 2);
  EXPECT_EQ(homes(Range(999, 1000)), 2);
  const lares::StaticHomes large(std::numeric_limits<std::size_t>::max(), arenas);
  EXPECT_EQ(large(Range(0, 1)), 0);
  constexpr std::size_t last = std::numeric_limits<std::size_t>::max() - 1;
  EXPECT_EQ(large(Range(last, last + 1)), 2);
}

class Groups : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Domains, Groups, testing::Values(1, 2, 5));

struct Tree {
  lares::TaskGroup& group;
  std::atomic<long>& nodes;
  void grow(int depth) const {
    nodes.fetch_add(1);
    if (depth == 0) return;
    for (int child = 0; child < 3; ++child) {
      group.run(child - 1, [tree = *this, depth] { tree.grow(depth - 1); });
    }
  }
};

TEST_P(Groups, RunAllTasksThoseMadeByTasksIncluded) {
  lares::DomainArenas arenas(domains(GetParam()));
  lares::TaskGroup group(arenas);
  for (int round = 0; round < 20; ++round) {
    std::atomic<long> nodes{0};
    group.run(0, [&] { Tree{group, nodes}.grow(6); });
    group.wait();
    EXPECT_EQ(nodes.load(), (3 * 3 * 3 * 3 * 3 * 3 * 3 - 1) / 2);
  }
}

TEST_P(Groups, BeginWithoutAWait) {
  lares::DomainArenas arenas(domains(GetParam()));
  lares::TaskGroup group(arenas);
  std::atomic<int> ran{0};
  for (int i = 0; i < 50; ++i) group.run(i % 7, [&] { ran.fetch_add(1); });
  while (ran.load() < 50) std::this_thread::yield();  // nobody waits in the group
  group.wait();
  EXPECT_EQ(ran.load(), 50);
}

TEST_P(Groups, ThrowAndGoOn) {
  lares::DomainArenas arenas(domains(GetParam()));
  lares::TaskGroup group(arenas);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) {
      group.run(i, [i] {
        if (i % 10 == 3) throw std::runtime_error("three");
      });
    }
    EXPECT_THROW(group.wait(), std::runtime_error);
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) group.run(i, [&] { ran.fetch_add(1); });
    group.wait();
    EXPECT_EQ(ran.load(), 100);
  }
}

TEST_P(Groups, DropWhatHasNotBegunWhenTheyEnd) {
  lares::DomainArenas arenas(domains(GetParam()));
  const auto alive = std::make_shared<int>(0);
  {
    lares::TaskGroup group(arenas);
    for (int i = 0; i < 10'000; ++i) group.run(i % 5, [alive] {});
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_P(Groups, TakeTasksFromManyThreads) {
  lares::DomainArenas arenas(domains(GetParam()));
  lares::TaskGroup group(arenas);
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) group.run(i % 6 - 1, [&] { ran.fetch_add(1); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  group.wait();
  EXPECT_EQ(ran.load(), 16'000);
}

}  // namespace
