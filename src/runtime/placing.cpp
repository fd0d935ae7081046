#include "runtime/placing.hpp"

#include <atomic>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "memory/refusal.hpp"
#include "runtime/asking.hpp"
#include "runtime/engine.hpp"
#include "runtime/exclusion.hpp"
#include "runtime/execution.hpp"
#include "runtime/outside.hpp"
#include "runtime/waking.hpp"

namespace lares::runtime {

namespace {

// One in so many queue operations is timed.
constexpr std::uint32_t sample_interval = 512;

/// Times one in `sample_interval` queue operations.
class Sample {
 public:
  explicit Sample(Worker& worker) noexcept : worker_(worker) {
    worker.counters->queue_operations.add(1);
    if (--worker.sample_countdown == 0) {
      worker.sample_countdown = sample_interval;
      start_ = ticks();
    }
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
  ~Sample() {
    if (start_ != 0) [[unlikely]]
      tell();
  }

 private:
  [[gnu::noinline]] void tell() const noexcept {
    CounterSlot& counters = *worker_.counters;
    const std::uint64_t taken = ticks() - start_;
    counters.sampled_ticks.add(taken);
    counters.samples.add(1);
    const std::uint64_t longest = counters.longest_sample.get();
    if (taken > longest) counters.longest_sample.add(taken - longest);
  }

  Worker& worker_;
  std::uint64_t start_ = 0;
};

// --- where the data is

// Tells the user once if the kernel does not say where memory is.
void note_refusal(const memory::Homes& homes) noexcept {
  static std::atomic<bool> noted{false};
  const int refusal = homes.refused();
  if (refusal == 0 || noted.exchange(true, std::memory_order_relaxed)) return;
  char sentence[sizeof(Note::text)];
  memory::describe_refusal(refusal, sentence);
  Engine::instance().note(sentence);
}

}  // namespace

memory::FoundHome Asking::find(const Access& access) const noexcept {
  return Engine::instance().homes()->find_with_core(access.address, access.bytes, access.mode);
}

policy::Block Asking::block(const Access& access) const noexcept {
  return Engine::instance().extents()->block_of(access.address, access.bytes);
}

void Asking::assume(const Access& access, DomainId domain) const noexcept {
  Engine::instance().homes()->assume(access.address, access.bytes, domain);
}

void Asking::found(Task& task, const MainHome& main) const noexcept {
  if (main.domain.valid()) {
    task.home = main.domain;
    task.located = Located::data;
  }
  task.last_core = main.last_core;
  task.data_bytes = main.bytes;
  note_refusal(*Engine::instance().homes());
}

bool Asking::is_anybody_free(DomainId domain) const noexcept {
  Team& team = *worker_->team;
  // relaxed: who has just begun to look, or ceased to, finds other work or leaves this to others.
  return team.looking[domain.index()].count.load(std::memory_order_relaxed) != 0 ||
         !team.sleepers->free(domain).is_empty();
}

void Asking::push_shared(PlaceId queue, Task& task, WorkerId rather_for) const noexcept {
  worker_->team->queues[queue.index()]->push(task, rather_for);
}

void Asking::push_prioritised(Task& task) const noexcept { worker_->team->prioritised.push(task); }

namespace {

bool put(Worker& worker, Task& task, bool may_run) noexcept {
  const Sample sample(worker);
  return decide::put(Asking(worker), task, may_run);
}

}  // namespace

void became_ready(Worker* worker, Task& task) noexcept {
  if (task.has(task_flag::exclusive) && !acquire_exclusive(task)) return;
  hand_over(worker, task);
}

void hand_over(Worker* worker, Task& task) noexcept {
  Team& team = *task.team;
  disorder::late(disorder::Point::ready);
  if (task.has(task_flag::waiter)) {
    const Task& waiting = *task.parent.load(std::memory_order_relaxed);
    Worker* const runner = waiting.runner.load(std::memory_order_relaxed);
    // The waiting thread may reuse the descriptor once it sees this; descriptors are type-stable.
    task.released.store(true, std::memory_order_seq_cst);
    disorder::pause(disorder::Point::ready);
    if (disorder::omits(disorder::Fault::no_wake_of_waiter)) return;
    if (task.waiting.load(std::memory_order_seq_cst)) wake_waiter(team, runner);
    return;
  }
  if (worker != nullptr) {
    enqueue(*worker, task);
    return;
  }
  wake_somebody(team, &task, put_from_outside(team, task));
}

void enqueue(Worker& worker, Task& task) noexcept { put(worker, task, false); }

void place_ready(Worker& worker, Task& task) noexcept {
  if (put(worker, task, true)) return;
  worker.counters->inlined.add(1);
  execute(worker, task);
}

}  // namespace lares::runtime
