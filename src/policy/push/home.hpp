// Which domain a task's data asks for, when one datum decides.
#pragma once

#include "policy/policy.hpp"

namespace lares::policy::push {

/// The domain near the first datum with a known home, a domain in which this team has a worker; or
/// an invalid id if no home is known. An `affinity` clause is the user's own word and comes first;
/// then what the task writes (pNumaW); then, for a task that writes nothing with a known home,
/// what it reads.
inline DomainId writer_home(const View& view, const ReadyTask& task) noexcept {
  DomainId written;
  DomainId read;
  for (const DataHome& datum : task.data) {
    if (!datum.home.valid()) continue;
    if (datum.mode == AccessMode::affinity) return view.places.with_workers(datum.home);
    DomainId& first = writes(datum.mode) ? written : read;
    if (!first.valid()) first = datum.home;
  }
  const DomainId home = written.valid() ? written : read;
  return home.valid() ? view.places.with_workers(home) : home;
}

}  // namespace lares::policy::push
