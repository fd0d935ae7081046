#include "runtime/record.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/clock.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

namespace {

// Counts streams and regions of the process. relaxed, all of them: numbers need only differ.
std::atomic<std::uint32_t> g_streams{0};
std::atomic<std::uint64_t> g_regions{0};

// What all processes of the run may write together; nullptr: without bound.
std::atomic<RecordBudget*> g_budget{nullptr};  // written at load

bool take_from_budget(std::uint64_t bytes) noexcept {
  RecordBudget* budget = g_budget.load(std::memory_order_relaxed);
  if (budget == nullptr) return true;
  std::atomic_ref<std::uint64_t> used(budget->used_bytes);
  // relaxed: a sum of numbers.
  if (used.fetch_add(bytes, std::memory_order_relaxed) + bytes <= budget->limit_bytes) return true;
  used.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

// Room that is promised: a mapped file that cannot be filled would end the program by SIGBUS.
bool grow(int file, std::uint64_t from, std::uint64_t bytes) noexcept {
  int status = 0;
  do {
    status = posix_fallocate(file, static_cast<off_t>(from), static_cast<off_t>(bytes));
  } while (status == EINTR);
  return status == 0;
}

void* map(int file, std::uint64_t from, std::size_t bytes) noexcept {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(from));
  return memory == MAP_FAILED ? nullptr : memory;
}

/// The stream's file for as long as it takes to map a part of it. Between these moments no
/// descriptor is kept: a program closes numbers that it does not know, and opens its own files
/// under them.
class OpenFile {
 public:
  OpenFile(const char* folder, std::uint64_t number, int flags) noexcept {
    char path[600];
    std::snprintf(path, sizeof(path), "%s/record.%d.%llu", folder, static_cast<int>(getpid()),
                  static_cast<unsigned long long>(number));
    file_ = ::open(path, O_RDWR | O_CLOEXEC | flags, 0600);
    if (file_ < 0 || fstat(file_, &status_) != 0) file_ = -1;
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (is_ours()) close(file_);
  }

  /// Asked before each use: another thread of the program may be closing numbers right now.
  [[nodiscard]] bool is_ours() const noexcept {
    struct stat now{};
    return file_ >= 0 && fstat(file_, &now) == 0 && now.st_dev == status_.st_dev &&
           now.st_ino == status_.st_ino;
  }
  [[nodiscard]] void* grow_and_map(std::uint64_t from, std::size_t bytes) const noexcept {
    if (!is_ours() || !grow(file_, from, bytes)) return nullptr;
    return is_ours() ? map(file_, from, bytes) : nullptr;
  }

 private:
  int file_ = -1;
  struct stat status_{};
};

const char* sentence_of(RecordEnd end) noexcept {
  return end == RecordEnd::limit
             ? "the recorded task graph is incomplete, because the record met its limit; "
               "--record-limit raises it"
             : "the recorded task graph is incomplete: no room for more in the session's folder";
}

}  // namespace

RecordStream* RecordStream::open(const char* folder, std::uint32_t number) noexcept {
  void* memory = std::malloc(sizeof(RecordStream));
  if (memory == nullptr) return nullptr;
  auto* stream = new (memory) RecordStream;
  stream->folder_ = folder;
  stream->number_ = number;
  const RecordEnd end = stream->map_next(O_CREAT | O_EXCL);
  if (end == RecordEnd::whole) {
    stream->head_ = reinterpret_cast<RecordFileHead*>(stream->window_);
    stream->head_->pid = static_cast<std::uint32_t>(getpid());
    stream->head_->stream = number;
    stream->head_->window_bytes = window_bytes;
    stream->head_->magic = RecordFileHead::expected_magic;
    stream->next_ += sizeof(RecordFileHead) / sizeof(std::uint64_t);
    return stream;
  }
  Engine::instance().note(sentence_of(end));
  stream->~RecordStream();
  std::free(memory);
  return nullptr;
}

