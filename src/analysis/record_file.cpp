#include "analysis/record_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "analysis/record_clock.hpp"

namespace lares::analysis {
namespace {

using runtime::RecordFileHead;
using runtime::RecordKind;

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
/// Mappings end before, unless a program asks for more; longer data is a mistake, and not told.
constexpr std::uint64_t most_address = std::uint64_t{1} << 48U;
/// Larger teams are the stock runtime's; a task graph has no more threads than this.
constexpr std::uint32_t most_workers = 4096;
/// Of a file that has code; the writer cuts it to less.
constexpr std::uint64_t most_path = 4096;
/// Bodies that a thread is in at once, in a record that makes sense.
constexpr std::size_t most_nesting = 1U << 24U;
/// Numbers of constructs that a damaged window may hide.
constexpr std::size_t most_lost_constructs = 65536;

std::uint64_t load(std::span<const std::byte> bytes, std::size_t offset) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, word_bytes);
  return word;
}

/// An event as it stands in the file.
struct RawEvent {
  RecordKind kind = RecordKind::none;
  std::uint32_t small = 0;
  std::uint32_t elapsed = 0;
  bool is_made = false;       ///< the engine gives control back right after it
  std::uint32_t took = 0;     ///< ticks until then
  std::int64_t distance = 0;  ///< of a near begin
  std::size_t at = 0;         ///< its first byte
  std::size_t window = 0;     ///< in the order of time
  std::size_t words = 0;      ///< with the first

  [[nodiscard]] std::uint64_t word(std::span<const std::byte> bytes, std::size_t i) const noexcept {
    return load(bytes, at + i * word_bytes);
  }
};

/// Words of an event without accesses and names.
std::size_t own_words(RecordKind kind) noexcept {
  switch (kind) {
    case RecordKind::clock:
    case RecordKind::enter:
      return 5;
    case RecordKind::construct:
      return 4;
    case RecordKind::loop:
    case RecordKind::chunk:
      return 3;
    case RecordKind::leave:
    case RecordKind::create_with:
    case RecordKind::begin:
    case RecordKind::ready:
    case RecordKind::shape:
      return 2;
    default:
      return 1;
  }
}

std::uint64_t accesses_of(std::span<const std::byte> bytes, const RawEvent& event) noexcept {
  if (event.kind == RecordKind::wait) return event.small >> 8U;
  if (event.kind == RecordKind::create_with) return event.word(bytes, 1) & 0xFFFFU;
  return 0;
}

/// The number whose `bits` low bits these are.
std::int64_t signed_of(std::uint64_t value, unsigned bits) noexcept {
  const unsigned above = 64 - bits;
  return static_cast<std::int64_t>(value << above) >> above;
}

/// The parts of an event's first word. `made` and its like become what they tell of first.
RawEvent split(std::uint64_t first, std::size_t at) noexcept {
  using runtime::RecordedMade;
  using Near = runtime::RecordedNearBegin;
  RawEvent event{static_cast<RecordKind>(first & 0xFFU)};
  event.small = static_cast<std::uint32_t>(first >> 8U) & 0xFFFFFFU;
  event.elapsed = static_cast<std::uint32_t>(first >> 32U);
  event.at = at;
  const auto make = [&event](RecordKind kind) {
    event.kind = kind;
    event.is_made = true;
    event.took = event.elapsed >> RecordedMade::elapsed_bits;
    event.elapsed &= (1U << RecordedMade::elapsed_bits) - 1;
  };
  switch (event.kind) {
    case RecordKind::made:
      make(RecordKind::create);
      break;
    case RecordKind::made_with:
      make(RecordKind::create_with);
      break;
    case RecordKind::made_of:
      make(RecordKind::create_of);
      break;
    case RecordKind::ended:
      make(RecordKind::end);
      break;
    case RecordKind::begin_near:
      event.small &= (1U << (Near::distance_shift - 8)) - 1;
      event.distance = signed_of(first >> Near::distance_shift, runtime::RecordedNear::begin_bits);
      event.elapsed = static_cast<std::uint32_t>(first >> Near::elapsed_shift);
      break;
    default:
      break;
  }
  return event;
}

/// The events of a file one after the other, window by window. The file's first window is the last
/// in time.
class Walk {
 public:
  Walk(std::span<const std::byte> bytes, std::size_t window)
      : bytes_(bytes), window_(window), stored_((bytes.size() - 1) / window) {
    if (stored_ != 0 && repeats_first(stored_)) --stored_;
  }

