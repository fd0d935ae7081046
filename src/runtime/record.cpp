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
#include <cstring>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/tick_rate.hpp"
#include "runtime/code_place.hpp"
#include "runtime/record_budget.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

namespace {

// Counts streams and regions of the process. relaxed, all of them: numbers need only differ.
std::atomic<std::uint32_t> g_streams{0};
std::atomic<std::uint64_t> g_regions{0};

std::uintptr_t (*g_code_of)(const Task& task) noexcept = nullptr;  // written at load

/// ticks() and now() at one moment.
struct Moment {
  std::uint64_t ticks = 0;
  std::uint64_t nanoseconds = 0;
};

// Read again where the thread was interrupted in between, or else the two would not belong
// together.
Moment moment() noexcept {
  constexpr std::uint64_t longest_microseconds = 2;
  constexpr int most_tries = 4;
  Moment best;
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int i = 0; i < most_tries; ++i) {
    const std::uint64_t before = ticks();
    const auto at = static_cast<std::uint64_t>(now().count);
    const std::uint64_t took = ticks() - before;
    if (took < shortest) {
      shortest = took;
      best = {before + took / 2, at};
    }
    if (took <= longest_microseconds * ticks_per_microsecond()) break;
  }
  return best;
}

// An early moment of the process: the farther from others, the better they tell the rate.
const Moment& start() noexcept {
  static const Moment at = moment();
  return at;
}

// What all processes of the run may write together; nullptr: without bound.
std::atomic<RecordBudget*> g_budget{nullptr};  // written at load

bool take_from_budget(std::uint64_t bytes) noexcept {
  RecordBudget* budget = g_budget.load(std::memory_order_relaxed);
  return budget == nullptr || take_from(*budget, bytes);
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
  // Its pages at once, rather than one by one while tasks wait.
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file,
                      static_cast<off_t>(from));
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
             ? "the record is incomplete, because it met its limit; --record-limit raises it"
             : "the record is incomplete: no room for more in its folder";
}

}  // namespace

