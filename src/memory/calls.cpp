#include "memory/calls.hpp"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

constexpr int this_process = 0;
constexpr int move_own_pages = 2;  // MPOL_MF_MOVE
// The kernel reads one bit less than it is told.
constexpr unsigned long mask_bits = max_nodes + 1;

/// The result of `call`, or -errno; the program's errno stays as it was.
template <class Call>
long quietly(Call call) noexcept {
  const int program_errno = errno;
  const long result = static_cast<long>(call());
  const int error = errno;
  errno = program_errno;
  return result == -1 ? -error : result;
}

long map_at(std::uintptr_t wish, std::size_t bytes) noexcept {
  return quietly([&] {
    return reinterpret_cast<std::intptr_t>(
        mmap(pointer(wish), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  });
}
long map(std::size_t bytes) noexcept { return map_at(0, bytes); }
long unmap(void* address, std::size_t bytes) noexcept {
  return quietly([&] { return munmap(address, bytes); });
}
long remap(void* from, std::size_t old_bytes, std::size_t new_bytes, int flags, void* to) noexcept {
  return quietly([&] {
    return reinterpret_cast<std::intptr_t>(mremap(from, old_bytes, new_bytes, flags, to));
  });
}
long protect(void* address, std::size_t bytes, int protection) noexcept {
  return quietly([&] { return mprotect(address, bytes, protection); });
}
long advise(void* address, std::size_t bytes, int advice) noexcept {
  return quietly([&] { return madvise(address, bytes, advice); });
}
long unlock(void* address, std::size_t bytes) noexcept {
  return quietly([&] { return munlock(address, bytes); });
}
long bind(void* address, std::size_t bytes, int mode, const unsigned long* nodes) noexcept {
  return quietly([&] {
    return syscall(SYS_mbind, address, bytes, mode, nodes, nodes == nullptr ? 0 : mask_bits, 0);
  });
}
long prefer(int mode, const unsigned long* nodes) noexcept {
  return quietly(
      [&] { return syscall(SYS_set_mempolicy, mode, nodes, nodes == nullptr ? 0 : mask_bits); });
}
long preference(int* mode, unsigned long* nodes) noexcept {
  return quietly([&] { return syscall(SYS_get_mempolicy, mode, nodes, mask_bits, nullptr, 0); });
}
long policy_at(void* address, int* mode) noexcept {
  return quietly(
      [&] { return syscall(SYS_get_mempolicy, mode, nullptr, 0, address, MPOL_F_ADDR); });
}
long move(std::size_t count, void** pages, const int* nodes, int* status) noexcept {
  const int flags = nodes == nullptr ? 0 : move_own_pages;
  return quietly(
      [&] { return syscall(SYS_move_pages, this_process, count, pages, nodes, status, flags); });
}
long userfault(int flags) noexcept {
  return quietly([&] { return syscall(SYS_userfaultfd, flags); });
}
long control(int descriptor, unsigned long request, void* argument) noexcept {
  return quietly([&] { return ioctl(descriptor, request, argument); });
}
/// The page table if it can be read, else mincore.
long resident(void* address, std::size_t bytes, unsigned char* pages) noexcept {
  return quietly([&]() -> long {
    const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0) return mincore(address, bytes, pages);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t first = reinterpret_cast<std::uintptr_t>(address) / page;
    const std::size_t count = (bytes + page - 1) / page;
    std::array<std::uint64_t, 64> entries;
    bool known = true;
    for (std::size_t done = 0; done < count && known; done += entries.size()) {
      const std::size_t some = std::min(count - done, entries.size());
      const auto wanted = static_cast<ssize_t>(some * sizeof(std::uint64_t));
      known = pread(file, entries.data(), some * sizeof(std::uint64_t),
                    static_cast<off_t>((first + done) * sizeof(std::uint64_t))) == wanted;
      constexpr unsigned present_or_swapped = 62;  // bits 63 and 62
      for (std::size_t i = 0; i < some && known; ++i) {
        pages[done + i] = entries[i] >> present_or_swapped != 0 ? 3 : 2;
      }
    }
    close(file);
    return known ? 0 : mincore(address, bytes, pages);
  });
}
long present(void* address, std::size_t bytes, unsigned char* pages) noexcept {
  return quietly([&] { return long{mincore(address, bytes, pages)}; });
}
long here(unsigned* cpu, unsigned* node) noexcept {
  // The C library's needs no system call on most kernels, and may be called in signal handlers.
  return quietly([&] { return long{getcpu(cpu, node)}; });
}
/// What the program opens at this moment may be in the table for a moment, too.
long keep_only(const int* files, std::size_t count) noexcept {
  constexpr unsigned unshare = 2;  // CLOSE_RANGE_UNSHARE
  const auto last = static_cast<unsigned>(files[count - 1]);
  const long result = quietly([&] { return syscall(SYS_close_range, last + 1, ~0U, unshare); });
  unsigned next = 0;
  for (std::size_t i = 0; i < count && result >= 0; ++i) {
    const auto file = static_cast<unsigned>(files[i]);
    if (file > next) quietly([&] { return syscall(SYS_close_range, next, file - 1, 0); });
    next = file + 1;
  }
  return result;
}
long read_words(const std::uintptr_t* addresses, std::size_t count,
                std::uintptr_t* words) noexcept {
  std::array<iovec, most_words_read> from;
  count = std::min(count, from.size());
  for (std::size_t i = 0; i < count; ++i) from[i] = {pointer(addresses[i]), sizeof(std::uintptr_t)};
  const iovec to{words, count * sizeof(std::uintptr_t)};
  return quietly([&] { return process_vm_readv(getpid(), &to, 1, from.data(), count, 0); });
}

}  // namespace

const SystemCalls& real_calls() noexcept {
  static constexpr SystemCalls calls{&map,       &map_at, &unmap,     &remap,     &protect,
                                     &advise,    &unlock, &bind,      &prefer,    &preference,
                                     &policy_at, &move,   &userfault, &control,   &resident,
                                     &present,   &here,   &keep_only, &read_words};
  return calls;
}

}  // namespace lares::memory
