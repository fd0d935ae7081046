// Dependences among tasks: random programs against the rule of OpenMP 5.2, 15.9.5, pair by pair.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

constexpr std::size_t address_count = 5;
// On a page of their own the addresses have a home; what lies there does not matter.
alignas(64) char g_addresses[address_count * 64];

std::atomic<std::uint64_t> g_clock{0};
std::uint64_t stamp() { return g_clock.fetch_add(1, std::memory_order_seq_cst) + 1; }

enum class What : std::uint8_t { task, undeferred, wait_depend, wait_all };

/// One step of a task's body, and what was seen when it ran.
struct Step {
  What what = What::task;
  std::vector<Dependence> dependences;
  std::vector<std::unique_ptr<Step>> body;
  std::uint32_t length = 0;
  std::uint64_t begin = 0;  // 0: never ran; for a wait, when it was over
  std::uint64_t end = 0;
};

DependKind random_kind(Random& random) {
  static constexpr DependKind kinds[] = {DependKind::in, DependKind::in, DependKind::out,
                                         DependKind::mutexinoutset, DependKind::inoutset};
  return kinds[random.below(5)];
}

std::vector<Dependence> random_dependences(Random& random) {
  if (random.below(24) == 0) return {{0, Bytes{0}, DependKind::all_memory}};
  std::vector<Dependence> dependences;
  const std::uint32_t first = random.below(address_count);
  const std::uint32_t count = random.below(8) == 0 ? address_count : 1 + random.below(2);
  for (std::uint32_t i = 0; i < count; ++i) {
    const void* address = &g_addresses[((first + i) % address_count) * 64];
    dependences.push_back(host::on(address, random_kind(random)));
    if (random.below(10) != 0) continue;
    dependences.push_back(host::on(address, random_kind(random)));  // the address named twice
  }
  return dependences;
}

std::vector<std::unique_ptr<Step>> random_body(Random& random, std::uint32_t count, int depth) {
  std::vector<std::unique_ptr<Step>> body;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto step = std::make_unique<Step>();
    const std::uint32_t draw = random.below(40);
    step->what = draw == 0   ? What::wait_all
                 : draw <= 2 ? What::wait_depend
                 : draw <= 6 ? What::undeferred
                             : What::task;
    if (step->what != What::wait_all && random.below(12) != 0) {
      step->dependences = random_dependences(random);
    }
    if (step->what == What::wait_depend) {
      // OpenMP 5.2, 15.5: a taskwait has no mutexinoutset.
      std::erase_if(step->dependences, [](const Dependence& dependence) {
        return dependence.kind == DependKind::mutexinoutset;
      });
    }
    step->length = random.below(100);
    const bool is_task = step->what == What::task || step->what == What::undeferred;
    if (is_task && depth > 0 && random.below(8) == 0) {
      step->body = random_body(random, count / 6, depth - 1);
    }
    body.push_back(std::move(step));
  }
  return body;
}

void run_steps(Worker& worker, const std::vector<std::unique_ptr<Step>>& steps);

void run_step(Worker& worker, Step& step) {
  step.begin = stamp();
  run_steps(worker, step.body);
  host::work(step.length);
  // Lets others in now and then: what may overlap does so on few cores, too.
  if (step.length % 32 == 0) std::this_thread::yield();
  step.end = stamp();
}

void run_steps(Worker& worker, const std::vector<std::unique_ptr<Step>>& steps) {
  for (const auto& owned : steps) {
    Step* step = owned.get();
    const auto body = [step](Worker& runner) { run_step(runner, *step); };
    switch (step->what) {
      case What::task:
        submit(worker, *host::make_task(worker, body), step->dependences);
        break;
      case What::undeferred:
        run_undeferred(worker, *host::make_task(worker, body), step->dependences);
        break;
      case What::wait_depend:
        taskwait_depend(worker, step->dependences);
        step->begin = step->end = stamp();
        break;
      case What::wait_all:
        taskwait(worker);
        step->begin = step->end = stamp();
        break;
    }
  }
}

enum class Relation : std::uint8_t { none, excluded, ordered };

// The oracle: what the standard says of an earlier and a later sibling.
Relation relation(const Dependence& earlier, const Dependence& later) {
  if (earlier.kind == DependKind::all_memory || later.kind == DependKind::all_memory) {
    return Relation::ordered;
  }
  if (earlier.address != later.address) return Relation::none;
  if (earlier.kind != later.kind || earlier.kind == DependKind::out) return Relation::ordered;
  return earlier.kind == DependKind::mutexinoutset ? Relation::excluded : Relation::none;
}

