// Facts packed into one 64-bit word, so that a reader never sees half of one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

namespace lares::memory {

/// `Bits` bits of a word, from bit `Shift` on.
template <unsigned Shift, unsigned Bits>
struct Field {
  static_assert(Shift + Bits <= 64 && Bits < 64);
  static constexpr std::uint64_t max = (std::uint64_t{1} << Bits) - 1;
  static constexpr std::uint64_t get(std::uint64_t word) noexcept { return word >> Shift & max; }
  /// Precondition: value <= max.
  static constexpr std::uint64_t put(std::uint64_t word, std::uint64_t value) noexcept {
    return (word & ~(max << Shift)) | value << Shift;
  }
};

/// Domain ids in words: the all-ones value stands for "none".
using DomainField = Field<0, 12>;
inline constexpr std::size_t max_domains = DomainField::max;

constexpr std::uint64_t to_field(DomainId domain) noexcept {
  return domain.valid() ? static_cast<std::uint64_t>(domain.value()) : DomainField::max;
}
constexpr DomainId domain_of(std::uint64_t word) noexcept {
  const std::uint64_t value = DomainField::get(word);
  return value == DomainField::max ? DomainId{} : DomainId{static_cast<DomainId::Rep>(value)};
}

/// Where a key's word is in a table, and how to tell it from another key's. Two keys that share a
/// slot also share the tag once in 2^26; the answer is then wrong until it is checked again, which
/// may cost time and never a result.
using TagField = Field<38, 26>;
struct Slot {
  std::size_t index = 0;
  std::uint64_t tag = 0;
};

/// The slot of `key` in a table of `mask` + 1 words.
constexpr Slot slot_of(std::uint64_t key, std::size_t mask) noexcept {
  // A multiplication by 2^64 / golden ratio moves the differences of near keys into the high bits;
  // folding brings them down to the index.
  std::uint64_t hash = key * 0x9E3779B97F4A7C15ULL;
  const std::uint64_t tag = hash >> 38U;
  hash ^= hash >> 32U;
  return {static_cast<std::size_t>(hash) & mask, tag};
}

}  // namespace lares::memory
