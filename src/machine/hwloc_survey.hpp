// Asks hwloc what machine there is. The only file beside its source that knows hwloc.
#pragma once

#include <string>

#include "base/result.hpp"
#include "machine/survey.hpp"

namespace lares::machine {

/// What this process may use of the machine it runs on: its cgroup's cpuset and its affinity mask
/// are taken away, and offline cpus are not there at all.
Result<Survey> survey_process();

/// A machine described by hwloc's synthetic notation, for example "pack:2 [numa] l3:2 core:4 pu:2".
Result<Survey> survey_synthetic(const std::string& description);

/// A machine described by the text of an hwloc XML file; `file` is its name for errors.
Result<Survey> survey_xml(const std::string& xml, const std::string& file);

}  // namespace lares::machine
