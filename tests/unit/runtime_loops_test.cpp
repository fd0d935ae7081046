// Worksharing loops: each iteration once, at home first, and never away from a domain that has
// nothing to do elsewhere.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "decide/loops.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

using decide::LoopRange;
using decide::LoopShape;

// --- the division

TEST(LoopShape, HomeIsTheStaticPart) {
  const LoopShape shape(10, 1, 4, false);
  EXPECT_EQ(shape.home_part(0), (LoopRange{0, 3}));
  EXPECT_EQ(shape.home_part(1), (LoopRange{3, 6}));
  EXPECT_EQ(shape.home_part(2), (LoopRange{6, 8}));
  EXPECT_EQ(shape.home_part(3), (LoopRange{8, 10}));
}

// Home parts are all chunks once, in order, each with the worker that home_of() names. `see` is
// told of each chunk's worker and iterations.
template <class See>
void expect_parts_in_order(const LoopShape& shape, See see) {
  std::uint64_t next = 0;
  std::uint64_t iteration = 0;
  for (std::size_t worker = 0; worker < shape.workers; ++worker) {
    const LoopRange part = shape.home_part(worker);
    ASSERT_EQ(part.begin, next);
    ASSERT_GE(part.end, part.begin);
    next = part.end;
    for (std::uint64_t c = part.begin; c < part.end; ++c) {
      const LoopRange iterations = shape.iterations_of({c, c + 1});
      ASSERT_EQ(shape.home_of(c), worker);
      ASSERT_EQ(iterations.begin, iteration);
      ASSERT_GT(iterations.size(), 0U);
      iteration = iterations.end;
      see(worker, iterations);
    }
  }
  ASSERT_EQ(next, shape.chunks);
  ASSERT_EQ(iteration, shape.iterations);
}

TEST(LoopShape, PartsAreAllChunksOnceAndAgreeWithTheirHome) {
  Random random(1);
  for (int round = 0; round < 20000 && !HasFatalFailure(); ++round) {
    const std::size_t workers = 1 + random.below(33);
    const std::uint64_t count = random.below(200);
    const std::uint64_t chunk = random.below(40);
    SCOPED_TRACE(testing::Message() << count << " by " << chunk << " on " << workers);
    expect_parts_in_order(LoopShape(count, chunk, workers, false), [](auto, auto) {});
  }
}

// What is left of a space is at home where the space's iterations are.
TEST(LoopShape, ARestIsAtHomeWhereItsSpaceIs) {
  Random random(2);
  for (int round = 0; round < 20000 && !HasFatalFailure(); ++round) {
    const std::size_t workers = 1 + random.below(33);
    const std::uint64_t total = 1 + random.below(300);
    const std::uint64_t before = random.below(static_cast<std::uint32_t>(total) + 1);
    const std::uint64_t chunk = random.below(9);
    const LoopShape whole(total, 1, workers, false);
    const LoopShape rest(total - before, chunk, workers, false, {before, total});
    expect_parts_in_order(rest, [&](std::size_t worker, LoopRange its) {
      if (its.size() < rest.chunk) return;  // the last one counts as if it were whole
      EXPECT_EQ(whole.home_of(before + its.begin + (its.size() - 1) / 2), worker);
    });
  }
}

TEST(LoopShape, HoldsAtTheLimits) {
  for (const std::uint64_t count : {UINT64_MAX, UINT64_MAX - 1, std::uint64_t{1} << 63U}) {
    for (const std::uint64_t chunk : {std::uint64_t{1}, count / 3, count - 1, count, UINT64_MAX}) {
      for (const std::size_t workers : {1U, 2U, 3U, 33U}) {
        const LoopShape shape(count, chunk, workers, true);
        std::uint64_t next = 0;
        for (std::size_t worker = 0; worker < workers; ++worker) {
          const LoopRange part = shape.home_part(worker);
          ASSERT_EQ(part.begin, next);
          next = part.end;
          if (part.size() == 0) continue;
          ASSERT_EQ(shape.home_of(part.begin), worker);
          ASSERT_EQ(shape.home_of(part.end - 1), worker);
        }
        ASSERT_EQ(next, shape.chunks);
        ASSERT_EQ(shape.iterations_of({shape.chunks - 1, shape.chunks}).end, count);
      }
    }
  }
}

