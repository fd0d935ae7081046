#include "host/openmp/thread_moves.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "memory/moves/move_log.hpp"
#include "runtime/engine.hpp"

namespace lares::omp {
namespace {

/// Invalid if the cores are of several.
DomainId domain_of(std::span<const CoreId> cores) noexcept {
  const machine::Machine& machine = runtime::Engine::instance().machine();
  const DomainId first = machine.cores[cores.front().index()].domain;
  const bool same = std::all_of(cores.begin(), cores.end(), [&](CoreId core) {
    return machine.cores[core.index()].domain == first;
  });
  return same ? first : DomainId{};
}

}  // namespace

void note_thread_move(int system_thread, std::span<const CoreId> cores) noexcept {
  if (!memory::notes_moves()) return;
  memory::MoveEvent event;
  event.kind = memory::MoveKind::thread;
  event.begin_ns = static_cast<std::uint64_t>(now().count);
  event.thread = static_cast<std::uint32_t>(system_thread);
  if (cores.size() == 1) event.core = cores.front().index() + 1;
  if (const DomainId domain = domain_of(cores); domain.valid()) {
    event.to = static_cast<std::uint32_t>(domain.index());
  }
  memory::note_move(event);
}

}  // namespace lares::omp
