// Which ways of next touch this kernel allows this process.
#pragma once

#include "memory/calls.hpp"

namespace lares::memory {

struct WaysHere {
  int by_thread = 0;   ///< 0, or the errno with which Way::userfault_thread is refused
  int by_signal = 0;   ///< the same for Way::userfault_signal; Way::protect needs nothing
  bool moves = false;  ///< pages go aside and come back without a copy (Linux 6.8)
};

/// Tries what each way needs, with a descriptor and a page of its own that are gone afterwards.
WaysHere ways_here(const SystemCalls& calls) noexcept;

}  // namespace lares::memory
