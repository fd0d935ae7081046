#include "runtime/first_domain.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "runtime/engine.hpp"

namespace lares::runtime {
namespace {

constexpr int unknown = -1;
// Written once, by whoever needs it first; any thread.
std::atomic<int> g_first{unknown};

int domain_here() noexcept {
  const int cpu = sched_getcpu();
  const machine::Machine& machine = Engine::instance().machine();
  const auto is_here = [cpu](OsCpu other) { return static_cast<int>(other.index()) == cpu; };
  for (std::size_t d = 0; d < machine.domains_with_cores(); ++d) {
    for (const CoreId core : machine.domains[d].cores) {
      const auto& cpus = machine.cores[core.index()].cpus;
      if (std::any_of(cpus.begin(), cpus.end(), is_here)) return static_cast<int>(d);
    }
  }
  return 0;
}

}  // namespace

DomainId first_domain() noexcept {
  // relaxed, all: the number itself is all that is shared.
  int first = g_first.load(std::memory_order_relaxed);
  if (first == unknown) {
    const int here = domain_here();
    if (g_first.compare_exchange_strong(first, here, std::memory_order_relaxed)) first = here;
  }
  return DomainId{first};
}

void count_domains_from_zero() noexcept { g_first.store(0, std::memory_order_relaxed); }

}  // namespace lares::runtime
