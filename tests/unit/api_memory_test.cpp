// The public interface: what a program sees of it, and that its mistakes get a sentence.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <lares/memory.hpp>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory_resource>
#include <numeric>
#include <string>
#include <vector>

#include "support/sanitized.hpp"

namespace {

constexpr std::size_t page = 4096;

TEST(CApi, RowsThatAreLongerThanAnyRangeAreOne) {
  const std::array<std::size_t, 3> planes = {4, 16, 32};
  EXPECT_EQ(lares_blocked_rows(planes.data(), 3, 8).row, 16U * 32U * 8U);
  const std::array<std::size_t, 3> endless = {2, SIZE_MAX / 2, 4};
  EXPECT_EQ(lares_blocked_rows(endless.data(), 3, 8).row, SIZE_MAX);
}

TEST(CApi, EveryMistakeHasASentence) {
  EXPECT_EQ(lares_alloc(0, nullptr, 0), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_STREQ(lares_memory_error(), "the range is empty");
  const int nowhere = 12345;
  lares_distribution how{};
  how.kind = LARES_ON_DOMAIN;
  how.domains = &nowhere;
  how.domain_count = 1;
  EXPECT_EQ(lares_alloc(page, &how, 0), nullptr);
  EXPECT_EQ(std::string(lares_memory_error()).rfind("domain 12345 does not exist", 0), 0U);
  how.domain_count = 0;
  EXPECT_EQ(lares_alloc(page, &how, 0), nullptr);
  how.kind = LARES_LISTED;
  EXPECT_EQ(lares_alloc(page, &how, 0), nullptr);
  int local = 0;
  EXPECT_EQ(lares_free(&local), -1);
  EXPECT_EQ(lares_migrate(&local, sizeof(local), -1, nullptr), -1);
  EXPECT_EQ(lares_migrate_on_next_touch(&local, 0, 0, LARES_WAY_AUTOMATIC), -1);
  EXPECT_EQ(lares_domain_memory(-1, nullptr, nullptr), -1);
  EXPECT_LT(lares_cost_read(0, 9999, 100), 0);
}

TEST(CApi, TheLibraryStaysWhateverIsClosed) {
  if (lares::under_sanitizer) GTEST_SKIP() << "a sanitizer cannot be loaded twice";
  // Its threads and handlers are in it.
  Dl_info info;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&lares_alloc), &info), 0);
  const pid_t child = fork();
  if (child == 0) {
    // In a namespace of its own it is loaded anew, so that the close is the last one.
    void* const own = dlmopen(LM_ID_NEWLM, info.dli_fname, RTLD_NOW);
    if (own == nullptr) _exit(2);
    auto* const count = reinterpret_cast<int (*)()>(dlsym(own, "lares_domain_count"));
    const int before = count();
    dlclose(own);
    _exit(count() == before ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(CApi, FreedAndForeignMemoryIsNotOurs) {
  void* const memory = lares_alloc(3 * page, nullptr, 0);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(lares_size(memory), 3 * page);
  EXPECT_EQ(lares_register(memory, page), -1) << "overlaps";
  EXPECT_EQ(lares_free(memory), 0);
  EXPECT_EQ(lares_free(memory), -1);
  EXPECT_EQ(lares_size(memory), 0U);
  EXPECT_EQ(lares_free(nullptr), 0);
}

TEST(CApi, AskingMovingAndOwning) {
  ASSERT_GE(lares_domain_count(), 1);
  auto* const memory = static_cast<char*>(lares_alloc(8 * page, nullptr, 0));
  std::memset(memory, 5, 8 * page);
  lares_move_report report;
  EXPECT_EQ(lares_fetch(memory, 8 * page, &report), 0);
  EXPECT_EQ(report.in_place, 8U);
  std::vector<std::uint64_t> pages(static_cast<std::size_t>(lares_domain_count()));
  EXPECT_EQ(lares_homes(memory, 8 * page, pages.data(), pages.size(), nullptr, nullptr), 0);
  EXPECT_EQ(std::accumulate(pages.begin(), pages.end(), std::uint64_t{0}), 8U);
  std::array<int, 8> homes{};
  EXPECT_EQ(lares_page_homes(memory, 8 * page, homes.data(), homes.size()), 8U);
  EXPECT_EQ(lares_attach_thread(memory, 2 * page), 0);
  EXPECT_EQ(lares_owned(LARES_THREAD, gettid()), 2 * page);
  EXPECT_EQ(lares_free(memory), 0);
  EXPECT_EQ(lares_owned(LARES_THREAD, gettid()), 0U);
}

TEST(CApi, AForkBetweenMarkAndTouchLosesNothing) {
  auto* const memory = static_cast<unsigned char*>(lares_alloc(64 * page, nullptr, 0));
  for (std::size_t i = 0; i < 64 * page; ++i) memory[i] = static_cast<unsigned char>(i * 7);
  ASSERT_EQ(lares_migrate_on_next_touch(memory, 64 * page, 4 * page, LARES_WAY_AUTOMATIC), 0);
  const auto intact = [&] {
    for (std::size_t i = 0; i < 64 * page; ++i) {
      if (memory[i] != static_cast<unsigned char>(i * 7)) return false;
    }
    return true;
  };
  const pid_t child = fork();
  if (child == 0) _exit(intact() ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(intact());
  lares_free(memory);
}

TEST(CApi, MarkingSaysHowAndHowMuch) {
  auto* const memory = static_cast<unsigned char*>(lares_alloc(8 * page, nullptr, 0));
  memory[0] = 1;
  lares_mark_report report{};
  EXPECT_EQ(
      lares_migrate_on_next_touch_with_report(memory, 8 * page, page, LARES_WAY_AUTOMATIC, &report),
      -1)
      << "its size is not set";
  report.size = sizeof(report);
  for (const auto way : {LARES_WAY_AUTOMATIC, LARES_WAY_PROTECT}) {
    ASSERT_EQ(
        lares_migrate_on_next_touch_with_report(memory + 10, 8 * page - 20, page, way, &report), 0);
    EXPECT_NE(report.way, LARES_WAY_AUTOMATIC);
    EXPECT_EQ(report.system_calls_wait, report.way == LARES_WAY_USERFAULT_THREAD ? 1 : 0);
    EXPECT_EQ(report.bytes, 6 * page);
    EXPECT_EQ(report.left, 0U);
  }
  EXPECT_EQ(report.way, LARES_WAY_PROTECT);
  // Of a program that was built with an older, shorter one.
  report = {sizeof(report.size) + sizeof(report.way), LARES_WAY_AUTOMATIC, 5, 6, 7};
  ASSERT_EQ(
      lares_attach_on_next_touch_with_report(memory, 8 * page, page, LARES_WAY_PROTECT, &report),
      0);
  EXPECT_EQ(report.way, LARES_WAY_PROTECT);
  EXPECT_EQ(report.system_calls_wait, 5);
  EXPECT_EQ(lares_settle(memory, 8 * page), 0);
  EXPECT_EQ(memory[0], 1);
  lares_free(memory);
}

TEST(CApi, Costs) {
  EXPECT_GT(lares_cost_read(0, 0, 1 << 20), 0);
  EXPECT_GE(lares_cost_write(0, 0, 1 << 20), lares_cost_read(0, 0, 1 << 20));
  EXPECT_EQ(lares_cost_migrate(0, 0, 1 << 20), 0);
  EXPECT_TRUE(std::isinf(lares_break_even(1, 2, 2)));
  std::array<char, 200> text{};
  EXPECT_EQ(lares_migration_advice(0, 0, 1 << 20, text.data(), text.size()), 0);
  EXPECT_NE(std::string(text.data()).find("1 MiB"), std::string::npos);
}

TEST(CApi, CopiesEndWithTheirMemory) {
  auto* const table = static_cast<char*>(lares_alloc(2 * page, nullptr, 0));
  std::memset(table, 'a', 2 * page);
  const int made = lares_replicate(table, 2 * page);
  EXPECT_GE(made, 0);
  EXPECT_LT(made, lares_domain_count());
  table[page] = 'b';
  EXPECT_EQ(lares_refresh(table + page, 1), 0);
  EXPECT_EQ(*static_cast<const char*>(lares_local(table + page)), 'b');
  EXPECT_EQ(*static_cast<const char*>(lares_local(table)), 'a');
  EXPECT_EQ(lares_replicate(table + page, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_STREQ(lares_memory_error(), "a part of the range has copies already");
  EXPECT_EQ(lares_free(table), 0);
  EXPECT_EQ(lares_unreplicate(table), -1) << "lares_free has ended them";
  EXPECT_EQ(lares_local(&errno), &errno);
}

TEST(CppApi, ReplicasLastAsLongAsTheirObject) {
  std::vector<int> table(5000, 7);
  {
    lares::Replicas<int> copies(table);
    EXPECT_EQ(copies.local().size(), table.size());
    table[4999] = 8;
    copies.refresh();
    EXPECT_EQ(copies.local()[4999], 8);
    EXPECT_EQ(copies.local()[0], 7);
    EXPECT_THROW(lares::Replicas<int>{std::span<const int>(table).first(1)}, std::invalid_argument);
  }
  EXPECT_EQ(lares_unreplicate(table.data()), -1);
  EXPECT_THROW(lares::Replicas<int>{std::span<const int>()}, std::invalid_argument);
}

TEST(CppApi, ABlockOwnsItsMemory) {
  lares::Block<double> x(1000, lares::Placement::blocked(sizeof(double)));
  EXPECT_EQ(x.size(), 1000U);
  EXPECT_EQ(x[999], 0.0);
  x[999] = 3;
  const lares::Block<double> y = std::move(x);
  EXPECT_EQ(y[999], 3.0);
  EXPECT_EQ(x.data(), nullptr);  // NOLINT(bugprone-use-after-move): what a move leaves
}

TEST(CApi, FlagsThatAreNotForAllocationsAreMistakes) {
  EXPECT_EQ(lares_alloc(page, nullptr, LARES_MOVE), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_STREQ(lares_memory_error(),
               "flag 2 is not for allocations, accepted are LARES_HUGE_PAGES and LARES_STRICT");
  void* const strict = lares_alloc(page, nullptr, LARES_STRICT);
  EXPECT_NE(strict, nullptr);
  EXPECT_EQ(lares_free(strict), 0);
}

static_assert(std::is_nothrow_default_constructible_v<lares::Allocator<int>>);
static_assert(std::is_nothrow_copy_constructible_v<lares::Allocator<int>>);
static_assert(std::is_nothrow_constructible_v<lares::Allocator<long>, lares::Allocator<int>>);

TEST(CppApi, AnAllocatorForContainers) {
  std::vector<int, lares::Allocator<int>> v(10, 7, lares::Placement::interleaved());
  for (int i = 0; i < 10000; ++i) v.push_back(i);
  EXPECT_EQ(v[9], 7);
  EXPECT_EQ(v.back(), 9999);
  auto w = v;
  EXPECT_EQ(w, v);
  EXPECT_EQ(v.get_allocator().placement(), lares::Placement::interleaved());
}

TEST(CppApi, AResourceBehindAPool) {
  lares::MemoryResource pages(lares::Placement::on(0));
  std::pmr::unsynchronized_pool_resource pool(&pages);
  std::pmr::vector<std::pmr::string> words(&pool);
  for (int i = 0; i < 1000; ++i) words.emplace_back("a word that is too long for its object");
  EXPECT_EQ(words[999], words[0]);
  EXPECT_TRUE(pages.is_equal(lares::MemoryResource{}));
}

TEST(CppApi, MistakesAreExceptions) {
  EXPECT_THROW(lares::allocate(page, lares::Placement::on(9999)), std::invalid_argument);
  EXPECT_THROW(lares::Block<char>(SIZE_MAX / 2), std::bad_alloc);
  EXPECT_THROW(lares::Block<double>(SIZE_MAX / 2), std::bad_alloc);
}

}  // namespace
