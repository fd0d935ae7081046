#include "simulate/loops.hpp"

#include <algorithm>

namespace lares::simulate {

void StaticLoop::prepare(double /*now*/) {
  for (Own& own : own_) own = {};
  for (std::uint32_t i = 0; i < phase().end - phase().first; ++i) {
    const TaskIndex task = in_order(i);
    own_[owner_of(task)].tasks.push_back(task);
  }
}

void StaticLoop::next(std::uint32_t w, double clock) {
  Own& own = own_[w];
  if (!own.is_through()) return execution_.start(w, own.tasks[own.next++], clock);
  rest(w, Agenda::never);
  execution_.leave(w, clock);
  rebind(clock);
}

// Those go to another core who waited for others to be through.
void StaticLoop::rebind(double now) {
  std::erase_if(left_, [&](const Rebinding& each) {
    const bool due = std::ranges::all_of(each.after, [&](std::uint32_t w) {
      return own_[w].is_through() && !execution_.is_busy(w);
    });
    if (due) execution_.move(each.worker, each.core, each.next_touch, now);
    return due;
  });
}

void DynamicLoop::prepare(double now) {
  counter_ = 0;
  free_at_ = now;
}

void DynamicLoop::next(std::uint32_t w, double clock) {
  free_at_ = std::max(clock, free_at_) + setup_.parameters.costs.loop * nanosecond;
  if (counter_ < phase().end - phase().first) {
    return execution_.start(w, in_order(counter_++), free_at_);
  }
  rest(w, Agenda::never);
  execution_.leave(w, clock);
}

}  // namespace lares::simulate
