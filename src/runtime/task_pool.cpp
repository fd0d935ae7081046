#include "runtime/task_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "base/disorder.hpp"
#include "runtime/thread_state.hpp"

// There if the program watches for leaks (sanitizer/lsan_interface.h).
// NOLINTNEXTLINE(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" [[gnu::weak]] void __lsan_register_root_region(const void* begin, std::size_t bytes);

namespace lares::runtime {

namespace {

// The class of a payload size, and the room that class gives.
std::size_t class_of(std::size_t payload) noexcept {
  if (payload == 0) return 0;
  const std::size_t steps = (payload - 1) / TaskPool::class_bytes;
  if (steps < TaskPool::small_classes) return steps;
  return TaskPool::small_classes + static_cast<std::size_t>(std::bit_width(payload - 1)) - 11;
}
std::size_t room_of(std::size_t size_class) noexcept {
  if (size_class < TaskPool::small_classes) return (size_class + 1) * TaskPool::class_bytes;
  return std::size_t{1} << (size_class - TaskPool::small_classes + 11);
}
static_assert(TaskPool::small_classes * TaskPool::class_bytes == 1536);

/// Pages that nobody has touched, so that they come to their owner's node: those of the heap may
/// lie where another thread has used them.
char* fresh_slab(std::size_t bytes) noexcept {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  // What a program's tasks point to is no leak. LeakSanitizer knows the heap only by itself.
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(memory, bytes);
  return static_cast<char*>(memory);
}

char* fresh_memory(std::size_t bytes) noexcept {
  auto* memory = static_cast<char*>(std::aligned_alloc(alignof(Task), bytes));
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

std::size_t TaskPool::payload_room(const Task& task) noexcept { return room_of(task.size_class); }

Task* TaskPool::refill(ThreadState& self, std::size_t size_class) noexcept {
  // First what others gave back, whatever its class.
  Task* list = returned_.exchange(nullptr, std::memory_order_acquire);
  while (list != nullptr) {
    Task* next = list->next;
    list->next = free_[list->size_class];
    free_[list->size_class] = list;
    list = next;
  }
  if (Task* task = free_[size_class]; task != nullptr) {
    free_[size_class] = task->next;
    return task;
  }
  constexpr std::size_t slab_bytes = 256 * 1024;
  const std::size_t bytes = sizeof(Task) + room_of(size_class);
  char* memory = nullptr;
  if (size_class >= small_classes) {
    memory = fresh_memory(bytes);
  } else {
    if (slab_left_ < bytes) {
      // No less than the largest of the small classes needs.
      const std::size_t fresh =
          std::max(disorder::limit(disorder::Limit::task_slab, slab_bytes), std::size_t{4096});
      slab_ = fresh_slab(fresh);
      slab_left_ = fresh;
    }
    memory = slab_;
    slab_ += bytes;
    slab_left_ -= bytes;
  }
  auto* task = new (memory) Task;
  task->size_class = static_cast<std::uint8_t>(size_class);
  task->pool = &self;
  // Whoever looks in from outside (stall.hpp) gets here by a plain pointer: it must not lead to
  // what this memory held before.
  std::atomic_thread_fence(std::memory_order_release);
  return task;
}

Task* TaskPool::allocate(ThreadState& self, std::size_t payload) noexcept {
  const std::size_t size_class = class_of(payload);
  Task* task = free_[size_class];
  if (task == nullptr) return refill(self, size_class);
  free_[size_class] = task->next;
  return task;
}

void TaskPool::release(ThreadState& self, Task* task) noexcept {
  ThreadState* owner = task->pool;
  if (owner == &self) {
    task->next = self.pool.free_[task->size_class];
    self.pool.free_[task->size_class] = task;
    return;
  }
  Returns& returns = self.pool.returns_;
  if (returns.to != owner) {
    self.pool.give_back_all();
    returns.to = owner;
    returns.last = task;
  }
  task->next = returns.first;
  returns.first = task;
  // Large ones are memory that the owner misses.
  const bool large = task->size_class >= small_classes;
  if (++returns.count == most_kept || large) self.pool.give_back_all();
}

void TaskPool::give_back_all() noexcept {
  if (returns_.to == nullptr) return;
  std::atomic<Task*>& returned = returns_.to->pool.returned_;
  Task* head = returned.load(std::memory_order_relaxed);
  do {
    returns_.last->next = head;
    disorder::pause(disorder::Point::giving_back);
    // release: the owner that takes them sees our last writes to the descriptors.
  } while (!returned.compare_exchange_weak(head, returns_.first, std::memory_order_release,
                                           std::memory_order_relaxed));
  returns_ = Returns{};
}

}  // namespace lares::runtime
