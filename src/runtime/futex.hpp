// Sleeping and waking by the kernel's futex; the portable twin is std::atomic's wait.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"

namespace lares::runtime {

/// Sleeps while `word` holds `expected`, at most `limit`. May return early for no reason.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                Nanoseconds limit) noexcept;
/// Wakes up to `count` sleepers on `word`; answers how many.
std::uint32_t futex_wake(std::atomic<std::uint32_t>& word, std::uint32_t count) noexcept;

/// The two sides of a Dekker handshake whose one side is hot: `light_fence` costs the hot side
/// nothing where the kernel's membarrier works; `heavy_fence` then fences every thread of the
/// process. Where it does not work both are full fences.
void heavy_fence() noexcept;
inline void light_fence() noexcept;
/// Registers with the kernel; called once before any thread uses the fences.
void prepare_fences() noexcept;

/// Set once by prepare_fences, before any thread fences.
extern std::atomic<bool> membarrier_works;
/// A full fence that ThreadSanitizer understands.
void full_fence() noexcept;

/// A full fence right after a sequentially consistent write or read-modify-write of the same
/// thread.
inline void fence_after_write() noexcept {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);  // both are full fences by themselves
#else
  full_fence();
#endif
}

inline void light_fence() noexcept {
  if (membarrier_works.load(std::memory_order_relaxed)) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    full_fence();
  }
}

}  // namespace lares::runtime
