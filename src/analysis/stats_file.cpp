#include "analysis/stats_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "analysis/session_file.hpp"
#include "runtime/counters.hpp"

namespace lares::analysis {
namespace {

using runtime::Counter;
using runtime::CountersFile;
using runtime::CounterSlot;

// The fields are read byte by byte, never through a CountersFile: a file may be shorter than that,
// and its atomics cannot be copied.
template <class T>
T load(std::span<const std::byte> bytes, std::size_t offset) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string load_text(std::span<const std::byte> bytes, std::size_t offset, std::size_t capacity) {
  std::string text(capacity, '\0');
  std::memcpy(text.data(), bytes.data() + offset, capacity);
  text.resize(std::min(text.find('\0'), capacity));
  return printable(std::move(text));
}

/// One thread's slot, read through offsets.
class SlotReader {
 public:
  explicit SlotReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t counter(std::size_t offset, std::size_t index = 0) const noexcept {
    return load<std::uint64_t>(bytes_, offset + index * sizeof(Counter));
  }
  [[nodiscard]] Shares shares(std::size_t offset) const noexcept {
    return {counter(offset, static_cast<std::size_t>(runtime::Locality::local)),
            counter(offset, static_cast<std::size_t>(runtime::Locality::same_domain)),
            counter(offset, static_cast<std::size_t>(runtime::Locality::remote))};
  }

 private:
  std::span<const std::byte> bytes_;
};

/// Ticks of one slot's queue operations, scaled up from the samples. The longest of them counts
/// once: it is the one in which the thread lost its processor, if that happened, and would count
/// 512 times.
double queueing_ticks(const SlotReader& slot) noexcept {
  const auto samples = static_cast<double>(slot.counter(offsetof(CounterSlot, samples)));
  const auto sampled = static_cast<double>(slot.counter(offsetof(CounterSlot, sampled_ticks)));
  const auto all = static_cast<double>(slot.counter(offsetof(CounterSlot, queue_operations)));
  const auto longest = static_cast<double>(slot.counter(offsetof(CounterSlot, longest_sample)));
  if (longest <= 0 || longest > sampled) return fraction(sampled, samples) * all;
  return fraction(sampled - longest, samples - 1) * std::max(all - 1, 0.0) + longest;
}

Counts read_slot(const SlotReader& slot, double ns_per_tick) noexcept {
  Counts counts;
  counts.creator_tasks = slot.shares(offsetof(CounterSlot, tasks));
  counts.data_tasks = slot.shares(offsetof(CounterSlot, data_tasks));
  counts.data_bytes = slot.shares(offsetof(CounterSlot, data_bytes));
  counts.inlined = slot.counter(offsetof(CounterSlot, inlined));
  for (std::size_t rank = 0; rank < counts.steals.size(); ++rank) {
    counts.steals[rank] = slot.counter(offsetof(CounterSlot, steals), rank);
  }
  counts.failed_rounds = slot.counter(offsetof(CounterSlot, failed_rounds));
  counts.loops = slot.counter(offsetof(CounterSlot, loops));
  counts.loop_iterations = slot.shares(offsetof(CounterSlot, loop_iterations));
  for (std::size_t i = 0; i < counts.loop_steals.size(); ++i) {
    counts.loop_steals[i] = slot.counter(offsetof(CounterSlot, loop_steals), i);
  }
  counts.loop_ns =
      static_cast<double>(slot.counter(offsetof(CounterSlot, loop_ticks))) * ns_per_tick;
  counts.loop_wait_ns =
      static_cast<double>(slot.counter(offsetof(CounterSlot, loop_wait_ticks))) * ns_per_tick;
  counts.bubbles = slot.counter(offsetof(CounterSlot, bubbles));
  counts.bubble_shakes = slot.counter(offsetof(CounterSlot, bubble_shakes));
  counts.bubble_seen = slot.counter(offsetof(CounterSlot, bubble_seen));
  counts.bubble_steals = slot.counter(offsetof(CounterSlot, bubble_steals));
  counts.bubble_data = slot.counter(offsetof(CounterSlot, bubble_data));
  counts.queue_operations = slot.counter(offsetof(CounterSlot, queue_operations));
  counts.queueing_ns = queueing_ticks(slot) * ns_per_tick;
  return counts;
}

/// Time between two readings of a monotonic clock; 0 unless both were taken, in that order.
Nanoseconds interval(std::int64_t start, std::int64_t end) noexcept {
  if (start <= 0 || end <= start) return {};
  return {end - start};
}

double ns_per_tick(std::span<const std::byte> bytes, Nanoseconds wall) noexcept {
  const auto start = load<std::uint64_t>(bytes, offsetof(CountersFile, start_ticks));
  const auto end = load<std::uint64_t>(bytes, offsetof(CountersFile, end_ticks));
  if (end <= start) return 0;
  return static_cast<double>(wall.count) / static_cast<double>(end - start);
}

std::vector<std::string> read_notes(std::span<const std::byte> bytes) {
  std::vector<std::string> notes;
  const auto used = std::min<std::size_t>(
      load<std::uint32_t>(bytes, offsetof(CountersFile, notes_used)), runtime::max_notes);
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t note = offsetof(CountersFile, notes) + i * sizeof(runtime::Note);
    if (load<std::uint32_t>(bytes, note + offsetof(runtime::Note, ready)) != 1) continue;
    std::string text =
        load_text(bytes, note + offsetof(runtime::Note, text), sizeof(runtime::Note::text));
    if (!text.empty()) notes.push_back(std::move(text));
  }
  return notes;
}

void read_slots(ProcessStats& stats, std::span<const std::byte> bytes) {
  const std::size_t room = (bytes.size() - CountersFile::slots_offset) / sizeof(CounterSlot);
  const auto used =
      std::min<std::size_t>({load<std::uint32_t>(bytes, offsetof(CountersFile, slots_used)), room,
                             runtime::max_counter_slots});
  const double scale = ns_per_tick(bytes, stats.wall);
  double longest_in_loops = 0;
  std::size_t in_loops = 0;
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t offset = CountersFile::slots_offset + i * sizeof(CounterSlot);
    const Counts counts = read_slot(SlotReader(bytes.subspan(offset, sizeof(CounterSlot))), scale);
    stats.busiest_operations = std::max(stats.busiest_operations, counts.queue_operations);
    stats.counts += counts;
    longest_in_loops = std::max(longest_in_loops, counts.loop_ns);
    in_loops += counts.loop_ns > 0 ? 1 : 0;
  }
  stats.counts.loop_span_ns = longest_in_loops * static_cast<double>(in_loops);
}