// --- whom a thief robs

struct MadeUp {
  std::vector<std::vector<WorkerId>> workers;  // by domain; domain 0 is the thief's
  std::vector<DomainId> order;
  std::vector<std::uint64_t> chunks;
  std::vector<bool> late;
  bool has_last = false;
  Random random{1};

  explicit MadeUp(const std::vector<std::vector<std::uint64_t>>& by_domain) {
    for (const auto& domain : by_domain) {
      order.emplace_back(workers.size());
      workers.emplace_back();
      for (const std::uint64_t left : domain) {
        workers.back().emplace_back(chunks.size());
        chunks.push_back(left);
      }
    }
    late.resize(chunks.size());
  }
  [[nodiscard]] std::uint64_t left(WorkerId worker) const { return chunks[worker.index()]; }
  [[nodiscard]] bool is_late(WorkerId worker) const { return late[worker.index()]; }
  [[nodiscard]] bool has_come(WorkerId worker) const { return !late[worker.index()]; }
  [[nodiscard]] WorkerId home_of_last() const { return WorkerId{chunks.size() - 1}; }
  [[nodiscard]] bool last_is_left() const { return has_last; }
  [[nodiscard]] std::span<const WorkerId> workers_in(DomainId domain) const {
    return workers[domain.index()];
  }
  [[nodiscard]] std::span<const DomainId> nearest_first() const { return order; }
  std::uint32_t random_below(std::uint32_t bound) { return random.below(bound); }
};

TEST(LoopVictim, IsOfTheOwnDomainAsLongAsThatHasAny) {
  Random random(3);
  for (int round = 0; round < 5000; ++round) {
    MadeUp loop({{0, random.below(3), random.below(3)}, {random.below(9)}, {random.below(9)}});
    const std::uint64_t own = loop.chunks[1] + loop.chunks[2];
    for (const auto steal :
         {policy::LoopSteal::nearest, policy::LoopSteal::most_loaded, policy::LoopSteal::random}) {
      const auto victim = decide::find_loop_victim(loop, steal);
      const std::uint64_t all = std::accumulate(loop.chunks.begin(), loop.chunks.end(), 0ULL);
      ASSERT_EQ(victim.left > 0, all > 0);
      if (victim.left == 0) continue;
      ASSERT_EQ(victim.worker.index() < 3, own > 0);
      ASSERT_EQ(victim.left, loop.chunks[victim.worker.index()]);
    }
  }
}

TEST(LoopVictim, IsTheNearestOrTheRichest) {
  MadeUp loop({{0, 0}, {0, 3}, {8, 5}});
  const auto find = [&loop](policy::LoopSteal steal) {
    return decide::find_loop_victim(loop, steal).worker.index();
  };
  EXPECT_EQ(find(policy::LoopSteal::nearest), 3U);
  EXPECT_EQ(find(policy::LoopSteal::most_loaded), 4U);
  const std::size_t any = find(policy::LoopSteal::random);
  EXPECT_TRUE(any == 3 || any == 4);
}

TEST(LoopVictim, IsSparedWhileItHasNotComeToItsOnlyChunk) {
  const auto nearest = policy::LoopSteal::nearest;
  MadeUp late({{0, 1}, {0, 9}});
  late.late[1] = true;
  decide::LoopVictim victim = decide::find_loop_victim(late, nearest);
  EXPECT_EQ(victim.worker, WorkerId{1});  // before any of another domain's
  EXPECT_TRUE(victim.spared);
  MadeUp other({{0, 1, 1}, {0, 9}});
  other.late[1] = true;
  victim = decide::find_loop_victim(other, nearest);
  EXPECT_EQ(victim.worker, WorkerId{2});
  EXPECT_FALSE(victim.spared);
  MadeUp afar({{0}, {1}, {2}});
  afar.late[1] = true;
  victim = decide::find_loop_victim(afar, nearest);
  EXPECT_EQ(victim.worker, WorkerId{2});
  EXPECT_FALSE(victim.spared);
}