RecordEnd RecordStream::map_next(int flags) noexcept {
  if (!take_from_budget(window_bytes)) return RecordEnd::limit;
  const OpenFile file(folder_, number_, flags);
  auto* memory = static_cast<char*>(file.grow_and_map(mapped_bytes_, window_bytes));
  if (memory == nullptr) return RecordEnd::no_room;
  // The head stays mapped: it tells how the file ends.
  if (window_ != nullptr && window_ != reinterpret_cast<char*>(head_)) {
    munmap(window_, window_bytes);
  }
  window_ = memory;
  next_ = reinterpret_cast<std::uint64_t*>(memory);
  end_ = next_ + window_bytes / sizeof(std::uint64_t);
  mapped_bytes_ += window_bytes;
  return RecordEnd::whole;
}

void RecordStream::give_up(RecordEnd end) noexcept {
  head_->full = static_cast<std::uint64_t>(end);
  next_ = end_;
  has_ended_ = true;
  Engine::instance().note(sentence_of(end));
}

std::uint64_t* RecordStream::reserve(std::size_t words) noexcept {
  if (static_cast<std::size_t>(end_ - next_) < words) {
    if (has_ended_) return nullptr;
    if (const RecordEnd end = map_next(0); end != RecordEnd::whole) {
      give_up(end);
      return nullptr;
    }
  }
  std::uint64_t* const event = next_;
  next_ += words;
  return event;
}

void RecordStream::commit(std::uint64_t* event, RecordKind kind, std::size_t count,
                          std::uint32_t argument) noexcept {
  const std::uint64_t word = static_cast<std::uint64_t>(kind) |
                             (static_cast<std::uint64_t>(count) & 0xFFFFFFU) << 8U |
                             static_cast<std::uint64_t>(argument) << 32U;
  // release: the reader looks after the process has ended, maybe between these two stores.
  std::atomic_ref<std::uint64_t>(*event).store(word, std::memory_order_release);
}

bool RecordStream::is_new(std::uintptr_t address) noexcept {
  std::uintptr_t& slot = told_[(address * 0x9E3779B97F4A7C15ULL) >> 52U];
  static_assert(std::tuple_size_v<decltype(told_)> == 1U << 12U);
  if (slot == address) return false;
  slot = address;
  return true;
}

