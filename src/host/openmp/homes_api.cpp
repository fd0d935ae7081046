// How liblares, in the same process, tells the scheduler of memory that it has placed.
#include <cstddef>
#include <cstdint>

#include "host/openmp/region.hpp"
#include "memory/homes.hpp"
#include "runtime/engine.hpp"

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