Relation relation(const Step& earlier, const Step& later) {
  if (later.what == What::wait_all) return Relation::ordered;
  auto strongest = Relation::none;
  for (const Dependence& a : earlier.dependences) {
    for (const Dependence& b : later.dependences) strongest = std::max(strongest, relation(a, b));
  }
  return strongest;
}

bool is_wait(const Step& step) {
  return step.what == What::wait_all || step.what == What::wait_depend;
}

struct Tally {
  std::size_t ordered = 0;
  std::size_t excluded = 0;
  std::size_t broken = 0;
};

void check(const std::vector<std::unique_ptr<Step>>& steps, Tally& tally) {
  for (std::size_t j = 0; j < steps.size(); ++j) {
    const Step& later = *steps[j];
    EXPECT_NE(later.end, 0U) << "step " << j << " never ran";
    check(later.body, tally);
    for (std::size_t i = 0; i < j; ++i) {
      const Step& earlier = *steps[i];
      if (is_wait(earlier)) continue;
      const Relation rule = relation(earlier, later);
      const bool before = earlier.end < later.begin;
      const bool apart = before || later.end < earlier.begin;
      if (rule == Relation::ordered) ++tally.ordered;
      if (rule == Relation::excluded) ++tally.excluded;
      const bool holds = rule == Relation::none || before || (rule == Relation::excluded && apart);
      if (!holds && ++tally.broken <= 3) {
        ADD_FAILURE() << "steps " << i << " [" << earlier.begin << ", " << earlier.end << "] and "
                      << j << " [" << later.begin << ", " << later.end << "]"
                      << (rule == Relation::ordered ? " must be in order" : " must not overlap");
      }
    }
  }
}

class RandomPrograms : public testing::TestWithParam<std::tuple<std::size_t, const char*>> {};

TEST_P(RandomPrograms, KeepEveryPairInOrder) {
  const auto [threads, policy] = GetParam();
  const host::Machine machine({2, 2}, policy);
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    const auto program = random_body(random, 120, 2);
    host::single(threads, [&program](Worker& worker) { run_steps(worker, program); });
    check(program, tally);
    if (tally.broken != 0) {
      FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(tally.ordered, 1000U);
  EXPECT_GT(tally.excluded, 10U);
}

INSTANTIATE_TEST_SUITE_P(Teams, RandomPrograms,
                         testing::Combine(testing::Values(std::size_t{1}, std::size_t{2},
                                                          std::size_t{4}),
                                          testing::Values("auto", "locality-queues", "central")));

TEST(Dependences, AChainOfWritersRunsInOrder) {
  const host::Machine machine({2, 2});
  int value = 0;
  host::single(4, [&value](Worker& worker) {
    for (int i = 0; i < 2000; ++i) {
      host::spawn(worker, {host::out(&value)}, [&value, i](Worker&) {
        if (value == i) ++value;
      });
    }
  });
  EXPECT_EQ(value, 2000);
}

// A compiler may wait for the dependences of an undeferred member first and then call its body.
TEST(Dependences, WhatFollowsAWaitForASetOverlapsNoMember) {
  const host::Machine machine({2, 2});
  static char shared;
  std::atomic<bool> inside{false};
  std::atomic<int> overlaps{0};
  const auto alone = [&inside, &overlaps](Worker&) {
    if (inside.exchange(true)) overlaps.fetch_add(1);
    host::work(2000);
    inside.store(false);
  };
  host::single(4, [&](Worker& worker) {
    const Dependence member = host::on(&shared, DependKind::mutexinoutset);
    for (int i = 0; i < 100; ++i) {
      host::spawn(worker, {member}, alone);
      host::spawn(worker, {member}, alone);
      taskwait_depend(worker, {&member, 1});
      alone(worker);
    }
  });
  EXPECT_EQ(overlaps.load(), 0);
}

// All members but the first wait for a lock: what looks at each of them at each end would take
// long.
TEST(Dependences, ASetMayHaveAHundredThousandMembers) {
  const host::Machine machine({2, 2});
  constexpr int members = 100'000;
  static char shared[2];
  std::atomic<int> ran{0};
  host::single(2, [&](Worker& worker) {
    const Dependence both[2] = {host::on(&shared[0], DependKind::mutexinoutset),
                                host::on(&shared[1], DependKind::mutexinoutset)};
    Task* first = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
    submit(worker, *first, both);
    const auto body = [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); };
    for (int i = 0; i < members; ++i) {
      Task* member = host::make_task(worker, body);
      submit(worker, *member, std::span(both).subspan(static_cast<std::size_t>(i) % 2, 1));
      if (i % 64 == 0) submit(worker, *host::make_task(worker, body), both);
    }
    fulfil(*first);
    taskwait(worker);
  });
  EXPECT_EQ(ran.load(), members + (members + 63) / 64);
}

