// The kernel that the lab's guests run.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/image/cache.hpp"
#include "lab/image/modules.hpp"
#include "lab/image/progress.hpp"

namespace lares::lab {

struct Kernel {
  std::string release;  ///< as `uname -r` says it
  std::string image;    ///< the path of its vmlinuz, for QEMU
  std::vector<KernelModule>
      modules;  ///< what virtio-serial over PCI needs, in the order of loading
};

/// Where to look. The default is the user's own system.
struct KernelPlaces {
  std::string named = {};         ///< what the user named; empty: nothing
  std::string system_root = "/";  ///< has boot/ and lib/modules/
  static KernelPlaces of_this_system();
};

/// A kernel in this order: the one that LARES_LAB_KERNEL names (a package, a vmlinuz, or a folder);
/// the one fetched earlier; Debian's cloud kernel if it is installed; else Debian's package is
/// fetched by apt-get into the cache, without root. Errors say what to do. Several processes may
/// call it at once: one of them fetches.
Result<Kernel> find_kernel(const CacheFolder& cache, Progress& progress,
                           const KernelPlaces& places = KernelPlaces::of_this_system());

/// A kernel that lies somewhere: a vmlinuz, or a folder that has one, or whose boot/ has one; of
/// several the one with the highest release. Its modules are looked for where packages and
/// distributions put them: lib/modules/RELEASE beside it or in the system.
Result<Kernel> kernel_at(const std::string& path, const std::string& system_root = "/");

}  // namespace lares::lab
