// Where the library that `lares run` preloads is.
#pragma once

#include <string>
#include <vector>

namespace lares::cli {

inline constexpr const char* preload_library_name = "liblares-openmp.so";

/// The paths where it is looked for, best first: beside the command (a build tree), then in the
/// installation that the command belongs to.
std::vector<std::string> preload_library_candidates();

/// What comes along with --placement: it stands in front of the program's allocator.
inline constexpr const char* placement_library_name = "liblares-placement.so";

/// The first candidate that can be read, or "" if there is none.
std::string find_preload_library();
std::string find_placement_library();

}  // namespace lares::cli
