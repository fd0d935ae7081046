// Numbers as byte planes: what makes lists of small numbers short before they are compressed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lares::trace::page {

/// First all lowest bytes, then all second lowest, ...; planes that are all zero are left out.
struct Planes {
  std::uint32_t mask = 0;  ///< bit k: plane k (of 2^(8k)) is there
  std::string bytes;       ///< those that are there, one after the other
};

Planes to_planes(const std::vector<std::uint64_t>& values);

}  // namespace lares::trace::page
