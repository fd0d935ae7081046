#include "runtime/thread_state.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/deep_stack.hpp"
#include "runtime/engine.hpp"
#include "runtime/process_lock.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

__thread Worker* this_worker_slot __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

__attribute__((tls_model("initial-exec"))) thread_local ThreadState* t_state = nullptr;

LARES_PROCESS_LOCK(g_free_lock);
ThreadState* g_free = nullptr;  // under g_free_lock

pthread_key_t g_key;
pthread_once_t g_key_once = PTHREAD_ONCE_INIT;

void recycle(void* state) {
  auto* thread = static_cast<ThreadState*>(state);
  thread->pool.give_back_all();
  memory::release_whereabouts(thread->whereabouts);
  thread->whereabouts = nullptr;
  t_state = nullptr;
  this_worker_slot = nullptr;
  const std::lock_guard lock(g_free_lock);
  thread->next_free = g_free;
  g_free = thread;
}

void make_key() { pthread_key_create(&g_key, recycle); }

ThreadState* take_recycled() noexcept {
  const std::lock_guard lock(g_free_lock);
  ThreadState* thread = g_free;
  if (thread != nullptr) g_free = thread->next_free;
  return thread;
}

void find_stack(ThreadState& thread) noexcept {
  thread.stack_low = 0;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t size = 0;
  std::size_t guard = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_getguardsize(&attributes, &guard);
  pthread_attr_destroy(&attributes);
  thread.stack_low = reinterpret_cast<std::uintptr_t>(low) + guard;
  thread.stack_margin = stack_margin(size);
}

void claim_counters(ThreadState& thread) noexcept {
  CounterSlot* slot = Engine::instance().claim_counters();
  thread.counters = slot != nullptr ? slot : &thread.fallback_counters;
  thread.counters_stale = false;
}

}  // namespace

ThreadState* this_thread() noexcept {
  if (t_state != nullptr) {
    if (t_state->counters_stale) claim_counters(*t_state);
    return t_state;
  }
  pthread_once(&g_key_once, make_key);
  ThreadState* thread = take_recycled();
  if (thread == nullptr) {
    void* memory = std::aligned_alloc(alignof(ThreadState), sizeof(ThreadState));
    if (memory == nullptr) std::abort();
    thread = new (memory) ThreadState;
    claim_counters(*thread);
  }
  thread->worker = nullptr;
  thread->core_known = false;
  thread->core_followed = false;
  find_stack(*thread);
  const pid_t number = gettid();
  thread->system_id.store(number, std::memory_order_relaxed);
  thread->whereabouts = memory::claim_whereabouts(number);
  pthread_setspecific(g_key, thread);
  t_state = thread;
  return thread;
}

ThreadState* known_thread() noexcept { return t_state; }

#if LARES_DISORDER
ThreadState* exchange_this_thread(ThreadState* state) noexcept {
  return std::exchange(t_state, state);
}
#endif

void forget_threads_after_fork() noexcept {
  // The child's only thread keeps its state; what other threads held is lost with them. Their
  // states are not recycled: a lock may have been held while the fork happened.
  g_free = nullptr;
  memory::forget_whereabouts();
  if (t_state != nullptr) {
    t_state->cached_team = nullptr;
    t_state->counters = &t_state->fallback_counters;
    t_state->counters_stale = true;
    const pid_t number = gettid();
    t_state->system_id.store(number, std::memory_order_relaxed);
    t_state->whereabouts = memory::claim_whereabouts(number);
    for (Worker* worker = this_worker(); worker != nullptr; worker = worker->outer) {
      worker->works_for = nullptr;
    }
    t_state->record = nullptr;  // the file is the parent's
  }
}

}  // namespace lares::runtime