std::optional<Error> refuse(std::span<const std::byte> bytes) {
  if (bytes.size() < CountersFile::slots_offset) {
    return Error{"the counters file is truncated"};
  }
  if (load<std::uint64_t>(bytes, offsetof(CountersFile, magic)) != CountersFile::expected_magic) {
    return Error{"the counters file does not start with Lares' mark"};
  }
  if (load<std::uint32_t>(bytes, offsetof(CountersFile, slot_bytes)) != sizeof(CounterSlot)) {
    return Error{"the counters file comes from another version of Lares"};
  }
  return std::nullopt;
}

/// The head and the slots in use; the rest of the file is empty and, with thousands of processes,
/// not worth reading.
std::vector<std::byte> read_counters(const std::string& path) {
  std::vector<std::byte> head = read_session_file(path, CountersFile::slots_offset);
  if (head.size() < CountersFile::slots_offset) return head;
  const auto used = std::min<std::size_t>(
      load<std::uint32_t>(head, offsetof(CountersFile, slots_used)), runtime::max_counter_slots);
  return read_session_file(path, CountersFile::slots_offset + used * sizeof(CounterSlot));
}

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
/// Two-byte sequences below U+00A0 are control characters too and count as not well-formed.
std::size_t sequence_length(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned char second = at(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool not_a_character =
      (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  const bool control = first == 0xC2 && second < 0xA0;
  return overlong || not_a_character || control ? 0 : length;
}

}  // namespace

std::string printable(std::string text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = sequence_length(std::string_view(text).substr(i));
    if (length == 0) text[i] = '?';
    i += std::max<std::size_t>(length, 1);
  }
  return text;
}

Result<ProcessStats> parse_stats(std::span<const std::byte> bytes) {
  if (auto error = refuse(bytes)) return *error;
  ProcessStats stats;
  stats.pid = load<std::uint32_t>(bytes, offsetof(CountersFile, pid));
  stats.domains = load<std::uint32_t>(bytes, offsetof(CountersFile, domains));
  stats.threads = load<std::uint32_t>(bytes, offsetof(CountersFile, max_threads));
  stats.regions = load<std::uint64_t>(bytes, offsetof(CountersFile, regions));
  stats.wall = interval(load<std::int64_t>(bytes, offsetof(CountersFile, start_ns)),
                        load<std::int64_t>(bytes, offsetof(CountersFile, end_ns)));
  stats.runtime = load_text(bytes, offsetof(CountersFile, runtime), sizeof(CountersFile::runtime));
  stats.policy = load_text(bytes, offsetof(CountersFile, policy), sizeof(CountersFile::policy));
  stats.command = load_text(bytes, offsetof(CountersFile, command), sizeof(CountersFile::command));
  stats.running_ns = load<std::uint64_t>(bytes, offsetof(CountersFile, running_ns));
  stats.waiting_ns = load<std::uint64_t>(bytes, offsetof(CountersFile, waiting_ns));
  stats.notes = read_notes(bytes);
  read_slots(stats, bytes);
  stats.counts.thread_time_ns =
      static_cast<double>(stats.wall.count) * static_cast<double>(stats.threads);
  // An estimate from samples can say more than there was.
  if (stats.counts.thread_time_ns > 0) {
    stats.counts.queueing_ns = std::min(stats.counts.queueing_ns, stats.counts.thread_time_ns);
  }
  return stats;
}

SessionStats read_session(const std::string& directory) {
  SessionStats session;
  for (const std::string& path : paths_in(directory, "stats.")) {
    Result<ProcessStats> stats = parse_stats(read_counters(path));
    if (stats) {
      session.processes.push_back(std::move(stats.value()));
    } else {
      ++session.damaged;
    }
  }
  return session;
}

}  // namespace lares::analysis
