// How liblares, in the same process, tells the scheduler of memory: what it has placed, and what
// tasks use.
#include <cstddef>
#include <cstdint>

#include "host/openmp/region.hpp"
#include "memory/homes.hpp"
#include "runtime/engine.hpp"
#include "runtime/group_data.hpp"
#include "runtime/record.hpp"

namespace {

lares::memory::Homes* homes() noexcept {
  return lares::runtime::Engine::active() ? lares::runtime::Engine::instance().homes() : nullptr;
}

}  // namespace

/// 1 if the ranges, in ascending order, are known to live in these domains from now on. Thread
/// safety: any thread.
LARES_EXPORT int lares_runtime_give_homes(const lares::memory::GivenRange* ranges,
                                          std::size_t count) {
  lares::memory::Homes* const table = homes();
  return table != nullptr && table->give_all({ranges, count}) ? 1 : 0;
}

/// 1 if nothing is known of the range any more. Thread safety: any thread.
LARES_EXPORT int lares_runtime_forget_home(std::uintptr_t address, std::size_t bytes) {
  lares::memory::Homes* const table = homes();
  return table != nullptr && table->forget(address, lares::Bytes{bytes}) ? 1 : 0;
}

/// What the calling task makes next in its innermost taskgroup uses this memory; 0 bytes: no
/// longer. Thread safety: any thread, about its own task.
LARES_EXPORT void lares_runtime_group_data(const void* memory, std::size_t bytes) {
  namespace runtime = lares::runtime;
  if (!runtime::Engine::active()) return;
  runtime::Engine& engine = runtime::Engine::instance();
  runtime::Worker* const worker = runtime::this_worker();
  // None: the stock runtime has the region.
  if (worker == nullptr || (!engine.wants_data() && !runtime::record::is_on(*worker))) return;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (runtime::set_group_data(*worker, address, lares::Bytes{bytes})) return;
  engine.note(
      "lares_set_taskgroup_affinity: a task that has no taskgroup open has called it, for nothing");
}
