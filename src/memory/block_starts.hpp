// How long is a block of which only the address is known? As far as to the next block.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "memory/published.hpp"
#include "memory/try_lock.hpp"

namespace lares::memory {

/// The addresses at which blocks were seen to start. GCC passes the address of a dependence and not
/// its length; a program that cuts an array into blocks shows the cuts by and by.
/// Thread safety: every function from any thread, none waits.
class BlockStarts {
 public:
  /// At most `capacity` starts are kept; those beyond are ignored.
  explicit BlockStarts(std::size_t capacity = 65536) noexcept : starts_(capacity) {}

  /// A block starts here. A known one costs one load; a new one is ignored (and taken at its next
  /// use) while another thread adds its own. Amortised O(1) for a capacity's worth of starts.
  void note(std::uintptr_t address) noexcept;

  /// An estimate of the length of the block that starts at `address`, inside [begin, end): the
  /// distance to the next start; for the last block, the distance from the one before, cut at
  /// `end`. 0 if neither is known. New starts count after a few others have come. O(log starts).
  [[nodiscard]] Bytes length(std::uintptr_t address, std::uintptr_t begin,
                             std::uintptr_t end) const noexcept;

 private:
  static constexpr std::size_t seen_slots = 8192;
  static constexpr std::size_t most_waiting = 1024;

  void merge() noexcept;

  /// Starts that need no adding, by a hash; any thread reads, the lock's holder writes. Lossy: a
  /// start that lost its slot is added again, which merge() undoes.
  std::array<std::atomic<std::uintptr_t>, seen_slots> seen_{};
  Published<1> starts_;  ///< sorted, each once; the lock's holder writes, any thread reads

  TryLock lock_;                                        ///< of what follows
  std::array<std::uintptr_t, most_waiting> waiting_{};  ///< not yet in starts_
  std::size_t waiting_count_ = 0;
};

}  // namespace lares::memory
