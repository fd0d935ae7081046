#include "runtime/first_touch_count.hpp"

#include <sys/resource.h>

namespace lares::runtime {

std::uint64_t pages_touched_first() noexcept {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_minflt);
}

}  // namespace lares::runtime
