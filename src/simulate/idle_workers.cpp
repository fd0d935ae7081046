#include "simulate/idle_workers.hpp"

#include <algorithm>
#include <utility>

namespace lares::simulate {

IdleWorkers::IdleWorkers(std::size_t domains, std::vector<DomainId> domain_of, std::size_t cores,
                         double park)
    : domain_of_(std::move(domain_of)),
      cores_(cores),
      park_(park),
      domains_(domains),
      state_(domain_of_.size(), State::busy),
      free_(domain_of_.size(), true),
      turn_(domain_of_.size(), 0) {}

void IdleWorkers::clear() {
  for (Domain& domain : domains_) domain = Domain{};
  std::fill(state_.begin(), state_.end(), State::busy);
  falling_.clear();
  idle_ = 0;
  asleep_ = 0;
  woken_ = 0;
}

void IdleWorkers::put_in(std::uint32_t worker, State state) {
  Domain& domain = domains_[domain_of_[worker].index()];
  (state == State::asleep ? domain.asleep : domain.looking).push_back(worker);
  state_[worker] = state;
  ++idle_;
  if (state == State::asleep) {
    ++asleep_;
  } else if (free_[worker]) {
    ++domain.free;
  }
}

void IdleWorkers::take_out(std::uint32_t worker) {
  Domain& domain = domains_[domain_of_[worker].index()];
  const bool slept = state_[worker] == State::asleep;
  auto& list = slept ? domain.asleep : domain.looking;
  list.erase(std::find(list.begin(), list.end(), worker));
  state_[worker] = State::busy;
  --idle_;
  if (slept) {
    --asleep_;
  } else if (free_[worker]) {
    --domain.free;
  }
}

void IdleWorkers::add(std::uint32_t worker, double since, double clock, bool free) {
  if (is_idle(worker)) return;
  has_looked(worker);
  free_[worker] = free;
  ++turn_[worker];
  if (clock - since > park_) return put_in(worker, State::asleep);
  put_in(worker, State::looking);
  falling_.push_back({since + park_, worker, turn_[worker]});
}

void IdleWorkers::remove(std::uint32_t worker) { take_out(worker); }

void IdleWorkers::has_looked(std::uint32_t worker) {
  if (state_[worker] == State::noticing && free_[worker]) {
    --domains_[domain_of_[worker].index()].free;
  }
  if (state_[worker] == State::woken) --woken_;
  if (!is_idle(worker)) state_[worker] = State::busy;
}

}  // namespace lares::simulate
