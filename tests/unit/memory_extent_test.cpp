// Extents: the kernel's list in pieces, real mappings, lengths from neighbours, block numbers.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "memory/extent.hpp"

namespace lares::memory {
namespace {

std::vector<Mapping> parse(const std::string& text) {
  MapsParser parser;
  std::vector<Mapping> result;
  for (const char c : text) {
    if (parser.feed(c)) result.push_back(parser.mapping());
  }
  return result;
}

TEST(MapsParser, ReadsTheKernelsLines) {
  const auto maps = parse(
      "55d0c0a00000-55d0c0a21000 rw-p 00000000 00:00 0          [heap]\n"
      "7f0000000000-7f0000001000 r--p 00000000 fe:01 123  /lib/a-b 12.so\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n");
  ASSERT_EQ(maps.size(), 3U);
  EXPECT_EQ(maps[0].begin, 0x55d0c0a00000U);
  EXPECT_EQ(maps[0].end, 0x55d0c0a21000U);
  EXPECT_TRUE(maps[0].data);
  EXPECT_FALSE(maps[1].data);
  EXPECT_EQ(maps[2].end, 0xffffffffff601000U);
  EXPECT_FALSE(maps[2].data);
}

TEST(MapsParser, SkipsWhatIsNoMapping) {
  const auto maps = parse(
      "\nnonsense\n1000\n1000-\n1000-2000\n1000-2000 r\n3000-2000 rw-p\n1000 2000 "
      "rw-p\n"
      "4000-5000 rw-p\n6000-7000 rw-p");
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(maps[0].begin, 0x4000U);
}

TEST(MapsParser, BearsAnyBytes) {
  Random random(3);
  const std::string alphabet = "0123456789abcdef- rwxp\n\xff/";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      text += alphabet[random.below(static_cast<std::uint32_t>(alphabet.size()))];
    }
    for (const Mapping& mapping : parse(text)) EXPECT_LT(mapping.begin, mapping.end) << text;
  }
}

/// A list that the test writes; read in pieces of 7 bytes.
struct FakeMaps {
  static inline std::string text;
  static inline std::size_t at = 0;
  static inline int opened = 0;
  static inline int closed = 0;
  static inline bool broken = false;

  static int open() noexcept {
    ++opened;
    at = 0;
    return broken ? -1 : 42;
  }
  static long read(int, std::span<char> out) noexcept {
    const std::size_t n = std::min({out.size(), text.size() - at, std::size_t{7}});
    std::memcpy(out.data(), text.data() + at, n);
    at += n;
    return static_cast<long>(n);
  }
  static void close(int) noexcept { ++closed; }
  static MapsSource source() { return {&open, &read, &close}; }
};

class ExtentsTest : public testing::Test {
 protected:
  ExtentsTest() {
    FakeMaps::text =
        "10000-20000 rw-p 0 0 0 [heap]\n20000-30000 r--p 0 0 0 x\n40000-80000 rw-p 0 0 0\n";
    FakeMaps::opened = FakeMaps::closed = 0;
    FakeMaps::broken = false;
    extents = std::make_unique<Extents>(FakeMaps::source(), 100);
  }
  std::unique_ptr<Extents> extents;
};

TEST_F(ExtentsTest, FindsTheWritableMappingAroundAnAddress) {
  EXPECT_EQ(extents->around(0x10000).begin, 0x10000U);
  EXPECT_EQ(extents->around(0x1ffff).end, 0x20000U);
  EXPECT_EQ(extents->around(0x50000).begin, 0x40000U);
  EXPECT_EQ(FakeMaps::opened, 1) << "one reading serves all";
  EXPECT_FALSE(extents->around(0x20000).known()) << "not writable";
  EXPECT_FALSE(extents->around(0x3ffff).known());
  EXPECT_FALSE(extents->around(0x80000).known());
  EXPECT_EQ(FakeMaps::opened, FakeMaps::closed);
}

TEST_F(ExtentsTest, ReadsTheListAnewForANewMappingAndRarelyInVain) {
  EXPECT_FALSE(extents->around(0x90000).known());
  FakeMaps::text += "90000-a0000 rw-p 0 0 0\n";
  EXPECT_FALSE(extents->around(0x90000).known()) << "the last reading was in vain: one is left out";
  EXPECT_TRUE(extents->around(0x90000).known());
  FakeMaps::opened = 0;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(extents->around(0x5).known());
  EXPECT_LE(FakeMaps::opened, 11) << "after 1, 2, 4, 8... misses";
}

