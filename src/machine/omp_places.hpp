// The value of OMP_PLACES for domains in a given order.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace lares::machine {

/// What becomes of the hardware threads that share a core.
enum class Smt : std::uint8_t {
  core,    ///< one place per core, with all its hardware threads
  thread,  ///< one place per hardware thread, those of a core beside each other
  first,   ///< one place per core, with its first hardware thread only
  last     ///< one place per hardware thread: the first of every core, then the second of each, ...
};

/// "core", "thread", "first", "last"; an error lists them.
Result<Smt> parse_smt(std::string_view word);

/// The cores of `domain`, those that share a cache (or any level of the tree) beside each other,
/// otherwise by number. O(cores x tree).
std::vector<CoreId> cores_by_cache(const Machine& machine, DomainId domain);

/// "{0,4},{1,5}": the places of `domains`, in this order. Domains without cores have none.
std::string omp_places(const Machine& machine, std::span<const DomainId> domains, Smt smt);

}  // namespace lares::machine
