// Where the libraries that `lares run` preloads are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lares::cli {

inline constexpr const char* preload_library_name = "liblares-openmp.so";

/// The same with the entry points of loops: instead of it where Lares hands these out.
inline constexpr const char* loops_library_name = "liblares-openmp-loops.so";

/// The same with what only a tool wants to hear of: instead of either where one is named.
inline constexpr const char* watched_library_name = "liblares-openmp-watched.so";

/// What comes along with --placement: it stands in front of the program's allocator.
inline constexpr const char* placement_library_name = "liblares-placement.so";

/// All of them.
inline constexpr const char* preload_library_names[] = {
    preload_library_name, loops_library_name, watched_library_name, placement_library_name};

/// The paths where one is looked for, best first: beside the command (a build tree), then in the
/// installation that the command belongs to.
std::vector<std::string> preload_library_candidates(std::string_view name);

/// The first candidate that can be read, or "" if there is none.
std::string find_preload_library(std::string_view name);

/// True if the path is that of any such library, of this Lares or of another.
bool is_preload_library(std::string_view path) noexcept;

}  // namespace lares::cli
