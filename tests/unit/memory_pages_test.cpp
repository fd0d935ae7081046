// The homes that the kernel tells: what is asked, what is kept, and how wrong homes are found out.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>

#include "base/random.hpp"
#include "memory/page_homes.hpp"
#include "memory/refusal.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

constexpr int not_present = -ENOENT;
constexpr std::uint64_t block_pages = 64;
constexpr Bytes block{block_pages * page};

std::vector<DomainId> four_nodes() { return {DomainId{0}, DomainId{1}, DomainId{2}, DomainId{3}}; }

PageHomesOptions exact() {
  PageHomesOptions options;
  options.count_every = 1;
  options.page_shift = page_shift;
  return options;
}

class PageHomesTest : public testing::Test {
 protected:
  [[nodiscard]] DomainId home(std::uint64_t first_page, Bytes length = block) {
    return homes.find(first_page * page, length).domain;
  }
  void use(std::uint64_t first_page, int times) {
    for (int i = 0; i < times; ++i) homes.find(first_page * page, block);
  }

  FakeKernel fake;
  PageHomes homes{four_nodes(), fake.kernel(), exact()};
};

// As kernels before 6.12 answer for private memory that nobody has written to.
TEST_F(PageHomesTest, AMappedPageThatIsNotThereIsUnplacedWhateverTheKernelCallsIt) {
  void* const memory =
      mmap(nullptr, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto first = reinterpret_cast<std::uintptr_t>(memory) / page;
  fake.put(first, 16, -EFAULT);
  EXPECT_TRUE(homes.find(first * page, Bytes{8 * page}).unplaced);
  fake.put(first, 1, 2);
  EXPECT_TRUE(homes.find(first * page, Bytes{8 * page}).unplaced) << "an allocator's header";
  fake.put(first, 8, 2);
  EXPECT_EQ(home(first, Bytes{8 * page}), DomainId{2}) << "nothing wrong was kept";
  munmap(memory, 16 * page);
  fake.put(first, 16, -EFAULT);
  EXPECT_FALSE(homes.find((first + 8) * page, Bytes{8 * page}).unplaced);
}

TEST_F(PageHomesTest, AsksOnceForARangeThatItKnows) {
  fake.put(100, block_pages, 2);
  EXPECT_EQ(home(100), DomainId{2});
  EXPECT_EQ(home(100), DomainId{2});
  EXPECT_EQ(fake.calls(), 1U);
  EXPECT_EQ(homes.queries(), 1U);
}

TEST_F(PageHomesTest, AsksForAtMostSixteenPagesFromEndToEndInOneCall) {
  fake.put(100, 1000, 1);
  EXPECT_EQ(home(100, Bytes{1000 * page}), DomainId{1});
  const auto pages = fake.last_pages();
  ASSERT_EQ(pages.size(), 16U);
  EXPECT_EQ(pages.front(), 100U);
  EXPECT_EQ(pages.back(), 1099U);
  for (std::size_t i = 1; i < pages.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(pages[i] - pages[i - 1]), 999.0 / 15, 1.0);
  }
}

TEST_F(PageHomesTest, AsksForEachPageOfASmallRangeOnce) {
  fake.put(100, 3, 1);
  EXPECT_EQ(homes.find(100 * page + 4000, Bytes{page + 200}).domain, DomainId{1});
  EXPECT_EQ(fake.last_pages(), (std::vector<std::uint64_t>{100, 101, 102}));
}

TEST_F(PageHomesTest, AnUnknownLengthMeansThePageOfTheAddress) {
  fake.put(100, 1, 3);
  EXPECT_EQ(homes.find(100 * page + 17, Bytes{0}).domain, DomainId{3});
  EXPECT_EQ(fake.last_pages(), (std::vector<std::uint64_t>{100}));
  EXPECT_EQ(homes.find(100 * page + 99, Bytes{0}).domain, DomainId{3});
  EXPECT_EQ(fake.calls(), 1U) << "addresses in one page share what is known of it";
}

TEST_F(PageHomesTest, TheMajorityOfThePagesDecides) {
  fake.put(0, 5, 0);
  fake.put(5, 7, 2);
  fake.put(12, 4, 3);
  EXPECT_EQ(home(0, Bytes{16 * page}), DomainId{2});
}

