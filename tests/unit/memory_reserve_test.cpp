// Memory straight from the kernel, and what it costs to write to it.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstddef>

#include "memory/reserve.hpp"

namespace lares::memory {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t mebibyte = std::size_t{1} << 20U;

long faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

/// Page faults of reading all pages of the memory and then writing to them. Not watched by
/// sanitizers, whose own memory would fault, too.
__attribute__((no_sanitize_address, no_sanitize_thread, noinline)) long faults_of_use(
    Reserve& memory, std::size_t bytes) {
  auto* data = static_cast<volatile unsigned char*>(memory.data());
  unsigned sum = 0;
  const long before = faults();
  for (std::size_t i = 0; i < bytes; i += page) sum += data[i];
  for (std::size_t i = 0; i < bytes; i += page) data[i] = 1;
  const long after = faults();
  EXPECT_EQ(sum, 0U);
  return after - before;
}

TEST(Reserve, PagesComeWithTheirUse) {
  Reserve memory(mebibyte);
  ASSERT_NE(memory.data(), nullptr);
  // One for a huge page at least, if the system gives such without being asked.
  EXPECT_GE(faults_of_use(memory, mebibyte), 1);
}

TEST(Reserve, PopulatedMemoryDoesNotFault) {
  Reserve memory(mebibyte);
  errno = 0;
  memory.populate();
  memory.populate();
  EXPECT_EQ(errno, 0);
  EXPECT_LE(faults_of_use(memory, mebibyte), 1);  // one for the page of this function's own
}

TEST(Reserve, PopulatesNoMoreThanFourMebibytes) {
  Reserve memory(64 * mebibyte);
  const long before = faults();
  memory.populate();
  EXPECT_LE(faults() - before, static_cast<long>(4 * mebibyte / page) + 1);
  auto* data = static_cast<unsigned char*>(memory.data());
  data[64 * mebibyte - 1] = 1;
  EXPECT_EQ(data[32 * mebibyte], 0);
}

TEST(Reserve, NothingIsPopulatedWhereThereIsNothing) {
  Reserve memory;
  memory.populate();
  EXPECT_EQ(memory.data(), nullptr);
}

}  // namespace
}  // namespace lares::memory