  /// Calls `visit(event)`, which answers whether the event makes sense, and `damaged()` where a
  /// window holds what makes none.
  template <class Visit, class Damaged>
  void operator()(const Visit& visit, const Damaged& damaged) const {
    for (std::size_t number = 1; number <= stored_ + 1; ++number) {
      const std::size_t begin = number <= stored_ ? number * window_ : 0;
      const std::size_t end = begin + std::min(window_, bytes_.size() - begin);
      for (std::size_t at = first_event(begin, end);
           end - at >= word_bytes && load(bytes_, at) != 0;) {
        RawEvent event = event_at(at, end);
        event.window = number;
        if (event.words == 0 || !visit(event)) {
          damaged();
          break;
        }
        at += event.words * word_bytes;
      }
    }
  }

 private:
  [[nodiscard]] static std::size_t first_event(std::size_t begin, std::size_t end) noexcept {
    return std::min(begin + sizeof(RecordFileHead), end);
  }

  /// The thread was stopped after it had copied a window, or while it did: it begins with the same
  /// clock as the first one.
  [[nodiscard]] bool repeats_first(std::size_t number) const noexcept {
    const std::size_t clock = own_words(RecordKind::clock) * word_bytes;
    const std::size_t here = number * window_ + sizeof(RecordFileHead);
    const std::size_t there = sizeof(RecordFileHead);
    if (bytes_.size() < here + clock) return true;
    return std::memcmp(bytes_.data() + here, bytes_.data() + there, clock) == 0;
  }

  /// Without words if there is none.
  [[nodiscard]] RawEvent event_at(std::size_t at, std::size_t end) const noexcept {
    const std::uint64_t first = load(bytes_, at);
    const auto number = static_cast<std::uint8_t>(first);
    if (number == 0 || number >= static_cast<std::uint8_t>(RecordKind::kinds)) return {};
    RawEvent event = split(first, at);
    const std::size_t room = (end - at) / word_bytes;
    const std::size_t own = own_words(event.kind);
    if (own > room) return {};
    std::uint64_t more = accesses_of(bytes_, event) * runtime::record_access_words;
    if (event.kind == RecordKind::create_of) more = short_accesses(event, room);
    if (event.kind == RecordKind::construct) {
      if (event.word(bytes_, 3) > most_path) return {};
      more = (event.word(bytes_, 3) + word_bytes - 1) / word_bytes;
    }
    if (more > room - own) return {};
    event.words = own + more;
    return event;
  }

  /// Up to the one that says that it is the last; `room` if none does.
  [[nodiscard]] std::uint64_t short_accesses(const RawEvent& event,
                                             std::size_t room) const noexcept {
    for (std::size_t i = 1; i < room; ++i) {
      if ((event.word(bytes_, i) & runtime::record_last_access) != 0) return i;
    }
    return room;
  }

  std::span<const std::byte> bytes_;
  std::size_t window_;
  std::size_t stored_;  ///< in the file; earlier in time
};

std::uint16_t domain_of(std::uint64_t number_plus_one) noexcept {
  return number_plus_one == 0 ? no_recorded_domain
                              : static_cast<std::uint16_t>(number_plus_one - 1);
}

