#include "host/openmp/region.hpp"

#include <sched.h>

#include "runtime/spinlock.hpp"

namespace lares::omp {

Region::Region(Stock& stock, runtime::RegionHint& hint) noexcept
    : stock_(stock), hint_(&hint), master_(*runtime::this_thread()) {}

Region::~Region() {
  if (runtime::Team* team = team_.load(std::memory_order_acquire); team != nullptr) {
    runtime::release_team(master_, team);
  }
}

runtime::Team* Region::make_team(std::size_t size) noexcept {
  // The master's cache of teams is ours until the team is set: only the thread that took `making_`
  // comes here, and the master itself waits for it like the others.
  runtime::Team* team = runtime::acquire_team(master_, size, &stock_);
  team->hint = hint_;
  team->cancellable = stock_.cancellable;
  size_ = size;
  if (once != nullptr) once(*this, size);
  team_.store(team, std::memory_order_release);
  return team;
}

runtime::Worker& Region::enter() noexcept {
  runtime::Team* team = team_.load(std::memory_order_acquire);
  if (team == nullptr) {
    if (!making_.exchange(true, std::memory_order_acq_rel)) {
      team = make_team(static_cast<std::size_t>(stock_.num_threads()));
    } else {
      for (int spins = 0; (team = team_.load(std::memory_order_acquire)) == nullptr; ++spins) {
        if (spins < 256) {
          runtime::relax();
        } else {
          sched_yield();
        }
      }
    }
  }
  return runtime::enter(*team, WorkerId{stock_.thread_num()});
}

}  // namespace lares::omp
