// Which OpenMP runtimes are installed, found without loading any of them.
#pragma once

#include <string>
#include <vector>

namespace lares::cli::doctor {

struct OpenMPRuntime {
  std::string kind;     ///< "libgomp", "libomp", "libiomp5"
  std::string version;  ///< what the file says of itself; "" if nothing
  std::string path;     ///< with links resolved
};

/// Searches the dynamic linker's cache, LD_LIBRARY_PATH and the folders where compilers keep their
/// own. A file that has several names is listed once, as what it really is.
std::vector<OpenMPRuntime> find_openmp_runtimes();

/// Recognises a runtime by the bytes of its file; an empty kind if it is none.
OpenMPRuntime identify_openmp_runtime(const std::string& path, const std::string& bytes);

}  // namespace lares::cli::doctor
