// The area of memory around an address: what an array's blocks are numbered within.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "memory/block_starts.hpp"
#include "memory/maps.hpp"
#include "memory/published.hpp"
#include "memory/try_lock.hpp"
#include "policy/access.hpp"

namespace lares::memory {

/// [begin, end), or nothing.
struct Extent {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool known() const noexcept { return begin < end; }
  [[nodiscard]] Bytes length() const noexcept { return {end - begin}; }
};

/// The writable mappings of this process, read from the kernel when an address lies in none that is
/// known. An extent is a whole mapping: it may hold more than the one array (a heap), and adjacent
/// allocations may share it.
/// Thread safety: every function from any thread, none waits: while one thread reads the list, the
/// others do without.
class Extents {
 public:
  explicit Extents(const MapsSource& source = real_maps(), std::size_t capacity = 16384) noexcept
      : source_(source), mappings_(capacity) {}

  /// The mapping that holds `address`, or an unknown extent. O(log mappings); when it is not in the
  /// list, one caller reads the list anew (tenths of a millisecond), at ever rarer calls as long as
  /// that does not help. A mapping that was removed or changed since is noticed only then.
  Extent around(std::uintptr_t address) noexcept;

  /// The length of a block of which only the start was told: an estimate from the starts seen so
  /// far in the same extent, see BlockStarts. Notes `address` as a start. 0 if unknown.
  Bytes length_of(std::uintptr_t address) noexcept;

  /// The block's number and the number of such blocks in its extent, for the distributions that
  /// use them. Length 0 is replaced by length_of(). All 0 if the extent or the length is unknown.
  policy::Block block_of(std::uintptr_t address, Bytes length) noexcept;

  /// Forgets the list: the next call reads it anew.
  void refresh() noexcept;

 private:
  static constexpr std::uint32_t most_patience = 1U << 16U;

  [[nodiscard]] Extent look_up(std::uintptr_t address) const noexcept;
  bool may_read() noexcept;
  void read_list() noexcept;
  void take(const Mapping& mapping) noexcept;

  const MapsSource source_;
  Published<2>
      mappings_;        ///< rows (begin, end), sorted; the lock's holder writes, any thread reads
  BlockStarts starts_;  ///< any thread, see there

  std::atomic<std::uint32_t> misses_{0};    ///< since the list was read; any thread
  std::atomic<std::uint32_t> patience_{1};  ///< misses that make it worth reading; any thread

  TryLock lock_;                     ///< of mappings_' writing and of what follows
  std::array<char, 4096> buffer_{};  ///< a piece of the kernel's list
};

}  // namespace lares::memory
