#include "trace/page/planes.hpp"

namespace lares::trace::page {

Planes to_planes(const std::vector<std::uint64_t>& values) {
  std::uint64_t used = 0;
  for (const std::uint64_t value : values) used |= value;
  Planes planes;
  for (std::uint32_t plane = 0; plane < 8; ++plane) {
    if ((used >> (8 * plane) & 0xFFU) == 0) continue;
    planes.mask |= 1U << plane;
    for (const std::uint64_t value : values) {
      planes.bytes.push_back(static_cast<char>(value >> (8 * plane) & 0xFFU));
    }
  }
  return planes;
}

}  // namespace lares::trace::page
