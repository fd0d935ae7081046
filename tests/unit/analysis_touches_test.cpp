// The file of touches: runs of pages, and what is read of any bytes.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "analysis/touches_file.hpp"

namespace lares::analysis {
namespace {

constexpr std::uint16_t base_shift = 12;

memory::PageTouch touch(std::uint64_t page, std::int64_t at = 0, std::uint32_t thread = 9,
                        int cpu = 0) {
  return {{at}, page * 4096 + 17, {4096}, 7, thread, OsCpu(cpu)};
}

TEST(TouchRuns, PutNeighboursTogether) {
  TouchRuns runs(base_shift);
  for (std::uint64_t page = 10; page < 15; ++page) EXPECT_FALSE(runs.add(touch(page), 1));
  const auto open = runs.take_open();
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].address, 10U * 4096);
  EXPECT_EQ(open[0].pages, 5U);
  EXPECT_EQ(open[0].bytes(), 5U * 4096);
  EXPECT_EQ(open[0].domain, 1);
  EXPECT_TRUE(runs.take_open().empty());
}

TEST(TouchRuns, EndWhereAnythingIsAnother) {
  const std::vector<std::pair<memory::PageTouch, std::uint16_t>> others = {
      {touch(12), 1},             // a gap
      {touch(11, 2'000'000), 1},  // later
      {touch(11, 0, 10), 1},      // another thread
      {touch(11), 2},             // another domain
      {touch(10), 1},             // the same page
  };
  for (const auto& [other, domain] : others) {
    TouchRuns runs(base_shift);
    EXPECT_FALSE(runs.add(touch(10), 1));
    const auto ended = runs.add(other, domain);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->pages, 1U);
    EXPECT_EQ(ended->address, 10U * 4096);
  }
}

TEST(TouchRuns, OfHardwareThreadsAreApart) {
  TouchRuns runs(base_shift);
  for (std::uint64_t page = 0; page < 8; ++page) {
    EXPECT_FALSE(runs.add(touch(page, 0, 1, 0), 0));
    EXPECT_FALSE(runs.add(touch(100 + page, 0, 2, 1), 1));
  }
  const auto open = runs.take_open();
  ASSERT_EQ(open.size(), 2U);
  EXPECT_EQ(open[0].pages, 8U);
  EXPECT_EQ(open[1].pages, 8U);
}

TEST(TouchRuns, TakeTheSizeOfThePageWhereItIsTold) {
  TouchRuns runs(base_shift);
  memory::PageTouch huge = touch(0);
  huge.address = (std::uint64_t{1} << 30U) + 12345;
  huge.page = {std::uint64_t{1} << 21U};
  EXPECT_FALSE(runs.add(huge, 0));
  memory::PageTouch untold = touch(5);
  untold.page = {0};
  EXPECT_EQ(runs.add(untold, 0)->bytes(), std::uint64_t{1} << 21U);
  EXPECT_EQ(runs.take_open()[0].bytes(), 4096U);
}

std::vector<std::byte> file(const std::vector<TouchRun>& runs, const TouchesHead& head = {}) {
  std::vector<std::byte> bytes(sizeof(head) + runs.size() * sizeof(TouchRun));
  std::memcpy(bytes.data(), &head, sizeof(head));
  if (!runs.empty()) {
    std::memcpy(bytes.data() + sizeof(head), runs.data(), runs.size() * sizeof(TouchRun));
  }
  return bytes;
}

constexpr TouchRun some_run = {100, 0x10000, 7, 9, 3, 1, 12};

TEST(TouchesFile, IsReadBack) {
  TouchesHead head;
  head.lost = 4;
  head.over_limit = 5;
  head.sees_system_calls = 1;
  const auto touches = parse_touches(file({some_run, some_run}, head));
  ASSERT_TRUE(touches.ok());
  EXPECT_EQ(touches.value().head.lost, 4U);
  EXPECT_EQ(touches.value().head.over_limit, 5U);
  ASSERT_EQ(touches.value().runs.size(), 2U);
  EXPECT_EQ(touches.value().runs[1].end(), 0x13000U);
}

TEST(TouchesFile, ThatEndsInsideOfARunHasThoseBefore) {
  auto bytes = file({some_run, some_run});
  bytes.resize(bytes.size() - 1);
  EXPECT_EQ(parse_touches(bytes).value().runs.size(), 1U);
}

TEST(TouchesFile, OfAnotherKindIsRefusedWithASentence) {
  EXPECT_EQ(parse_touches({}).error().sentence, "it is truncated");
  TouchesHead head;
  head.magic = 1;
  EXPECT_NE(parse_touches(file({}, head)).error().sentence.find("mark"), std::string::npos);
  head.magic = TouchesHead::expected_magic + (std::uint64_t{1} << 56U);
  EXPECT_NE(parse_touches(file({}, head)).error().sentence.find("another version"),
            std::string::npos);
}

TEST(TouchesFile, LeavesOutRunsThatCannotBe) {
  std::vector<TouchRun> runs(7, some_run);
  runs[0].pages = 0;
  runs[1].page_shift = 60;
  runs[2].address = ~std::uint64_t{0};
  runs[3].begin_ns = ~std::uint64_t{0};
  // Beyond what a program has, and beyond what 64 bits hold.
  runs[4].address = (std::uint64_t{1} << 48U) - 4096;
  runs[4].pages = 2;
  runs[5].pages = 0xFFFFFFFF;
  runs[5].page_shift = 34;
  const auto touches = parse_touches(file(runs));
  ASSERT_EQ(touches.value().runs.size(), 1U);
}

}  // namespace
}  // namespace lares::analysis
