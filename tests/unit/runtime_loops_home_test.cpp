// What users ask of loops on machines with several domains (Kokkos, issue 6688): no iteration
// crosses domains while the thief's own domain has some left.
//
// There are two exceptions, in which nobody could see what is left: the loop's last chunk, which is
// in no worker's word, and a range that its thief has taken out of one word and not yet put into
// its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "decide/loops.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

using decide::LoopRange;
using decide::LoopShape;

constexpr policy::LoopSteal steals[] = {policy::LoopSteal::nearest, policy::LoopSteal::most_loaded,
                                        policy::LoopSteal::random};

// --- the decisions alone, one worker's step after the other's, in any order

/// A loop whose workers act one at a time, as a thief sees it.
struct StepByStep {
  struct Hands {
    LoopRange word;
    LoopRange in_flight;  // stolen, and not yet in the word
  };

  StepByStep(const std::vector<std::size_t>& cores_per_domain, const LoopShape& loop,
             std::uint64_t seed)
      : shape(loop), random(seed) {
    for (const std::size_t cores : cores_per_domain) {
      workers.emplace_back();
      for (std::size_t i = 0; i < cores; ++i) {
        workers.back().emplace_back(domains.size());
        domains.emplace_back(workers.size() - 1);
      }
    }
    for (std::size_t w = 0; w < domains.size(); ++w) {
      hands.push_back({shape.first_range(w), {}});
      late.push_back(random.below(2) == 0);
    }
    times.resize(shape.chunks);
  }

  [[nodiscard]] std::uint64_t left(WorkerId of) const { return hands[of.index()].word.size(); }
  [[nodiscard]] bool is_late(WorkerId of) const { return late[of.index()]; }
  [[nodiscard]] bool has_come(WorkerId of) const { return !late[of.index()]; }
  [[nodiscard]] WorkerId home_of_last() const { return WorkerId{shape.home_of(shape.chunks - 1)}; }
  [[nodiscard]] bool last_is_left() const { return shape.chunks > 0; }
  [[nodiscard]] std::span<const WorkerId> workers_in(DomainId domain) const {
    return workers[domain.index()];
  }
  [[nodiscard]] std::span<const DomainId> nearest_first() const { return order; }
  std::uint32_t random_below(std::uint32_t bound) { return random.below(bound); }

  [[nodiscard]] std::uint64_t left_in(DomainId domain) const {
    std::uint64_t sum = 0;
    for (const WorkerId worker : workers_in(domain)) sum += left(worker);
    return sum;
  }

  // One step of a worker; false if there is nothing more for it.
  bool act(std::size_t w, policy::LoopSteal steal) {
    Hands& own = hands[w];
    late[w] = false;
    if (own.in_flight.size() > 0) {
      own.word = std::exchange(own.in_flight, {});
    } else if (own.word.size() > 0) {
      const std::uint64_t taken = shape.to_take(own.word.size());
      for (std::uint64_t i = 0; i < taken; ++i) ++times[own.word.begin++];
    } else {
      return rob(w, steal);
    }
    return true;
  }

  bool rob(std::size_t w, policy::LoopSteal steal) {
    order.clear();
    for (std::size_t d = 0; d < workers.size(); ++d) {
      order.emplace_back((domains[w].index() + d) % workers.size());
    }
    const decide::LoopVictim victim = decide::find_loop_victim(*this, steal);
    if (victim.left == 0) return false;
    if (domains[victim.worker.index()] != domains[w]) {
      EXPECT_EQ(left_in(domains[w]), 0U) << "left the own domain's behind";
      ++crossings;
    }
    LoopRange& word = hands[victim.worker.index()].word;
    const std::uint64_t stolen = decide::to_steal(word.size());
    hands[w].in_flight = {word.end - stolen, word.end};
    word.end -= stolen;
    return true;
  }

  LoopShape shape;
  Random random;
  std::vector<std::vector<WorkerId>> workers;  // by domain
  std::vector<DomainId> domains;               // by worker
  std::vector<DomainId> order;
  std::vector<Hands> hands;
  std::vector<bool> late;
  std::vector<int> times;
  std::uint64_t crossings = 0;
};

TEST(LoopsStayHome, WhateverTheOrderOfStepsIs) {
  Random random(11);
  std::uint64_t crossings = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::vector<std::size_t> cores{1 + random.below(3), 1 + random.below(3), random.below(4),
                                         1 + random.below(2)};
    const std::size_t threads = std::accumulate(cores.begin(), cores.end(), std::size_t{0});
    const std::uint64_t count = random.below(400);
    const std::uint64_t before = random.below(2) == 0 ? random.below(400) : 0;
    const LoopShape shape(count, random.below(5), threads, random.below(2) == 0,
                          {before, before + count});
    StepByStep loop(cores, shape, static_cast<std::uint64_t>(round));
    // Some workers hardly ever get a turn.
    std::vector<std::size_t> turns;
    for (std::size_t w = 0; w < threads; ++w) {
      turns.insert(turns.end(), random.below(3) == 0 ? 1 : 8, w);
    }
    std::vector<bool> done(threads);
    while (std::ranges::count(done, true) != static_cast<std::ptrdiff_t>(threads)) {
      const std::size_t w = turns[random.below(static_cast<std::uint32_t>(turns.size()))];
      done[w] = !loop.act(w, steals[round % 3]);
    }
    for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk) {
      ASSERT_EQ(loop.times[chunk], chunk + 1 == shape.chunks ? 0 : 1);
    }
    crossings += loop.crossings;
  }
  EXPECT_GT(crossings, 3000U);
}