TEST_F(ExtentsTest, RefreshingSeesAMappingThatGrew) {
  EXPECT_EQ(extents->around(0x10000).end, 0x20000U);
  FakeMaps::text = "10000-30000 rw-p 0 0 0 [heap]\n";
  extents->refresh();
  EXPECT_EQ(extents->around(0x10000).end, 0x30000U);
  EXPECT_FALSE(extents->around(0x50000).known());
}

TEST_F(ExtentsTest, WithoutTheListNothingIsKnown) {
  FakeMaps::broken = true;
  EXPECT_FALSE(extents->around(0x10000).known());
  EXPECT_EQ(extents->length_of(0x10000), Bytes{0});
  EXPECT_EQ(extents->block_of(0x10000, Bytes{16}).count, 0U);
  EXPECT_EQ(FakeMaps::closed, 0);
}

TEST_F(ExtentsTest, MappingsBeyondTheCapacityAreUnknown) {
  Extents small(FakeMaps::source(), 1);
  EXPECT_TRUE(small.around(0x10000).known());
  EXPECT_FALSE(small.around(0x40000).known());
}

TEST_F(ExtentsTest, NumbersTheBlocksOfAnExtent) {
  const policy::Block third = extents->block_of(0x42000, Bytes{0x1000});
  EXPECT_EQ(third.index, 2U);
  EXPECT_EQ(third.count, 0x40U);
  const policy::Block odd = extents->block_of(0x40000, Bytes{0x3000});
  EXPECT_EQ(odd.index, 0U);
  EXPECT_EQ(odd.count, 22U) << "the last one is shorter";
  EXPECT_LT(extents->block_of(0x7ffff, Bytes{0x3000}).index, 22U);
  EXPECT_EQ(extents->block_of(0x40000, Bytes{UINT64_MAX}).count, 1U);
}

TEST_F(ExtentsTest, LearnsTheLengthOfBlocksFromTheirNeighbours) {
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (std::uintptr_t a = 0x40000; a < 0x50000; a += 0x1000) extents->length_of(a);
  }
  EXPECT_EQ(extents->length_of(0x40000), Bytes{0x1000});
  EXPECT_EQ(extents->length_of(0x48000), Bytes{0x1000});
  EXPECT_EQ(extents->length_of(0x4f000), Bytes{0x1000})
      << "the last: as far as from the one before";
  const policy::Block block = extents->block_of(0x48000, Bytes{0});
  EXPECT_EQ(block.index, 8U);
  EXPECT_EQ(block.count, 0x40U);
}

TEST_F(ExtentsTest, ALoneBlockHasNoKnownLength) {
  EXPECT_EQ(extents->length_of(0x40000), Bytes{0});
  for (std::uintptr_t a = 0x10000; a < 0x20000; a += 0x100) extents->length_of(a);
  EXPECT_EQ(extents->length_of(0x40000), Bytes{0}) << "blocks of another extent tell nothing";
}

TEST(BlockStarts, AgreesWithASortedSetOnceAllAreTaken) {
  constexpr std::uintptr_t end = 1U << 20U;
  auto starts = std::make_unique<BlockStarts>();
  Random random(5);
  std::vector<std::uintptr_t> known;
  for (int i = 0; i < 2000; ++i) known.push_back(1 + random.below(end - 1));
  for (const std::uintptr_t a : known) starts->note(a);
  // The last few wait for company; starts outside the extent push them in and change nothing.
  for (std::uintptr_t i = 0; i < 2000; ++i) starts->note(end + 8 * i);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::uint64_t expected = i + 1 < known.size()
                                       ? known[i + 1] - known[i]
                                       : std::min(known[i] - known[i - 1], end - known[i]);
    EXPECT_EQ(starts->length(known[i], 0, end), Bytes{expected}) << i;
  }
}

TEST(BlockStarts, BeyondTheCapacityStartsAreIgnored) {
  auto starts = std::make_unique<BlockStarts>(8);
  for (std::uintptr_t a = 100; a < 100000; a += 100) starts->note(a);
  EXPECT_EQ(starts->length(200, 0, 100000), Bytes{100});
  EXPECT_EQ(starts->length(90000, 0, 100000).count, 10000U) << "cut at the end of the extent";
}

TEST(RealExtents, FindTheMappingOfThisProcess) {
  constexpr std::size_t bytes = 1U << 20U;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  auto extents = std::make_unique<Extents>();
  errno = ERANGE;
  const Extent extent = extents->around(address + 5000);
  EXPECT_EQ(errno, ERANGE);
  EXPECT_LE(extent.begin, address);
  EXPECT_GE(extent.end, address + bytes);
  int local = 0;
  EXPECT_TRUE(extents->around(reinterpret_cast<std::uintptr_t>(&local)).known()) << "the stack";
  munmap(memory, bytes);
}

}  // namespace
}  // namespace lares::memory
