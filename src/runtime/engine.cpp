#include "runtime/engine.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "runtime/alone.hpp"
#include "runtime/explain.hpp"
#include "runtime/futex.hpp"
#include "runtime/process_lock.hpp"
#include "runtime/record.hpp"
#include "runtime/stall.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

namespace {

LARES_PROCESS_LOCK(g_note_lock);

CounterSlot* slot(CountersFile* file, std::size_t index) noexcept {
  return reinterpret_cast<CounterSlot*>(reinterpret_cast<char*>(file) +
                                        CountersFile::slots_offset) +
         index;
}

// What lives as long as the process, since threads may outlive static destruction.
template <class T, class... Arguments>
T* make_for_ever(Arguments&&... arguments) {
  void* memory =
      std::aligned_alloc(alignof(T) < 64 ? 64 : alignof(T), (sizeof(T) + 127) / 128 * 128);
  if (memory == nullptr) std::abort();
  return new (memory) T(std::forward<Arguments>(arguments)...);
}

}  // namespace

Engine& Engine::instance() noexcept {
  alignas(Engine) static char memory[sizeof(Engine)];
  static Engine* engine = new (memory) Engine;  // never destroyed
  return *engine;
}

void Engine::set_up(machine::Machine machine, policy::Choice choice,
                    CountersFile* counters) noexcept {
  machine_ = std::move(machine);
  choice_ = choice;
  prepare_fences();
  homes_ = make_for_ever<memory::Homes>(machine_);
  extents_ = make_for_ever<memory::Extents>();
  wants_data_ = machine_.domains_with_cores() > 1 && policy::wants_homes(choice_);
  if (counters != nullptr) {
    describe(*counters);
    counters_.store(counters, std::memory_order_release);
  }
  active_.store(true, std::memory_order_relaxed);
}

void Engine::describe(CountersFile& file) noexcept {
  file.domains = static_cast<std::uint32_t>(machine_.domains_with_cores());
  const std::string text = policy::to_string(choice_);
  std::snprintf(file.policy, sizeof(file.policy), "%s", text.c_str());
  std::snprintf(file.runtime, sizeof(file.runtime), "%s", runtimes_);
}

// Two may be met before there is a file, which a thread of any of them makes.
void Engine::add_runtime(const char* name) noexcept {
  const std::lock_guard lock(g_note_lock);
  const std::size_t used = strnlen(runtimes_, sizeof(runtimes_) - 1);
  std::snprintf(runtimes_ + used, sizeof(runtimes_) - used, "%s%s", used == 0 ? "" : ", ", name);
  CountersFile* const file = counters_.load(std::memory_order_acquire);
  if (file != nullptr) std::snprintf(file->runtime, sizeof(file->runtime), "%s", runtimes_);
}

CountersFile* Engine::make_counters() noexcept {
  CountersFile* made = nullptr;
  {
    const std::lock_guard lock(g_note_lock);
    auto* const make = make_counters_.exchange(nullptr, std::memory_order_relaxed);
    if (make != nullptr) {
      made = make();
      if (made != nullptr) describe(*made);
      counters_.store(made, std::memory_order_release);
    }
  }
  if (made != nullptr) stall::begin(*made);
  return counters_.load(std::memory_order_acquire);
}

std::uint32_t Engine::spin_rounds(bool crowded) const noexcept {
  switch (wait_policy_) {
    case WaitPolicy::active:
      return crowded ? 2000U : 2'000'000'000U;
    case WaitPolicy::passive:
      return 4;
    case WaitPolicy::unspecified:
      break;
  }
  // Long enough to bridge the gaps of fine-grained tasks, short against a time slice.
  return crowded ? 16 : 420;
}

Nanoseconds Engine::longest_spin() const noexcept {
  constexpr Nanoseconds days{1'000'000'000'000'000};
  if (wait_policy_ != WaitPolicy::unspecified) return days;
  return {disorder::limit(disorder::Limit::longest_spin_ns, std::int64_t{1'000'000})};
}

CounterSlot* Engine::claim_counters() noexcept {
  CountersFile* file = counters();
  if (file == nullptr) return nullptr;
  const std::uint32_t index = file->slots_used.fetch_add(1, std::memory_order_relaxed);
  if (index < max_counter_slots) return slot(file, index);
  file->slots_used.store(max_counter_slots, std::memory_order_relaxed);
  return nullptr;
}

void Engine::note(const char* sentence) noexcept {
  CountersFile* file = counters();
  if (file == nullptr) return;
  const std::lock_guard lock(g_note_lock);
  const std::uint32_t used = file->notes_used.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < used && i < max_notes; ++i) {
    if (std::strncmp(file->notes[i].text, sentence, sizeof(Note::text) - 1) == 0) return;
  }
  if (used >= max_notes) return;
  Note& note = file->notes[used];
  std::strncpy(note.text, sentence, sizeof(note.text) - 1);
  note.ready.store(1, std::memory_order_release);
  file->notes_used.store(used + 1, std::memory_order_release);
}

void Engine::reset_after_fork(CountersFile* (*make)() noexcept) noexcept {
  renew_process_locks();
  counters_.store(nullptr, std::memory_order_relaxed);
  make_counters_.store(make, std::memory_order_relaxed);
  if (records()) {
    record_into(nullptr);
    record::stop_after_fork();
  }
  stall::forget_after_fork();
  explain::forget_after_fork();
  forget_threads_after_fork();
  be_alone_after_fork();
}

}  // namespace lares::runtime
