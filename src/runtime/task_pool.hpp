// Where the memory of tasks comes from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/task.hpp"

namespace lares::runtime {

/// Free task memory of one thread, in size classes. The owner allocates and frees without atomics;
/// other threads give back through `returned`.
class TaskPool {
 public:
  static constexpr std::size_t class_bytes = 64;
  static constexpr std::size_t small_classes = 24;  ///< steps of 64 bytes up to 1.5 KiB
  static constexpr std::size_t classes = 64;        ///< then powers of two

  /// A descriptor with room for `payload` bytes behind it; uninitialised but for the pool's own
  /// fields. Owner only. Aborts if the system has no memory.
  Task* allocate(ThreadState& self, std::size_t payload) noexcept;
  /// The room behind a descriptor: as much as was asked for, or more. Who asks holds the task.
  static std::size_t payload_room(const Task& task) noexcept;
  /// Gives `task` back. Any thread; `self` is the calling thread's state.
  static void release(ThreadState& self, Task* task) noexcept;
  /// Gives back what release() has kept. Owner only.
  void give_back_all() noexcept;

 private:
  /// Descriptors of another thread's pool that go back together: one exchange for several on a line
  /// that all who run that thread's tasks write.
  struct Returns {
    ThreadState* to = nullptr;
    Task* first = nullptr;
    Task* last = nullptr;
    std::uint32_t count = 0;
  };
  static constexpr std::uint32_t most_kept = 16;

  [[gnu::noinline]] Task* refill(ThreadState& self, std::size_t size_class) noexcept;

  Task* free_[classes] = {};                          // owner
  char* slab_ = nullptr;                              // owner: rest of the current slab
  std::size_t slab_left_ = 0;                         // owner
  Returns returns_;                                   // owner: of others' memory
  alignas(64) std::atomic<Task*> returned_{nullptr};  // others push, the owner takes all
};

}  // namespace lares::runtime
