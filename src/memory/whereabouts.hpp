// Where threads run and for whom they work, told by themselves to who serves their touches.
//
// That is a thread of Lares which must wait for nobody: not for the kernel, which writes down all
// that it knows of a thread where one number is asked (/proc), and not for memory of the runtime,
// which lies on the heap and may be marked itself. So the table is static, and small.
#pragma once

#include <atomic>
#include <cstdint>

namespace lares::memory {

/// A thread's row. Its thread writes it, anybody reads it.
struct Whereabouts {
  // relaxed, all of them: each is a number by itself, and who waits in a touch writes nothing.
  std::atomic<std::int32_t> thread{0};  ///< the system's number; 0: nobody's row
  std::atomic<std::int32_t> cpu{-1};    ///< of the core that it is bound to; -1: not known
  std::atomic<std::int32_t> home{-1};   ///< the domain for which it works; -1: where it runs
};

/// A row for the calling thread, whose number in the system this is, or null if there is no room
/// (or another thread's number falls upon the same rows): the kernel is asked then. Thread safe.
Whereabouts* claim_whereabouts(std::int32_t thread) noexcept;
/// Null is no row. By the thread that has claimed it.
void release_whereabouts(Whereabouts* row) noexcept;
/// The row of a thread of this process, or null. Thread safe, also in a signal handler; O(1).
const Whereabouts* find_whereabouts(std::int32_t thread) noexcept;
/// In the child of a fork: those of the parent's threads are gone.
void forget_whereabouts() noexcept;

}  // namespace lares::memory
