// Which pages a thread has come to first.
#include "memory/new_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/sanitized.hpp"

namespace lares::memory {
namespace {

constexpr std::size_t page = 4096;

/// ThreadSanitizer touches several pages of its own for each new one.
class NewPagesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (under_tsan) GTEST_SKIP() << "a sanitizer's own pages are new as well";
  }
};

/// Fresh memory, without huge pages.
class Fresh {
 public:
  explicit Fresh(std::size_t pages)
      : bytes_(pages * page),
        data_(static_cast<char*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    madvise(data_, bytes_, MADV_NOHUGEPAGE);
  }
  ~Fresh() { munmap(data_, bytes_); }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
  void touch(std::size_t at) { data_[at * page] = 1; }
  [[nodiscard]] std::uintptr_t address(std::size_t at) const {
    return reinterpret_cast<std::uintptr_t>(data_) + at * page;
  }

 private:
  std::size_t bytes_;
  char* data_;
};

TEST_F(NewPagesTest, AreTheFirstToTheLastTouchedSinceTheLastLook) {
  Fresh memory(1024);
  for (std::size_t i = 0; i < 100; ++i) memory.touch(i);
  NewPages pages(real_calls(), real_maps(), Bytes{page});
  EXPECT_TRUE(pages.can_look());
  pages.look();
  for (std::size_t i = 300; i < 500; i += 2) memory.touch(i);
  const NewPages::Found found = pages.look();
  EXPECT_EQ(found.begin, memory.address(300));
  EXPECT_EQ(found.end, memory.address(499));
  EXPECT_EQ(found.pages, 100U);
}

TEST_F(NewPagesTest, AllAreToldAlsoThoseThatLieApart) {
  Fresh memory(1024);
  NewPages pages(real_calls(), real_maps(), Bytes{page});
  pages.look();
  std::vector<std::uintptr_t> touched;
  for (const std::size_t at : {3U, 4U, 500U, 900U, 901U}) {
    memory.touch(at);
    touched.push_back(memory.address(at));
  }
  pages.look();
  const auto all = pages.all_found();
  EXPECT_TRUE(std::ranges::includes(all, touched));
  EXPECT_TRUE(std::ranges::is_sorted(all));
  pages.look();
  EXPECT_FALSE(std::ranges::includes(pages.all_found(), touched)) << "of the last look alone";
}

TEST_F(NewPagesTest, AreNoneWhereNothingWasTouchedForTheFirstTime) {
  Fresh memory(1024);
  for (std::size_t i = 0; i < 1024; ++i) memory.touch(i);
  NewPages pages(real_calls(), real_maps(), Bytes{page});
  pages.look();
  for (std::size_t i = 0; i < 1024; ++i) memory.touch(i);
  EXPECT_LT(pages.look().pages, 16U);  // what else the process does
}

// As two arrays that lie in one mapping, or in two.
TEST_F(NewPagesTest, AreThoseOfTheArrayThatHasMost) {
  Fresh memory(4096);
  NewPages pages(real_calls(), real_maps(), Bytes{page});
  pages.look();
  for (std::size_t i = 0; i < 60; i += 3) memory.touch(i);
  for (std::size_t i = 2000; i < 2600; i += 3) memory.touch(i);
  for (std::size_t i = 3800; i < 3900; i += 3) memory.touch(i);
  const NewPages::Found found = pages.look();
  EXPECT_EQ(found.pages, 200U);
  EXPECT_EQ(found.begin, memory.address(2000));
  EXPECT_EQ(found.end, memory.address(2598));
}

TEST_F(NewPagesTest, AreNotLookedForInWhatIsLargerThanThat) {
  const std::size_t bytes = NewPages::most_pages * page + page;
  void* const huge = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (huge == MAP_FAILED) GTEST_SKIP() << "no room for so much";
  madvise(huge, bytes, MADV_NOHUGEPAGE);
  NewPages pages(real_calls(), real_maps(), Bytes{page});
  pages.look();
  for (std::size_t i = 0; i < 100; ++i) static_cast<char*>(huge)[i * page] = 1;
  EXPECT_LT(pages.look().pages, 100U);
  munmap(huge, bytes);
}

TEST_F(NewPagesTest, AreLookedForInOneMappingIfThatIsWished) {
  constexpr std::size_t part = 512 * page;
  void* const all = mmap(nullptr, 3 * part, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(all, MAP_FAILED);
  char* const one = static_cast<char*>(all);
  char* const other = one + 2 * part;
  for (char* const each : {one, other}) {
    ASSERT_EQ(mprotect(each, part, PROT_READ | PROT_WRITE), 0);
    madvise(each, part, MADV_NOHUGEPAGE);
  }
  NewPages pages(real_calls(), real_maps(), Bytes{page});
  pages.look();
  for (std::size_t i = 0; i < 100; ++i) one[i * page] = 1;
  pages.look();
  pages.stay_where_most_was_found();
  for (std::size_t i = 0; i < 200; ++i) other[i * page] = 1;
  for (std::size_t i = 200; i < 250; ++i) one[i * page] = 1;
  const NewPages::Found found = pages.look();
  EXPECT_EQ(found.begin, reinterpret_cast<std::uintptr_t>(one) + 200 * page);
  EXPECT_EQ(found.pages, 50U);
  munmap(all, 3 * part);
}

TEST_F(NewPagesTest, GoOnWhereMemoryIsGone) {
  Fresh stays(512);
  auto* const goes = new Fresh(512);
  NewPages pages(real_calls(), real_maps(), Bytes{page});
  pages.look();
  delete goes;
  for (std::size_t i = 0; i < 200; ++i) stays.touch(i);
  EXPECT_GE(pages.look().pages, 200U);
}

}  // namespace
}  // namespace lares::memory