/// Puts back what the order of events tells: time, tasks' numbers, and who does what.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const RecordFileHead& head, RecordedStream& stream,
         const RecordSink& sink)
      : bytes_(bytes),
        walk_(bytes, head.window_bytes),
        stream_(stream),
        sink_(sink),
        clock_({head.start_ticks, head.start_ns}, head.ticks_per_microsecond, pairs()) {}

  void read() {
    walk_([this](const RawEvent& raw) { return read_event(raw); }, [this] { is_damaged_ = true; });
  }

 private:
  // Noting where each stands: what makes no sense below may hide some.
  [[nodiscard]] std::vector<ClockPair> pairs() {
    std::vector<ClockPair> found;
    std::uint64_t ticks = 0;
    walk_(
        [&](const RawEvent& raw) {
          ticks =
              raw.kind == RecordKind::clock ? raw.word(bytes_, 1) : ticks + raw.elapsed + raw.took;
          if (const auto at = told_time(raw)) {
            if (*at > most_recorded_nanoseconds) return false;
            found.push_back({ticks, *at});
            pair_at_.push_back({raw.window, raw.at});
          }
          return true;
        },
        [] {});
    return found;
  }

  [[nodiscard]] std::optional<std::uint64_t> told_time(const RawEvent& raw) const noexcept {
    if (raw.kind == RecordKind::clock) return raw.word(bytes_, 2);
    if (raw.kind == RecordKind::enter || raw.kind == RecordKind::leave) return raw.word(bytes_, 1);
    return std::nullopt;
  }

  bool read_event(const RawEvent& raw) {
    if (const auto at = told_time(raw)) {
      if (*at > most_recorded_nanoseconds) return false;
      const Position here{raw.window, raw.at};
      for (; next_pair_ < pair_at_.size() && pair_at_[next_pair_] <= here; ++next_pair_) {
        clock_.pass();
      }
    }
    if (raw.kind == RecordKind::clock) return set_clock(raw);
    ticks_ += raw.elapsed;
    if (raw.kind == RecordKind::construct) return add_construct(raw);
    if (raw.kind == RecordKind::shape) return add_shape(raw);
    RecordedEvent event;
    event.kind = raw.kind;
    event.at = clock_.nanoseconds(ticks_);
    if (raw.kind == RecordKind::asked) {
      asked_at_ = event.at;
      return true;
    }
    if (!fill(event, raw)) return false;
    sink_(event, accesses_);
    if (raw.kind == RecordKind::end && raw.small != 0) {
      tell(RecordKind::ready, 0, near(signed_of(raw.small, runtime::RecordedNear::end_bits)));
    }
    if (raw.is_made) tell(RecordKind::resume, raw.took, 0);
    return true;
  }

  /// An event that another one tells of, that many ticks after it.
  void tell(RecordKind kind, std::uint32_t later, std::uint64_t word) {
    ticks_ += later;
    RecordedEvent event;
    event.kind = kind;
    event.at = clock_.nanoseconds(ticks_);
    event.words[0] = word;
    sink_(event, {});
  }

  [[nodiscard]] std::uint64_t near(std::int64_t distance) const noexcept {
    constexpr std::uint64_t mask = (std::uint64_t{1} << runtime::record_task_bits) - 1;
    return (last_begun_ + static_cast<std::uint64_t>(distance)) & mask;
  }

  bool set_clock(const RawEvent& raw) {
    ticks_ = raw.word(bytes_, 1);
    tasks_ = raw.word(bytes_, 3);
    last_begun_ = 0;
    shapes_.clear();
    auto& threads = stream_.system_threads;
    if (raw.small != 0 && (threads.empty() || threads.back() != raw.small)) {
      threads.push_back(raw.small);
    }
    if (is_damaged_) {
      inside_.clear();
      if (raw.word(bytes_, 4) != 0) inside_.push_back(raw.word(bytes_, 4));
      is_damaged_ = false;
    }
    return true;
  }

  bool add_construct(const RawEvent& raw) {
    const std::uint64_t length = raw.word(bytes_, 3);
    const char* const name = reinterpret_cast<const char*>(bytes_.data()) + raw.at + 4 * word_bytes;
    stream_.constructs.push_back(
        {raw.word(bytes_, 1), raw.word(bytes_, 2), std::string(name, length)});
    if (construct_at_.size() <= raw.small) {
      // Numbers are given in turn: one far beyond is damage.
      if (raw.small > construct_at_.size() + most_lost_constructs) return false;
      construct_at_.resize(raw.small + std::size_t{1}, 0);
    }
    construct_at_[raw.small] = static_cast<std::uint32_t>(stream_.constructs.size());
    return true;
  }

  bool add_shape(const RawEvent& raw) {
    // Numbers are given in turn since the last clock.
    if (raw.small != shapes_.size() + 1 || raw.small > runtime::most_record_shapes) return false;
    shapes_.push_back(raw.word(bytes_, 1));
    return true;
  }

  [[nodiscard]] std::uint32_t construct(std::uint32_t small) const {
    const std::uint32_t number = small >> runtime::record_construct_shift;
    return number < construct_at_.size() ? construct_at_[number] : 0;
  }

  [[nodiscard]] std::uint64_t new_task() noexcept {
    return (stream_.number + std::uint64_t{1}) << runtime::record_stream_shift | ++tasks_;
  }
  /// When iterations were asked for that came then.
  std::uint64_t asked_before(std::uint64_t at) noexcept {
    return std::min(std::exchange(asked_at_, nobody_asked), at);
  }
  [[nodiscard]] std::uint64_t innermost() const noexcept {
    return inside_.empty() ? 0 : inside_.back();
  }
  std::uint64_t go_out() noexcept {
    const std::uint64_t task = innermost();
    if (!inside_.empty()) inside_.pop_back();
    return task;
  }

  bool fill(RecordedEvent& event, const RawEvent& raw) {
    accesses_.clear();
    switch (raw.kind) {
      case RecordKind::enter:
        return fill_enter(event, raw);
      case RecordKind::leave:
      case RecordKind::end:
        event.words[0] = go_out();
        return true;
      case RecordKind::create:
      case RecordKind::create_with:
      case RecordKind::create_of:
        return fill_create(event, raw);
      case RecordKind::begin:
      case RecordKind::begin_near:
        return fill_begin(event, raw);
      case RecordKind::wait:
        event.words[0] = innermost();
        event.argument = raw.small & 0xFFU;
        return read_accesses(event, raw, 1, raw.small >> 8U);
      case RecordKind::group:
        event.words[0] = innermost();
        return true;
      case RecordKind::loop:
        event.words[0] = innermost();
        event.construct = construct(raw.small);
        event.words[1] = raw.word(bytes_, 1);
        event.words[2] = raw.word(bytes_, 2);
        return true;
      case RecordKind::chunk:
        fill_start(event, raw.small);
        event.words[0] = raw.word(bytes_, 1);
        event.words[1] = raw.word(bytes_, 2);
        event.words[2] = event.at;
        event.at = asked_before(event.at);
        return true;
      case RecordKind::loop_end:
        event.words[0] = innermost();
        event.words[1] = event.at;
        event.at = asked_before(event.at);
        return true;
      case RecordKind::ready:
        event.words[0] = raw.word(bytes_, 1);
        return true;
      default:
        return true;
    }
  }

  bool fill_enter(RecordedEvent& event, const RawEvent& raw) {
    const std::uint64_t who = raw.word(bytes_, 4);
    event.argument = static_cast<std::uint32_t>(who & 0xFFFFFFU);
    if (event.argument >= most_workers) return false;
    event.domain = static_cast<std::uint16_t>(who >> 24U);
    event.core = static_cast<std::uint16_t>(who >> 40U);
    event.team = static_cast<std::uint16_t>(std::min(raw.small, 0xFFFFU));
    event.words[0] = raw.word(bytes_, 2);
    event.words[1] = new_task();
    event.words[2] = raw.word(bytes_, 3);
    inside_.push_back(event.words[1]);
    return inside_.size() < most_nesting;
  }

  bool fill_begin(RecordedEvent& event, const RawEvent& raw) {
    event.kind = RecordKind::begin;
    fill_start(event, raw.small);
    if (raw.kind == RecordKind::begin) {
      constexpr std::uint64_t mask = (std::uint64_t{1} << runtime::record_task_bits) - 1;
      event.words[0] = raw.word(bytes_, 1) & mask;
      event.stolen_from = domain_of(raw.word(bytes_, 1) >> runtime::record_task_bits);
    } else {
      event.words[0] = near(raw.distance);
    }
    last_begun_ = event.words[0];
    inside_.push_back(event.words[0]);
    return inside_.size() < most_nesting;
  }

  bool fill_create(RecordedEvent& event, const RawEvent& raw) {
    event.kind = RecordKind::create;
    event.argument = raw.small & ((1U << runtime::record_construct_shift) - 1);
    event.construct = construct(raw.small);
    event.words[0] = new_task();
    event.words[1] = innermost();
    event.words[2] = event.at;
    if (raw.kind == RecordKind::create) return true;
    if (raw.kind == RecordKind::create_of) return read_short_accesses(event, raw);
    const std::uint64_t how = raw.word(bytes_, 1);
    RecordClock later = clock_;
    event.words[2] = later.nanoseconds(ticks_ + (how >> 16U));
    return read_accesses(event, raw, 2, how & 0xFFFFU);
  }

  static void fill_start(RecordedEvent& event, std::uint32_t small) {
    using runtime::RecordedStart;
    event.domain = domain_of(small & 0xFFFU);
    const std::uint32_t located = small >> RecordedStart::located_shift & 7U;
    if (located < runtime::located_kinds) event.located = static_cast<runtime::Located>(located);
    const std::uint32_t locality = small >> RecordedStart::locality_shift & 3U;
    if (locality < runtime::locality_kinds) {
      event.locality = static_cast<runtime::Locality>(locality);
    }
    event.by_home = (small >> RecordedStart::by_home_shift & 1U) != 0;
  }

  bool read_accesses(RecordedEvent& event, const RawEvent& raw, std::size_t first,
                     std::uint64_t count) {
    event.access_count = static_cast<std::uint32_t>(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t word = first + i * runtime::record_access_words;
      if (!read_access(raw.word(bytes_, word), raw.word(bytes_, word + 1))) return false;
    }
    return true;
  }

  bool read_short_accesses(RecordedEvent& event, const RawEvent& raw) {
    constexpr std::uint64_t address_mask = most_address - 1;
    for (std::size_t i = 1; i < raw.words; ++i) {
      const std::uint64_t word = raw.word(bytes_, i);
      const std::uint64_t shape = word >> runtime::record_home_shift & runtime::most_record_shapes;
      if (shape == 0 || shape > shapes_.size()) return false;
      if (!read_access(word & address_mask, shapes_[shape - 1])) return false;
    }
    event.access_count = static_cast<std::uint32_t>(raw.words - 1);
    return true;
  }

  bool read_access(std::uint64_t where, std::uint64_t what) {
    constexpr std::uint64_t mode_mask = 0xF;
    const std::uint64_t mode = what & mode_mask;
    if (mode > static_cast<std::uint64_t>(runtime::RecordMode::affinity)) return false;
    RecordedAccess& access = accesses_.emplace_back();
    access.address = where & (most_address - 1);
    access.home = where >> runtime::record_home_shift;
    access.mode = static_cast<runtime::RecordMode>(mode);
    const std::uint64_t length = what >> runtime::record_bytes_shift;
    if ((what & runtime::record_to_end_of_mapping) == 0) {
      access.bytes = length <= most_address ? length : 0;
    } else if (length <= most_address - access.address) {
      access.mapping_end = access.address + length;
    }
    return true;
  }

  std::span<const std::byte> bytes_;
  Walk walk_;
  RecordedStream& stream_;
  const RecordSink& sink_;
  using Position = std::pair<std::size_t, std::size_t>;  ///< window, byte
  std::vector<Position> pair_at_;
  std::size_t next_pair_ = 0;
  RecordClock clock_;
  std::uint64_t ticks_ = 0;
  std::uint64_t tasks_ = 0;
  static constexpr std::uint64_t nobody_asked = ~std::uint64_t{0};
  std::uint64_t asked_at_ = nobody_asked;
  bool is_damaged_ = false;
  std::uint64_t last_begun_ = 0;             ///< since the last clock
  std::vector<std::uint64_t> shapes_;        ///< the same
  std::vector<std::uint64_t> inside_;        ///< bodies that have begun and not ended
  std::vector<std::uint32_t> construct_at_;  ///< by the number in the file
  std::vector<RecordedAccess> accesses_;     ///< of the event that is read
};

}  // namespace

