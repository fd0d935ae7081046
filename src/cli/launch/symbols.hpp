// Names for the addresses of another process's code.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lares::cli {

/// The name as the source has it, or as it is if it is no C++ name.
std::string demangled(const std::string& name);

/// What stands behind the last slash.
std::string_view file_name(std::string_view path) noexcept;

/// The code that a process has mapped when this is made. Compilers give the bodies of regions and
/// tasks local names, which only a file's own table of symbols has: it is read where there is one.
class Symbols {
 public:
  explicit Symbols(pid_t process);

  /// "fill._omp_fn.0 (app+0x1234)", or less if less is known.
  std::string name(std::uint64_t address);

 private:
  struct Mapping {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;  ///< of `start` in the file
    std::uint64_t inode = 0;
    std::string path;
  };
  struct Function {
    std::uint64_t start = 0;  ///< in the file
    std::uint64_t size = 0;
    std::string name;
  };

  static std::vector<Function> read_functions(const Mapping& mapping);

  std::vector<Mapping> mappings_;
  std::map<std::string, std::vector<Function>> functions_;  ///< by path
};

}  // namespace lares::cli
