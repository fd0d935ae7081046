// The parts of a kernel that must be loaded before it can speak through virtio-serial.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lares::lab {

struct KernelModule {
  std::string name;   ///< with '_' for '-', as the kernel calls it
  std::string bytes;  ///< the ELF file, not compressed
  friend bool operator==(const KernelModule&, const KernelModule&) = default;
};

/// The names of the modules that this one needs, from its section .modinfo. Any bytes are allowed;
/// nothing is needed by what is no module.
std::vector<std::string> needed_modules(std::string_view module_bytes);

/// True if the list modules.builtin names the module.
bool is_built_in(std::string_view modules_builtin, std::string_view name);

/// The wanted modules and those that they need, each after all that it needs. `folder` is
/// lib/modules/RELEASE of a kernel; what is compressed there is decompressed by xz, zstd or gzip;
/// what is built into the kernel is left out. Packages' folders have no modules.dep, so the modules
/// themselves are asked.
Result<std::vector<KernelModule>> modules_in_load_order(const std::string& folder,
                                                        std::span<const std::string_view> wanted);

}  // namespace lares::lab
