// The simulator decides as the runtime does. simulate() runs a program and tells every step of its
// workers; then the workers of a real team take the same steps in the same order, one at a time.
// Each step must find the same task, queue to the same places and wake as many in the
// same domains.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "runtime/completion.hpp"
#include "runtime/execution.hpp"
#include "runtime/finding.hpp"
#include "runtime/waking.hpp"
#include "simulate/executor.hpp"
#include "simulate/graph_file.hpp"
#include "simulate/simulation.hpp"
#include "support/runtime_host.hpp"

namespace lares::simulate {
namespace {

constexpr std::size_t block_count = 24;
constexpr std::size_t block_bytes = 4096;
constexpr std::size_t domain_count = 3;
constexpr std::size_t worker_count = 6;
const std::vector<std::size_t> cores_per_domain(domain_count, worker_count / domain_count);

// --- programs

struct Shape {
  std::size_t tasks = 0;
  double most_seconds = 20e-6;  // of a task
  bool placed = true;           // blocks have homes
  bool priorities = true;
  std::uint32_t with_data = 3;  // one task of so many
};

/// A program of tasks with random uses of random blocks, which order them.
Workload make_program(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  Workload program;
  program.name = "replay";
  for (std::size_t b = 0; b < block_count; ++b) {
    const DomainId home = shape.placed ? DomainId{b % domain_count} : DomainId{};
    program.blocks.push_back({Bytes{block_bytes}, home, {}});
  }
  for (std::size_t t = 0; t < shape.tasks; ++t) {
    program.add_task(shape.most_seconds * (1 + random.below(100)) / 100);
    if (shape.priorities && random.below(8) == 0) {
      program.tasks.back().priority = 1 + static_cast<int>(random.below(3));
    }
    std::array<bool, block_count> used{};
    const std::uint32_t most = random.below(shape.with_data) == 0 ? 1 + random.below(3) : 0;
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

// --- the simulator

struct Recording {
  std::vector<Step> steps;
  Outcome outcome;
};

Recording record(const Workload& program, const std::string& policy) {
  const auto machine = policy::sample::machine_of(cores_per_domain);
  const auto model = read_model(machine, "");
  EXPECT_TRUE(model.ok());
  Parameters parameters = model.value().best;
  // Nothing that workers decide takes time: what a step decides, it decides at once.
  parameters.costs = {.create = 0,
                      .dispatch = 0,
                      .probe = 0,
                      .queue = 0,
                      .loop = 0,
                      .park = 2000,
                      .wake = 500,
                      .barrier = 0};
  const auto schedule = parse_schedule(policy, domain_count);
  EXPECT_TRUE(schedule.ok());
  Recording recording;
  auto outcome = simulate({.machine = machine,
                           .parameters = parameters,
                           .workload = program,
                           .schedule = schedule.value(),
                           .cores = policy::sample::one_worker_per_core(machine),
                           .steps = &recording.steps});
  EXPECT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.error().sentence);
  if (outcome.ok()) recording.outcome = std::move(outcome.value());
  return recording;
}

// --- the runtime

const char* name_of(Step::Kind kind) {
  constexpr const char* names[] = {"create", "help", "look", "look far", "pass on", "end"};
  return names[static_cast<std::size_t>(kind)];
}

/// Pages that nobody has touched. The simulator's blocks lie one behind the other from address 0
/// on, and data is told apart by the low half of its address: these begin where that is 0, too.
class FreshBlocks {
 public:
  FreshBlocks()
      : room_(mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
        first_((reinterpret_cast<std::uintptr_t>(room_) + half - 1) / half * half) {}
  FreshBlocks(const FreshBlocks&) = delete;
  FreshBlocks& operator=(const FreshBlocks&) = delete;
  ~FreshBlocks() { munmap(room_, 2 * half); }
  [[nodiscard]] std::uintptr_t operator[](BlockIndex block) const {
    return first_ + block * block_bytes;
  }

 private:
  static constexpr std::size_t half = std::size_t{1} << 32U;
  void* room_;
  std::uintptr_t first_;
};

/// Sleepers of a real team that are none: threads that nobody wakes.
class Bedrooms {
 public:
  explicit Bedrooms(runtime::Team& team) : team_(team) {}

  void lie_down(const Step& step, const std::vector<const runtime::Task*>& waits_in) {
    for (std::size_t w = 0; w < worker_count; ++w) {
      runtime::Worker& worker = *team_.workers[w];
      if (step.sleep[w] == Step::Sleep::awake) continue;
      team_.sleepers->count_in();
      if (step.sleep[w] == Step::Sleep::free) {
        team_.sleepers->free(worker.domain).lie_down();
        free_.push_back(worker.domain);
      } else {
        worker.sleeps_under.store(waits_in[w]);
        team_.sleepers->add_bound(worker.domain, worker.id);
        bound_.push_back(&worker);
      }
    }
    for (std::size_t d = 0; d < domain_count; ++d) {
      team_.looking[d].count.store(step.looking[d]);
      team_.fed[d].store(step.fed[d]);
      team_.away[d].set(step.away[d]);
    }
    team_.waking.store(step.coming);
  }

  /// All get up. Answers how many of each domain were woken.
  std::vector<std::uint32_t> get_up() {
    std::vector<std::uint32_t> woken(domain_count);
    const auto note = [&](DomainId domain, bool chosen) {
      if (chosen) {
        ++woken[domain.index()];
      } else {
        team_.sleepers->count_out();
      }
    };
    for (const DomainId domain : free_) note(domain, team_.sleepers->free(domain).get_up());
    for (runtime::Worker* worker : bound_) {
      note(worker->domain, !team_.sleepers->remove_bound(worker->domain, worker->id));
      worker->sleeps_under.store(nullptr);
    }
    free_.clear();
    bound_.clear();
    for (auto& looking : team_.looking) looking.count.store(0);
    team_.waking.store(0);
    return woken;
  }

 private:
  runtime::Team& team_;
  std::vector<DomainId> free_;
  std::vector<runtime::Worker*> bound_;
};

/// Takes the steps of a recording on a real team.
class Replay {
 public:
  Replay(const Workload& program, const std::vector<Step>& steps, runtime::Team& team,
         const FreshBlocks& blocks)
      : program_(program), steps_(steps), team_(team), blocks_(blocks), bedrooms_(team) {
    for (std::size_t w = 0; w < worker_count; ++w) {
      constraints_[w] = std::exchange(team.workers[w]->constraint, nullptr);
      thrifts_[w] = team.workers[w]->thrift;
    }
    cores_ = std::exchange(team.cores, worker_count);
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// The worker's part, on its own thread.
  void work(const runtime::Worker& worker) {
    while (is_next(worker)) take();
  }

  /// Once all workers are through. If it went wrong, what was begun is completed, so that the team
  /// gets to its end.
  void finish() {
    for (std::size_t w = 0; w < worker_count; ++w) {
      runtime::Worker& worker = *team_.workers[w];
      worker.current = &worker.implicit_task;
      for (std::size_t i = begun_[w].size(); i-- > 0;) complete(&worker, *begun_[w][i].task);
    }
    bedrooms_.get_up();
    for (std::size_t w = 0; w < worker_count; ++w) {
      team_.workers[w]->constraint = constraints_[w];
      team_.workers[w]->thrift = thrifts_[w];
      learn_from_thrift(*team_.workers[w]);
    }
    team_.cores = cores_;
  }

 private:
  /// A task that a worker has begun.
  struct Begun {
    TaskIndex index;
    runtime::Task* task;
    runtime::Task* previous;
    runtime::Task* constraint;
  };

  [[nodiscard]] const Step& step() const { return steps_[at_.load(std::memory_order_relaxed)]; }
  [[nodiscard]] runtime::Worker& worker_of(const Step& step) const {
    return *team_.workers[step.worker.index()];
  }
  [[nodiscard]] std::string where() const {
    return "step " + std::to_string(at_) + ", worker " + std::to_string(step().worker.index()) +
           ": " + name_of(step().kind) + " " + std::to_string(static_cast<int>(step().task));
  }
  template <class Value>
  void expect(const Value& real, const Value& simulated, const char* what) {
    if (failed_) return;
    EXPECT_EQ(real, simulated) << what << " at " << where();
    failed_ = real != simulated;
  }

  /// Waits for the worker's next step; false if there is none.
  [[nodiscard]] bool is_next(const runtime::Worker& worker) const {
    // acquire: what the worker before it has done, which has then moved on.
    for (;; std::this_thread::yield()) {
      const std::size_t at = at_.load(std::memory_order_acquire);
      if (failed_ || at >= steps_.size()) return false;
      if (steps_[at].worker == worker.id) return true;
    }
  }

  // One step, or, if bodies run in it, several.
  void take() {
    enter_step();
    switch (step().kind) {
      case Step::Kind::help:
      case Step::Kind::create:
        return create();
      case Step::Kind::look:
      case Step::Kind::look_far:
        return look();
      case Step::Kind::pass_on:
        runtime::pass_on(worker_of(step()));
        return leave_step();
      case Step::Kind::end:
        return end();
    }
  }

  [[nodiscard]] runtime::Task* waits_in_task(std::size_t w) const {
    return begun_[w].empty() ? &team_.workers[w]->implicit_task : begun_[w].back().task;
  }

  // What the step's worker knows, and who sleeps.
  void enter_step() {
    runtime::Worker& worker = worker_of(step());
    static_cast<void>(worker.deque.refresh_size());  // the real one is told of a bound only
    worker.thrift = decide::Thrift(1);
    for (int i = 0; step().tiny && i < 100; ++i) worker.thrift.ran(false, 0, 0);
    if (step().learning) worker.thrift.ran(true, 0, step().pausing ? ticks() + (1ULL << 60U) : 0);
    learn_from_thrift(worker);
    worker.restraint = decide::Restraint(step().staying ? 1 : 0, 1ULL << 50U);
    worker.restraint.works(true);
    std::vector<const runtime::Task*> waits_in;
    for (std::size_t w = 0; w < worker_count; ++w) waits_in.push_back(waits_in_task(w));
    bedrooms_.lie_down(step(), waits_in);
    expected_.assign(domain_count, 0);
  }
  void leave_step() {
    for (std::size_t d = 0; d < domain_count; ++d) expected_[d] += step().woken[d];
    expect(bedrooms_.get_up(), expected_, "who was woken");
    expect_lengths();
    ++at_;
  }
  void expect_lengths() {
    std::vector<std::uint32_t> lengths;
    for (std::size_t p = 0; p < team_.places->size(); ++p) {
      lengths.push_back(team_.length(PlaceId{p}));
    }
    expect(lengths, step().lengths, "lengths of queues");
  }

  // Its body stands for what happens while it runs, if it runs inside of another step.
  runtime::Task* make_task(runtime::Worker& worker, TaskIndex index) {
    Replay* const self = this;
    runtime::Task* task = runtime::host::make_task(
        worker, [self, index](runtime::Worker& runner) { self->run_body(runner, index); });
    task->priority = program_.tasks[index].priority;
    index_of_[task] = index;
    return task;
  }

  void create() {
    runtime::Worker& worker = worker_of(step());
    const TaskIndex index = step().task;
    runtime::Task* const task = make_task(worker, index);
    std::vector<runtime::Dependence> uses;
    for (const Access& access : program_.accesses_of(index)) {
      uses.push_back(
          {blocks_[access.block], Bytes{block_bytes},
           policy::writes(access.mode) ? runtime::DependKind::out : runtime::DependKind::in});
    }
    submit(worker, *task, uses);
    if (failed_) return;
    if (std::exchange(ran_at_once_[worker.id.index()], false)) {
      // The end of its body is the end of this step, too.
      return leave_step();
    }
    expect(static_cast<int>(step().kind), static_cast<int>(Step::Kind::create), "kind of step");
    expect(index, step().task, "created");
    expect(Script::none, step().found, "queued");
    leave_step();
  }

  // In a submit: a task that is run before the new one is made, or the new one itself.
  void run_body(runtime::Worker& runner, TaskIndex index) {
    if (failed_) return;
    const bool helps = step().kind == Step::Kind::help;
    expect(helps || step().kind == Step::Kind::create, true, "kind of step");
    expect(index, step().found, "run by its creator");
    touch(runner, index);
    auto& begun = begun_[runner.id.index()];
    begun.push_back({index, runner.current, nullptr, nullptr});
    const std::size_t level = begun.size();
    leave_step();  // last: from then on it is another's turn
    while (is_next(runner)) {
      const bool ends = step().kind == Step::Kind::end && task_that_ends() == index;
      if (ends && begun.size() == level) break;
      take();
    }
    begun.pop_back();
    if (failed_) return;
    // Its completion, and what its creator does next, are one step here and two there.
    enter_step();
    ran_at_once_[runner.id.index()] = !helps;
    if (!helps) return;
    for (std::size_t d = 0; d < domain_count; ++d) expected_[d] += step().woken[d];
    ++at_;
  }

  void look() {
    runtime::Worker& worker = worker_of(step());
    auto& begun = begun_[step().worker.index()];
    worker.constraint = step().constrained ? waits_in_task(step().worker.index()) : nullptr;
    runtime::Task* const task = step().kind == Step::Kind::look
                                    ? find_work(worker)
                                    : find_awaited(worker, runtime::Reach::everywhere);
    expect(index_of(task), step().found, "found");
    if (failed_) return;
    const TaskIndex found = step().found;
    if (task != nullptr) {
      begun.push_back({found, task, worker.current, worker.constraint});
      begin_body(worker, *task);
      touch(worker, found);
    }
    leave_step();
  }

  void end() {
    runtime::Worker& worker = worker_of(step());
    auto& begun = begun_[step().worker.index()];
    const TaskIndex index = task_that_ends();
    if (index == Script::none) return leave_step();
    expect(begun.empty(), false, "has begun a task");
    if (failed_) return;
    const Begun last = begun.back();
    expect(last.index, index, "ended");
    begun.pop_back();
    worker.current = last.previous;
    worker.constraint = last.constraint;
    complete(&worker, *last.task);
    leave_step();
  }

  // Of a recorded program, a thread's own computing and what comes before a wait end no task.
  [[nodiscard]] TaskIndex task_that_ends() const {
    const Script& script = program_.script;
    const TaskIndex node = step().task;
    if (script.empty()) return node;
    if (script.next[node] != Script::none) return Script::none;
    if (script.kind[node] == Script::Kind::task) return node;
    return script.created_in[node] == Script::none && script.thread[node] >= 0 ? Script::none
                                                                               : script.scope[node];
  }

  // The first touch gives a page its home.
  void touch(runtime::Worker& worker, TaskIndex index) {
    touched_.resize(block_count);
    for (const Access& access : program_.accesses_of(index)) {
      if (program_.blocks[access.block].home.valid() || touched_[access.block]) continue;
      touched_[access.block] = true;
      EXPECT_TRUE(runtime::Engine::instance().homes()->give(blocks_[access.block],
                                                            Bytes{block_bytes}, worker.domain));
    }
  }

  [[nodiscard]] TaskIndex index_of(const runtime::Task* task) const {
    return task == nullptr ? Script::none : index_of_.at(task);
  }

  const Workload& program_;
  const std::vector<Step>& steps_;
  runtime::Team& team_;
  const FreshBlocks& blocks_;
  Bedrooms bedrooms_;
  std::array<runtime::Task*, worker_count> constraints_{};
  std::vector<decide::Thrift> thrifts_{worker_count, decide::Thrift(1)};
  std::size_t cores_ = 0;
  std::array<std::vector<Begun>, worker_count> begun_;
  std::map<const runtime::Task*, TaskIndex> index_of_;  // of descriptors, which are reused
  std::vector<bool> touched_;
  std::vector<std::uint32_t> expected_;           // woken since the sleepers lay down
  std::array<bool, worker_count> ran_at_once_{};  // by worker: the task that it creates
  std::atomic<std::size_t> at_{0};  // whose worker has the turn: all else is the turn's
  std::atomic<bool> failed_{false};
};

void replay(const Workload& program, const std::vector<Step>& steps, const std::string& policy) {
  const runtime::host::Machine machine(cores_per_domain, policy);
  const FreshBlocks blocks;
  for (BlockIndex b = 0; b < program.blocks.size(); ++b) {
    if (!program.blocks[b].home.valid()) continue;
    ASSERT_TRUE(runtime::Engine::instance().homes()->give(blocks[b], Bytes{block_bytes},
                                                          program.blocks[b].home));
  }
  std::barrier together(worker_count);
  std::unique_ptr<Replay> replay;  // tasks that are left over look at it
  runtime::host::region(worker_count, [&](runtime::Worker& worker) {
    const bool first = worker.id == WorkerId{0};
    together.arrive_and_wait();
    if (first) replay = std::make_unique<Replay>(program, steps, *worker.team, blocks);
    together.arrive_and_wait();
    replay->work(worker);
    together.arrive_and_wait();
    if (first) replay->finish();
    together.arrive_and_wait();
  });
}

class SameDecisions : public testing::TestWithParam<const char*> {};

TEST_P(SameDecisions, WhereTasksWithAndWithoutDataFillTheQueues) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Workload program = make_program({.tasks = 900, .with_data = 40}, seed);
    const Recording recording = record(program, GetParam());
    replay(program, recording.steps, GetParam());
    if (HasFailure()) return;
  }
}

TEST_P(SameDecisions, WhenManyTasksWithDataWait) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Workload program = make_program({.tasks = 700}, seed);
    const Recording recording = record(program, GetParam());
    replay(program, recording.steps, GetParam());
    if (HasFailure()) return;
  }
}

TEST_P(SameDecisions, OnDataThatNobodyHasTouched) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Workload program = make_program({.tasks = 300, .placed = false, .with_data = 1}, seed);
    const Recording recording = record(program, GetParam());
    replay(program, recording.steps, GetParam());
    if (HasFailure()) return;
  }
}

