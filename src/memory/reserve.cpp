#include "memory/reserve.hpp"

#include <sys/mman.h>

#include <cerrno>

namespace lares::memory {

Reserve::Reserve(std::size_t bytes) noexcept {
  const int program_errno = errno;
  void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = program_errno;
  if (mapping == MAP_FAILED) return;
  data_ = mapping;
  bytes_ = bytes;
}

Reserve::~Reserve() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace lares::memory
