#include "cli/preload_library.hpp"

#include "cli/companion.hpp"

namespace lares::cli {

std::vector<std::string> preload_library_candidates() {
  return companion_candidates(own_folder(), preload_library_name);
}

std::string find_preload_library() { return find_companion(own_folder(), preload_library_name); }

std::string find_placement_library() {
  return find_companion(own_folder(), placement_library_name);
}

}  // namespace lares::cli