// The members of a set each wait for the set before it, most of which has long completed.
TEST(Dependences, LargeSetsMayFollowEachOther) {
  const host::Machine machine({2});
  constexpr int members = 100'000;
  static char shared;
  std::atomic<int> ran{0};
  host::single(2, [&](Worker& worker) {
    Task* first = host::make_task(worker, [](Worker&) {}, task_flag::detachable);
    submit(worker, *first, {});
    const auto body = [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); };
    for (int i = 0; i < members; ++i) host::spawn(worker, {host::in(&shared)}, body);
    for (int i = 0; i < members; ++i) {
      host::spawn(worker, {host::on(&shared, DependKind::inoutset)}, body);
    }
    fulfil(*first);
    taskwait(worker);
  });
  EXPECT_EQ(ran.load(), 2 * members);
}

TEST(Dependences, MutuallyExclusiveTasksNeverOverlap) {
  const host::Machine machine({2, 2});
  static char shared[201];
  std::atomic<bool> inside{false};
  std::atomic<int> overlaps{0};
  int ran = 0;
  host::single(4, [&](Worker& worker) {
    for (int i = 0; i < 200; ++i) {
      // The second address differs, so that only the first keeps the tasks apart.
      const auto first = host::on(&shared[0], DependKind::mutexinoutset);
      const auto second = host::on(&shared[1 + i], DependKind::mutexinoutset);
      host::spawn(worker, {first, second}, [&, i](Worker&) {
        if (inside.exchange(true)) overlaps.fetch_add(1);
        if (i % 4 == 0) std::this_thread::yield();
        ++ran;
        inside.store(false);
      });
    }
  });
  EXPECT_EQ(overlaps.load(), 0);
  EXPECT_EQ(ran, 200);
}

TEST(Dependences, ManyAddressesOutgrowTheTable) {
  const host::Machine machine({2, 2});
  std::vector<int> values(3000, 0);
  host::single(4, [&values](Worker& worker) {
    for (int round = 0; round < 3; ++round) {
      for (int& value : values) {
        host::spawn(worker, {host::out(&value)},
                    [&value, round](Worker&) { value = value == round ? round + 1 : -1; });
      }
    }
  });
  for (const int value : values) ASSERT_EQ(value, 3);
}

TEST(Dependences, MoreDependencesThanRoomInTheDescriptor) {
  const host::Machine machine({2, 2});
  int values[40] = {};
  int sum = 0;
  host::single(4, [&values, &sum](Worker& worker) {
    std::vector<Dependence> all;
    for (int& value : values) {
      host::spawn(worker, {host::out(&value)}, [&value](Worker&) { value = 1; });
      all.push_back(host::in(&value));
    }
    const auto add = [&values, &sum](Worker&) {
      for (const int value : values) sum += value;
    };
    submit(worker, *host::make_task(worker, add), all);
  });
  EXPECT_EQ(sum, 40);
}

TEST(Dependences, CompletedReadersDoNotPileUp) {
  const host::Machine machine({2, 2});
  int written = 0;
  std::atomic<int> readers{0};
  bool last = false;
  host::single(4, [&](Worker& worker) {
    host::spawn(worker, {host::out(&written)}, [&written](Worker&) { written = 1; });
    for (int i = 0; i < 5000; ++i) {
      host::spawn(worker, {host::in(&written)},
                  [&](Worker&) { readers.fetch_add(written, std::memory_order_relaxed); });
    }
    host::spawn(worker, {host::out(&written)},
                [&](Worker&) { last = readers.load(std::memory_order_relaxed) == 5000; });
  });
  EXPECT_TRUE(last);
}

}  // namespace
}  // namespace lares::runtime
