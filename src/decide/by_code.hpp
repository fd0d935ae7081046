// What is known of constructs, by the address of their code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lares::decide {

/// A `Value` for each of some 2^bits constructs. Of more, some begin anew each time they come after
/// others. One user at a time.
template <class Value, unsigned bits>
class ByCode {
 public:
  /// Of the construct at `code` (not 0): a new one if it is not known, or not any more. O(1).
  Value& of(std::uintptr_t code) noexcept {
    const std::size_t first = (std::uint64_t{code} * 0x9E3779B97F4A7C15ULL) >> (64U - bits);
    for (std::size_t i = 0; i < neighbours; ++i) {
      Entry& entry = entries_[(first + i) % entries_.size()];
      if (entry.code == code) return entry.value;
      if (entry.code == 0) return renew(entry, code);
    }
    return renew(entries_[first], code);
  }

 private:
  // Two constructs that take turns must not drive each other out.
  static constexpr std::size_t neighbours = 8;
  struct Entry {
    std::uintptr_t code = 0;
    Value value{};
  };
  static Value& renew(Entry& entry, std::uintptr_t code) noexcept {
    entry = Entry{code, {}};
    return entry.value;
  }
  std::array<Entry, std::size_t{1} << bits> entries_{};
};

}  // namespace lares::decide
