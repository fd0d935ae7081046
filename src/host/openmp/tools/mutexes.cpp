#include "host/openmp/tools/mutexes.hpp"

#include "host/openmp/tools/callbacks.hpp"
#include "host/openmp/tools/records.hpp"

namespace lares::omp::tools {

namespace {

using ompt::Endpoint;
using ompt::Event;

std::uint64_t wait_id_of(const void* lock) noexcept {
  return reinterpret_cast<std::uintptr_t>(lock);
}

ThreadRecord& thread_here() noexcept { return need_thread(ompt::Thread::initial); }

bool may_wait(ompt::Mutex kind) noexcept {
  return kind != ompt::Mutex::test_lock && kind != ompt::Mutex::test_nest_lock;
}

ompt::State state_of(ompt::Mutex kind) noexcept {
  switch (kind) {
    case ompt::Mutex::critical:
      return ompt::State::wait_critical;
    case ompt::Mutex::atomic:
      return ompt::State::wait_atomic;
    case ompt::Mutex::ordered:
      return ompt::State::wait_ordered;
    default:
      return ompt::State::wait_lock;
  }
}

void begin_wait(ThreadRecord& thread, ompt::Mutex kind, const void* lock) noexcept {
  thread.wait_id = wait_id_of(lock);
  thread.mutex_state = thread.state;
  thread.state = state_of(kind);
}

void end_wait(ThreadRecord& thread) noexcept {
  if (thread.wait_id == 0) return;
  thread.state = thread.mutex_state;
  thread.wait_id = 0;
}

}  // namespace

void tell_lock_init(ompt::Mutex kind, unsigned hint, const void* lock,
                    const void* call_site) noexcept {
  thread_here();
  tell(Event::lock_init, kind, hint, ompt::mutex_impl_futex, wait_id_of(lock), call_site);
}

void tell_lock_destroy(ompt::Mutex kind, const void* lock, const void* call_site) noexcept {
  thread_here();
  tell(Event::lock_destroy, kind, wait_id_of(lock), call_site);
}

void wait_for_mutex(ompt::Mutex kind, const void* lock, const void* call_site) noexcept {
  ThreadRecord& thread = thread_here();
  tell(Event::mutex_acquire, kind, 0U, ompt::mutex_impl_futex, wait_id_of(lock), call_site);
  if (may_wait(kind)) begin_wait(thread, kind, lock);
}

void own_mutex(ompt::Mutex kind, const void* lock, const void* call_site) noexcept {
  end_wait(thread_here());
  tell(Event::mutex_acquired, kind, wait_id_of(lock), call_site);
}

void give_mutex_back(ompt::Mutex kind, const void* lock, const void* call_site) noexcept {
  thread_here();
  tell(Event::mutex_released, kind, wait_id_of(lock), call_site);
}

void own_again(const void* lock, const void* call_site) noexcept {
  end_wait(thread_here());
  tell(Event::nest_lock, Endpoint::begin, wait_id_of(lock), call_site);
}

void own_less(const void* lock, const void* call_site) noexcept {
  thread_here();
  tell(Event::nest_lock, Endpoint::end, wait_id_of(lock), call_site);
}

}  // namespace lares::omp::tools
