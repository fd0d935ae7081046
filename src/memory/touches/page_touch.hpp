// A touch: a thread came to a page that was not there for it, and the kernel provided one.
#pragma once

#include <cstdint>

#include "base/ids.hpp"

namespace lares::memory {

/// Ids of processes and threads are the system's, as the process sees them that asked for touches.
struct PageTouch {
  Nanoseconds at;              ///< on the clock of now()
  std::uintptr_t address = 0;  ///< that was wanted, anywhere in the page
  Bytes page;                  ///< what was provided around it; 0: not told
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  OsCpu cpu;  ///< where the thread ran
};

}  // namespace lares::memory
