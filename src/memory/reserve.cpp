#include "memory/reserve.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "memory/calls.hpp"
#include "memory/far.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {

Reserve::Reserve(std::size_t bytes) noexcept {
  const int program_errno = errno;
  void* const mapping = mmap(pointer(far_place(bytes)), bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = program_errno;
  if (mapping == MAP_FAILED) return;
  data_ = mapping;
  bytes_ = bytes;
}

void Reserve::populate_once() noexcept {
  constexpr std::size_t most = std::size_t{4} << 20U;
  if (data_ == nullptr || populated_.exchange(true, std::memory_order_relaxed)) return;
  const int program_errno = errno;
  madvise(data_, std::min(bytes_, most), populate_write);
  errno = program_errno;
}

Reserve::~Reserve() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace lares::memory
