#include "runtime/deep_stack.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "runtime/team.hpp"

namespace lares::runtime {

/// A stack of the thread's own, below the ones it has used before.
struct FreshStack {
  FreshStack* deeper = nullptr;  ///< the next one, if this one ran low too
  char* low = nullptr;           ///< lowest usable address
  std::size_t bytes = 0;
  ucontext_t resume{};  ///< where the thread came from
  ucontext_t entry{};
  Worker* worker = nullptr;
  Task* task = nullptr;
};

namespace {

constexpr std::size_t fresh_bytes = 64UL * 1024 * 1024;  // of addresses; memory comes as touched
constexpr std::size_t guard_bytes = 64UL * 1024;         // no Linux page is larger
// A saved context is a kilobyte on x86-64 and four on arm64.
constexpr std::size_t head = (sizeof(FreshStack) + 4095) / 4096 * 4096;

FreshStack* make_stack() noexcept {
  void* memory = mmap(nullptr, fresh_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // The record lies at the top, the stack grows down from it to a guard page.
  char* bytes = static_cast<char*>(memory);
  mprotect(bytes, guard_bytes, PROT_NONE);
  auto* stack = new (bytes + fresh_bytes - head) FreshStack;
  stack->low = bytes + guard_bytes;
  stack->bytes = fresh_bytes - head - guard_bytes;
  return stack;
}

// makecontext passes ints only.
void enter_fresh(unsigned high, unsigned low) {
  auto* stack = reinterpret_cast<FreshStack*>((static_cast<std::uintptr_t>(high) << 32U) |
                                              static_cast<std::uintptr_t>(low));
  stack->task->run(*stack->task, *stack->worker);
}

void run_on(FreshStack& stack, ThreadState& self, Worker& worker, Task& task) noexcept {
  const std::uintptr_t outer_low = self.stack_low;
  const std::uintptr_t outer_margin = self.stack_margin;
  FreshStack** const outer_next = self.next_stack;
  stack.worker = &worker;
  stack.task = &task;
  self.stack_low = reinterpret_cast<std::uintptr_t>(stack.low);
  self.stack_margin = stack_margin(stack.bytes);
  self.next_stack = &stack.deeper;
  getcontext(&stack.entry);
  stack.entry.uc_stack.ss_sp = stack.low;
  stack.entry.uc_stack.ss_size = stack.bytes;
  stack.entry.uc_link = &stack.resume;
  const auto address = reinterpret_cast<std::uintptr_t>(&stack);
  makecontext(&stack.entry, reinterpret_cast<void (*)()>(enter_fresh), 2,
              static_cast<unsigned>(address >> 32U), static_cast<unsigned>(address));
  swapcontext(&stack.resume, &stack.entry);
  self.next_stack = outer_next;
  self.stack_low = outer_low;
  self.stack_margin = outer_margin;
}

}  // namespace

void run_on_fresh_stack(Worker& worker, Task& task) noexcept {
  ThreadState& self = *worker.thread;
  if (*self.next_stack == nullptr) *self.next_stack = make_stack();
  if (*self.next_stack == nullptr) {  // no addresses left: all that remains is to try
    task.run(task, worker);
    return;
  }
  run_on(**self.next_stack, self, worker, task);
}

}  // namespace lares::runtime
