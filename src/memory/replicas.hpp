// Copies of read-only data, one in each memory, so that everybody reads near by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "memory/manager/manager.hpp"
#include "memory/published.hpp"

namespace lares::memory {

/// Thread safety: all functions from any thread. local() takes no lock; the others take turns, so
/// a reader never waits for a copy that is being made.
class Replicas {
 public:
  static constexpr std::size_t most = 1024;  ///< ranges at a time

  /// `manager` must outlive it.
  explicit Replicas(Manager& manager);
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  /// Copies [address, address + length) into each memory but the one that has most of it. Gives how
  /// many copies were made: where memory lacks, those of a domain read the original. Error: the
  /// range is empty, wraps, or overlaps one that has copies. O(length x memories).
  Result<std::size_t> add(std::uintptr_t address, Bytes length);
  /// Writes a part of the original, which has changed, to its copies. Who reads meanwhile may see
  /// old and new. Error: the part is not within a range that has copies.
  Result<bool> refresh(std::uintptr_t address, Bytes length);
  /// Ends the copies of the range that begins at `address`. Error: there is none.
  Result<bool> remove(std::uintptr_t address);
  /// The same, of all ranges that overlap; nothing if there are none.
  void forget(std::uintptr_t address, Bytes length);

  /// Where the calling thread reads the byte at `address` nearest: in its domain's copy, or where
  /// it is. O(log ranges).
  [[nodiscard]] std::uintptr_t local(std::uintptr_t address) const noexcept;

  // For pthread_atfork. The child has copies of the copies.
  void before_fork() noexcept { lock_.lock(); }
  void after_fork() noexcept { lock_.unlock(); }

 private:
  struct Range {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::vector<std::uintptr_t> copies;  ///< by domain; `begin` itself where there is no own
    std::vector<void*> owned;            ///< allocations, each once
  };

  [[nodiscard]] std::size_t copy_to_all(Range& range);
  [[nodiscard]] DomainId home_of(const Range& range);
  void release(Range& range);
  void publish();

  Manager& manager_;
  std::mutex lock_;            ///< of ranges_, and of the writers of the next two
  std::vector<Range> ranges_;  ///< by address, disjoint
  /// Begin, end, and where the copy begins: for each range as many rows as there are domains, in
  /// their order.
  Published<3> table_;
};

}  // namespace lares::memory