// Two domains of one worker each have four chunks, the last of which is in no word: who has it at
// home takes it when the other has one left, in place of that one.
TEST(LoopVictim, IsNobodyIfTheLastChunkIsAtHomeAndOthersHaveOneLeft) {
  for (const auto steal :
       {policy::LoopSteal::nearest, policy::LoopSteal::most_loaded, policy::LoopSteal::random}) {
    MadeUp loop({{0}, {1}, {1}});
    loop.order = {DomainId{2}, DomainId{0}, DomainId{1}};
    loop.chunks = {1, 1, 0};  // the thief is worker 2, at home with the last chunk
    loop.has_last = true;
    EXPECT_EQ(decide::find_loop_victim(loop, steal).left, 0U);
    loop.late[0] = true;  // it may wait for its chunk to be done by others
    EXPECT_EQ(decide::find_loop_victim(loop, steal).left, 1U);
    loop.late[0] = false;
    loop.chunks[1] = 2;
    EXPECT_GT(decide::find_loop_victim(loop, steal).left, 0U);
    loop.chunks[1] = 1;
    loop.has_last = false;
    EXPECT_EQ(decide::find_loop_victim(loop, steal).left, 1U);
    loop.has_last = true;
    // A mate's chunk comes first: it may have left it to its domain (LoopWidth).
    MadeUp mates({{0, 1}, {0}});
    mates.order = {DomainId{0}, DomainId{1}};
    mates.has_last = true;
    EXPECT_EQ(decide::find_loop_victim(mates, steal).left, 1U);
    loop.order = {DomainId{0}, DomainId{1}, DomainId{2}};  // it is at home elsewhere
    loop.chunks = {0, 1, 1};
    EXPECT_EQ(decide::find_loop_victim(loop, steal).left, 1U);
  }
}

TEST(LoopVictim, LeavesTheLoopsLastChunkToWhomItIsAtHomeWithForAWhile) {
  const auto nearest = policy::LoopSteal::nearest;
  for (const bool is_left : {false, true}) {
    for (const bool is_late : {false, true}) {
      MadeUp loop({{0, 0}, {0}});
      loop.has_last = is_left;
      loop.late[2] = is_late;
      const decide::LoopVictim victim = decide::find_loop_victim(loop, nearest);
      EXPECT_EQ(victim.left, 0U);
      EXPECT_EQ(victim.spared, is_left && is_late);
      loop.chunks[0] = 2;  // comes before it
      EXPECT_FALSE(decide::find_loop_victim(loop, nearest).spared);
    }
  }
}

// --- threads

void choose(policy::LoopSteal steal, bool moldable = false) {
  Engine::instance().set_loops({.numa = true, .steal = steal, .moldable = moldable, .chunk = 0});
}

std::uint64_t iterations(Locality kind) {
  return host::counted([kind](const CounterSlot& slot) {
    return slot.loop_iterations[static_cast<std::size_t>(kind)].get();
  });
}

using Times = std::unique_ptr<std::atomic<std::uint8_t>[]>;

// The worker's part of the loop that it has entered: marks what it got.
void mark_all(Worker& worker, Times& times) {
  for (;;) {
    const LoopRange range = next_iterations(worker);
    if (range.size() == 0) break;
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      times[i].fetch_add(1, std::memory_order_relaxed);
    }
  }
}

void run_loop(Worker& worker, const LoopRequest& request, Times& times) {
  enter_loop(worker, request);
  mark_all(worker, times);
}

