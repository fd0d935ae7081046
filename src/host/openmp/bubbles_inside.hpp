// What the files that move threads of placed teams share: the forest behind its lock.
#pragma once

#include <mutex>
#include <vector>

#include "host/openmp/bubbles.hpp"
#include "policy/bubbles/scheduler.hpp"
#include "runtime/counters.hpp"
#include "runtime/process_lock.hpp"

namespace lares::omp::bubbles {

/// Data that shall come along with threads that have moved.
struct Following {
  std::vector<Data> data;
  DataCalls calls{};
};

/// Marks it for its next touch. Asks the kernel: not while an Inside lives.
void let_follow(const Following& what) noexcept;

/// While it lives, the calling thread has the lock of all placed teams: none begins, rests or ends,
/// and nobody else moves a thread. Needs on(). Not to be made twice by one thread.
class Inside {
 public:
  Inside() noexcept;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() = default;

  /// Null for a bubble, or if there is nobody of that name.
  [[nodiscard]] static Member* member_of(policy::EntityId entity) noexcept;
  /// Binds other threads to where the scheduler has put them; the calling one finds it in its
  /// member. `count`: of those that move.
  static Following carry_out_moves(runtime::Counter& count) noexcept;

  policy::Forest& forest;
  policy::BubbleScheduler& scheduler;

 private:
  std::lock_guard<runtime::ProcessLock> lock_;
};

}  // namespace lares::omp::bubbles
