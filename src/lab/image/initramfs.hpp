// The guest's first and only file system.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "lab/image/cache.hpp"
#include "lab/image/file.hpp"
#include "lab/image/kernel.hpp"

namespace lares::lab {

/// The kernel's argument rdinit= must name it: a user's own /init cannot be in the way.
constexpr std::string_view guest_init_path = "/.lares/init";
/// Paths of kernel modules, one a line, in the order in which init loads them. May be empty.
constexpr std::string_view guest_module_list_path = "/.lares/modules";

/// Paths are the host's, absolute or relative to where this process is; all get the same absolute
/// path in the guest.
struct ImageContents {
  std::string init;                      ///< a static program, the guest's process 1
  std::vector<std::string> programs;     ///< with all that closure_of finds
  std::vector<std::string> files;        ///< files, and folders with what is in them
  std::vector<std::string> folders;      ///< without what is in them: the working directory
  std::vector<std::string> environment;  ///< NAME=VALUE, as the programs will have it
};

/// Two open files, for QEMU as /proc/self/fd/N; nothing is left anywhere when they are closed.
struct Image {
  File kernel;
  File initramfs;  ///< in memory
  /// What the unpacked files take of the guest's memory. While it starts, the guest needs the size
  /// of `initramfs` as well.
  Bytes unpacked;
  Bytes packed;
};

/// Makes the image; takes milliseconds for programs of some megabytes. The base (init, modules,
/// empty folders) is kept in the cache, under a hash of what it is made of.
/// Errors: those of closure_of, files that cannot be read, no memory.
Result<Image> make_image(const Kernel& kernel, const ImageContents& contents,
                         const CacheFolder& cache);

}  // namespace lares::lab