TEST(Loops, RunEachIterationOnce) {
  Random random(7);
  for (int round = 0; round < 150; ++round) {
    const host::Machine machine({2, 1, 2});
    choose(static_cast<policy::LoopSteal>(round % 3), round % 4 == 3);
    const std::size_t threads = 1 + random.below(9);
    struct One {
      LoopRequest request;
      Times times;
    };
    std::vector<One> loops;
    for (int i = 0; i < 12; ++i) {
      LoopRequest request;
      request.iterations = random.below(3) == 0 ? random.below(4) : random.below(3000);
      request.chunk = random.below(3) == 0 ? random.below(400) : 1;
      request.guided = random.below(2) == 0;
      if (i % 3 != 0) request.site = static_cast<std::uintptr_t>(i);
      if (i >= 4 && i % 4 != 0) request = loops[static_cast<std::size_t>(i % 4)].request;
      loops.push_back(
          {request, std::make_unique<std::atomic<std::uint8_t>[]>(request.iterations + 1)});
    }
    // No barrier between them: some are many loops ahead.
    host::region(threads, [&loops](Worker& worker) {
      for (One& loop : loops) run_loop(worker, loop.request, loop.times);
    });
    for (const One& loop : loops) {
      for (std::uint64_t i = 0; i < loop.request.iterations; ++i) ASSERT_EQ(loop.times[i], 1);
    }
  }
}

// What is left of a space, in this region or in one before, is at home where the space was, for all
// threads alike; a loop that ends elsewhere is a space by itself.
TEST(Loops, OverTheRestOfASpaceAreAtHomeWhereThatIs) {
  const host::Machine machine({2, 2});
  choose(policy::LoopSteal::nearest);
  constexpr std::uint64_t rows = 64;
  const auto meet = [](Worker& worker, std::uint64_t first, std::uint64_t end) {
    LoopRequest request;
    request.bounds = {first, 1, end};
    request.iterations = end - first;
    const LoopShape shape = enter_loop(worker, request).shape;
    while (next_iterations(worker).size() > 0) {
    }
    return shape;
  };
  host::region(4, [&](Worker& worker) {
    EXPECT_EQ(meet(worker, 0, rows).before, 0U);
    for (std::uint64_t k = 1; k < rows; ++k) {
      const LoopShape rest = meet(worker, k, rows);
      EXPECT_EQ(rest.before, k);
      for (std::uint64_t row = k; row < rows; ++row) {
        EXPECT_EQ(rest.home_of(row - k), row / (rows / 4));
      }
      EXPECT_EQ(meet(worker, k, rows + 1).iterations, rows + 1 - k);
    }
  });
  for (std::uint64_t k = 1; k < rows; k += 7) {
    host::region(4, [&](Worker& worker) {
      EXPECT_EQ(meet(worker, k, rows).before, k);
      EXPECT_EQ(meet(worker, 0, k).before, 0U);
    });
  }
}

TEST(Loops, EndForTheThreadThatRanTheLastIteration) {
  for (int round = 0; round < 200; ++round) {
    const host::Machine machine({2, 2});
    choose(static_cast<policy::LoopSteal>(round % 3));
    LoopRequest request;
    request.iterations = 1 + static_cast<std::uint64_t>(round) * 3 / 2;
    request.chunk = 1 + static_cast<std::uint64_t>(round) % 3;
    request.guided = round % 2 == 0;
    std::atomic<int> last{0};
    host::region(4, [&](Worker& worker) {
      enter_loop(worker, request);
      bool had_last = false;
      for (LoopRange range = next_iterations(worker); range.size() > 0;
           range = next_iterations(worker)) {
        EXPECT_FALSE(had_last);
        had_last = range.end == request.iterations;
        if (had_last) last.fetch_add(1);
      }
    });
    ASSERT_EQ(last.load(), 1);
  }
}