TEST_F(PageHomesTest, PagesThatDoNotExistAreUnplacedAndAskedAboutEachTime) {
  fake.put(100, block_pages, not_present);
  for (int i = 0; i < 3; ++i) {
    const PageHome answer = homes.find(100 * page, block);
    EXPECT_TRUE(answer.unplaced);
    EXPECT_FALSE(answer.domain.valid());
  }
  EXPECT_EQ(fake.calls(), 3U);
  fake.put(100, block_pages, 1);
  EXPECT_EQ(home(100), DomainId{1}) << "the first touch is seen at once";
}

TEST_F(PageHomesTest, AnAllocatorsHeaderDoesNotPlaceABlock) {
  fake.put(100, block_pages, not_present);
  fake.put(100, 1, 0);
  EXPECT_TRUE(homes.find(100 * page, block).unplaced);
  fake.put(100, block_pages - 4, 1);
  EXPECT_EQ(home(100), DomainId{1}) << "a few missing pages do not unplace it";
}

TEST_F(PageHomesTest, UnmappedMemoryIsUnknownAndNotAskedAboutEachTime) {
  const PageHome answer = homes.find(100 * page, block);
  EXPECT_FALSE(answer.domain.valid());
  EXPECT_FALSE(answer.unplaced);
  use(100, 50);
  EXPECT_EQ(fake.calls(), 1U);
  fake.put(100, block_pages, 1);
  use(100, 64);
  EXPECT_EQ(home(100), DomainId{1}) << "it is noticed when something is mapped there";
}

TEST_F(PageHomesTest, StatusesThatAreNoAnswerAreNotCounted) {
  fake.put(0, 10, -EACCES);
  fake.put(10, 2, 3);
  fake.put(12, 4, -EBUSY);
  EXPECT_EQ(home(0, Bytes{16 * page}), DomainId{3});
}

TEST_F(PageHomesTest, StatusesThatTheKernelDidNotWriteAreNotCounted) {
  fake.put(0, 4, 1);
  fake.put(4, 12, 2);
  fake.write_only(4);
  EXPECT_EQ(home(0, Bytes{16 * page}), DomainId{1});
  fake.write_only(0);
  fake.put(1000, 16, 1);
  EXPECT_FALSE(home(1000, Bytes{16 * page}).valid());
}

TEST_F(PageHomesTest, ANodeWithoutDomainIsUnknown) {
  fake.put(100, block_pages, 77);
  const PageHome answer = homes.find(100 * page, block);
  EXPECT_FALSE(answer.domain.valid());
  EXPECT_FALSE(answer.unplaced);
}

TEST_F(PageHomesTest, SurvivesAnyAddressAndLength) {
  const std::uintptr_t addresses[] = {0, 1, page - 1, UINTPTR_MAX - page, UINTPTR_MAX};
  const std::uint64_t lengths[] = {0, 1, page, std::uint64_t{1} << 48U, UINT64_MAX};
  for (const std::uintptr_t address : addresses) {
    for (const std::uint64_t length : lengths) {
      EXPECT_FALSE(homes.find(address, Bytes{length}).domain.valid());
      homes.assume(address, Bytes{length}, DomainId{2});
      EXPECT_EQ(homes.find(address, Bytes{length}).domain, DomainId{2});
      homes.forget(address, Bytes{length});
      EXPECT_FALSE(homes.find(address, Bytes{length}).domain.valid());
    }
  }
}

TEST_F(PageHomesTest, ChecksMoreRarelyAsAHomeProvesRight) {
  fake.put(100, block_pages, 2);
  use(100, 1);
  std::uint64_t calls = 1;
  for (const int interval : {64, 256, 1024, 4096, 16384, 16384}) {
    use(100, interval - 1);
    EXPECT_EQ(fake.calls(), calls) << interval;
    use(100, 1);
    EXPECT_EQ(fake.calls(), ++calls) << interval;
  }
}

TEST_F(PageHomesTest, FollowsPagesThatMoved) {
  fake.put(100, block_pages, 0);
  use(100, 1);
  fake.put(100, block_pages, 3);
  use(100, 63);
  EXPECT_EQ(home(100), DomainId{3}) << "the 64th use after the first asks again";
  fake.put(100, block_pages, 1);
  use(100, 63);
  EXPECT_EQ(home(100), DomainId{1}) << "a home that proved wrong is checked soon again";
}