// --- a team of threads

/// One call of next_iterations. Moments are numbered through over all threads, so that what ends at
/// an earlier moment than another thing begins ended before it.
struct Take {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool stole = false;    // else out of the worker's own word
  bool crossed = false;  // out of the word of a worker in another domain
};

struct Log {
  DomainId domain;
  std::vector<Take> takes;
};

/// What was in a worker's word at all moments from `from` to `until`, and was taken later: its part
/// from the beginning of the loop on, or what it stole.
struct Possession {
  std::uint64_t from = 0;
  std::uint64_t until = 0;
};

std::vector<Possession> possessions(const Log& log) {
  std::vector<Possession> found(1);
  for (const Take& take : log.takes) {
    if (take.stole) {
      found.push_back({take.end, take.end});
    } else {
      found.back().until = take.begin;
    }
  }
  return found;
}

/// Takes all of its iterations, and writes down how.
class Taking {
 public:
  Taking(Worker& worker, std::atomic<std::uint64_t>& clock) : worker_(worker), clock_(clock) {
    log_.domain = worker.domain;
    log_.takes.reserve(1024);
  }

  LoopRange next() {
    const std::uint64_t own = stolen(0);
    const std::uint64_t afar = stolen_afar();
    Take take;
    // sequentially consistent: moments are in the order of what happens between them.
    take.begin = clock_.fetch_add(1);
    const LoopRange range = next_iterations(worker_);
    take.end = clock_.fetch_add(1);
    take.crossed = stolen_afar() > afar;
    take.stole = take.crossed || stolen(0) > own;
    // What comes without a steal and behind the end of the own word is the loop's last chunk.
    const bool is_last = range.end == worker_.loop.shape.iterations;
    if (range.size() > 0 && !is_last) log_.takes.push_back(take);
    return range;
  }
  [[nodiscard]] const Log& log() const { return log_; }

 private:
  [[nodiscard]] std::uint64_t stolen(std::size_t rank) const {
    return worker_.counters->loop_steals[rank].get();
  }
  [[nodiscard]] std::uint64_t stolen_afar() const {
    std::uint64_t sum = 0;
    for (std::size_t rank = 1; rank < distance_ranks; ++rank) sum += stolen(rank);
    return sum;
  }

  Worker& worker_;
  std::atomic<std::uint64_t>& clock_;
  Log log_;
};

void expect_home_first(const std::vector<Log>& logs) {
  for (const Log& thief : logs) {
    for (const Take& take : thief.takes) {
      if (!take.crossed) continue;
      for (const Log& other : logs) {
        if (other.domain != thief.domain) continue;
        for (const Possession& each : possessions(other)) {
          EXPECT_FALSE(each.from < take.begin && take.end < each.until)
              << "a range crossed between " << take.begin << " and " << take.end
              << " while the own domain had some from " << each.from << " to " << each.until;
        }
      }
    }
  }
}

TEST(LoopsStayHome, InATeamOfThreads) {
  Random random(5);
  std::uint64_t crossings = 0;
  for (int round = 0; round < 120; ++round) {
    const host::Machine machine({2, 1, 3});
    // Every other loop comes eight times, on fewer threads perhaps.
    const bool moldable = round % 2 == 1;
    Engine::instance().set_loops(
        {.numa = true, .steal = steals[round % 3], .moldable = moldable, .chunk = 0});
    const std::size_t threads = 3 + random.below(6);
    LoopRequest request;
    request.site = 1;
    request.iterations = 50 + random.below(600);
    request.chunk = 1 + random.below(3);
    request.guided = random.below(4) == 0;
    const std::size_t quick = random.below(3);  // the domain whose threads have little to do
    const bool one_comes_late = random.below(3) == 0;
    for (int instance = 0; instance < (moldable ? 8 : 1); ++instance) {
      std::atomic<std::uint64_t> clock{1};
      std::atomic<std::uint64_t> done{0};
      std::vector<Log> logs(threads);
      host::region(threads, [&](Worker& worker) {
        Random work(worker.id.index());
        while (one_comes_late && worker.id.index() == 1 && done.load() < 20) sched_yield();
        enter_loop(worker, request);
        Taking taking(worker, clock);
        for (LoopRange range = taking.next(); range.size() > 0; range = taking.next()) {
          done.fetch_add(range.size());
          const std::uint32_t naps = worker.domain.index() == quick ? 0 : work.below(3);
          for (std::uint32_t nap = 0; nap < naps; ++nap) sched_yield();
        }
        logs[worker.id.index()] = taking.log();
      });
      ASSERT_EQ(done.load(), request.iterations);
      expect_home_first(logs);
      for (const Log& log : logs) {
        crossings +=
            static_cast<std::uint64_t>(std::ranges::count(log.takes, true, &Take::crossed));
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(crossings, 100U);
}

}  // namespace
}  // namespace lares::runtime