// 2^33 chunks: too many for a word, taken in few pieces.
TEST(Loops, OfMoreChunksThanAWordHoldsRunEachIterationOnce) {
  const host::Machine machine({2, 2});
  choose(policy::LoopSteal::nearest);
  LoopRequest request;
  request.iterations = std::uint64_t{1} << 33U;
  request.guided = true;
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> sum{0};
  host::region(4, [&](Worker& worker) {
    enter_loop(worker, request);
    for (LoopRange range = next_iterations(worker); range.size() > 0;
         range = next_iterations(worker)) {
      count.fetch_add(range.size(), std::memory_order_relaxed);
      // Modulo 2^64, and without the halving that could lose a bit.
      sum.fetch_add(range.size() * (range.begin + range.end - 1), std::memory_order_relaxed);
    }
  });
  EXPECT_EQ(count.load(), request.iterations);
  EXPECT_EQ(sum.load(), request.iterations * (request.iterations - 1));
}

// A segment's stamps are 8 bits wide. Few of its uses come to its later loops, whose lanes so still
// bear what they got 255 uses ago when the same stamp comes again.
TEST(Loops, KnowLanesFromThoseOfTheSameStampLongAgo) {
  constexpr int stamps = 255;
  const host::Machine machine({2, 1});
  choose(policy::LoopSteal::nearest);
  const auto request_of = [](std::uint32_t loop) {
    LoopRequest request;
    request.iterations = loop % 2 == 0 ? 40 : std::uint64_t{1} << 33U;  // narrow, wide
    request.guided = loop % 2 == 1;
    return request;
  };
  for (int use = 0; use < 4 * stamps; ++use) {
    const int turn = use / stamps;
    const bool is_long = use % stamps == 7;
    const bool left_early = is_long && turn % 2 == 0;  // some ranges stay in their lanes
    const bool late = is_long && turn == 1;
    const std::uint32_t loops = is_long ? LoopSegment::loops : 1;
    std::atomic<bool> others_done{false};
    std::vector<std::atomic<std::uint64_t>> count(loops);
    host::region(3, [&](Worker& worker) {
      while (late && worker.id == WorkerId{0} && !others_done.load()) sched_yield();
      for (std::uint32_t loop = 0; loop < loops; ++loop) {
        enter_loop(worker, request_of(loop));
        for (int taken = 0; !left_early || taken < 2; ++taken) {
          const LoopRange range = next_iterations(worker);
          if (range.size() == 0) break;
          count[loop].fetch_add(range.size(), std::memory_order_relaxed);
        }
      }
      if (worker.id == WorkerId{1}) others_done.store(true);
    });
    for (std::uint32_t loop = 0; !left_early && loop < loops; ++loop) {
      ASSERT_EQ(count[loop].load(), request_of(loop).iterations)
          << "use " << use << " loop " << loop;
    }
  }
}

// Each thread has read a schedule of its own, and some that the loop is the stock runtime's.
TEST(Loops, AreWhatOneThreadReadWhereVariablesDisagree) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t loops = 40;
  constexpr std::uint64_t iterations = 100;
  const auto request_of = [](std::size_t loop, std::size_t thread) {
    LoopRequest request;
    request.iterations = iterations;
    request.by_variable = true;
    request.chunk = 1 + 3 * thread;
    request.guided = (loop + thread) % 2 == 0;
    request.left_to_stock = loop % 3 == 0 && thread % 2 == 1;
    return request;
  };
  for (int round = 0; round < 50; ++round) {
    const host::Machine machine({2, 2});
    choose(static_cast<policy::LoopSteal>(round % 3));
    std::vector<std::atomic<std::size_t>> left_to_stock(loops);
    std::vector<Times> times(loops);
    for (Times& each : times) each = std::make_unique<std::atomic<std::uint8_t>[]>(iterations);
    host::region(threads, [&](Worker& worker) {
      for (std::size_t loop = 0; loop < loops; ++loop) {
        const LoopRequest request = request_of(loop, worker.id.index());
        if (enter_loop(worker, request).left_to_stock) {
          left_to_stock[loop].fetch_add(1);
        } else {
          mark_all(worker, times[loop]);
        }
      }
    });
    for (std::size_t loop = 0; loop < loops; ++loop) {
      const std::size_t left = left_to_stock[loop].load();
      ASSERT_TRUE(left == 0 || left == threads) << left << " in loop " << loop;
      for (std::uint64_t i = 0; i < iterations; ++i) {
        ASSERT_EQ(times[loop][i], left == 0 ? 1 : 0) << "loop " << loop << " iteration " << i;
      }
    }
  }
}

