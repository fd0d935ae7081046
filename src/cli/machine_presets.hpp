// Machines that come with Lares, found by their bare name.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace lares::cli {

/// A machine file that comes with Lares.
struct MachinePreset {
  std::string name;  ///< the file's name without ".json"
  std::string path;
};

/// The folders where presets are looked for, best first: beside the command (a build tree), then in
/// the installation that the command belongs to.
std::vector<std::string> machine_preset_folders();

/// All presets of the first folder that has one, sorted by name.
std::vector<MachinePreset> machine_presets();

/// What the word after `--machine` stands for, as parse_source takes it: an existing file before a
/// preset of that name. Empty texts, descriptions and paths come back as they are. The error lists
/// the presets.
Result<std::string> resolve_machine(const std::string& word);

}  // namespace lares::cli
