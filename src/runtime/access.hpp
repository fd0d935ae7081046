// What a task does to one range of memory.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "policy/access.hpp"

namespace lares::runtime {

/// One range that a task reads or writes, as the program said it.
struct Access {
  std::uintptr_t address = 0;
  Bytes bytes;  ///< 0 if the compiler did not tell
  policy::AccessMode mode = policy::AccessMode::read;
};

}  // namespace lares::runtime
