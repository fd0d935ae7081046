#include "analysis/record_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

namespace lares::analysis {
namespace {

using runtime::RecordFileHead;
using runtime::RecordKind;

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
/// Mappings end before, unless a program asks for more; longer data is a mistake, and not told.
constexpr std::uint64_t most_address = std::uint64_t{1} << 48U;
constexpr std::uint64_t most_home = runtime::record_first_home + 0xFFFFU;
/// Nine years: no clock of a running machine says more.
constexpr std::uint64_t most_nanoseconds = std::uint64_t{1} << 58U;
/// Larger teams are the stock runtime's; a task graph has no more threads than this.
constexpr std::uint32_t most_workers = 4096;
constexpr std::size_t no_second_time = 3;

std::uint64_t load(std::span<const std::byte> bytes, std::size_t offset) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, word_bytes);
  return word;
}

/// Which word of an event is a time, if one is; the events' own times stand before the words.
std::size_t second_time(RecordKind kind) noexcept {
  if (kind == RecordKind::create || kind == RecordKind::chunk) return 2;
  return kind == RecordKind::loop_end ? 1 : no_second_time;
}

/// Words behind the time, without accesses.
std::size_t own_words(RecordKind kind) noexcept {
  switch (kind) {
    case RecordKind::enter:
    case RecordKind::create:
    case RecordKind::loop:
    case RecordKind::chunk:
      return 3;
    case RecordKind::loop_end:
      return 2;
    case RecordKind::resume:
      return 0;
    default:
      return 1;
  }
}

bool has_accesses(RecordKind kind) noexcept {
  return kind == RecordKind::create || kind == RecordKind::wait;
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, RecordedStream& stream)
      : bytes_(bytes), stream_(stream) {}

  void read(std::size_t window) {
    std::size_t at = sizeof(RecordFileHead);
    for (std::size_t begin = 0; begin < bytes_.size(); begin += window) {
      const std::size_t end = begin + std::min(window, bytes_.size() - begin);
      at = std::max(at, begin);
      while (at < end) {
        const std::size_t length = read_event(at, end);
        if (length == 0) break;
        at += length;
      }
    }
  }

 private:
  /// Bytes of the event at `at`, or 0 if there is none.
  std::size_t read_event(std::size_t at, std::size_t end) {
    if (end - at < 2 * word_bytes) return 0;
    const std::uint64_t first = load(bytes_, at);
    const auto number = static_cast<std::uint8_t>(first);
    if (number == 0 || number >= static_cast<std::uint8_t>(RecordKind::kinds)) return 0;
    RecordedEvent event;
    event.kind = static_cast<RecordKind>(number);
    event.argument = static_cast<std::uint32_t>(first >> 32U);
    event.access_count =
        has_accesses(event.kind) ? static_cast<std::uint32_t>(first >> 8U) & 0xFFFFFFU : 0;
    const std::size_t own = own_words(event.kind);
    const std::size_t words = 2 + own + event.access_count * runtime::record_access_words;
    if (words > (end - at) / word_bytes) return 0;
    event.at = load(bytes_, at + word_bytes);
    if (event.at > most_nanoseconds) return 0;
    if (event.kind == RecordKind::enter && event.argument >= most_workers) return 0;
    for (std::size_t i = 0; i < own; ++i) event.words[i] = load(bytes_, at + (2 + i) * word_bytes);
    const std::size_t second = second_time(event.kind);
    if (second != no_second_time && event.words[second] > most_nanoseconds) return 0;
    event.first_access = stream_.accesses.size();
    for (std::size_t i = 0; i < event.access_count; ++i) {
      if (!read_access(at + (2 + own + i * runtime::record_access_words) * word_bytes)) return 0;
    }
    stream_.events.push_back(event);
    return words * word_bytes;
  }

  bool read_access(std::size_t at) {
    const std::uint64_t last = load(bytes_, at + 3 * word_bytes);
    const auto mode = static_cast<std::uint8_t>(last);
    if (mode > static_cast<std::uint8_t>(runtime::RecordMode::affinity)) return false;
    const auto unless_above = [](std::uint64_t most, std::uint64_t value, std::uint64_t otherwise) {
      return value <= most ? value : otherwise;
    };
    stream_.accesses.push_back(
        {load(bytes_, at), unless_above(most_address, load(bytes_, at + word_bytes), 0),
         unless_above(most_address, load(bytes_, at + 2 * word_bytes), 0),
         unless_above(most_home, last >> runtime::record_home_shift, runtime::record_home_unknown),
         static_cast<runtime::RecordMode>(mode)});
    return true;
  }

  std::span<const std::byte> bytes_;
  RecordedStream& stream_;
};

std::vector<std::byte> read_file(const std::filesystem::path& path) {
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

}  // namespace

Result<RecordedStream> parse_record(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(RecordFileHead)) return Error{"the record is truncated"};
  RecordFileHead head{};
  std::memcpy(&head, bytes.data(), sizeof(head));
  if (head.magic != RecordFileHead::expected_magic) {
    return Error{"the record does not start with Lares' mark"};
  }
  if (head.window_bytes < 4096 || head.window_bytes % word_bytes != 0) {
    return Error{"the record comes from another version of Lares"};
  }
  RecordedStream stream;
  stream.pid = head.pid;
  stream.number = head.stream;
  stream.full = head.full != 0;
  Reader(bytes, stream).read(head.window_bytes);
  return stream;
}

std::vector<RecordedStream> read_records(const std::string& directory) {
  std::vector<RecordedStream> streams;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (!at->path().filename().string().starts_with("record.")) continue;
    auto stream = parse_record(read_file(at->path()));
    if (stream) streams.push_back(std::move(stream.value()));
  }
  std::sort(streams.begin(), streams.end(), [](const RecordedStream& a, const RecordedStream& b) {
    return std::pair(a.pid, a.number) < std::pair(b.pid, b.number);
  });
  return streams;
}

}  // namespace lares::analysis
