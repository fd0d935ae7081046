// Words of the program's memory, read where it may have none.
#include "memory/words.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace lares::memory {
namespace {

TEST(Words, AreReadWhereverTheyLie) {
  for (const std::size_t count : {std::size_t{1}, most_words_read, 3 * most_words_read + 5}) {
    std::vector<std::uintptr_t> there(2 * count);
    std::vector<std::uintptr_t> addresses;
    for (std::size_t i = 0; i < count; ++i) {
      there[2 * i] = 1000 + i;
      addresses.push_back(reinterpret_cast<std::uintptr_t>(&there[2 * i]));
    }
    std::vector<std::uintptr_t> words(count);
    ASSERT_TRUE(read_words(real_calls(), addresses, words));
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(words[i], 1000 + i);
  }
}

TEST(Words, OneThatCannotBeReadMakesAllOfNoUse) {
  void* const closed = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(closed, MAP_FAILED);
  std::uintptr_t word = 7;
  const auto open = reinterpret_cast<std::uintptr_t>(&word);
  for (const std::uintptr_t bad :
       {std::uintptr_t{0}, std::uintptr_t{8}, reinterpret_cast<std::uintptr_t>(closed),
        ~std::uintptr_t{0} - 7}) {
    std::vector<std::uintptr_t> words(3);
    EXPECT_FALSE(read_words(real_calls(), std::vector{bad, open, open}, words));
    EXPECT_FALSE(read_words(real_calls(), std::vector{open, open, bad}, words));
  }
  munmap(closed, 4096);
}

TEST(Words, ARefusalLeavesTheProgramsErrno) {
  SystemCalls calls = real_calls();
  calls.read_words = [](const std::uintptr_t*, std::size_t, std::uintptr_t*) noexcept {
    return long{-EPERM};
  };
  errno = 42;
  std::vector<std::uintptr_t> words(1);
  EXPECT_FALSE(read_words(calls, std::vector{reinterpret_cast<std::uintptr_t>(&calls)}, words));
  EXPECT_FALSE(read_words(real_calls(), std::vector{std::uintptr_t{8}}, words));
  EXPECT_EQ(errno, 42);
}

}  // namespace
}  // namespace lares::memory
