#include "memory/far.hpp"

#include <sys/random.h>

#include <atomic>
#include <cerrno>

namespace lares::memory {
namespace {

constexpr std::uint64_t small_table = std::uint64_t{2} << 20U;  // what one table of pages covers
constexpr std::uint64_t large_table = std::uint64_t{1} << 30U;  // and one of those

// Above heaps and programs, below libraries and stacks, on x86-64 and on arm64 with 48 bits.
constexpr std::uint64_t first = 0x3000'0000'0000;
constexpr std::uint64_t room = 0x1000'0000'0000;

/// As hard to guess as the rest of the address space.
std::uint64_t random_start() noexcept {
  std::uint64_t number = 0;
  const int program_errno = errno;
  if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0) errno = program_errno;
  return number % (room / small_table) * small_table;
}

// 0: nobody has asked yet. Any thread.
std::atomic<std::uint64_t> g_next{0};

}  // namespace

std::uintptr_t far_place(std::size_t bytes, std::uintptr_t like) noexcept {
  const std::uint64_t table = bytes >= large_table ? large_table : small_table;
  // Also the gap to the next one.
  const std::uint64_t span = (bytes / table + 3) * table;
  if (span >= room) return 0;
  // relaxed, all: a number, and who gets the same one twice is given another place by the kernel.
  std::uint64_t none = 0;
  if (g_next.load(std::memory_order_relaxed) == 0) {
    g_next.compare_exchange_strong(none, small_table + random_start(), std::memory_order_relaxed);
  }
  const std::uint64_t at = g_next.fetch_add(span, std::memory_order_relaxed) % (room - span);
  return first + (at / table + 1) * table + like % table;
}

}  // namespace lares::memory