namespace record {

namespace {

std::uint64_t nanoseconds() noexcept { return static_cast<std::uint64_t>(now().count); }

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

// What the kernel knows of a range that this thread names for the first time.
void describe(RecordStream& stream, std::uintptr_t address, Bytes bytes, RecordMode mode,
              std::uint64_t* words) noexcept {
  std::uint64_t home = record_home_not_asked;
  std::uint64_t end = 0;
  if (mode != RecordMode::all_memory && stream.is_new(address)) {
    Engine& engine = Engine::instance();
    const auto found = engine.homes()->find(address, bytes, policy::AccessMode::read);
    home = found.home.valid() ? found.home.index() + record_first_home : record_home_unknown;
    if (bytes.count == 0) end = engine.extents()->around(address).end;
  }
  words[0] = address;
  words[1] = bytes.count;
  words[2] = end;
  words[3] = static_cast<std::uint64_t>(mode) | home << record_home_shift;
}

std::uint64_t* write_dependences(RecordStream& stream, std::span<const Dependence> dependences,
                                 std::uint64_t* words) noexcept {
  for (const Dependence& dependence : dependences) {
    describe(stream, dependence.address, dependence.bytes, mode_of(dependence.kind), words);
    words += record_access_words;
  }
  return words;
}

}  // namespace

void set_budget(RecordBudget* budget) noexcept {
  g_budget.store(budget, std::memory_order_relaxed);
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
  worker.implicit_task.record = worker.record->new_task();
  std::uint64_t* event = worker.record->reserve(5);
  if (event == nullptr) return;
  event[1] = nanoseconds();
  event[2] = worker.team->record_region;
  event[3] = worker.implicit_task.record;
  event[4] = worker.team->record_parent;
  RecordStream::commit(event, RecordKind::enter, worker.team->size(),
                       static_cast<std::uint32_t>(worker.id.value()));
}

void stop_after_fork() noexcept {
  for (Worker* worker = this_worker(); worker != nullptr; worker = worker->outer) {
    worker->record = nullptr;
  }
}

void write_create(Worker& worker, Task& task, std::span<const Dependence> dependences,
                  std::uint32_t flags) noexcept {
  const std::uint64_t at = nanoseconds();
  RecordStream& stream = *worker.record;
  task.record = stream.new_task();
  const std::span<const Access> hints = task.data_accesses();
  const std::size_t hint_count = std::min(hints.size(), most_recorded_accesses);
  const std::size_t count = std::min(dependences.size(), most_recorded_accesses - hint_count);
  std::uint64_t* event = stream.reserve(5 + (hint_count + count) * record_access_words);
  if (event == nullptr) return;
  event[1] = at;
  event[2] = task.record;
  event[3] = worker.current->record;
  std::uint64_t* words = event + 5;
  for (const Access& hint : hints.first(hint_count)) {
    describe(stream, hint.address, hint.bytes, RecordMode::affinity, words);
    words += record_access_words;
  }
  write_dependences(stream, dependences.first(count), words);
  event[4] = nanoseconds();
  RecordStream::commit(event, RecordKind::create, hint_count + count, flags);
}

void write_wait(Worker& worker, RecordWait kind, std::span<const Dependence> dependences) noexcept {
  const std::uint64_t at = nanoseconds();
  const std::size_t count = std::min(dependences.size(), most_recorded_accesses);
  std::uint64_t* event = worker.record->reserve(3 + count * record_access_words);
  if (event == nullptr) return;
  event[1] = at;
  event[2] = worker.current->record;
  write_dependences(*worker.record, dependences.first(count), event + 3);
  RecordStream::commit(event, RecordKind::wait, count, static_cast<std::uint32_t>(kind));
}

// A body's time starts after what is done here, and ends before.
void write_of_task(Worker& worker, RecordKind kind, std::uint64_t task) noexcept {
  const std::uint64_t at = nanoseconds();
  std::uint64_t* event = worker.record->reserve(3);
  if (event == nullptr) return;
  event[2] = task;
  event[1] = kind == RecordKind::begin ? nanoseconds() : at;
  RecordStream::commit(event, kind, 0, 0);
}

void write_resume(Worker& worker) noexcept {
  std::uint64_t* event = worker.record->reserve(2);
  if (event == nullptr) return;
  event[1] = nanoseconds();
  RecordStream::commit(event, RecordKind::resume, 0, 0);
}

void write_loop(Worker& worker) noexcept {
  const std::uint64_t at = nanoseconds();
  std::uint64_t* event = worker.record->reserve(5);
  if (event == nullptr) return;
  event[1] = at;
  event[2] = worker.current->record;
  event[3] = worker.loop.shape.iterations;
  event[4] = worker.loop.shape.chunk;
  RecordStream::commit(event, RecordKind::loop, 0, 0);
}

void write_chunk(Worker& worker, decide::LoopRange iterations, Nanoseconds asked_at) noexcept {
  const bool is_over = iterations.size() == 0;
  std::uint64_t* event = worker.record->reserve(is_over ? 4 : 5);
  if (event == nullptr) return;
  event[1] = static_cast<std::uint64_t>(asked_at.count);
  event[2] = is_over ? worker.current->record : iterations.begin;
  if (!is_over) event[3] = iterations.size();
  event[is_over ? 3 : 4] = nanoseconds();
  RecordStream::commit(event, is_over ? RecordKind::loop_end : RecordKind::chunk, 0, 0);
}

}  // namespace record
}  // namespace lares::runtime
