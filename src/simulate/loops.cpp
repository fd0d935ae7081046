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
  if (own.next == own.tasks.size()) return rest(w, Agenda::never);
  execution_.start(w, own.tasks[own.next++], clock);
}

void DynamicLoop::prepare(double now) {
  counter_ = 0;
  free_at_ = now;
}

void DynamicLoop::next(std::uint32_t w, double clock) {
  free_at_ = std::max(clock, free_at_) + setup_.parameters.costs.loop * nanosecond;
  if (counter_ == phase().end - phase().first) return rest(w, Agenda::never);
  execution_.start(w, in_order(counter_++), free_at_);
}

}  // namespace lares::simulate