TEST_P(SameDecisions, OnTasksThatAreNotWorthMoving) {
  const Workload program =
      make_program({.tasks = 3000, .most_seconds = 0.2e-6, .priorities = false, .with_data = 2}, 1);
  const Recording recording = record(program, GetParam());
  replay(program, recording.steps, GetParam());
}

/// Threads that make tasks which make others and wait for them, some of them deep.
std::string nested_program(std::uint64_t seed) {
  Random random(seed);
  std::string lines = "lares-graph 2\n";
  for (std::size_t b = 0; b < block_count; ++b) {
    lines += "block 4096 " + std::to_string(b % domain_count) + "\n";
  }
  int made = 0;
  const auto task = [&](const std::string& creator, const std::string& uses) {
    lines += "task " + std::to_string(1 + random.below(20)) + "e-6 " + creator + uses + "\n";
    return std::to_string(made++);
  };
  const auto children = [&](const std::string& parent, std::uint32_t most, const auto& self,
                            int depth) -> void {
    for (std::uint32_t i = random.below(most); i > 0; --i) {
      const std::string child = task(parent, "");
      if (depth < 3 && random.below(3) == 0) self(child, 6, self, depth + 1);
    }
    if (random.below(2) == 0) {
      lines += "wait " + parent + "\nspend 2e-6 " + parent + "\n";
    }
  };
  for (int i = 0; i < 150; ++i) {
    const bool first = random.below(3) != 0;
    const std::string uses = random.below(2) == 0 ? " rw:" + std::to_string(random.below(24)) : "";
    const std::string outer = task(first ? "-" : "@2", uses);
    children(outer, random.below(20) == 0 ? 200 : 5, children, 1);
    if (random.below(20) == 0) lines += "wait -\n";
  }
  return lines;
}

