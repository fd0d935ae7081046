// A task group: who waits for which tasks, and whether they were cancelled.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/access.hpp"

namespace lares::runtime {

struct Worker;

/// A taskloop that is open until its group ends (taskloop.hpp).
enum class OpenTaskloop : std::uint8_t { none, without_homes, with_homes };

/// Counts incomplete member tasks and their descendants.
struct Taskgroup {
  Taskgroup* outer = nullptr;
  std::atomic<Worker*> owner{nullptr};  ///< waits at the end; members read its domain, a hint
  void* reductions = nullptr;           ///< front end's; written by the owner before members exist
  std::atomic<std::int64_t> incomplete{0};     ///< any thread
  std::atomic<bool> cancelled{false};          ///< any thread sets, never unset
  std::atomic<bool> waiting{false};            ///< the owner may be asleep
  OpenTaskloop taskloop = OpenTaskloop::none;  ///< the owner's alone
  bool workshare = false;  ///< of a worksharing reduction: cancelling goes to `outer`
  Access data;             ///< see group_data.hpp; of the task that has the group open alone

  /// True if this group, or the one a worksharing group stands for, was cancelled.
  [[nodiscard]] bool is_cancelled() const noexcept {
    return cancelled.load(std::memory_order_relaxed) ||
           (workshare && outer != nullptr && outer->cancelled.load(std::memory_order_relaxed));
  }
};

}  // namespace lares::runtime
