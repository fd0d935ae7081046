#include "memory/next_touch/opener.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "memory/pointer.hpp"

namespace lares::memory {

int Opener::close(const Region& region) const noexcept {
  const std::uint64_t bytes = region.end - region.begin;
  const long result = shared_.calls.protect(pointer(region.begin), bytes, PROT_NONE);
  if (result >= 0) return 0;
  // A part is closed, perhaps. What cannot be opened now is opened by its touch: it is marked.
  return open_closed(region.begin, region.end) == 0 ? static_cast<int>(-result) : 0;
}

int Opener::open(const Region& region, std::uintptr_t begin, std::uintptr_t end) const noexcept {
  const int error = open_closed(begin, end);
  return error == ENOMEM ? open_closed(region.begin, region.end) : error;
}

int Opener::open_closed(std::uintptr_t begin, std::uintptr_t end) const noexcept {
  constexpr int data = PROT_READ | PROT_WRITE;
  int error = 0;
  const bool known = for_each_mapping_in(shared_.maps, begin, end, [&](const Mapping& mapping) {
    if (!mapping.closed || error != 0) return;
    const std::uintptr_t from = std::max<std::uintptr_t>(begin, mapping.begin);
    const std::uintptr_t until = std::min<std::uintptr_t>(end, mapping.end);
    const long result = shared_.calls.protect(pointer(from), until - from, data);
    if (result < 0) error = static_cast<int>(-result);
  });
  if (known) return error;
  const long result = shared_.calls.protect(pointer(begin), end - begin, data);
  return result < 0 ? static_cast<int>(-result) : 0;
}

}  // namespace lares::memory
