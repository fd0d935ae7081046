// Finds out what machine there is: this one, or one that a file or a line of text describes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "machine/measurements.hpp"

namespace lares::machine {

/// Where a description of a machine comes from.
struct Source {
  enum class Kind {
    process,    ///< what this process may use of the machine it runs on
    synthetic,  ///< `text` is a synthetic description as hwloc understands it
    file        ///< `text` is the path of an hwloc XML file or of a Lares machine file
  };
  Kind kind = Kind::process;
  std::string text;
};

/// Reads what users write after `--machine`: `synthetic:DESCRIPTION` or a file name. An empty text
/// means this process.
Source parse_source(std::string_view text);

/// The machine that `source` describes, with domains at `level`. Without a level it is the first of
/// numa, l3, l2 that has more than one domain with cores, or else numa; a Lares machine file has
/// its own level, and no other can be asked of it.
/// Of this process only what it may use is listed: cpusets, cgroups and the caller's affinity mask
/// are respected. Errors name the file and the field, or the levels that the machine has.
/// Thread safety: may be called by one thread at a time (hwloc reads the environment).
Result<Machine> discover(const Source& source, std::optional<Level> level = std::nullopt);

/// Why this process cannot be looked at, if so: where a sandbox refuses sched_getaffinity, hwloc
/// (2.9) would ask for ever. discover() answers the same. Other sources need nothing of it.
std::optional<Error> why_no_process();

/// What `lares measure` wrote into a Lares machine file; empty for any other source. Errors as
/// those of discover().
Result<Measurements> measurements_of(const Source& source);

}  // namespace lares::machine
