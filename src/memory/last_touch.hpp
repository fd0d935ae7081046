// Who used a piece of data last: its home where several domains share a memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "memory/generations.hpp"
#include "memory/reserve.hpp"
#include "memory/word.hpp"

namespace lares::memory {

/// A use of a range.
struct Touch {
  DomainId domain;       ///< of the worker; invalid if the range is not known
  CoreId core;           ///< of the worker; invalid if not known
  bool written = false;  ///< whether it wrote
};

/// The last writer of each range, or, if nobody is known to have written it, the last reader: its
/// caches are the likeliest to hold the data. Ranges are told apart by their first byte only.
/// Direct-mapped, lossy, of fixed size.
/// Thread safety: every function from any thread, none waits; each is O(1).
class LastTouch {
 public:
  /// 2^table_bits words of 8 bytes, table_bits from 4 to 24.
  explicit LastTouch(unsigned table_bits) noexcept;

  void record(std::uintptr_t address, const Touch& touch) noexcept;
  [[nodiscard]] Touch find(std::uintptr_t address) const noexcept;
  /// Drops what is known of `address`, and of everything in the 32 MiB areas that the range holds
  /// entirely.
  void forget(std::uintptr_t address, Bytes length) noexcept;

 private:
  using Word = std::atomic<std::uint64_t>;

  [[nodiscard]] std::uint64_t word_of(std::uintptr_t address) const noexcept;

  // Never change after construction.
  std::size_t mask_;
  mutable Reserve memory_;  ///< mutable: its pages come with the first use, of whichever kind
  Word* table_;             ///< null if the kernel gave no memory: then nothing is known

  Generations generations_;  ///< any thread, see there
};

}  // namespace lares::memory
