// Reads the kernel's list of this process's mappings, piece by piece, without a line buffer.
#pragma once

#include <array>
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
};

/// A parser of `begin-end perms ...` lines that is fed with pieces of any size. Lines that do not
/// look so are skipped. Thread safety: a plain value.
class MapsParser {
 public:
  /// Takes one character; true if it completed a line's mapping, which is then in mapping().
  bool feed(char c) noexcept;
  [[nodiscard]] const Mapping& mapping() const noexcept { return mapping_; }

 private:
  enum class State : std::uint8_t { line_start, begin, end, readable, writable, rest };
  void feed_number(std::uint64_t& number, char c, char terminator, State next) noexcept;

  Mapping mapping_;
  State state_ = State::line_start;
  bool complete_ = false;  ///< begin, end and the first two permissions of this line were read
};

/// Where the text comes from, replaceable for tests. Leaves the program's errno alone.
struct MapsSource {
  int (*open)() noexcept;                                      ///< a descriptor, or negative
  long (*read)(int descriptor, std::span<char> out) noexcept;  ///< bytes, 0 at the end, negative
  void (*close)(int descriptor) noexcept;
};

/// /proc/self/maps.
const MapsSource& real_maps() noexcept;

/// Calls `use(mapping)` for each, in address order. False if they cannot be read.
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

}  // namespace lares::memory