TEST_F(PageHomesTest, AWrongHomeMakesItsNeighboursBeCheckedAtTheirNextUseAndOnlyOnce) {
  constexpr std::uint64_t blocks = 50;
  const auto first = [](std::uint64_t i) { return 8192 + i * block_pages; };
  fake.put(8192, blocks * block_pages, 0);
  for (std::uint64_t i = 0; i < blocks; ++i) use(first(i), 1 + 64 + 256);  // the next: after 1024
  fake.put(8192, blocks * block_pages, 2);
  use(first(0), 1024);
  const std::uint64_t calls = fake.calls();
  for (std::uint64_t i = 1; i < blocks; ++i) EXPECT_EQ(home(first(i)), DomainId{2}) << i;
  EXPECT_EQ(fake.calls(), calls + blocks - 1);
  for (std::uint64_t i = 0; i < blocks; ++i) EXPECT_EQ(home(first(i)), DomainId{2}) << i;
  EXPECT_EQ(fake.calls(), calls + blocks - 1) << "what was just checked is trusted";
}

TEST_F(PageHomesTest, AWrongHomeLeavesFarMemoryAlone) {
  const std::uint64_t far = (std::uint64_t{1} << 30U) / page;
  fake.put(0, block_pages, 0);
  fake.put(far, block_pages, 1);
  use(0, 1);
  use(far, 1);
  fake.put(0, block_pages, 3);
  use(0, 64);
  const std::uint64_t calls = fake.calls();
  use(far, 1);
  EXPECT_EQ(fake.calls(), calls);
}

TEST_F(PageHomesTest, MemoryThatWasFreedAndMappedAnewIsNoticed) {
  fake.put(100, block_pages, 1);
  use(100, 1);
  fake.put(100, block_pages, not_present);
  use(100, 63);
  EXPECT_TRUE(homes.find(100 * page, block).unplaced);
  fake.put(100, block_pages, 2);
  EXPECT_EQ(home(100), DomainId{2});
}

TEST_F(PageHomesTest, ForgottenMemoryIsAskedAboutAtOnce) {
  fake.put(100, block_pages, 1);
  use(100, 1);
  homes.forget(100 * page, block);
  fake.put(100, block_pages, 2);
  EXPECT_EQ(home(100), DomainId{2});
}

TEST_F(PageHomesTest, ForgettingAWholeAreaForgetsTheBlocksInIt) {
  constexpr std::uint64_t area = 8192;  // pages in 32 MiB
  fake.put(area, area, 1);
  use(area + 640, 1);
  homes.forget(area * page, Bytes{area * page});
  fake.put(area, area, 2);
  EXPECT_EQ(home(area + 640), DomainId{2});
}

TEST_F(PageHomesTest, AnAssumedHomeIsVerifiedAtTheNextUse) {
  fake.put(100, block_pages, not_present);
  ASSERT_TRUE(homes.find(100 * page, block).unplaced);
  homes.assume(100 * page, block, DomainId{3});
  const std::uint64_t calls = fake.calls();
  fake.put(100, block_pages, 1);  // the task was stolen and touched it elsewhere
  EXPECT_EQ(home(100), DomainId{1});
  EXPECT_EQ(fake.calls(), calls + 1);
  EXPECT_EQ(home(100), DomainId{1});
  EXPECT_EQ(fake.calls(), calls + 1) << "verified once, then known as any other";
}

TEST_F(PageHomesTest, AnAssumedHomeHoldsAsLongAsThereAreNoPages) {
  fake.put(100, block_pages, not_present);
  homes.assume(100 * page, block, DomainId{3});
  for (int i = 0; i < 127; ++i) {
    const PageHome answer = homes.find(100 * page, block);
    EXPECT_EQ(answer.domain, DomainId{3});
    EXPECT_FALSE(answer.unplaced);
  }
  EXPECT_EQ(fake.calls(), 7U) << "at uses 1, 3, 7, 15, 31, 63, 127";
  fake.put(100, block_pages, 1);
  use(100, 64);
  EXPECT_EQ(home(100), DomainId{1});
}

TEST_F(PageHomesTest, CountsUsesBySampleUnlessToldOtherwise) {
  PageHomesOptions options = exact();
  options.count_every = 8;
  PageHomes sampled(four_nodes(), fake.kernel(), options);
  fake.put(100, block_pages, 0);
  sampled.find(100 * page, block);
  fake.put(100, block_pages, 3);
  int uses = 0;
  while (sampled.find(100 * page, block).domain != DomainId{3} && uses < 640) ++uses;
  EXPECT_GE(uses, 7) << "eight samples take at least as many uses";
  EXPECT_LT(uses, 640) << "ten times the interval";
}

