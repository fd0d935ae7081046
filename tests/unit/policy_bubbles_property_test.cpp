// What is true of every bubble scheduler on every machine, whatever happens in whatever order.
#include <gtest/gtest.h>

#include <filesystem>

#include "machine_support.hpp"
#include "policy_bubbles_sample.hpp"

namespace lares::policy {
namespace {

using namespace sample;

/// The machines that come with Lares, synthetic ones, and one of 32 sockets.
std::vector<Machine> all_described() {
  std::vector<Machine> machines;
  for (const std::string& description : machine::test::all_machines()) {
    machines.push_back(machine::test::load(description));
  }
  machines.push_back(machine_of(std::vector<std::size_t>(32, 8)));
  return machines;
}

std::set<CoreId> all_cores(const Machine& machine) {
  std::set<CoreId> cores;
  for (std::size_t c = 0; c < machine.cores.size(); ++c) cores.emplace(c);
  return cores;
}

std::size_t threads_in(const Grove& grove, RunQueueId queue) {
  std::size_t count = 0;
  for (const EntityId thread : grove.forest.threads()) {
    count += grove.queues.contains(queue, grove.forest.where(thread)) ? 1 : 0;
  }
  return count;
}

/// Of children with as many cores, none has two threads more than another.
void expect_balanced(const Grove& grove) {
  for (std::size_t q = 0; q < grove.queues.size(); ++q) {
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> by_size;
    for (const RunQueueId child : grove.queues[RunQueueId{q}].children) {
      const std::size_t threads = threads_in(grove, child);
      const auto [at, is_new] =
          by_size.try_emplace(grove.queues[child].cores.size(), threads, threads);
      at->second.first = std::min(at->second.first, threads);
      at->second.second = std::max(at->second.second, threads);
    }
    for (const auto& [size, range] : by_size) EXPECT_LE(range.second - range.first, 1U) << q;
  }
}

/// No core has two threads while another has none.
void expect_no_core_idles(const Grove& grove) {
  Numbers count;
  for (const CoreId core : grove.queues[grove.queues.whole()].cores) {
    count.push_back(threads_in(grove, grove.queues.of(core)));
  }
  EXPECT_FALSE(std::ranges::max(count) > 1 && std::ranges::min(count) == 0);
}

TEST(BubblesProperty, OneTeamIsBalancedOnEveryMachine) {
  for (const Machine& m : all_described()) {
    const std::size_t cores = m.cores.size();
    for (const char* name : {"cache", "memory", "spread"}) {
      for (const std::size_t threads : {std::size_t{1}, m.domains_with_cores(), cores / 2 + 1,
                                        cores, cores + 1, 2 * cores + 3}) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(threads) + " on " + m.name);
        Grove grove(m, name);
        grove.submit_team(threads);
        expect_sound(grove, threads, all_cores(m));
        expect_balanced(grove);
        expect_no_core_idles(grove);
      }
    }
  }
}

TEST(BubblesProperty, ATeamForEachDomainFillsIt) {
  for (const Machine& m : all_described()) {
    const std::size_t domains = m.domains_with_cores();
    const bool is_even = std::ranges::all_of(m.domains, [&](const machine::Domain& each) {
      return each.cores.empty() || each.cores.size() == m.domains[0].cores.size();
    });
    if (!is_even) continue;
    for (const char* name : {"cache", "memory"}) {
      SCOPED_TRACE(std::string(name) + " on " + m.name);
      Grove grove(m, name);
      const EntityId outer = grove.submit_team(domains);
      for (std::size_t t = 0; t < domains; ++t) {
        const std::size_t core = grove.core_of(grove.forest[outer].members[t]);
        const EntityId inner =
            grove.nest(grove.forest[outer].members[t], m.domains[0].cores.size());
        EXPECT_EQ(grove.cores_of(inner).front(), core);
        const Numbers where = grove.domains_of(inner);
        EXPECT_EQ(std::set<std::size_t>(where.begin(), where.end()).size(), 1U);
      }
      EXPECT_EQ(grove.threads_by_core(), Numbers(m.cores.size(), 1));
    }
  }
}

