// Reads the files that a program's processes leave in the session's folder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lares::analysis {

/// At most `limit` bytes from the start; nothing if it is not a regular file. Whatever lies there,
/// to open it does not hang.
std::vector<std::byte> read_session_file(const std::string& path, std::size_t limit);

/// The paths of what a folder has whose names begin with `prefix` and go on behind it, in any
/// order.
std::vector<std::string> paths_in(const std::string& folder, const std::string& prefix);

}  // namespace lares::analysis