Result<RecordedStream> read_record(std::span<const std::byte> bytes, const RecordSink& sink) {
  if (bytes.size() < sizeof(RecordFileHead)) return Error{"the record is truncated"};
  RecordFileHead head{};
  std::memcpy(&head, bytes.data(), sizeof(head));
  if ((head.magic & 0xFFFFFFFFFFFFU) != (RecordFileHead::expected_magic & 0xFFFFFFFFFFFFU)) {
    return Error{"the record does not start with Lares' mark"};
  }
  if (head.magic != RecordFileHead::expected_magic || head.window_bytes < 4096 ||
      head.window_bytes % word_bytes != 0) {
    return Error{"the record comes from another version of Lares"};
  }
  RecordedStream stream;
  stream.pid = head.pid;
  stream.number = head.stream;
  stream.full = head.full != 0;
  Reader(bytes, head, stream, sink).read();
  return stream;
}

Result<RecordedStream> parse_record(std::span<const std::byte> bytes) {
  RecordedStream events;
  auto stream =
      read_record(bytes, [&events](RecordedEvent event, std::span<const RecordedAccess> accesses) {
        event.first_access = events.accesses.size();
        events.events.push_back(event);
        events.accesses.insert(events.accesses.end(), accesses.begin(), accesses.end());
      });
  if (!stream) return stream;
  stream.value().events = std::move(events.events);
  stream.value().accesses = std::move(events.accesses);
  return stream;
}

std::vector<std::byte> read_record_bytes(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return {};
  const auto size = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file) return {};
  std::vector<std::byte> bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

std::vector<std::string> record_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().filename().string().starts_with("record.")) {
      files.push_back(at->path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<RecordedStream> read_records(const std::string& directory) {
  std::vector<RecordedStream> streams;
  for (const std::string& file : record_files(directory)) {
    auto stream = parse_record(read_record_bytes(file));
    if (stream) streams.push_back(std::move(stream.value()));
  }
  std::sort(streams.begin(), streams.end(), [](const RecordedStream& a, const RecordedStream& b) {
    return std::pair(a.pid, a.number) < std::pair(b.pid, b.number);
  });
  return streams;
}

}  // namespace lares::analysis
