// One area that waits for its next touch, in chunks that move as one.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"

namespace lares::memory {

/// How a touch is noticed.
enum class Way : std::uint8_t {
  userfault_thread,  ///< userfaultfd; a thread of Lares fetches the chunk while the toucher waits.
                     ///< System calls that touch the area wait and work
  userfault_signal,  ///< userfaultfd with SIGBUS; the toucher fetches the chunk itself, which is
                     ///< faster. System calls on an untouched chunk fail with EFAULT
  protect,           ///< mprotect and SIGSEGV (ForestGOMP 3.4; Schmidl 2016, listing 3.1). System
                     ///< calls on an untouched chunk fail with EFAULT
};

/// What the next touch does.
enum class Purpose : std::uint8_t {
  migrate,  ///< moves the chunk to the toucher
  attach,   ///< makes the toucher's domain its home in the books and leaves the pages
};

/// The state of a chunk in one word.
struct Chunk {
  enum State : std::uint32_t { aside = 0, busy = 1, settled = 2 };
  static constexpr std::uint32_t state_mask = 3;
  static constexpr std::uint32_t state(std::uint32_t word) noexcept { return word & state_mask; }
  static constexpr std::uint32_t settled_by(DomainId domain) noexcept {
    return settled | static_cast<std::uint32_t>(domain.value() + 1) << 2U;
  }
  /// Who touched it; invalid if it was settled without a touch.
  static constexpr DomainId toucher(std::uint32_t word) noexcept {
    return DomainId{static_cast<DomainId::Rep>(word >> 2U) - 1};
  }
};

/// A slot that is used again and again. What is not atomic is written by mark(), under the lock,
/// before the slot is published, and read by anybody who found it in the table.
struct Region {
  enum State : std::uint32_t {
    empty,     ///< the slot is free
    marking,   ///< in the table; touchers wait
    live,      ///< touchers fetch chunks
    finished,  ///< every chunk is settled and nothing of the kernel's is left
    retired,   ///< out of the table; a late reader may still look at its chunks
  };
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t alias = 0;  ///< where its pages lie meanwhile; 0 for Way::protect
  std::uint64_t chunk = 0;   ///< bytes of a chunk; the last may be shorter
  std::uint32_t count = 0;   ///< chunks
  Way way = Way::protect;
  Purpose purpose = Purpose::migrate;
  std::atomic<std::uint32_t>* chunks = nullptr;  ///< any thread, see Chunk
  std::atomic<std::uint32_t> waiting{0};         ///< chunks not settled; whoever settles one
  std::atomic<std::uint32_t> state{empty};       ///< see State; lock's holder, last settler

  [[nodiscard]] std::uint32_t index_of(std::uintptr_t address) const noexcept {
    return static_cast<std::uint32_t>((address - begin) / chunk);
  }
  [[nodiscard]] std::uintptr_t chunk_begin(std::uint32_t index) const noexcept {
    return begin + index * chunk;
  }
  [[nodiscard]] std::uintptr_t chunk_end(std::uint32_t index) const noexcept {
    return index + 1 == count ? end : begin + (index + 1) * chunk;
  }
  [[nodiscard]] std::uintptr_t aside(std::uintptr_t address) const noexcept {
    return alias + (address - begin);
  }
};

}  // namespace lares::memory
