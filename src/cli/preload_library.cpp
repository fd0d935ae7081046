#include "cli/preload_library.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace lares::cli {

std::vector<std::string> preload_library_candidates() {
  static constexpr const char* library = "liblares-openmp.so";
  std::error_code failure;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failure).parent_path();
  std::vector<std::string> paths{(folder / library).string()};
  for (const char* libraries : {"lib", LARES_INSTALL_LIBDIR}) {
    auto path = (folder.parent_path() / libraries / "lares" / library).lexically_normal().string();
    if (path != paths.back()) paths.push_back(std::move(path));
  }
  return paths;
}

std::string find_preload_library() {
  for (auto& path : preload_library_candidates()) {
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

}  // namespace lares::cli