TEST(Loops, GoOnWhileAThreadWaitsForThemElsewhere) {
  const host::Machine machine({1, 1});
  choose(policy::LoopSteal::nearest);
  constexpr int loops = 40;
  LoopRequest request;
  request.iterations = 8;
  std::atomic<std::uint64_t> done{0};
  host::region(2, [&](Worker& worker) {
    // Worker 0 comes to the first loop when the last one is over.
    while (worker.id == WorkerId{0} && done.load() < loops * request.iterations) sched_yield();
    for (int i = 0; i < loops; ++i) {
      enter_loop(worker, request);
      for (LoopRange range = next_iterations(worker); range.size() > 0;
           range = next_iterations(worker)) {
        done.fetch_add(range.size());
      }
    }
  });
  EXPECT_EQ(done.load(), loops * request.iterations);
}

TEST(Loops, StayAtHomeWhereEverybodyHasAsMuchToDo) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({1, 1});
  choose(policy::LoopSteal::nearest);
  const std::uint64_t local = iterations(Locality::local);
  const std::uint64_t remote = iterations(Locality::remote);
  LoopRequest request;
  request.iterations = 1000;
  std::atomic<int> come{0};
  host::region(2, [&](Worker& worker) {
    enter_loop(worker, request);
    come.fetch_add(1);
    while (come.load() < 2) sched_yield();
    const std::size_t own = worker.id.index();
    const auto take = [&](std::uint64_t i) {
      EXPECT_EQ(next_iterations(worker).begin, own * 500 + i);
    };
    for (std::uint64_t taken = 0; taken < 499; ++taken) take(taken);
    // The last one of all is at home with worker 1, and is for whoever has seen the end of all
    // else.
    if (own == 0) take(499);
    come.fetch_add(1);
    while (come.load() < (own == 0 ? 5 : 4)) sched_yield();
    if (own == 1) take(499);
    if (own == 1) come.fetch_add(1);
    EXPECT_EQ(next_iterations(worker).size(), 0U);
  });
  EXPECT_EQ(iterations(Locality::local) - local, 1000U);
  EXPECT_EQ(iterations(Locality::remote) - remote, 0U);
}

TEST(Loops, GiveHalfOfWhatIsLeftToAThiefFromAfar) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({1, 1});
  choose(policy::LoopSteal::nearest);
  const std::uint64_t remote = iterations(Locality::remote);
  LoopRequest request;
  request.iterations = 200;
  std::atomic<bool> robbed{false};
  host::region(2, [&](Worker& worker) {
    enter_loop(worker, request);
    if (worker.id == WorkerId{0}) {
      while (!robbed.load()) sched_yield();
      while (next_iterations(worker).size() > 0) {
      }
      return;
    }
    for (int i = 0; i < 99; ++i) EXPECT_EQ(next_iterations(worker).size(), 1U);
    const LoopRange stolen = next_iterations(worker);
    EXPECT_EQ(stolen, (LoopRange{50, 51}));
    EXPECT_EQ(worker.loop.lane_of(WorkerId{0}).look({}, worker.loop.key).size(), 50U);
    robbed.store(true);
    while (next_iterations(worker).size() > 0) {
    }
  });
  EXPECT_GE(iterations(Locality::remote) - remote, 1U);
}

TEST(LoopSampling, StandsForAllLoopsOfARegion) {
  LoopSampling sampling;
  for (const int loops : {1, 64, 1000}) {
    sampling.restart();
    std::uint32_t counted = 0;
    for (int i = 0; i < loops; ++i) counted += sampling.next();
    EXPECT_EQ(counted, static_cast<std::uint32_t>(loops));
  }
}

}  // namespace
}  // namespace lares::runtime
