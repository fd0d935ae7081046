#include "cli/companion.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace lares::cli {

namespace fs = std::filesystem;

std::string own_folder() {
  std::error_code failure;
  return fs::read_symlink("/proc/self/exe", failure).parent_path().string();
}

std::vector<std::string> companion_candidates(const std::string& folder, std::string_view name) {
  const fs::path start(folder);
  std::vector<std::string> paths{(start / name).string()};
  for (const char* libraries : {"lib", LARES_INSTALL_LIBDIR}) {
    auto path = (start.parent_path() / libraries / "lares" / name).lexically_normal().string();
    if (path != paths.back()) paths.push_back(std::move(path));
  }
  return paths;
}

std::string find_companion(const std::string& folder, std::string_view name) {
  for (auto& path : companion_candidates(folder, name)) {
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

}  // namespace lares::cli
