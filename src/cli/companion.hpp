// Files that belong to the command: beside it in a build tree, in lib/lares of an installation (but
// lares-study, which lies beside it there, too).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lares::cli {

/// The folder of this command's own file.
std::string own_folder();

/// The paths where the file `name` is looked for by a `lares` command that lies in `folder`, best
/// first.
std::vector<std::string> companion_candidates(const std::string& folder, std::string_view name);

/// The first of these that can be read, or "" if there is none.
std::string find_companion(const std::string& folder, std::string_view name);

}  // namespace lares::cli