TEST_P(SameDecisions, WhereTasksMakeOthersAndWaitForThem) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto program = parse_graph(nested_program(seed), domain_count);
    ASSERT_TRUE(program.ok()) << program.error().sentence;
    const Recording recording = record(program.value(), GetParam());
    replay(program.value(), recording.steps, GetParam());
    if (HasFailure()) return;
  }
}

template <class Which>
std::ptrdiff_t count(const Recording& recording, Which which) {
  return std::ranges::count_if(recording.steps, which);
}

TEST(Recordings, HaveWhatIsToBeCompared) {
  const Recording flat = record(make_program({.tasks = 900, .with_data = 40}, 1), "auto");
  EXPECT_GT(
      count(flat, [](const Step& s) { return s.kind == Step::Kind::create && s.found == s.task; }),
      0);
  const Recording window = record(make_program({.tasks = 700}, 1), "auto");
  EXPECT_GT(count(window, [](const Step& s) { return s.kind == Step::Kind::help; }), 0);
  const Recording wakes =
      record(make_program({.tasks = 700}, 1), "push=most-bytes,steal=most-loaded");
  EXPECT_GT(
      count(wakes,
            [](const Step& s) { return s.woken != std::vector<std::uint32_t>(domain_count); }),
      0);
  const Recording tiny = record(
      make_program({.tasks = 3000, .most_seconds = 0.2e-6, .priorities = false, .with_data = 2}, 1),
      "auto");
  EXPECT_GT(count(tiny, [](const Step& s) { return s.kind == Step::Kind::create && s.tiny; }), 0);
  EXPECT_GT(count(tiny, [](const Step& s) { return s.kind == Step::Kind::look && s.pausing; }), 0);
  const auto nested = parse_graph(nested_program(1), domain_count);
  ASSERT_TRUE(nested.ok());
  const Recording waits = record(nested.value(), "locality-queues");
  EXPECT_GT(count(waits, [](const Step& s) { return s.kind == Step::Kind::look && s.constrained; }),
            0);
  EXPECT_GT(count(waits, [](const Step& s) { return s.kind == Step::Kind::look_far; }), 0);
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
  const auto schedule = parse_schedule(policy, domain_count);
  Costs free_of_charge{0, 0, 0, 0, 0, 0, 0, 0};
  Executor executor(machine, policy::sample::one_worker_per_core(machine), schedule.value(),
                    program, homes, free_of_charge, 0);
  double clock = 0;
  std::vector<PlaceId> places;
  for (TaskIndex t = 0; t < block_count; ++t) {
    const auto offer = executor.put(WorkerId{0}, t, true, clock);
    places.push_back(executor.places().of(offer.value().domain));
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
                                         "push=writer-domain-dealt,steal=nearest",
                                         "push=local,steal=nearest-then-longest",
                                         "push=local-domain,steal=random-domain",
                                         "push=writer-domain,steal=core-first",
                                         "push=local,steal=cores-only",
                                         "push=writer-domain,steal=domains-only"));

}  // namespace
}  // namespace lares::simulate