TEST_F(PageHomesTest, ASmallTableForgetsButDoesNotLie) {
  PageHomesOptions options = exact();
  options.table_bits = 4;
  PageHomes small(four_nodes(), fake.kernel(), options);
  Random random(7);
  for (std::uint64_t i = 0; i < 500; ++i) {
    fake.put(i * block_pages, block_pages, static_cast<int>(i % 4));
  }
  for (int step = 0; step < 5000; ++step) {
    const std::uint64_t i = random.below(500);
    ASSERT_EQ(small.find(i * block_pages * page, block).domain, DomainId{i % 4});
  }
}

TEST(PageHomesErrors, ARefusalIsFinalAndEveryOtherErrorIsNot) {
  for (int error = 1; error < 134; ++error) {
    const FakeKernel fake;
    PageHomes homes(four_nodes(), fake.kernel(), exact());
    fake.put(0, 10 * block_pages, 1);
    fake.fail_with(error);
    for (std::uint64_t i = 0; i < 10; ++i) {
      const PageHome answer = homes.find(i * block_pages * page, block);
      EXPECT_FALSE(answer.domain.valid()) << error;
      EXPECT_FALSE(answer.unplaced) << error;
    }
    const bool refusal = error == EPERM || error == EACCES || error == ENOSYS;
    EXPECT_EQ(homes.refused(), refusal ? error : 0);
    EXPECT_EQ(fake.calls(), refusal ? 1U : 10U) << error;
    fake.fail_with(0);
    homes.find(999 * block_pages * page, block);
    EXPECT_EQ(fake.calls(), refusal ? 1U : 11U) << error;
  }
}

TEST(PageHomesErrors, ARefusalInTheMiddleEndsTheCache) {
  const FakeKernel fake;
  PageHomes homes(four_nodes(), fake.kernel(), exact());
  fake.put(0, block_pages, 1);
  EXPECT_EQ(homes.find(0, block).domain, DomainId{1});
  fake.fail_with(EPERM);
  homes.find(block_pages * page, block);
  EXPECT_EQ(homes.refused(), EPERM);
  EXPECT_FALSE(homes.find(0, block).domain.valid()) << "nothing would correct it any more";
  homes.assume(0, block, DomainId{2});
  EXPECT_FALSE(homes.find(0, block).domain.valid());
}

TEST(PageHomesErrors, TheSentenceNamesTheErrorAndTheRemedyAndFitsANote) {
  for (const int error : {EPERM, EACCES, ENOSYS}) {
    char text[252];
    describe_refusal(error, text);
    const std::string sentence = text;
    EXPECT_LT(sentence.size(), sizeof text - 1) << "not cut";
    EXPECT_NE(sentence.find("move_pages is refused (E"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("remedy: "), std::string::npos) << sentence;
  }
  char tiny[10];
  describe_refusal(EPERM, tiny);
  EXPECT_EQ(std::string(tiny), "move_page");
}

/// Pages of this process, as the real kernel sees them.
class RealPages : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 64 * page;
  RealPages()
      : memory(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~RealPages() override { munmap(memory, bytes); }
  [[nodiscard]] std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(memory); }

  void* memory;
  // Every node is one domain, so the test holds wherever the pages land.
  PageHomes homes{std::vector<DomainId>(64, DomainId{5}), real_calls(), {}};
};

TEST_F(RealPages, AreUnplacedUntilTouchedAndThenHaveAHome) {
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  errno = ERANGE;
  const PageHome before = homes.find(address(), Bytes{bytes});
  EXPECT_EQ(errno, ERANGE) << "the program's errno is its own";
  if (homes.refused() != 0) {
    EXPECT_FALSE(before.domain.valid());
    EXPECT_TRUE(is_refusal(homes.refused()));
    return;
  }
  EXPECT_TRUE(before.unplaced);
  for (std::size_t i = 0; i < bytes; i += page) static_cast<volatile char*>(memory)[i] = 1;
  EXPECT_EQ(homes.find(address(), Bytes{bytes}).domain, DomainId{5});
  madvise(memory, bytes, MADV_DONTNEED);
  homes.forget(address(), Bytes{bytes});
  EXPECT_TRUE(homes.find(address(), Bytes{bytes}).unplaced);
}

TEST_F(RealPages, AnAddressOfNobodyIsUnknown) {
  errno = ERANGE;
  const PageHome answer = homes.find(64, Bytes{8});
  EXPECT_FALSE(answer.domain.valid());
  EXPECT_FALSE(answer.unplaced);
  EXPECT_EQ(errno, ERANGE);
}

}  // namespace
}  // namespace lares::memory