TEST(BubblesProperty, SubmittingAgainMovesNobody) {
  for (const Machine& m : all_described()) {
    for (const char* name : {"cache", "memory", "spread"}) {
      SCOPED_TRACE(std::string(name) + " on " + m.name);
      Grove grove(m, name);
      const EntityId team = grove.submit_team(m.cores.size() + 2);
      grove.bubbles->on_submit(grove.forest, team);
      EXPECT_TRUE(grove.forest.take_moves().empty());
    }
  }
}

TEST(BubblesProperty, TeamsOfEqualSizeAreEvenlySpread) {
  const Machine m = machine_of(std::vector<std::size_t>(32, 4));
  for (const std::size_t teams : {8U, 32U, 33U, 40U, 64U}) {
    Grove grove(m, "cache");
    const EntityId all = grove.forest.add_bubble();
    for (std::size_t t = 0; t < teams; ++t) grove.add_team(4, all);
    grove.bubbles->on_submit(grove.forest, all);
    std::set<std::size_t> sizes;
    for (std::size_t d = 0; d < 32; ++d) {
      sizes.insert(threads_in(grove, grove.queues.of(domain(d))));
    }
    EXPECT_LE(*sizes.rbegin() - *sizes.begin(), 4U) << "one team";
  }
}

/// Whatever a program may do, in any order.
class Walk {
 public:
  Walk(const Machine& machine, std::string_view scheduler, std::uint64_t seed)
      : machine_(machine),
        random_(seed),
        usable_(some_cores()),
        grove_(machine, scheduler, {usable_.begin(), usable_.end()}) {}

  void step() {
    const std::vector<EntityId> threads = grove_.forest.threads();
    if (threads.empty()) return begin();
    const EntityId thread = threads[below(threads.size())];
    switch (random_.below(9)) {
      case 0:
        return threads.size() < 40 ? begin() : end(thread);
      case 1:
        return threads.size() < 40 ? nest(thread) : end(thread);
      case 2:
        return end(thread);
      case 3:
        return grove_.forest.set_load(thread, random_.below(4));
      case 4:
        return attach(thread);
      case 5:
        return grove_.bubbles->on_shake(grove_.forest, bubble_of(thread));
      case 6:
        return grove_.bubbles->on_tick(grove_.forest, bubble_of(thread));
      case 7:
        return rest_or_resume(thread);
      default:
        return idle();
    }
  }

  void check() {
    expect_sound(grove_, threads_, usable_);
    for (const ThreadMove& move : grove_.forest.take_moves()) {
      EXPECT_TRUE(grove_.forest[move.thread].alive);
      EXPECT_EQ(grove_.forest[move.thread].queue, move.to);
    }
    check_busy_cores();
  }

 private:
  std::size_t below(std::size_t bound) { return random_.below(static_cast<std::uint32_t>(bound)); }
  std::set<CoreId> some_cores() {
    std::set<CoreId> cores = {CoreId{below(machine_.cores.size())}};
    const bool all = random_.below(2) == 0;
    for (std::size_t c = 0; c < machine_.cores.size(); ++c) {
      if (all || random_.below(3) == 0) cores.emplace(c);
    }
    return cores;
  }
  EntityId bubble_of(EntityId thread) const { return grove_.forest[thread].parent; }

  // What the forest counts as things change, counted anew.
  void check_busy_cores() const {
    const BusyCores& busy = grove_.forest.busy_cores();
    std::vector<CoreId> idle;
    bool crowded = false;
    for (const CoreId core : usable_) {
      const std::size_t threads = working(core);
      if (threads == 0) idle.push_back(core);
      crowded = crowded || threads > 1;
    }
    EXPECT_EQ(busy.idle(), idle);
    EXPECT_EQ(busy.any_crowded(), crowded);
    EXPECT_EQ(busy.any_idle_beside_crowded(), crowded && !idle.empty());
  }
  void rest_or_resume(EntityId thread) {
    const double load = 1.0 + random_.below(3);
    if (grove_.forest[thread].rests) return grove_.forest.resume(thread, load);
    grove_.forest.rest(thread);
  }

