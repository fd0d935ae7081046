#include "policy/bubbles/busy_cores.hpp"

#include <cassert>

namespace lares::policy {

BusyCores::BusyCores(const RunQueues& queues) : queues_(queues) {
  const std::vector<CoreId>& usable = queues[queues.whole()].cores;
  for (const CoreId core : usable) {
    if (core.index() >= busy_.size()) busy_.resize(core.index() + 1);
  }
  idle_ = usable.size();
}

void BusyCores::add(RunQueueId queue) noexcept {
  for (const CoreId core : queues_[queue].cores) {
    const std::uint32_t threads = ++busy_[core.index()];
    if (threads == 1) --idle_;
    if (threads == 2) ++crowded_;
  }
}

void BusyCores::remove(RunQueueId queue) noexcept {
  for (const CoreId core : queues_[queue].cores) {
    assert(busy_[core.index()] != 0);
    const std::uint32_t threads = --busy_[core.index()];
    if (threads == 0) ++idle_;
    if (threads == 1) --crowded_;
  }
}

std::vector<CoreId> BusyCores::idle() const {
  std::vector<CoreId> idle;
  for (const CoreId core : queues_[queues_.whole()].cores) {
    if (busy_[core.index()] == 0) idle.push_back(core);
  }
  return idle;
}

}  // namespace lares::policy
