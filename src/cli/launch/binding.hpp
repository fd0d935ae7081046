// Which threads run where: what `lares run` tells the OpenMP runtimes about places.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/launch/environment.hpp"
#include "machine/machine.hpp"

namespace lares::cli {

/// What the user asked for. `automatic`: as the user's own variables say, else spread. `by_data`:
/// the same, and threads that Lares binds may go to their data.
enum class BindChoice { automatic, close, spread, by_data, none, as_is };

/// Reads the value of --bind or LARES_BIND. An error lists the accepted words.
Result<BindChoice> parse_bind(std::string_view word);

/// Whether variables of the OpenMP runtimes say where threads run.
bool user_binds(const Environment& environment);

/// What became of it.
struct Binding {
  std::string how;                  ///< "close", "spread", "by-data", "none", "user"
  bool bound = false;               ///< threads stay where they are put
  std::optional<std::string> note;  ///< why nothing was bound though it should have been
};

/// Says in `environment` who binds. Without a choice, the user's variables stay as they are; if
/// there are none, the preloaded library binds (LARES_BOUND). An explicit choice overrides
/// OMP_PROC_BIND, GOMP_CPU_AFFINITY and KMP_AFFINITY, never OMP_PLACES: to places that the user
/// names, the program's runtime binds.
Binding bind_threads(Environment& environment, const machine::Machine& machine, BindChoice choice);

}  // namespace lares::cli
