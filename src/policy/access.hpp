// What a task says about its data, and what is known about where that data is.
#pragma once

#include <cstdint>

#include "base/ids.hpp"

namespace lares::policy {

/// How a task uses a range. `affinity` is OpenMP's clause: a hint, not a dependence.
enum class AccessMode : std::uint8_t { read, write, read_write, affinity };

constexpr bool writes(AccessMode mode) noexcept {
  return mode == AccessMode::write || mode == AccessMode::read_write;
}

/// One range of a task's data together with its home.
struct DataHome {
  DomainId home;  ///< invalid if unknown or if no page is there yet
  Bytes bytes;    ///< 0 if the compiler did not tell
  AccessMode mode = AccessMode::read;
  bool unplaced = false;   ///< true if the pages do not exist yet: the first touch decides
  std::uint32_t name = 0;  ///< the same for the same datum; most often another for another one
};

/// A block of data that has no home yet, for a distribution to decide on.
struct Block {
  std::uint64_t index = 0;  ///< its number inside the area that holds it
  std::uint64_t count = 0;  ///< how many blocks that area has; 0 if unknown
};

}  // namespace lares::policy
