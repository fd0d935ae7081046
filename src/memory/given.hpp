// The homes that are known because Lares placed the memory or the user said so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/ids.hpp"
#include "memory/published.hpp"

namespace lares::memory {

/// Bytes [begin, end) with a home; invalid: nothing is known of them.
struct GivenRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  DomainId home;
  bool operator==(const GivenRange&) const = default;
};

/// The ranges with a given home: "given" as opposed to "found" (Wittmann & Hager 2010, 2.2, sort
/// each block into the queue of the domain that the program noted for it).
/// Ranges never overlap; neighbours with the same home are one range.
/// Thread safety: every function from any thread. Readers take no lock and never wait; writers wait
/// for each other. Writers must not be called between fork and exec in a child of a process with
/// several threads.
class GivenHomes {
 public:
  explicit GivenHomes(std::size_t capacity = 65536) noexcept : ranges_(capacity) {}

  /// `length` bytes from `address` live in `home`, whatever was known of them before. False, and
  /// nothing changes, if the table is full. O(ranges).
  bool give(std::uintptr_t address, Bytes length, DomainId home) noexcept;
  /// The same for many at once, in ascending order; of those that overlap the first counts.
  /// O(ranges
  /// + given ones).
  bool give_all(std::span<const GivenRange> ranges) noexcept;
  /// Nothing is known of these bytes any more. False, and nothing changes, if cutting a hole into a
  /// range finds the table full. O(ranges).
  bool forget(std::uintptr_t address, Bytes length) noexcept;

  /// True if any range is known: the cheap question to ask first.
  [[nodiscard]] bool any() const noexcept {
    return any_.load(std::memory_order_relaxed);  // relaxed: only a hint, find() reads the truth
  }
  /// The home of the byte at `address`, or an invalid id. O(log ranges).
  [[nodiscard]] DomainId find(std::uintptr_t address) const noexcept;
  /// The home of most of the range, or an invalid id if most of it was not given. Exact if one
  /// given range holds it all, else judged by 16 samples. Length 0 means one byte.
  [[nodiscard]] DomainId find(std::uintptr_t address, Bytes length) const noexcept;

 private:
  struct Hit {
    DomainId home;
    std::uint64_t end = 0;
  };
  [[nodiscard]] Hit hit(std::uintptr_t address) const noexcept;

  std::mutex writers_;       ///< taken by give() and forget() only
  Published<3> ranges_;      ///< rows (begin, end, home), sorted, disjoint; writers; readers
  std::atomic<bool> any_{};  ///< whether ranges_ has a row; writers; readers
};

}  // namespace lares::memory
