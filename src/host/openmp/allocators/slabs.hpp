// Small blocks of memory with a home: pages are bound to a node by the chunk, and cut up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "runtime/spinlock.hpp"

namespace lares::omp {

/// The blocks of one node. Memory that was once taken from the kernel stays here.
/// Thread safety: take() and give() from any thread; a lock for each size, held for a few
/// instructions (for some system calls when a chunk is used up).
class Slabs {
 public:
  /// What a block can hold at most.
  static constexpr std::size_t most_bytes = std::size_t{32} << 10U;

  /// Says whose memory [address, address + bytes) is; may be null.
  using GiveHome = void (*)(std::uintptr_t address, std::size_t bytes, DomainId home) noexcept;

  Slabs(const memory::SystemCalls& calls, OsNode node, DomainId home, GiveHome give_home) noexcept
      : calls_(calls), node_(node), home_(home), give_home_(give_home) {}
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;

  /// A block of at least `bytes` bytes, aligned to 64, with anything in it; nullptr if the kernel
  /// gives no memory. Precondition: 0 < bytes <= most_bytes.
  void* take(std::size_t bytes) noexcept;
  /// Gives back a block, to the slabs that it came from.
  static void give(void* block) noexcept;

  /// Around a fork: no other thread is inside.
  void lock_all() noexcept;
  void unlock_all() noexcept;

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{2} << 20U;
  static constexpr std::size_t span_bytes = std::size_t{256} << 10U;
  static constexpr std::size_t least_block = 64;
  static constexpr std::size_t classes = 10;

  struct Free {
    Free* next;
  };
  struct alignas(64) Class {
    runtime::Spinlock lock;
    Free* free = nullptr;     ///< given back; under the lock
    std::uintptr_t next = 0;  ///< of the newest span, never given out yet; under the lock
    std::uintptr_t end = 0;   ///< under the lock
  };
  /// At the beginning of each span, which is aligned to its size.
  struct alignas(64) Span {
    Slabs* owner;
    Class* size;
  };

  static constexpr std::size_t block_bytes(std::size_t size) noexcept {
    return least_block << size;
  }
  bool refill(Class& size, std::size_t bytes) noexcept;
  std::uintptr_t new_span() noexcept;

  const memory::SystemCalls& calls_;
  const OsNode node_;
  const DomainId home_;
  const GiveHome give_home_;
  std::array<Class, classes> sizes_;
  runtime::Spinlock chunk_lock_;  ///< of what follows; taken after that of a size
  std::uintptr_t chunk_next_ = 0;
  std::uintptr_t chunk_end_ = 0;
};

}  // namespace lares::omp