RecordStream* RecordStream::open(const char* folder, std::uint32_t number) noexcept {
  if (number >= most_record_streams) return nullptr;
  void* memory = std::malloc(sizeof(RecordStream));
  if (memory == nullptr) return nullptr;
  auto* stream = new (memory) RecordStream;
  stream->folder_ = folder;
  stream->number_ = number;
  stream->system_thread_ = static_cast<std::uint32_t>(gettid());
  const RecordEnd end = stream->map_next(O_CREAT | O_EXCL);
  if (end == RecordEnd::whole) {
    stream->head_ = reinterpret_cast<RecordFileHead*>(stream->window_);
    stream->head_->pid = static_cast<std::uint32_t>(getpid());
    stream->head_->stream = number;
    stream->head_->window_bytes = window_bytes;
    stream->head_->start_ticks = start().ticks;
    stream->head_->start_ns = start().nanoseconds;
    stream->head_->ticks_per_microsecond = ticks_per_microsecond();
    stream->head_->magic = RecordFileHead::expected_magic;
    stream->next_ += sizeof(RecordFileHead) / sizeof(std::uint64_t);
    stream->write_clock();
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

namespace {

constexpr std::size_t clock_words = 5;

void publish(std::uint64_t* event, RecordKind kind, std::uint32_t small,
             std::uint64_t elapsed) noexcept {
  const std::uint64_t word = static_cast<std::uint64_t>(kind) |
                             (static_cast<std::uint64_t>(small) & 0xFFFFFFU) << 8U | elapsed << 32U;
  // release: the reader looks after the process has ended, maybe between these two stores.
  std::atomic_ref<std::uint64_t>(*event).store(word, std::memory_order_release);
}

}  // namespace

// Precondition: there is room.
void RecordStream::write_clock() noexcept {
  const Moment at = moment();
  const Worker* const worker = this_worker();
  next_[1] = at.ticks;
  next_[2] = at.nanoseconds;
  next_[3] = tasks_;
  next_[4] = worker == nullptr || worker->current == nullptr ? 0 : worker->current->record;
  publish(next_, RecordKind::clock, system_thread_, 0);
  last_ticks_ = at.ticks;
  next_ += clock_words;
}

bool RecordStream::go_to_next_window() noexcept {
  if (has_ended_) return false;
  if (const RecordEnd end = map_next(0); end != RecordEnd::whole) {
    give_up(end);
    return false;
  }
  write_clock();
  return true;
}

void RecordStream::go_on_as(std::uint32_t system_thread) noexcept {
  if (system_thread == system_thread_) return;
  system_thread_ = system_thread;
  // Every window begins with a clock, which tells it.
  if (end_ - next_ < static_cast<std::ptrdiff_t>(clock_words)) {
    go_to_next_window();
  } else {
    write_clock();
  }
}

void RecordStream::look_ahead() noexcept {
  constexpr std::ptrdiff_t few_words = 512;
  if (end_ - next_ < few_words) [[unlikely]]
    go_to_next_window();
}

std::uint64_t* RecordStream::reserve(std::size_t words, std::uint64_t at) noexcept {
  // There is always room for a clock, too.
  if (static_cast<std::size_t>(end_ - next_) < words + clock_words) [[unlikely]] {
    if (!go_to_next_window()) return nullptr;
  }
  // After a clock, `at` is a little before it. Else the ticks have not stepped back, and fit.
  constexpr std::uint64_t little = std::uint64_t{1} << 22U;
  constexpr std::uint64_t most = (std::uint64_t{1} << 32U) - 1;
  if (at + little - last_ticks_ > most) [[unlikely]]
    write_clock();
  std::uint64_t* const event = next_;
  next_ += words;
  return event;
}

void RecordStream::commit(std::uint64_t* event, RecordKind kind, std::uint32_t small,
                          std::uint64_t at) noexcept {
  const std::uint64_t elapsed = at > last_ticks_ ? at - last_ticks_ : 0;
  publish(event, kind, small, elapsed);
  last_ticks_ += elapsed;
}

void RecordStream::write(RecordKind kind, std::uint32_t small) noexcept {
  const std::uint64_t at = ticks();
  std::uint64_t* const event = reserve(1, at);
  if (event != nullptr) commit(event, kind, small, at);
}

std::uint32_t RecordStream::construct(std::uintptr_t code) noexcept {
  if (code == 0) return 0;
  const KnownConstruct& known = constructs_at_[(code * 0x9E3779B97F4A7C15ULL) >> 56U];
  static_assert(std::tuple_size_v<decltype(constructs_at_)> == 1U << 8U);
  return known.code == code ? known.number : name_construct(code);
}

std::uint32_t RecordStream::name_construct(std::uintptr_t code) noexcept {
  if (constructs_ == most_record_constructs) return 0;
  char file[232] = {};
  const std::uint64_t offset = place_of_code(code, file);
  const std::size_t bytes = std::strlen(file);
  const std::size_t words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  const std::uint64_t at = ticks();
  std::uint64_t* const event = reserve(4 + words, at);
  if (event == nullptr) return 0;
  event[1] = code;
  event[2] = offset;
  event[3] = bytes;
  std::memcpy(event + 4, file, words * sizeof(std::uint64_t));
  commit(event, RecordKind::construct, ++constructs_, at);
  constructs_at_[(code * 0x9E3779B97F4A7C15ULL) >> 56U] = {code, constructs_};
  return constructs_;
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
  constexpr std::uint64_t address_mask = (std::uint64_t{1} << record_home_shift) - 1;
  constexpr std::uint64_t most_home = 0xFFFF;
  std::uint64_t home = record_home_not_asked;
  std::uint64_t length = bytes.count << record_bytes_shift;
  if (mode != RecordMode::all_memory && stream.is_new(address)) {
    Engine& engine = Engine::instance();
    const auto found = engine.homes()->find(address, bytes, policy::AccessMode::read);
    home = found.home.valid() ? found.home.index() + record_first_home : record_home_unknown;
    const std::uint64_t end = bytes.count == 0 ? engine.extents()->around(address).end : 0;
    if (end > address) length = record_to_end_of_mapping | (end - address) << record_bytes_shift;
  }
  words[0] = (address & address_mask) | std::min(home, most_home) << record_home_shift;
  words[1] = static_cast<std::uint64_t>(mode) | length;
}

std::uint64_t* write_dependences(RecordStream& stream, std::span<const Dependence> dependences,
                                 std::uint64_t* words) noexcept {
  for (const Dependence& dependence : dependences) {
    describe(stream, dependence.address, dependence.bytes, mode_of(dependence.kind), words);
    words += record_access_words;
  }
  return words;
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

void set_budget(RecordBudget* budget) noexcept {
  g_budget.store(budget, std::memory_order_relaxed);
  start();
}

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
  const Moment at = moment();
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
  const std::span<const Access> hints = task.data_accesses();
  const std::size_t hint_count = std::min(hints.size(), most_recorded_accesses);
  const std::size_t count = std::min(dependences.size(), most_recorded_accesses - hint_count);
  const bool has_data = hint_count + count != 0;
  std::uint64_t* const event =
      stream.reserve(has_data ? 2 + (hint_count + count) * record_access_words : 1, at);
  task.record = stream.new_task();
  if (event == nullptr) return;
  if (!has_data) return stream.commit(event, RecordKind::create, small, at);
  std::uint64_t* words = event + 2;
  for (const Access& hint : hints.first(hint_count)) {
    describe(stream, hint.address, hint.bytes, RecordMode::affinity, words);
    words += record_access_words;
  }
  write_dependences(stream, dependences.first(count), words);
  event[1] = (hint_count + count) | (ticks() - at) << 16U;
  stream.commit(event, RecordKind::create_with, small, at);
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
  worker.record->look_ahead();
  const std::uint64_t at = ticks();
  std::uint64_t* const event = worker.record->reserve(2, at);
  if (event == nullptr) return;
  const DomainId from = std::exchange(worker.stolen_from, DomainId{});
  event[1] = task.record | std::uint64_t{domain_plus_one(from)} << record_task_bits;
  worker.record->commit(event, RecordKind::begin, started(task.home, task.located, locality), at);
}

void write_plain(Worker& worker, RecordKind kind) noexcept { worker.record->write(kind, 0); }

void write_leave(Worker& worker) noexcept {
  const Moment at = moment();
  std::uint64_t* const event = worker.record->reserve(2, at.ticks);
  if (event == nullptr) return;
  event[1] = at.nanoseconds;
  worker.record->commit(event, RecordKind::leave, 0, at.ticks);
}

void write_ready(Worker& worker, const Task& task) noexcept {
  const std::uint64_t at = ticks();
  std::uint64_t* const event = worker.record->reserve(2, at);
  if (event == nullptr) return;
  event[1] = task.record;
  worker.record->commit(event, RecordKind::ready, 0, at);
}

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
