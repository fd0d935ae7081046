// Debian's kernel package: asked for, downloaded and unpacked without root, nothing installed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "lab/image/progress.hpp"

namespace lares::lab {

/// The package whose dependency is the newest kernel for virtual machines.
constexpr std::string_view kernel_meta_package = "linux-image-cloud-amd64";

struct Package {
  std::string name;
  std::string version;
  friend bool operator==(const Package&, const Package&) = default;
};

/// The kernel that the meta package depends on, from what `apt-cache show` says about it. Any text
/// is allowed.
std::optional<Package> kernel_dependency(std::string_view shown);
/// The package file's size, from what `apt-cache show` says about the package; 0 if it does not.
Bytes package_size(std::string_view shown);

/// The newest kernel package that the host's package lists know.
Result<Package> newest_kernel_package();

/// Downloads into an empty folder and returns the file's path.
Result<std::string> download(const Package& package, const std::string& folder, Progress& progress);

/// Unpacks what the package would install. Anything but a package is an error.
std::optional<Error> unpack_package(const std::string& file, const std::string& folder,
                                    Progress& progress);

}  // namespace lares::lab
