// What a bubble scheduler is: hooks that are called when something happens, and answer by putting
// entities into run queues. One file makes a scheduler (Broquedis et al. 2010, 3.2; the hooks are
// those of BubbleSched).
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policy/bubbles/forest.hpp"

namespace lares::policy {

/// A scheduler reads no clock, calls no system and depends on nothing but the forest and what it
/// remembers itself: the same object places real threads and simulated ones. The executor calls one
/// hook at a time.
class BubbleScheduler {
 public:
  virtual ~BubbleScheduler() = default;

  /// The machine is known, nothing runs yet.
  virtual void on_start(Forest& /*forest*/) {}
  /// A bubble is complete and its threads are about to run: gives each a queue.
  virtual void on_submit(Forest& forest, EntityId bubble) = 0;
  /// What is known of a bubble's data or load has changed: places it anew if that contradicts where
  /// it is. Default: as if it had just come.
  virtual void on_shake(Forest& forest, EntityId bubble) { on_submit(forest, bubble); }
  /// A core has nothing to run: may move threads that have not ended to it and to other idle cores,
  /// which are given with it.
  virtual void on_idle(Forest& /*forest*/, std::span<const CoreId> /*idle*/) {}
  /// Time has passed in a bubble. The executor says when: the runtime, when a team beside it ends.
  virtual void on_tick(Forest& /*forest*/, EntityId /*bubble*/) {}
  /// A bubble is about to be removed.
  virtual void on_end(Forest& /*forest*/, EntityId /*bubble*/) {}
  /// Whether a bubble may keep its queues while its threads have nothing to do, and come back
  /// without a new on_submit if nothing else has changed.
  [[nodiscard]] virtual bool keeps_teams() const { return true; }
  /// Whether on_shake takes threads to their data.
  [[nodiscard]] virtual bool goes_by_data() const { return false; }
};

/// One row of the table that `lares policies` prints.
struct BubbleSchedulerEntry {
  std::string_view name;     ///< as users write it
  std::string_view source;   ///< "Broquedis 2010, 3.2" or "Lares"
  std::string_view summary;  ///< one line for people
  std::unique_ptr<BubbleScheduler> (*make)() = nullptr;
};
/// cache, memory, spread, gang.
std::span<const BubbleSchedulerEntry> bubble_schedulers() noexcept;
/// nullptr if there is none of that name.
const BubbleSchedulerEntry* find_bubble_scheduler(std::string_view name) noexcept;

}  // namespace lares::policy
