// The simulator decides as the runtime does: one program, replayed step by step on the queues of
// both, gives the same lengths of all queues after each push and the same task for each take.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "runtime/completion.hpp"
#include "runtime/finding.hpp"
#include "simulate/executor.hpp"
#include "simulate/graph.hpp"
#include "support/runtime_host.hpp"

namespace lares::simulate {
namespace {

constexpr std::size_t block_count = 24;
constexpr std::size_t block_bytes = 4096;
constexpr std::size_t task_count = 380;  // fills a creator's own queue, and not its window
constexpr std::size_t domain_count = 3;
constexpr std::size_t worker_count = 6;
const std::vector<std::size_t> cores_per_domain(domain_count, worker_count / domain_count);

alignas(block_bytes) char g_blocks[block_count][block_bytes];

/// Who looked for a task, and which one he got; -1: none. Then the lengths of all queues.
struct Step {
  std::size_t worker = 0;
  std::int64_t task = -1;
  std::vector<std::uint32_t> lengths;
  bool operator==(const Step&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  out << "worker " << step.worker << " task " << step.task << " lengths";
  for (const std::uint32_t length : step.lengths) out << ' ' << length;
  return out;
}

/// A program of tasks with random uses of random blocks; most use none, and some have a priority.
Workload make_program(std::uint64_t seed) {
  Random random(seed);
  Workload program;
  program.name = "replay";
  for (std::size_t b = 0; b < block_count; ++b) {
    program.blocks.push_back({Bytes{block_bytes}, DomainId{b % domain_count}, {}});
  }
  for (std::size_t t = 0; t < task_count; ++t) {
    program.add_task(0);
    if (random.below(8) == 0) program.tasks.back().priority = 1 + static_cast<int>(random.below(3));
    std::array<bool, block_count> used{};
    const std::uint32_t most = random.below(3) == 0 ? 1 + random.below(3) : 0;
    for (std::uint32_t uses = most; uses > 0; --uses) {
      const BlockIndex block = random.below(block_count);
      if (used[block]) continue;
      used[block] = true;
      const bool writes = random.below(2) == 0;
      program.accesses.push_back(
          {block, writes ? policy::AccessMode::read_write : policy::AccessMode::read, 0});
    }
  }
  program.add_phase().dependences = true;
  return program;
}

// --- the runtime

std::vector<std::uint32_t> lengths_of(const runtime::Team& team) {
  std::vector<std::uint32_t> lengths;
  for (std::size_t p = 0; p < team.places->size(); ++p) lengths.push_back(team.length(PlaceId{p}));
  return lengths;
}

// What is run at once is over when its creator goes on.
void submit_all(runtime::Worker& worker, const Workload& program, std::vector<Step>& steps,
                std::size_t& done) {
  for (TaskIndex t = 0; t < program.tasks.size(); ++t) {
    runtime::Task* task =
        runtime::host::make_task(worker, [t, &done](runtime::Worker&) { done += t < task_count; });
    task->priority = program.tasks[t].priority;
    std::vector<runtime::Dependence> uses;
    for (const Access& access : program.accesses_of(t)) {
      const bool writes = policy::writes(access.mode);
      uses.push_back({reinterpret_cast<std::uintptr_t>(g_blocks[access.block]), Bytes{block_bytes},
                      writes ? runtime::DependKind::out : runtime::DependKind::in});
    }
    runtime::submit(worker, *task, uses);
    steps.push_back({0, t, lengths_of(*worker.team)});
  }
}

// Workers look for tasks in a random order; whoever finds one completes it at once.
void take_all(runtime::Team& team, std::uint64_t seed, std::size_t done, std::vector<Step>& steps) {
  Random random(seed);
  while (done < task_count) {
    const std::size_t w = random.below(worker_count);
    runtime::Worker& worker = *team.workers[w];
    runtime::Task* task = runtime::find_work(worker);
    Step step{w, -1, {}};
    if (task != nullptr) {
      std::memcpy(&step.task, task->payload(), sizeof(TaskIndex));
      step.task &= 0xFFFFFFFF;
      runtime::complete(&worker, *task);
      ++done;
    }
    step.lengths = lengths_of(team);
    steps.push_back(step);
  }
}

// Tasks that are over at once: `auto` then keeps them with their creator. Enough of them to know.
constexpr int many_samples = 1000;

std::vector<Step> of_runtime(const Workload& program, const std::string& policy, std::uint64_t seed,
                             bool tiny) {
  const runtime::host::Machine machine(cores_per_domain, policy);
  for (std::size_t b = 0; b < block_count; ++b) {
    EXPECT_TRUE(runtime::Engine::instance().homes()->give(
        reinterpret_cast<std::uintptr_t>(g_blocks[b]), Bytes{block_bytes}, program.blocks[b].home));
  }
  std::vector<Step> steps;
  std::atomic<std::size_t> entered{0};
  std::atomic<bool> finished{false};
  runtime::host::region(worker_count, [&](runtime::Worker& worker) {
    entered.fetch_add(1);
    if (worker.id != WorkerId{0}) {
      while (!finished.load()) std::this_thread::yield();
      return;
    }
    while (entered.load() != worker_count) std::this_thread::yield();
    // The driver stands for all workers; none of them waits inside a task.
    std::array<runtime::Task*, worker_count> constraints{};
    for (std::size_t w = 0; w < worker_count; ++w) {
      constraints[w] = std::exchange(worker.team->workers[w]->constraint, nullptr);
    }
    if (tiny) {
      for (int i = 0; i < many_samples; ++i) worker.thrift.ran(false, 0, 0);
    }
    std::size_t done = 0;
    submit_all(worker, program, steps, done);
    take_all(*worker.team, seed, done, steps);
    for (std::size_t w = 0; w < worker_count; ++w) {
      worker.team->workers[w]->constraint = constraints[w];
    }
    finished.store(true);
  });
  return steps;
}

// --- the simulator

std::vector<std::uint32_t> lengths_of(const Executor& executor) {
  std::vector<std::uint32_t> lengths;
  for (std::size_t p = 0; p < executor.places().size(); ++p) {
    lengths.push_back(executor.length(PlaceId{p}));
  }
  return lengths;
}

std::vector<Step> of_simulator(const Workload& program, const std::string& policy,
                               std::uint64_t seed, bool tiny) {
  const auto machine = policy::sample::machine_of(cores_per_domain);
  const auto choice = policy::parse_choice(policy, domain_count);
  std::vector<DomainId> homes;
  for (const Block& block : program.blocks) homes.push_back(block.home);
  Costs free_of_charge{0, 0, 0, 0, 0, 0, 0, 0};
  Executor executor(machine, policy::sample::one_worker_per_core(machine), choice.value(), program,
                    homes, free_of_charge, 0);
  const Graph graph(program, program.phases[0]);
  std::vector<Step> steps;
  std::vector<std::uint32_t> missing;
  for (TaskIndex t = 0; t < task_count; ++t) missing.push_back(graph.predecessors(t) + 1);
  double clock = 0;
  const WorkerId creator{0};
  const auto complete = [&](WorkerId worker, TaskIndex task) {
    for_each_released(graph, task, missing, [&](std::uint32_t successor) {
      executor.put(worker, successor, false, clock);
    });
  };
  for (int i = 0; tiny && i < many_samples * 32; ++i) executor.ran(creator, 0, 0, 0);
  std::size_t done = 0;
  for (TaskIndex t = 0; t < task_count; ++t) {
    if (--missing[t] == 0 &&
        (executor.runs_at_once(creator, t) || !executor.put(creator, t, true, clock))) {
      ++done;
      complete(creator, t);
    }
    steps.push_back({0, t, lengths_of(executor)});
  }
  Random random(seed);
  while (done < task_count) {
    const std::size_t w = random.below(worker_count);
    const auto task = executor.find_work(WorkerId{w}, clock);
    Step step{w, -1, {}};
    if (task) {
      step.task = *task;
      complete(WorkerId{w}, *task);
      ++done;
    }
    step.lengths = lengths_of(executor);
    steps.push_back(step);
  }
  return steps;
}

class SameDecisions : public testing::TestWithParam<const char*> {};

TEST_P(SameDecisions, InEveryStep) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Workload program = make_program(seed);
    const bool tiny = std::string(GetParam()) == "auto";
    const auto real = of_runtime(program, GetParam(), seed, tiny);
    const auto simulated = of_simulator(program, GetParam(), seed, tiny);
    ASSERT_EQ(real.size(), simulated.size());
    for (std::size_t i = 0; i < real.size(); ++i) {
      ASSERT_EQ(real[i], simulated[i]) << "step " << i << ", seed " << seed;
    }
  }
}

/// The place of each of so many tasks that write a block which nobody has touched.
std::vector<PlaceId> dealt(const std::string& policy, std::vector<DomainId>& homes) {
  Workload program;
  for (std::size_t b = 0; b < block_count; ++b) {
    program.blocks.push_back({Bytes{block_bytes}, DomainId{}, {}});
    program.add_task(0);
    program.accesses.push_back({static_cast<BlockIndex>(b), policy::AccessMode::write, 0});
  }
  program.add_phase().dependences = true;
  homes.assign(block_count, DomainId{});
  const auto machine = policy::sample::machine_of(cores_per_domain);
  const auto choice = policy::parse_choice(policy, domain_count);
  Costs free_of_charge{0, 0, 0, 0, 0, 0, 0, 0};
  Executor executor(machine, policy::sample::one_worker_per_core(machine), choice.value(), program,
                    homes, free_of_charge, 0);
  std::vector<Decision> decisions;
  executor.record = &decisions;
  double clock = 0;
  for (TaskIndex t = 0; t < block_count; ++t) executor.put(WorkerId{0}, t, true, clock);
  std::vector<PlaceId> places;
  for (const Decision& decision : decisions) {
    places.push_back(executor.places().of(executor.places()[decision.place].domain));
  }
  return places;
}

TEST(Dealing, ADistributionIsAskedWhateverThePush) {
  std::vector<DomainId> homes;
  for (const auto* push : {"local,steal=random", "local-domain,steal=random-domain",
                           "writer-domain,steal=random-domain"}) {
    const std::string rest = ",push=" + std::string(push);
    const auto cyclic = dealt("distribution=cyclic" + rest, homes);
    std::array<int, domain_count> tasks{};
    for (const PlaceId place : cyclic) {
      for (std::size_t d = 0; d < domain_count; ++d) {
        const auto machine = policy::sample::machine_of(cores_per_domain);
        const policy::Places places(machine, policy::sample::one_worker_per_core(machine));
        if (place == places.of(DomainId{d})) ++tasks[d];
      }
    }
    for (const int of_domain : tasks) EXPECT_EQ(of_domain, block_count / domain_count) << push;
    EXPECT_NE(cyclic, dealt("distribution=random" + rest, homes)) << push;
  }
}

TEST(Dealing, IsABeliefUntilSomebodyTouchesTheData) {
  std::vector<DomainId> homes;
  dealt("virouleau", homes);
  EXPECT_EQ(homes, std::vector<DomainId>(block_count));
}

INSTANTIATE_TEST_SUITE_P(Policies, SameDecisions,
                         testing::Values("auto", "locality-queues", "virouleau", "stock-like",
                                         "central", "push=most-bytes,steal=most-loaded",
                                         "push=writer-domain-or-local,steal=nearest",
                                         "push=local,steal=nearest-then-longest",
                                         "push=local-domain,steal=random-domain",
                                         "push=writer-domain,steal=core-first",
                                         "push=local,steal=cores-only",
                                         "push=writer-domain,steal=domains-only"));

}  // namespace
}  // namespace lares::simulate
