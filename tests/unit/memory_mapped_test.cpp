// Whether there is memory at an address.
#include "memory/mapped.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace lares::memory {
namespace {

TEST(Mapped, KnowsWhatIsMappedTouchedOrNot) {
  constexpr std::size_t bytes = 1U << 20U;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  EXPECT_TRUE(is_mapped(real_calls(), begin + 12345)) << "nobody has touched it";
  static_cast<char*>(memory)[12345] = 1;
  EXPECT_TRUE(is_mapped(real_calls(), begin + 12345));
  ASSERT_EQ(munmap(memory, bytes), 0);
  EXPECT_FALSE(is_mapped(real_calls(), begin + 12345));
  EXPECT_FALSE(is_mapped(real_calls(), 0));
}

TEST(Mapped, WhereTheSystemDoesNotSayThereMayBeMemory) {
  SystemCalls calls = real_calls();
  calls.present = [](void*, std::size_t, unsigned char*) noexcept -> long { return -ENOSYS; };
  EXPECT_TRUE(is_mapped(calls, 0));
}

}  // namespace
}  // namespace lares::memory
