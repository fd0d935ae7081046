#include "cli/machine_presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lares::cli {
namespace {

namespace fs = std::filesystem;

std::vector<MachinePreset> presets_in(const fs::path& folder) {
  std::vector<MachinePreset> presets;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".json") presets.push_back({path.stem().string(), path.string()});
  }
  std::sort(presets.begin(), presets.end(),
            [](const MachinePreset& a, const MachinePreset& b) { return a.name < b.name; });
  return presets;
}

/// Whether `word` can only be a path or a description, never a bare name.
bool is_no_name(const std::string& word) {
  return word.empty() || word.find_first_of("/.:") != std::string::npos;
}

}  // namespace

std::vector<std::string> machine_preset_folders() {
  static constexpr const char* machines = "share/lares/machines";
  std::error_code failure;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failure).parent_path();
  std::vector<std::string> folders{(folder / machines).string()};
  for (const char* data : {"share", LARES_INSTALL_DATADIR}) {
    auto path = (folder.parent_path() / data / "lares/machines").lexically_normal().string();
    if (path != folders.back()) folders.push_back(std::move(path));
  }
  return folders;
}

std::vector<MachinePreset> machine_presets() {
  for (const std::string& folder : machine_preset_folders()) {
    auto presets = presets_in(folder);
    if (!presets.empty()) return presets;
  }
  return {};
}

Result<std::string> resolve_machine(const std::string& word) {
  std::error_code failure;
  if (is_no_name(word) || fs::exists(word, failure)) return word;
  const auto presets = machine_presets();
  std::string names;
  for (const MachinePreset& preset : presets) {
    if (preset.name == word) return preset.path;
    names += (names.empty() ? "" : ", ") + preset.name;
  }
  if (names.empty()) names = "not installed";
  return Error{
      fmt::format("--machine: there is no file and no preset \"{}\", presets are {}", word, names)};
}

}  // namespace lares::cli