  void begin() {
    const std::size_t size = 1 + random_.below(9);
    threads_ += size;
    grove_.submit_team(size);
  }
  void nest(EntityId thread) {
    const std::size_t size = 1 + random_.below(6);
    threads_ += size - 1;
    grove_.nest(thread, size);
  }
  // A whole outermost team, or an inner one but for its master.
  void end(EntityId thread) {
    const EntityId bubble = bubble_of(thread);
    grove_.bubbles->on_end(grove_.forest, bubble);
    const std::size_t all = grove_.forest.threads_of(bubble).size();
    threads_ -= all;
    if (!grove_.forest[bubble].parent.valid()) return grove_.forest.remove(bubble);
    while (grove_.forest[bubble].members.size() > 1) {
      grove_.forest.remove(grove_.forest[bubble].members.back());
    }
    threads_ += grove_.forest.threads_of(bubble).size();
    grove_.forest.open(bubble);
  }
  void attach(EntityId thread) {
    if (random_.below(4) == 0) return grove_.forest.detach(thread);
    grove_.forest.attach(thread, DomainId{below(machine_.domains.size())}, random_.next() >> 36U);
  }
  void idle() {
    std::vector<CoreId> cores;
    for (const CoreId core : usable_) {
      const auto there = grove_.forest.threads_on(core);
      const bool works = std::ranges::any_of(
          there, [&](EntityId thread) { return grove_.forest[thread].load > 0; });
      if (!works) cores.push_back(core);
    }
    std::map<CoreId, std::size_t> before;
    for (const CoreId core : usable_) before[core] = working(core);
    grove_.bubbles->on_idle(grove_.forest, cores);
    for (const CoreId core : usable_) {
      EXPECT_TRUE(before[core] == 0 || working(core) > 0) << "its last thread was taken";
    }
  }
  std::size_t working(CoreId core) const {
    std::size_t count = 0;
    for (const EntityId thread : grove_.forest.threads_on(core)) {
      count += grove_.forest[thread].load > 0 ? 1 : 0;
    }
    return count;
  }

  const Machine& machine_;
  Random random_;
  std::set<CoreId> usable_;
  Grove grove_;
  std::size_t threads_ = 0;
};

TEST(BubblesProperty, NoThreadIsLostOnAnyWalk) {
  Random random(17);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Machine m = random_machine(random);
    for (const BubbleSchedulerEntry& entry : bubble_schedulers()) {
      SCOPED_TRACE(std::string(entry.name) + ", seed " + std::to_string(seed));
      Walk walk(m, entry.name, seed);
      for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) {
        walk.step();
        walk.check();
      }
    }
  }
}

TEST(BubblesProperty, NoThreadIsLostOnTheMachinesOfTheLab) {
  for (const Machine& m : all_described()) {
    for (const BubbleSchedulerEntry& entry : bubble_schedulers()) {
      SCOPED_TRACE(std::string(entry.name) + " on " + m.name);
      Walk walk(m, entry.name, 5);
      for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
        walk.step();
        walk.check();
      }
    }
  }
}

TEST(BubblesProperty, TheSameHappensEveryTime) {
  const Machine m = machine_of({3, 4, 2, 0});
  for (const BubbleSchedulerEntry& entry : bubble_schedulers()) {
    std::set<Numbers> outcomes;
    for (int i = 0; i < 3; ++i) {
      Grove grove(m, entry.name);
      const EntityId outer = grove.submit_team(5);
      for (std::size_t t = 0; t < 5; ++t) grove.nest(grove.forest[outer].members[t], 1 + t);
      grove.idle({0, 3, 7});
      Numbers queues;
      for (const EntityId thread : grove.forest.threads()) {
        queues.push_back(grove.forest[thread].queue.index());
      }
      outcomes.insert(queues);
    }
    EXPECT_EQ(outcomes.size(), 1U) << entry.name;
  }
}

}  // namespace
}  // namespace lares::policy
