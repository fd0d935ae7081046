#include "runtime/record_stream.hpp"

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

#include "base/clock.hpp"
#include "base/file_size_limit.hpp"
#include "base/tick_rate.hpp"
#include "runtime/code_place.hpp"
#include "runtime/engine.hpp"
#include "runtime/task.hpp"
#include "runtime/team.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime {

namespace {

// An early moment of the process: the farther from others, the better they tell the rate.
const RecordMoment& start() noexcept {
  static const RecordMoment at = record_moment();
  return at;
}

// What all processes of the run may write together; nullptr: without bound.
std::atomic<RecordBudget*> g_budget{nullptr};  // written at load

bool take_from_budget(std::uint64_t bytes) noexcept {
  RecordBudget* budget = g_budget.load(std::memory_order_relaxed);
  return budget == nullptr || take_from(*budget, bytes);
}

/// The stream's file for as long as it takes to map a part of it or to add to it. Between these
/// moments no descriptor is kept: a program closes numbers that it does not know, and opens its own
/// files under them. For the same reason the number is a high one: what a program opens gets the
/// lowest that is free.
class OpenFile {
 public:
  OpenFile(const char* folder, std::uint64_t number, int flags) noexcept {
    char path[600];
    std::snprintf(path, sizeof(path), "%s/record.%d.%llu", folder, static_cast<int>(getpid()),
                  static_cast<unsigned long long>(number));
    file_ = ::open(path, O_RDWR | O_CLOEXEC | flags, 0600);
    if (file_ < 0 || stat(path, &status_) != 0) return;
    is_known_ = true;
    go_to_high_number();
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (is_ours(file_)) close(file_);
  }

  /// The file's begin, made long enough. A mapped file that cannot be filled would end the program
  /// by SIGBUS, so the room is promised first.
  [[nodiscard]] void* grow_and_map(std::size_t bytes) const noexcept {
    if (!is_ours(file_) || !grow(bytes) || !is_ours(file_)) return nullptr;
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }

