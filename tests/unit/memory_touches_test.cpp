// Touches of pages: what is read of the kernel's rings, whatever stands in them, and what is asked
// of the kernel.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "memory/touches/page_faults.hpp"
#include "memory/touches/perf_ring.hpp"

namespace lares::memory {
namespace {

constexpr std::uint32_t lost_samples = 13;

/// What came out of a ring.
struct Reading {
  std::vector<PageTouch> touches;
  std::uint64_t lost = 0;
  std::uint64_t passed_over = 0;
  bool is_damaged = false;
};

Reading read(std::span<const std::byte> ring, std::uint64_t tail, std::uint64_t head) {
  PerfRing records(ring, tail, head);
  Reading reading;
  while (const auto touch = records.next()) reading.touches.push_back(*touch);
  reading.lost = records.lost();
  reading.passed_over = records.passed_over();
  reading.is_damaged = records.is_damaged();
  return reading;
}

/// A ring as the kernel fills it, from a position on.
class FilledRing {
 public:
  explicit FilledRing(std::size_t bytes, std::uint64_t from = 0)
      : bytes_(bytes), tail_(from), head_(from) {}

  /// A record of so many words behind its header.
  FilledRing& record(std::uint32_t type, const std::vector<std::uint64_t>& words) {
    return raw(type, static_cast<std::uint16_t>(8 + words.size() * 8), words);
  }
  FilledRing& raw(std::uint32_t type, std::uint16_t size, const std::vector<std::uint64_t>& words) {
    const perf_event_header header{type, 0, size};
    put(&header, sizeof(header));
    put(words.data(), words.size() * sizeof(std::uint64_t));
    return *this;
  }
  FilledRing& touch(std::uint64_t address, std::uint64_t thread = 9, std::uint64_t at = 100) {
    return record(PERF_RECORD_SAMPLE, {7 | thread << 32U, at, address, 3, 4096});
  }
  [[nodiscard]] Reading read() const { return memory::read(bytes_, tail_, head_); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t head() const { return head_; }

 private:
  void put(const void* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bytes_[head_++ % bytes_.size()] = static_cast<const std::byte*>(from)[i];
    }
  }
  std::vector<std::byte> bytes_;
  std::uint64_t tail_;
  std::uint64_t head_;
};

TEST(PerfRing, TellsWhoTouchedWhatWhereAndWhen) {
  const Reading reading = FilledRing(4096).touch(0x7f0000001234, 11, 1234567).read();
  ASSERT_EQ(reading.touches.size(), 1U);
  const PageTouch& touch = reading.touches[0];
  EXPECT_EQ(touch.address, 0x7f0000001234U);
  EXPECT_EQ(touch.process, 7U);
  EXPECT_EQ(touch.thread, 11U);
  EXPECT_EQ(touch.at.count, 1234567);
  EXPECT_EQ(touch.cpu.value(), 3);
  EXPECT_EQ(touch.page.count, 4096U);
  EXPECT_FALSE(reading.is_damaged);
}

TEST(PerfRing, ThatIsEmptyHasNone) {
  const Reading reading = FilledRing(4096, 12345 * 8).read();
  EXPECT_TRUE(reading.touches.empty());
  EXPECT_FALSE(reading.is_damaged);
}

TEST(PerfRing, GoesOnAtItsBegin) {
  // At every offset at which a record can be cut by the ring's end.
  for (std::uint64_t from = 4096 - 96; from < 4096 + 8; from += 8) {
    const Reading reading = FilledRing(4096, from).touch(0x1000).touch(0x2000).read();
    ASSERT_EQ(reading.touches.size(), 2U) << from;
    EXPECT_EQ(reading.touches[0].address, 0x1000U);
    EXPECT_EQ(reading.touches[1].address, 0x2000U);
    EXPECT_FALSE(reading.is_damaged);
  }
}

TEST(PerfRing, MayBeFullToTheLastByte) {
  FilledRing filled(4096, 40);  // 85 touches and a record of 16 bytes
  for (int i = 0; i < 85; ++i) filled.touch(0x1000U * static_cast<unsigned>(i));
  filled.record(99, {0});
  EXPECT_EQ(filled.head() - 40, filled.bytes().size());
  EXPECT_EQ(filled.read().touches.size(), 85U);
  EXPECT_FALSE(filled.read().is_damaged);
}

TEST(PerfRing, CountsWhatTheKernelLost) {
  const Reading reading = FilledRing(4096)
                              .record(PERF_RECORD_LOST, {1, 40})
                              .touch(0x1000)
                              .record(lost_samples, {2})
                              .read();
  EXPECT_EQ(reading.touches.size(), 1U);
  EXPECT_EQ(reading.lost, 42U);
  EXPECT_EQ(reading.passed_over, 0U);
}

TEST(PerfRing, PassesOverWhatItDoesNotKnow) {
  const Reading reading = FilledRing(4096)
                              .record(77, {1, 2, 3})
                              .touch(0x1000)
                              .record(PERF_RECORD_LOST, {1})       // too short to say how many
                              .record(PERF_RECORD_SAMPLE, {1, 2})  // too short for a touch
                              .touch(0xffffffff81000000)           // the kernel's own memory
                              .read();
  EXPECT_EQ(reading.touches.size(), 1U);
  EXPECT_EQ(reading.passed_over, 4U);
  EXPECT_EQ(reading.lost, 0U);
  EXPECT_FALSE(reading.is_damaged);
}

TEST(PerfRing, TakesTouchesWithoutTheSizeOfThePage) {
  const Reading reading =
      FilledRing(4096).record(PERF_RECORD_SAMPLE, {7 | 9ULL << 32U, 5, 0x5000, 1}).read();
  ASSERT_EQ(reading.touches.size(), 1U);
  EXPECT_EQ(reading.touches[0].page.count, 0U);
  EXPECT_EQ(reading.touches[0].address, 0x5000U);
}

TEST(PerfRing, EndsAtARecordThatCannotBe) {
  for (const std::uint16_t size : std::array<std::uint16_t, 3>{0, 4, 7}) {
    const Reading reading =
        FilledRing(4096).touch(0x1000).raw(PERF_RECORD_SAMPLE, size, {1, 2}).read();
    EXPECT_EQ(reading.touches.size(), 1U) << size;
    EXPECT_TRUE(reading.is_damaged);
  }
  const Reading longer =
      FilledRing(4096).touch(0x1000).raw(PERF_RECORD_SAMPLE, 48, {1, 2, 3}).read();
  EXPECT_EQ(longer.touches.size(), 1U);
  EXPECT_TRUE(longer.is_damaged);
}

TEST(PerfRing, EndsWhereOnlyPartOfAHeaderIsThere) {
  const FilledRing filled = FilledRing(4096).touch(0x1000);
  const Reading reading = read(filled.bytes(), 0, filled.head() + 4);
  EXPECT_EQ(reading.touches.size(), 1U);
  EXPECT_TRUE(reading.is_damaged);
}

TEST(PerfRing, WhosePositionsCannotBeHasNone) {
  const FilledRing filled = FilledRing(4096).touch(0x1000);
  for (const auto& [tail, head] : {std::pair<std::uint64_t, std::uint64_t>{0, 4097}, {8, 0}}) {
    const Reading reading = read(filled.bytes(), tail, head);
    EXPECT_TRUE(reading.touches.empty());
    EXPECT_TRUE(reading.is_damaged);
  }
  EXPECT_TRUE(read(std::span(filled.bytes()).first(4000), 0, 48).touches.empty());
  EXPECT_TRUE(read({}, 0, 0).touches.empty());
}

TEST(PerfRing, ReadsAnyBytesToAnEnd) {
  std::mt19937_64 random(16);
  std::vector<std::byte> bytes(1024);
  for (int i = 0; i < 20'000; ++i) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 64);
    const std::uint64_t tail = random();
    ASSERT_LE(read(bytes, tail, tail + random() % 1200).touches.size(), 1200U / 40);
  }
}

/// Plays a kernel; plain functions, so its state is one for all tests.
struct FakeKernel {
  long forbids_kernel = 0;  ///< what it answers to who wants to see system calls
  long forbids_all = 0;     ///< what it answers to everybody
  bool knows_page_size = true;
  std::size_t most_bytes = ~std::size_t{0};  ///< of a ring's mapping
  std::set<int> off;                         ///< hardware threads
  int opened = 0, closed = 0, unmapped = 0;
  std::vector<std::vector<std::uint64_t>> rings;

