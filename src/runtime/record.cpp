#include "runtime/record.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/clock.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

namespace record {

namespace {

// Counts streams and regions of the process. relaxed, both: numbers need only differ.
std::atomic<std::uint32_t> g_streams{0};
std::atomic<std::uint64_t> g_regions{0};

std::uintptr_t (*g_code_of)(const Task& task) noexcept = nullptr;  // written at load

RecordMode mode_of(DependKind kind) noexcept {
  switch (kind) {
    case DependKind::in:
      return RecordMode::in;
    case DependKind::mutexinoutset:
      return RecordMode::mutexinoutset;
    case DependKind::inoutset:
      return RecordMode::inoutset;
    case DependKind::all_memory:
      return RecordMode::all_memory;
    case DependKind::out:
      break;
  }
  return RecordMode::out;
}

RecordedWords words_of(std::uintptr_t address, Bytes bytes, RecordMode mode) noexcept {
  constexpr std::uint64_t address_mask = (std::uint64_t{1} << record_home_shift) - 1;
  return {address & address_mask,
          static_cast<std::uint64_t>(mode) | bytes.count << record_bytes_shift};
}

// Of the mapping that holds the address, or 0.
std::uintptr_t end_around(RecordStream& stream, std::uintptr_t address) noexcept {
  const memory::Extent known = Engine::instance().extents()->around(address);
  return known.known() ? known.end : stream.look_around(address, memory::real_maps()).end;
}

// With what the kernel knows of a range that this thread names for the first time.
RecordedWords describe(RecordStream& stream, std::uintptr_t address, Bytes bytes,
                       RecordMode mode) noexcept {
  constexpr std::uint64_t most_home = 0xFFFF;
  RecordedWords words = words_of(address, bytes, mode);
  if (mode == RecordMode::all_memory || stream.is_told(address)) return words;
  stream.has_told(address);
  Engine& engine = Engine::instance();
  const auto found = engine.homes()->find(address, bytes, policy::AccessMode::read);
  const std::uint64_t home =
      found.home.valid() ? found.home.index() + record_first_home : record_home_unknown;
  words.where |= std::min(home, most_home) << record_home_shift;
  const std::uint64_t end = bytes.count == 0 ? end_around(stream, address) : 0;
  if (end > address) {
    words.what = static_cast<std::uint64_t>(mode) | record_to_end_of_mapping |
                 (end - address) << record_bytes_shift;
  }
  return words;
}

void write_dependences(RecordStream& stream, std::span<const Dependence> dependences,
                       std::uint64_t* words) noexcept {
  for (const Dependence& each : dependences) {
    const RecordedWords told = describe(stream, each.address, each.bytes, mode_of(each.kind));
    *words++ = told.where;
    *words++ = told.what;
  }
}

/// What a task names, as far as it is told.
struct TaskAccesses {
  std::span<const Access> hints;
  std::span<const Dependence> dependences;

