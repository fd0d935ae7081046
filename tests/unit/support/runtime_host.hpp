// A host for tests of the engine: lends it threads that claim cores of a made-up machine, and runs
// lambdas as tasks.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "policy/registry.hpp"
#include "policy_sample.hpp"
#include "runtime/at_once.hpp"
#include "runtime/engine.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/team.hpp"
#include "runtime/thread_state.hpp"
#include "support/needs_order.hpp"

namespace lares::runtime::host {

/// The counters of the whole process: thread states keep pointers into them.
struct alignas(128) CountersMemory {
  alignas(128) unsigned char bytes[CountersFile::slots_offset +
                                   max_counter_slots * sizeof(CounterSlot)];
};

inline CountersFile* counters_file() {
  static CountersMemory memory;
  static auto* const file = [] {
    auto* head = new (memory.bytes) CountersFile{};
    for (std::size_t i = 0; i < max_counter_slots; ++i) {
      new (memory.bytes + CountersFile::slots_offset + i * sizeof(CounterSlot)) CounterSlot;
    }
    return head;
  }();
  return file;
}

inline const CounterSlot& counter_slot(std::size_t index) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(counters_file());
  return *std::launder(reinterpret_cast<const CounterSlot*>(bytes + CountersFile::slots_offset) +
                       index);
}

/// The sum of `pick(slot)` over all threads so far. No region may be running.
template <class Pick>
std::uint64_t counted(Pick pick) {
  std::uint64_t sum = 0;
  const std::uint32_t used = counters_file()->slots_used.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < used && i < max_counter_slots; ++i) sum += pick(counter_slot(i));
  return sum;
}

/// A machine and a policy choice for the engine, from construction on. One at a time; tests that
/// share a process each make their own.
class Machine {
 public:
  explicit Machine(const std::vector<std::size_t>& cores_per_domain,
                   std::string_view choice = "auto") {
    // What an earlier machine left stays reachable, also at the end: thread states may point there.
    static auto& retired = *new std::vector<std::pair<memory::Homes*, memory::Extents*>>;
    Engine& engine = Engine::instance();
    if (engine.homes() != nullptr) retired.emplace_back(engine.homes(), engine.extents());
    auto parsed = policy::parse_choice(choice, cores_per_domain.size());
    if (!parsed) {
      ADD_FAILURE() << "not a choice: " << choice;
      std::abort();
    }
    engine.set_up(policy::sample::machine_of(cores_per_domain), parsed.value(), counters_file());
    generation() = new_generation();
  }

  /// Tells teams of one machine from those of the next, in which cached places would be wrong.
  static const void*& generation() {
    static const void* current = nullptr;
    return current;
  }

 private:
  static const void* new_generation() {
    static char tokens[4096];
    static std::size_t used = 0;
    return &tokens[used++ % sizeof(tokens)];
  }
};

/// Says on which core of the machine the calling thread runs, whatever the system thinks.
inline void claim_core(std::size_t worker) {
  ThreadState& thread = *this_thread();
  thread.core = CoreId{worker % Engine::instance().machine().cores.size()};
  thread.core_known = true;
  thread.core_followed = false;
}

/// A parallel region: `body(worker)` on `size` threads, the calling one among them. Returns when
/// all tasks are done. Worker i runs on core i, modulo the number of cores; in a nested region the
/// calling thread keeps its core. `hint` is what is known of its code, if anything is.
template <class Body>
void region(std::size_t size, Body body, bool cancellable = false, RegionHint* hint = nullptr) {
  if (this_worker() == nullptr) claim_core(0);
  ThreadState& master = *this_thread();
  Team* team = acquire_team(master, size, Machine::generation());
  team->cancellable = cancellable;
  team->hint = hint;
  const auto member = [&body, team](std::size_t id) {
    Worker& worker = enter(*team, WorkerId{id});
    body(worker);
    leave(worker);
  };
  std::vector<std::thread> threads;
  threads.reserve(size);
  for (std::size_t id = 1; id < size; ++id) {
    threads.emplace_back([&member, id] {
      claim_core(id);
      member(id);
    });
  }
  member(0);
  for (std::thread& thread : threads) thread.join();
  team->hint = nullptr;
  release_team(master, team);
}

/// A region in which one thread runs `body` and the others wait for tasks.
template <class Body>
void single(std::size_t size, Body body, bool cancellable = false, RegionHint* hint = nullptr) {
  region(
      size,
      [&body](Worker& worker) {
        if (worker.id == WorkerId{0}) body(worker);
      },
      cancellable, hint);
}

/// A task, not yet submitted, whose body is `body(worker)`. The lambda lies in the payload; nobody
/// destroys it, as for a dropped task nobody could.
template <class Body>
Task* make_task(Worker& worker, Body body, std::uint16_t flags = 0) {
  static_assert(std::is_trivially_destructible_v<Body>);
  static_assert(alignof(Body) <= alignof(Task));
  Task* task = new_task(worker, sizeof(Body));
  new (task->payload()) Body(body);
  task->flags = flags;
  task->run = [](Task& self, Worker& runner) {
    (*std::launder(static_cast<Body*>(self.payload())))(runner);
  };
  return task;
}

template <class Body>
void spawn(Worker& worker, Body body) {
  submit(worker, *make_task(worker, body), {});
}

template <class Body>
void spawn(Worker& worker, std::initializer_list<Dependence> dependences, Body body) {
  submit(worker, *make_task(worker, body), {dependences.begin(), dependences.size()});
}

inline Dependence on(const void* address, DependKind kind) {
  return {reinterpret_cast<std::uintptr_t>(address), Bytes{0}, kind};
}
inline Dependence in(const void* address) { return on(address, DependKind::in); }
inline Dependence out(const void* address) { return on(address, DependKind::out); }

/// A task that runs at once, as the front ends have it.
inline void run_inline(Worker& worker, void (*run)(Task&, Worker&), void* function, void* data,
                       std::uint16_t flags) {
  if (worker.observed) return run_inline_observed(worker, run, function, data, flags, {});
  at_once::run_spare<false>(worker, run, function, data, flags, {});
}

/// Keeps the processor for a moment, so that tasks overlap.
inline void work(std::uint32_t rounds) {
  for (std::uint32_t i = 0; i < rounds; ++i) relax();
}

}  // namespace lares::runtime::host
