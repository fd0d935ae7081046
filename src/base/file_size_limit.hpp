// How long a file may become. Who writes beyond that does not get an error but SIGXFSZ, which ends
// the program.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace lares {

/// In bytes, for this process now (RLIMIT_FSIZE, `ulimit -f`). Thread safe.
inline std::uint64_t file_size_limit() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return ~std::uint64_t{0};
  }
  return limit.rlim_cur;
}

}  // namespace lares
