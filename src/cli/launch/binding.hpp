// Which threads run where: what `lares run` tells the OpenMP runtimes about places.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/launch/environment.hpp"
#include "machine/machine.hpp"

namespace lares::cli {

/// What the user asked for. `automatic`: as the user's own variables say, else close.
enum class BindChoice { automatic, close, spread, none, as_is };

/// Reads the value of --bind or LARES_BIND. An error lists the accepted words.
Result<BindChoice> parse_bind(std::string_view word);

/// What became of it.
struct Binding {
  std::string how;                  ///< "close", "spread", "none", "user"
  bool bound = false;               ///< threads stay where they are put
  std::optional<std::string> note;  ///< why nothing was bound though it should have been
};

/// Changes the OpenMP variables of `environment`. An explicit choice overrides OMP_PROC_BIND,
/// GOMP_CPU_AFFINITY and KMP_AFFINITY, never OMP_PLACES; without one the user's variables stay as
/// they are. Places are one core each, in the order of the domains.
Binding bind_threads(Environment& environment, const machine::Machine& machine, BindChoice choice);

/// The value of OMP_PLACES: "{0,4},{1,5}", one place per core, cores of a domain beside each other.
std::string omp_places(const machine::Machine& machine);

}  // namespace lares::cli