  /// False if not all of it can be written.
  [[nodiscard]] bool write_at(std::uint64_t at, const char* from,
                              std::size_t bytes) const noexcept {
    if (at + bytes > file_size_limit()) return false;
    while (bytes != 0) {
      if (!is_ours(file_)) return false;
      const ssize_t written = pwrite(file_, from, bytes, static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      const auto part = static_cast<std::size_t>(written);
      at += part;
      from += part;
      bytes -= part;
    }
    return true;
  }

 private:
  /// Asked before each use: another thread of the program may be closing numbers right now.
  [[nodiscard]] bool is_ours(int file) const noexcept {
    struct stat now{};
    return is_known_ && fstat(file, &now) == 0 && now.st_dev == status_.st_dev &&
           now.st_ino == status_.st_ino;
  }
  [[nodiscard]] bool grow(std::uint64_t bytes) const noexcept {
    if (bytes > file_size_limit()) return false;
    int status = 0;
    do {
      status = posix_fallocate(file_, 0, static_cast<off_t>(bytes));
    } while (status == EINTR);
    return status == 0;
  }
  /// Keeps its number if there is no high one.
  void go_to_high_number() noexcept {
    constexpr int high = 900;  // below the 1024 that a process may usually have
    const int moved = fcntl(file_, F_DUPFD_CLOEXEC, high);
    if (moved < 0) return;
    if (!is_ours(moved)) {  // a copy of what the program has opened under our number meanwhile
      close(moved);
      return;
    }
    if (is_ours(file_)) close(file_);
    file_ = moved;
  }

  int file_ = -1;
  bool is_known_ = false;  ///< status_ is the file's
  struct stat status_{};
};

const char* sentence_of(RecordEnd end) noexcept {
  return end == RecordEnd::limit
             ? "the record is incomplete, because it met its limit; --record-limit raises it"
             : "the record is incomplete: no room for more in its folder";
}

}  // namespace

// Read again where the thread was interrupted in between, or else the two would not belong
// together.
RecordMoment record_moment() noexcept {
  constexpr std::uint64_t longest_microseconds = 2;
  constexpr int most_tries = 4;
  RecordMoment best;
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

void set_record_budget(RecordBudget* budget) noexcept {
  g_budget.store(budget, std::memory_order_relaxed);
  start();
}

RecordStream* RecordStream::open(const char* folder, std::uint32_t number) noexcept {
  if (number >= most_record_streams) return nullptr;
  void* memory = std::malloc(sizeof(RecordStream));
  if (memory == nullptr) return nullptr;
  auto* stream = new (memory) RecordStream;
  stream->folder_ = folder;
  stream->number_ = number;
  stream->system_thread_ = static_cast<std::uint32_t>(gettid());
  const RecordEnd end = stream->make_file();
  if (end == RecordEnd::whole) {
    stream->head_->pid = static_cast<std::uint32_t>(getpid());
    stream->head_->stream = number;
    stream->head_->window_bytes = window_bytes;
    stream->head_->start_ticks = start().ticks;
    stream->head_->start_ns = start().nanoseconds;
    stream->head_->ticks_per_microsecond = ticks_per_microsecond();
    stream->head_->magic = RecordFileHead::expected_magic;
    stream->begin_window();
    return stream;
  }
  Engine::instance().note(sentence_of(end));
  stream->~RecordStream();
  std::free(memory);
  return nullptr;
}

RecordEnd RecordStream::make_file() noexcept {
  if (!take_from_budget(window_bytes)) return RecordEnd::limit;
  const OpenFile file(folder_, number_, O_CREAT | O_EXCL);
  void* const memory = file.grow_and_map(window_bytes);
  if (memory == nullptr) return RecordEnd::no_room;
  head_ = static_cast<RecordFileHead*>(memory);
  file_bytes_ = window_bytes;
  return RecordEnd::whole;
}

RecordEnd RecordStream::store_window() noexcept {
  if (!take_from_budget(window_bytes)) return RecordEnd::limit;
  const OpenFile file(folder_, number_, 0);
  if (!file.write_at(file_bytes_, reinterpret_cast<const char*>(head_), window_bytes)) {
    return RecordEnd::no_room;
  }
  file_bytes_ += window_bytes;
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
constexpr unsigned small_shift = 8;
constexpr unsigned elapsed_shift = 32;
constexpr std::uint64_t small_mask = 0xFFFFFF;

// release: the reader looks after the process has ended, maybe between two stores.
void store_first(std::uint64_t* event, std::uint64_t word) noexcept {
  std::atomic_ref<std::uint64_t>(*event).store(word, std::memory_order_release);
}

void publish(std::uint64_t* event, RecordKind kind, std::uint32_t small,
             std::uint64_t elapsed) noexcept {
  store_first(event, static_cast<std::uint64_t>(kind) | (small & small_mask) << small_shift |
                         elapsed << elapsed_shift);
}

RecordKind kind_of(const std::uint64_t* event) noexcept {
  return event == nullptr ? RecordKind::none : static_cast<RecordKind>(*event & 0xFFU);
}

std::uint32_t small_of(const std::uint64_t* event) noexcept {
  return static_cast<std::uint32_t>(*event >> small_shift & small_mask);
}

// Of an event that control may come back right after: what tells of that, too. Of others `none`.
RecordKind and_resume(RecordKind kind) noexcept {
  switch (kind) {
    case RecordKind::create:
      return RecordKind::made;
    case RecordKind::create_with:
      return RecordKind::made_with;
    case RecordKind::create_of:
      return RecordKind::made_of;
    case RecordKind::end:
      return RecordKind::ended;
    default:
      return RecordKind::none;
  }
}

bool fits_signed(std::uint64_t distance, unsigned bits) noexcept {
  const std::uint64_t half = std::uint64_t{1} << (bits - 1);
  return distance + half < 2 * half;
}

std::uint64_t low_bits(std::uint64_t value, unsigned bits) noexcept {
  return value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

void RecordStream::begin_window() noexcept {
  auto* const begin = reinterpret_cast<std::uint64_t*>(head_);
  next_ = begin + sizeof(RecordFileHead) / sizeof(std::uint64_t);
  end_ = begin + window_bytes / sizeof(std::uint64_t);
  store_first(next_, 0);
  write_clock();
}

// Precondition: there is room, and for a word more.
void RecordStream::write_clock() noexcept {
  next_[clock_words] = 0;
  const RecordMoment at = record_moment();
  const Worker* const worker = this_worker();
  next_[1] = at.ticks;
  next_[2] = at.nanoseconds;
  next_[3] = tasks_;
  next_[4] = worker == nullptr || worker->current == nullptr ? 0 : worker->current->record;
  publish(next_, RecordKind::clock, system_thread_, 0);
  last_ticks_ = at.ticks;
  next_ += clock_words;
  open_ = nullptr;
  last_begun_ = 0;
  shapes_ = 0;
  shapes_at_ = {};
}

bool RecordStream::go_to_next_window() noexcept {
  if (has_ended_) return false;
  if (const RecordEnd end = store_window(); end != RecordEnd::whole) {
    give_up(end);
    return false;
  }
  begin_window();
  return true;
}

void RecordStream::go_on_as(std::uint32_t system_thread) noexcept {
  if (system_thread == system_thread_) return;
  system_thread_ = system_thread;
  // Every window begins with a clock, which tells it.
  if (end_ - next_ < static_cast<std::ptrdiff_t>(clock_words + 1)) {
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

// After a clock, `at` is a little before it. Else the ticks have not stepped back, and fit.
bool RecordStream::fits(std::uint64_t at) const noexcept {
  constexpr std::uint64_t little = std::uint64_t{1} << 22U;
  constexpr std::uint64_t most = (std::uint64_t{1} << 32U) - 1;
  return at + little - last_ticks_ <= most;
}

[[gnu::always_inline]] inline std::uint64_t* RecordStream::room_for(std::size_t words,
                                                                    std::uint64_t at) noexcept {
  // There is always room for a clock, too, and for the word behind.
  if (static_cast<std::size_t>(end_ - next_) < words + clock_words + 1) [[unlikely]] {
    if (!go_to_next_window()) return nullptr;
  }
  if (!fits(at)) [[unlikely]]
    write_clock();
  std::uint64_t* const event = next_;
  next_ += words;
  *next_ = 0;
  return event;
}

std::uint64_t* RecordStream::reserve(std::size_t words, std::uint64_t at) noexcept {
  return room_for(words, at);
}

void RecordStream::commit(std::uint64_t* event, RecordKind kind, std::uint32_t small,
                          std::uint64_t at) noexcept {
  const std::uint64_t elapsed = at > last_ticks_ ? at - last_ticks_ : 0;
  publish(event, kind, small, elapsed);
  last_ticks_ += elapsed;
  open_ = event;
}

void RecordStream::write(RecordKind kind, std::uint32_t small) noexcept {
  const std::uint64_t at = ticks();
  std::uint64_t* const event = room_for(1, at);
  if (event != nullptr) commit(event, kind, small, at);
}

void RecordStream::begin(std::uint64_t task, std::uint32_t start, std::uint32_t from) noexcept {
  look_ahead();
  const std::uint64_t at = ticks();
  if (from == 0 && begin_near(task, start, at)) return;
  std::uint64_t* const event = reserve(2, at);
  if (event == nullptr) return;
  event[1] = task | std::uint64_t{from} << record_task_bits;
  commit(event, RecordKind::begin, start, at);
  last_begun_ = task;
}

bool RecordStream::begin_near(std::uint64_t task, std::uint32_t start, std::uint64_t at) noexcept {
  const std::uint64_t distance = task - last_begun_;
  const std::uint64_t elapsed = at - last_ticks_;
  if (last_begun_ == 0 || !fits_signed(distance, RecordedNear::begin_bits) ||
      elapsed >> RecordedNearBegin::elapsed_bits != 0) {
    return false;
  }
  // No clock comes in between: the ticks fit.
  if (has_ended_) [[unlikely]]
    return false;
  std::uint64_t* const event = next_++;  // there is room since look_ahead()
  *next_ = 0;
  store_first(event, static_cast<std::uint64_t>(RecordKind::begin_near) |
                         std::uint64_t{start} << small_shift |
                         low_bits(distance, RecordedNear::begin_bits)
                             << RecordedNearBegin::distance_shift |
                         elapsed << RecordedNearBegin::elapsed_shift);
  last_ticks_ = at;
  last_begun_ = task;
  open_ = nullptr;
  return true;
}

void RecordStream::end() noexcept { write(RecordKind::end, 0); }

// The moment is that of the end: what releases a task comes right after it.
void RecordStream::ready(std::uint64_t task) noexcept {
  const std::uint64_t distance = task - last_begun_;
  const bool is_near =
      last_begun_ != 0 && distance != 0 && fits_signed(distance, RecordedNear::end_bits);
  if (kind_of(open_) == RecordKind::end && small_of(open_) == 0 && is_near) {
    store_first(open_, *open_ | low_bits(distance, RecordedNear::end_bits) << small_shift);
    return;
  }
  const std::uint64_t at = ticks();
  std::uint64_t* const event = reserve(2, at);
  if (event == nullptr) return;
  event[1] = task;
  commit(event, RecordKind::ready, 0, at);
}

bool RecordStream::create_of(std::span<const RecordedWords> accesses, std::uint32_t small,
                             std::uint64_t at) noexcept {
  look_ahead();
  constexpr std::ptrdiff_t most_words = clock_words + 3 * most_short_accesses + 1;
  if (end_ - next_ < most_words) return false;
  // A clock comes here if at all: it ends what numbers of shapes mean. The thread may have been
  // kept from its core since `at`, and have told of a construct after that.
  if (!fits(at)) [[unlikely]]
    write_clock();
  at = std::max(at, last_ticks_);
  if (!write_known_shapes(accesses) && !write_new_shapes(accesses, at)) return false;
  std::uint64_t* const event = next_;
  event[accesses.size()] |= record_last_access;
  next_ += 1 + accesses.size();
  *next_ = 0;
  commit(event, RecordKind::create_of, small, at);
  return true;
}

RecordStream::KnownShape& RecordStream::shape_at(std::uint64_t what) noexcept {
  static_assert(std::tuple_size_v<decltype(shapes_at_)> == 1U << 8U);
  return shapes_at_[(what * 0x9E3779B97F4A7C15ULL) >> 56U];
}

// Behind the place of the next event's first word, which stays 0. Precondition: there is room.
bool RecordStream::write_known_shapes(std::span<const RecordedWords> accesses) noexcept {
  std::uint64_t* word = next_;
  for (const RecordedWords& each : accesses) {
    const KnownShape& known = shape_at(each.what);
    if (known.number == 0 || known.what != each.what) [[unlikely]]
      return false;
    *++word = each.where | std::uint64_t{known.number} << record_home_shift;
  }
  return true;
}

// Tells of those that are new first.
bool RecordStream::write_new_shapes(std::span<const RecordedWords> accesses,
                                    std::uint64_t at) noexcept {
  std::array<std::uint32_t, most_short_accesses> shapes{};
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    shapes[i] = shape(accesses[i].what, at);
    if (shapes[i] == 0) return false;
  }
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    next_[i + 1] = accesses[i].where | std::uint64_t{shapes[i]} << record_home_shift;
  }
  return true;
}

void RecordStream::resume() noexcept { resume(ticks()); }

void RecordStream::resume_at_end() noexcept {
  resume(kind_of(open_) == RecordKind::end ? last_ticks_ : ticks());
}

void RecordStream::resume(std::uint64_t at) noexcept {
  const RecordKind both = and_resume(kind_of(open_));
  const std::uint64_t elapsed = open_ == nullptr ? 0 : *open_ >> elapsed_shift;
  const std::uint64_t took = at - last_ticks_;
  if (both != RecordKind::none && elapsed >> RecordedMade::elapsed_bits == 0 &&
      took >> RecordedMade::took_bits == 0) {
    publish(open_, both, small_of(open_), elapsed | took << RecordedMade::elapsed_bits);
    last_ticks_ = at;
    open_ = nullptr;
    return;
  }
  std::uint64_t* const event = reserve(1, at);
  if (event != nullptr) commit(event, RecordKind::resume, 0, at);
}

std::uint32_t RecordStream::shape(std::uint64_t what, std::uint64_t at) noexcept {
  KnownShape& known = shape_at(what);
  if (known.number != 0 && known.what == what) return known.number;
  if (shapes_ == most_record_shapes) return 0;
  std::uint64_t* const event = reserve(2, at);
  if (event == nullptr) return 0;
  event[1] = what;
  commit(event, RecordKind::shape, ++shapes_, at);
  known = {what, shapes_};
  return shapes_;
}

memory::Extent RecordStream::look_around(std::uintptr_t address,
                                         const memory::MapsSource& maps) noexcept {
  if (last_seen_.begin <= address && address < last_seen_.end) return last_seen_;
  if (looks_ == most_looks) return {};
  ++looks_;
  memory::Extent found;
  memory::for_each_mapping_in(maps, address, address + 1, [&](const memory::Mapping& mapping) {
    if (mapping.data) found = {mapping.begin, mapping.end};
  });
  if (found.known()) last_seen_ = found;
  return found;
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

}  // namespace lares::runtime