  [[nodiscard]] std::size_t size() const noexcept { return hints.size() + dependences.size(); }
};

TaskAccesses accesses_of(const Task& task, std::span<const Dependence> dependences) noexcept {
  const std::span<const Access> hints = task.data_accesses();
  const std::size_t first = std::min(hints.size(), most_recorded_accesses);
  return {hints.first(first),
          dependences.first(std::min(dependences.size(), most_recorded_accesses - first))};
}

// True if all of it was told before, and is written.
bool write_create_of(RecordStream& stream, const TaskAccesses& accesses, std::uint32_t small,
                     std::uint64_t at) noexcept {
  std::array<RecordedWords, RecordStream::most_short_accesses> words;
  if (accesses.size() > words.size()) return false;
  std::size_t count = 0;
  for (const Access& each : accesses.hints) {
    if (!stream.is_told(each.address)) return false;
    words[count++] = words_of(each.address, each.bytes, RecordMode::affinity);
  }
  for (const Dependence& each : accesses.dependences) {
    if (each.kind != DependKind::all_memory && !stream.is_told(each.address)) return false;
    words[count++] = words_of(each.address, each.bytes, mode_of(each.kind));
  }
  return stream.create_of({words.data(), count}, small, at);
}

void write_create_with(RecordStream& stream, const TaskAccesses& accesses, std::uint32_t small,
                       std::uint64_t at) noexcept {
  std::uint64_t* const event = stream.reserve(2 + accesses.size() * record_access_words, at);
  if (event == nullptr) return;
  std::uint64_t* words = event + 2;
  for (const Access& hint : accesses.hints) {
    const RecordedWords told = describe(stream, hint.address, hint.bytes, RecordMode::affinity);
    *words++ = told.where;
    *words++ = told.what;
  }
  write_dependences(stream, accesses.dependences, words);
  event[1] = accesses.size() | (ticks() - at) << 16U;
  stream.commit(event, RecordKind::create_with, small, at);
}

std::uint32_t domain_plus_one(DomainId domain) noexcept {
  const auto number = static_cast<std::uint32_t>(domain.value() + 1);
  return number <= RecordedStart::most_domain + 1 ? number : 0;
}

std::uint32_t started(DomainId home, Located located, Locality locality) noexcept {
  const std::uint32_t known = domain_plus_one(home);
  return known |
         (home.valid() ? static_cast<std::uint32_t>(located) : 0) << RecordedStart::located_shift |
         static_cast<std::uint32_t>(locality) << RecordedStart::locality_shift |
         (home.valid() ? 1U : 0U) << RecordedStart::by_home_shift;
}

}  // namespace

void set_budget(RecordBudget* budget) noexcept { set_record_budget(budget); }

void set_code_of(std::uintptr_t (*code_of)(const Task& task) noexcept) noexcept {
  g_code_of = code_of;
}

void make_team(Team& team, const ThreadState& master) noexcept {
  if (!Engine::records()) return;
  team.record_region = g_regions.fetch_add(1, std::memory_order_relaxed) + 1;
  const Worker* outer = master.worker;
  team.record_parent = outer == nullptr ? 0 : outer->current->record;
}

void enter_team(Worker& worker) noexcept {
  worker.record = nullptr;
  if (!Engine::records()) return;
  ThreadState& thread = *worker.thread;
  if (thread.record == nullptr) {
    const std::uint32_t number = g_streams.fetch_add(1, std::memory_order_relaxed);
    thread.record = RecordStream::open(Engine::record_folder(), number);
  }
  worker.record = thread.record;
  if (worker.record == nullptr) return;
  worker.record->go_on_as(
      static_cast<std::uint32_t>(thread.system_id.load(std::memory_order_relaxed)));
  worker.implicit_task.record = worker.record->new_task();
  const RecordMoment at = record_moment();
  std::uint64_t* const event = worker.record->reserve(5, at.ticks);
  if (event == nullptr) return;
  event[1] = at.nanoseconds;
  event[2] = worker.team->record_region;
  event[3] = worker.team->record_parent;
  event[4] = static_cast<std::uint64_t>(worker.id.value()) |
             static_cast<std::uint64_t>(worker.domain.value() & 0xFFFF) << 24U |
             static_cast<std::uint64_t>(worker.core.value() & 0xFFFF) << 40U;
  worker.record->commit(event, RecordKind::enter, static_cast<std::uint32_t>(worker.team->size()),
                        at.ticks);
}

void stop_after_fork() noexcept {
  for (Worker* worker = this_worker(); worker != nullptr; worker = worker->outer) {
    worker->record = nullptr;
  }
}

void write_create(Worker& worker, Task& task, std::span<const Dependence> dependences,
                  std::uint32_t flags) noexcept {
  const std::uint64_t at = ticks();
  RecordStream& stream = *worker.record;
  const std::uint32_t construct = g_code_of == nullptr ? 0 : stream.construct(g_code_of(task));
  const std::uint32_t small = flags | construct << record_construct_shift;
  const TaskAccesses accesses = accesses_of(task, dependences);
  if (accesses.size() == 0) {
    std::uint64_t* const event = stream.reserve(1, at);
    if (event != nullptr) stream.commit(event, RecordKind::create, small, at);
  } else if (!write_create_of(stream, accesses, small, at)) {
    write_create_with(stream, accesses, small, at);
  }
  task.record = stream.new_task();
}

void write_wait(Worker& worker, RecordWait kind, std::span<const Dependence> dependences) noexcept {
  const std::uint64_t at = ticks();
  const std::size_t count = std::min(dependences.size(), most_recorded_accesses);
  std::uint64_t* const event = worker.record->reserve(1 + count * record_access_words, at);
  if (event == nullptr) return;
  write_dependences(*worker.record, dependences.first(count), event + 1);
  worker.record->commit(event, RecordKind::wait,
                        static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(count) << 8U,
                        at);
}

void write_begin(Worker& worker, const Task& task, Locality locality) noexcept {
  const DomainId from = std::exchange(worker.stolen_from, DomainId{});
  worker.record->begin(task.record, started(task.home, task.located, locality),
                       domain_plus_one(from));
}

void write_resume(Worker& worker) noexcept { worker.record->resume(); }

void write_resume_at_end(Worker& worker) noexcept { worker.record->resume_at_end(); }

void write_end(Worker& worker) noexcept { worker.record->end(); }

void write_group(Worker& worker) noexcept { worker.record->write(RecordKind::group, 0); }

void write_asked(Worker& worker) noexcept { worker.record->write(RecordKind::asked, 0); }

void write_leave(Worker& worker) noexcept {
  const RecordMoment at = record_moment();
  std::uint64_t* const event = worker.record->reserve(2, at.ticks);
  if (event == nullptr) return;
  event[1] = at.nanoseconds;
  worker.record->commit(event, RecordKind::leave, 0, at.ticks);
}

void write_ready(Worker& worker, const Task& task) noexcept { worker.record->ready(task.record); }

void write_loop(Worker& worker, std::uintptr_t site) noexcept {
  const std::uint64_t at = ticks();
  const std::uint32_t construct = worker.record->construct(site);
  std::uint64_t* const event = worker.record->reserve(3, at);
  if (event == nullptr) return;
  event[1] = worker.loop.shape.iterations;
  event[2] = worker.loop.shape.chunk;
  worker.record->commit(event, RecordKind::loop, construct << record_construct_shift, at);
}

void write_chunk(Worker& worker, decide::LoopRange iterations) noexcept {
  if (iterations.size() == 0) return worker.record->write(RecordKind::loop_end, 0);
  const std::uint64_t at = ticks();
  std::uint64_t* const event = worker.record->reserve(3, at);
  if (event == nullptr) return;
  event[1] = iterations.begin;
  event[2] = iterations.size();
  const decide::LoopShape& shape = worker.loop.shape;
  const WorkerId owner{shape.home_of(iterations.begin / shape.chunk)};
  const DomainId home = worker.team->places->domain_of(owner);
  worker.record->commit(event, RecordKind::chunk,
                        started(home, Located::loop, worker.loop.locality), at);
}

}  // namespace record
}  // namespace lares::runtime