  static FakeKernel& it() {
    static FakeKernel kernel;
    return kernel;
  }
};

constexpr FaultCalls fake = {
    [](const perf_event_attr& wanted, int cpu) noexcept {
      FakeKernel& kernel = FakeKernel::it();
      if (kernel.off.contains(cpu)) return long{-ENODEV};
      if (kernel.forbids_all != 0) return kernel.forbids_all;
      if (kernel.forbids_kernel != 0 && wanted.exclude_kernel == 0) return kernel.forbids_kernel;
      if (!kernel.knows_page_size && (wanted.sample_type & sample_page_size) != 0) {
        return long{-EINVAL};
      }
      return long{100 + kernel.opened++};
    },
    [](int, std::size_t bytes) noexcept {
      FakeKernel& kernel = FakeKernel::it();
      if (bytes > kernel.most_bytes) return long{-EPERM};
      kernel.rings.emplace_back(bytes / sizeof(std::uint64_t));
      return reinterpret_cast<long>(kernel.rings.back().data());
    },
    [](void*, std::size_t) noexcept { return long{++FakeKernel::it().unmapped}; },
    [](int) noexcept { return long{++FakeKernel::it().closed}; }, []() noexcept { return 4L; }};

class PageFaultsOfAFakeKernel : public testing::Test {
 protected:
  void SetUp() override {
    kernel() = FakeKernel();
    kernel().rings.reserve(16);
  }
  static FakeKernel& kernel() { return FakeKernel::it(); }
};

TEST_F(PageFaultsOfAFakeKernel, KeepNoDescriptorAndUnmapTheirRings) {
  kernel().off = {1};
  {
    const auto faults = PageFaults::open(fake);
    ASSERT_TRUE(faults.ok());
    EXPECT_TRUE(faults.value().sees_system_calls());
    EXPECT_EQ(kernel().opened, 3);
    EXPECT_EQ(kernel().closed, 3);
    EXPECT_EQ(kernel().unmapped, 0);
  }
  EXPECT_EQ(kernel().unmapped, 3);
}

TEST_F(PageFaultsOfAFakeKernel, AskForLessWhereTheKernelIsForbidden) {
  kernel().forbids_kernel = -EACCES;
  kernel().knows_page_size = false;
  const auto faults = PageFaults::open(fake);
  ASSERT_TRUE(faults.ok());
  EXPECT_FALSE(faults.value().sees_system_calls());
  EXPECT_EQ(kernel().opened, 4);
}

TEST_F(PageFaultsOfAFakeKernel, SayWhyTheyAreRefused) {
  for (const long answer : {-EACCES, -EPERM, -ENOSYS}) {
    kernel().forbids_all = answer;
    const auto faults = PageFaults::open(fake);
    ASSERT_FALSE(faults.ok());
    const std::string& sentence = faults.error().sentence;
    EXPECT_NE(sentence.find("perf_event_open"), std::string::npos);
    EXPECT_EQ(sentence.find("seccomp") != std::string::npos, answer != -ENOSYS) << sentence;
  }
  EXPECT_EQ(kernel().closed, kernel().opened);
}

TEST_F(PageFaultsOfAFakeKernel, TakeSmallerRingsWhereLargeOnesAreRefused) {
  kernel().most_bytes = 200 * 1024;
  EXPECT_TRUE(PageFaults::open(fake).ok());
  kernel().most_bytes = 100;
  EXPECT_FALSE(PageFaults::open(fake).ok());
  EXPECT_EQ(kernel().closed, kernel().opened);
}

TEST_F(PageFaultsOfAFakeKernel, ReadWhatCameSinceTheLastTime) {
  auto faults = PageFaults::open(fake);
  ASSERT_TRUE(faults.ok());
  auto* const page = reinterpret_cast<perf_event_mmap_page*>(kernel().rings[2].data());
  const FilledRing filled =
      FilledRing(4096).touch(0x1000).record(PERF_RECORD_LOST, {1, 5}).touch(0x2000);
  std::memcpy(reinterpret_cast<char*>(page) + sysconf(_SC_PAGESIZE), filled.bytes().data(), 4096);
  page->data_head = filled.head();
  std::vector<std::uintptr_t> seen;
  const auto see = [&seen](const PageTouch& touch) { seen.push_back(touch.address); };
  faults.value().drain(see);
  faults.value().drain(see);
  EXPECT_EQ(seen, (std::vector<std::uintptr_t>{0x1000, 0x2000}));
  EXPECT_EQ(faults.value().lost(), 5U);
  EXPECT_EQ(page->data_tail, page->data_head);
}

// The real kernel, if it lets us: a program that is started is seen, and this one is not.
TEST(PageFaults, OfAProgramThatIsStarted) {
  auto faults = PageFaults::open();
  if (!faults) GTEST_SKIP() << faults.error().sentence;
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(127);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  std::size_t of_child = 0;
  std::size_t of_others = 0;
  faults.value().drain([&](const PageTouch& touch) {
    ++(touch.process == static_cast<std::uint32_t>(child) ? of_child : of_others);
    EXPECT_GT(touch.at.count, 0);
    EXPECT_TRUE(touch.cpu.valid());
  });
  EXPECT_GT(of_child, 5U);
  EXPECT_EQ(of_others, 0U);
  EXPECT_EQ(faults.value().lost(), 0U);
}

}  // namespace
}  // namespace lares::memory
