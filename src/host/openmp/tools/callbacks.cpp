#include "host/openmp/tools/callbacks.hpp"

namespace lares::omp::tools {

std::atomic<bool> g_sees_loop_ends{false};
std::atomic<bool> g_sees_mutexes{false};

namespace {

// By event. The tool writes, in its initialisation or later from any thread; any thread reads.
std::atomic<ompt::Callback> g_callbacks[ompt::last_event + 1]{};

bool is_event(int event) noexcept { return event > 0 && event <= ompt::last_event; }

}  // namespace

ompt::SetResult promise(int event) noexcept {
  using ompt::Event;
  using ompt::SetResult;
  switch (static_cast<Event>(event)) {
    case Event::thread_begin:
    case Event::parallel_begin:
    case Event::parallel_end:
    case Event::task_create:
    case Event::task_schedule:
    case Event::implicit_task:
      return SetResult::always;
    case Event::thread_end:       // libgomp's threads do not end before the process does
    case Event::dependences:      // not of tasks outside of regions
    case Event::task_dependence:  // not on tasks that have completed
    case Event::cancel:
      return SetResult::sometimes;
    case Event::sync_region:
    case Event::sync_region_wait:  // not outside of regions
    case Event::work:              // GCC compiles most worksharing without a call
      return SetResult::sometimes_paired;
    case Event::mutex_acquire:
    case Event::mutex_acquired:
    case Event::mutex_released:  // not of what GCC compiles without a call, like most atomics
      return g_sees_mutexes.load(std::memory_order_relaxed) ? SetResult::sometimes
                                                            : SetResult::never;
    case Event::lock_init:
    case Event::lock_destroy:
    case Event::nest_lock:
      return g_sees_mutexes.load(std::memory_order_relaxed) ? SetResult::always : SetResult::never;
    default:
      return SetResult::never;
  }
}

ompt::SetResult set_callback(int event, ompt::Callback callback) noexcept {
  if (!is_event(event)) return ompt::SetResult::error;
  const ompt::SetResult result = promise(event);
  if (result == ompt::SetResult::never) return result;
  // release: what the tool has prepared for its callback is seen by who calls it.
  g_callbacks[event].store(callback, std::memory_order_release);
  return result;
}

ompt::Callback callback(int event) noexcept {
  return is_event(event) ? g_callbacks[event].load(std::memory_order_acquire) : nullptr;
}

void forget_callbacks() noexcept {
  for (auto& callback : g_callbacks) callback.store(nullptr, std::memory_order_relaxed);
}

}  // namespace lares::omp::tools
