#include "cli/preload_library.hpp"

#include <algorithm>
#include <iterator>

#include "cli/companion.hpp"

namespace lares::cli {

std::vector<std::string> preload_library_candidates(std::string_view name) {
  return companion_candidates(own_folder(), name);
}

std::string find_preload_library(std::string_view name) {
  return find_companion(own_folder(), name);
}

bool is_preload_library(std::string_view path) noexcept {
  const std::string_view file = path.substr(path.rfind('/') + 1);  // of npos: all
  return std::find(std::begin(preload_library_names), std::end(preload_library_names), file) !=
         std::end(preload_library_names);
}

}  // namespace lares::cli
