// Now or later: when a creator runs a new task at once, without a look at where it would go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decide/limits.hpp"
#include "policy/places.hpp"

namespace lares::decide {

/// True if every earlier task has completed, so that dependences need not be looked at and a task
/// may run at once: in a team of one, unless something was ever left for later.
inline bool runs_in_order(std::size_t workers, bool any_deferred) noexcept {
  return workers == 1 && !any_deferred;
}

/// True if a task without data need not be queued: the others have enough. A Placer.
template <class W>
[[gnu::always_inline]] inline bool is_enough_queued(W worker) {
  if (worker.workers() == 1) return true;
  return worker.keeps_dataless() ? worker.is_own_queue_full() : worker.are_shared_queues_full();
}

/// The part of it for policies that send tasks without data away.
template <class W>
bool are_shared_queues_full(W worker) {
  const policy::Places& places = worker.places();
  const std::uint32_t queued =
      worker.length(places.of(worker.domain())) + worker.length(places.root());
  return worker.throttles() && is_fed(queued, worker.workers());
}

}  // namespace lares::decide
