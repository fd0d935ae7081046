// The bubble schedulers that exist, in the order in which they are listed to users.
//
// To add one: write src/policy/bubbles/<name>.cpp, which defines the function of that name, and put
// the name into the list below.
#pragma once

#include <memory>

#include "policy/bubbles/scheduler.hpp"

#define LARES_BUBBLE_SCHEDULERS(SCHEDULER) \
  SCHEDULER(cache)                         \
  SCHEDULER(memory)                        \
  SCHEDULER(spread)                        \
  SCHEDULER(gang)

namespace lares::policy::bubbles {

/// Makes an object of a concrete scheduler; what `BubbleSchedulerEntry::make` points to.
template <class Concrete>
std::unique_ptr<BubbleScheduler> make() {
  return std::make_unique<Concrete>();
}

#define LARES_DECLARE(name) BubbleSchedulerEntry name() noexcept;
LARES_BUBBLE_SCHEDULERS(LARES_DECLARE)
#undef LARES_DECLARE

}  // namespace lares::policy::bubbles
