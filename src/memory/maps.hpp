// Reads the kernel's list of this process's mappings, piece by piece, without a line buffer.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lares::memory {

/// One line of /proc/self/maps.
struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool data = false;    ///< readable and writable: where a program keeps its data
  bool closed = false;  ///< neither
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;     ///< with other processes
  bool anonymous = false;  ///< of no file; huge pages of hugetlbfs are a file's
};

/// A parser of `begin-end perms ...` lines that is fed with pieces of any size. Lines that do not
/// look so are skipped. Thread safety: a plain value.
class MapsParser {
 public:
  /// Takes one character; true if it completed a line's mapping, which is then in mapping().
  bool feed(char c) noexcept;
  [[nodiscard]] const Mapping& mapping() const noexcept { return mapping_; }

 private:
  enum class State : std::uint8_t {
    line_start,
    begin,
    end,
    readable,
    writable,
    executable,
    shared,
    offset,
    device,
    inode,
    rest
  };
  void feed_gap(char c, State next) noexcept;
  void feed_number(std::uint64_t& number, char c, char terminator, State next) noexcept;

  Mapping mapping_;
  State state_ = State::line_start;
  bool complete_ = false;  ///< begin, end and the first two permissions of this line were read
  bool gap_ = false;       ///< between two fields
};

/// Where the text comes from, replaceable for tests. Leaves the program's errno alone.
struct MapsSource {
  int (*open)() noexcept;                                      ///< a descriptor, or negative
  long (*read)(int descriptor, std::span<char> out) noexcept;  ///< bytes, 0 at the end, negative
  void (*close)(int descriptor) noexcept;
  /// The mapping that holds `address`, else the first above it: 0, or -errno, ENOENT if there is
  /// none (Linux 6.11). Null where there is only the text.
  long (*query)(int descriptor, std::uint64_t address, Mapping& out) noexcept = nullptr;
};

/// /proc/self/maps.
const MapsSource& real_maps() noexcept;

/// Calls `use(mapping)` for each, in address order. False if they cannot be read.
/// Safe in a signal handler, as is the next.
template <class Use>
bool for_each_mapping(const MapsSource& source, Use&& use) noexcept {
  const int descriptor = source.open();
  if (descriptor < 0) return false;
  MapsParser parser;
  std::array<char, 2048> text;
  for (;;) {
    const long got = source.read(descriptor, text);
    if (got <= 0) break;
    for (const char c : std::span(text).first(static_cast<std::size_t>(got))) {
      if (parser.feed(c)) use(parser.mapping());
    }
  }
  source.close(descriptor);
  return true;
}

/// The same for those that hold a byte of [begin, end): asked for one by one where the kernel can.
template <class Use>
bool for_each_mapping_in(const MapsSource& source, std::uint64_t begin, std::uint64_t end,
                         Use&& use) noexcept {
  const int descriptor = source.query == nullptr ? -1 : source.open();
  if (descriptor >= 0) {
    long error = 0;
    for (std::uint64_t at = begin; at < end && error == 0;) {
      Mapping mapping;
      error = source.query(descriptor, at, mapping);
      if (error != 0 || mapping.begin >= end) break;
      use(mapping);
      at = mapping.end;
    }
    source.close(descriptor);
    if (error == 0 || error == -ENOENT) return true;
  }
  return for_each_mapping(source, [&](const Mapping& mapping) {
    if (mapping.begin < end && begin < mapping.end) use(mapping);
  });
}

}  // namespace lares::memory
