// Memory that moves at its next touch: every way, and everything that may happen in between.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <thread>
#include <vector>

#include "memory/next_touch/next_touch.hpp"
#include "memory_area.hpp"
#include "memory_calls_fake.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

/// A way on this kernel, or on one that lacks what the way can do without.
struct Played {
  WantedWay way;
  bool old;
};

class NextTouchTest : public testing::TestWithParam<Played> {
 protected:
  void SetUp() override {
    TestArea probe(1);
    const Marked marked = next_touch_.mark(probe.address(), probe.length(), options());
    next_touch_.settle(probe.address(), probe.length());
    if (marked.error == EPERM || marked.error == ENOSYS) {
      GTEST_SKIP() << "the kernel refuses userfaultfd: " << strerror(marked.error);
    }
    ASSERT_EQ(marked.error, 0);
  }

  [[nodiscard]] NextTouchOptions options(std::uint64_t pages = 1) const {
    NextTouchOptions result;
    result.chunk = {pages * page};
    result.way = way();
    return result;
  }
  Marked mark(const TestArea& area, std::uint64_t pages = 1) {
    return next_touch_.mark(area.address(), area.length(), options(pages));
  }
  static void touch(const TestArea& area, std::size_t word) {
    const volatile std::uint64_t* const at = area.data() + word;
    static_cast<void>(*at);
  }
  /// Chunks that were fetched, once whoever fetches at this moment has counted it.
  [[nodiscard]] std::uint64_t fetched(const TestArea& area) {
    while (next_touch_.busy_chunks(area.address(), area.length()) > 0) sched_yield();
    return next_touch_.counts().chunks;
  }
  [[nodiscard]] static WantedWay way() { return GetParam().way; }
  [[nodiscard]] static bool system_calls_work() { return way() == WantedWay::userfault_thread; }

  const Nodes nodes_{machine_of_nodes({0})};
  NextTouch next_touch_{GetParam().old ? old_calls() : real_calls(), nodes_, Bytes{page},
                        GetParam().old ? old_maps() : real_maps()};
};

TEST_P(NextTouchTest, ReadingFetchesEachChunkOnce) {
  const TestArea area(32);
  ASSERT_EQ(mark(area, 4).bytes, area.length());
  EXPECT_TRUE(area.intact());
  EXPECT_EQ(fetched(area), 8U);
  EXPECT_FALSE(next_touch_.waits(area.address(), area.length()));
}

TEST_P(NextTouchTest, WritingKeepsTheRestOfTheChunk) {
  const TestArea area(16);
  ASSERT_EQ(mark(area, 16).error, 0);
  area.data()[700] = 42;
  EXPECT_EQ(fetched(area), 1U);
  EXPECT_EQ(area.data()[700], 42U);
  EXPECT_EQ(area.wrong(1, 0, 700), 700U);
  EXPECT_EQ(area.wrong(1, 701, area.words()), area.words());
}

TEST_P(NextTouchTest, OnlyTouchedChunksAreFetched) {
  const TestArea area(64);
  ASSERT_EQ(mark(area, 4).error, 0);
  EXPECT_EQ(area.data()[20 * words_per_page], TestArea::value(1, 20 * words_per_page));
  EXPECT_EQ(fetched(area), 1U);
  EXPECT_TRUE(next_touch_.waits(area.address(), area.length()));
  EXPECT_FALSE(next_touch_.waits(area.address() + 20 * page, {page}));
  EXPECT_TRUE(area.intact());
}

TEST_P(NextTouchTest, AWholeAreaMovesAsOne) {
  const TestArea area(100);
  NextTouchOptions whole = options();
  whole.chunk = {0};
  ASSERT_EQ(next_touch_.mark(area.address(), area.length(), whole).error, 0);
  EXPECT_TRUE(area.intact());
  EXPECT_EQ(fetched(area), 1U);
}

TEST_P(NextTouchTest, BytesOfOthersAtTheEndsAreLeftAlone) {
  const TestArea area(8);
  const Marked marked =
      next_touch_.mark(area.address() + 100, {area.length().count - 200}, options());
  EXPECT_EQ(marked.bytes.count, 6 * page);
  touch(area, 0);
  touch(area, area.words() - 1);
  EXPECT_EQ(fetched(area), 0U);
  EXPECT_TRUE(area.intact());
}

TEST_P(NextTouchTest, LessThanAPageIsNothing) {
  const TestArea area(2);
  const Marked marked = next_touch_.mark(area.address() + 100, {page}, options());
  EXPECT_EQ(marked.error, 0);
  EXPECT_EQ(marked.bytes.count, 0U);
  EXPECT_EQ(next_touch_.mark(area.address(), {0}, options()).bytes.count, 0U);
}

TEST_P(NextTouchTest, MarkingAgainBeginsAnew) {
  const TestArea area(16);
  ASSERT_EQ(mark(area, 4).error, 0);
  touch(area, 0);
  ASSERT_EQ(mark(area, 8).error, 0);
  EXPECT_TRUE(area.intact());
  EXPECT_EQ(fetched(area), 3U);
}

TEST_P(NextTouchTest, OverlappingMarksLoseNothing) {
  const TestArea area(32);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::uint64_t first = i * 7 % 24;
    ASSERT_EQ(next_touch_.mark(area.address() + first * page, {8 * page}, options(3)).error, 0);
    if (i % 3 == 0) touch(area, (first + 5) * words_per_page);
  }
  EXPECT_TRUE(area.intact());
}

TEST_P(NextTouchTest, PagesThatDoNotExistReadAsZeros) {
  const TestArea area(8);
  madvise(area.bytes() + 4 * page, 4 * page, MADV_DONTNEED);
  ASSERT_EQ(mark(area, 2).error, 0);
  EXPECT_EQ(area.wrong(1, 0, area.words()), 4 * words_per_page);
  for (std::size_t i = 4 * words_per_page; i < area.words(); ++i) ASSERT_EQ(area.data()[i], 0U);
}

TEST_P(NextTouchTest, SettlingNeedsNoTouch) {
  const TestArea area(16);
  ASSERT_EQ(mark(area).error, 0);
  next_touch_.settle(area.address(), area.length());
  EXPECT_FALSE(next_touch_.waits(area.address(), area.length()));
  EXPECT_TRUE(area.intact());
  EXPECT_EQ(fetched(area), 0U);
}

TEST_P(NextTouchTest, AnAreaOfManyMappings) {
  const TestArea area(32);
  // Another advice makes another mapping.
  for (std::size_t i = 0; i < 32; i += 5) madvise(area.bytes() + i * page, page, MADV_RANDOM);
  ASSERT_EQ(mark(area, 4).error, 0);
  EXPECT_TRUE(next_touch_.waits(area.address(), area.length()));
  EXPECT_TRUE(area.intact());
}

TEST_P(NextTouchTest, WhatIsNotDataIsRefused) {
  const TestArea area(8);
  mprotect(area.bytes() + 2 * page, page, PROT_READ);
  EXPECT_EQ(mark(area).error, EFAULT);
  EXPECT_TRUE(area.intact());
}

TEST_P(NextTouchTest, AHoleIsRefused) {
  TestArea area(8);
  area.will_have_holes();
  munmap(area.bytes() + 2 * page, page);
  EXPECT_EQ(mark(area).error, EFAULT);
  EXPECT_EQ(area.wrong(1, 0, 2 * words_per_page), 2 * words_per_page);
  EXPECT_EQ(area.wrong(1, 3 * words_per_page, area.words()), area.words());
}

TEST_P(NextTouchTest, ForkLosesNothingForParentAndChild) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts a thread";
#endif
#endif
  const TestArea area(64);
  ASSERT_EQ(mark(area, 4).error, 0);
  touch(area, 9);
  next_touch_.before_fork();
  const pid_t child = fork();
  if (child == 0) {
    next_touch_.after_fork_in_child();
    // The child may go on to mark by itself.
    const bool ok = area.intact() && mark(area, 4).error == 0 && area.intact();
    _exit(ok ? 0 : 1);
  }
  next_touch_.after_fork_in_parent();
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(area.intact());
  ASSERT_EQ(mark(area, 4).error, 0);
  EXPECT_TRUE(area.intact());
}

TEST_P(NextTouchTest, UnmappingAPartKeepsTheRest) {
  TestArea area(32);
  area.will_have_holes();
  ASSERT_EQ(mark(area, 8).error, 0);
  munmap(area.bytes() + 4 * page, 10 * page);
  EXPECT_EQ(area.wrong(1, 0, 4 * words_per_page), 4 * words_per_page);
  EXPECT_EQ(area.wrong(1, 14 * words_per_page, area.words()), area.words());
}

TEST_P(NextTouchTest, AFreshMappingInAnOldPlaceIsUntouched) {
  TestArea area(32);
  area.will_have_holes();
  ASSERT_EQ(mark(area, 8).error, 0);
  munmap(area.bytes(), area.length().count);
  void* const fresh = mmap(area.bytes(), area.length().count, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  ASSERT_EQ(fresh, area.bytes());
  area.data()[5] = 7;
  next_touch_.settle(area.address(), area.length());
  EXPECT_EQ(area.data()[5], 7U);
  for (std::size_t i = 6; i < area.words(); ++i) ASSERT_EQ(area.data()[i], 0U);
  ASSERT_EQ(mark(area).error, 0);
  EXPECT_EQ(area.data()[5], 7U);
}

TEST_P(NextTouchTest, AReadOnlyMappingInAnOldPlaceStaysReadOnly) {
  TestArea area(16);
  area.will_have_holes();
  ASSERT_EQ(mark(area, 8).error, 0);
  munmap(area.bytes(), area.length().count);
  ASSERT_NE(mmap(area.bytes(), area.length().count, PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            MAP_FAILED);
  next_touch_.settle(area.address(), area.length());
  const int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(read(file, area.bytes(), page), -1) << "the kernel could write to a read-only page";
  close(file);
}

TEST_P(NextTouchTest, EmptiedPagesReadAsZeros) {
  const TestArea area(32);
  ASSERT_EQ(mark(area, 8).error, 0);
  touch(area, 17 * words_per_page);
  madvise(area.bytes() + 4 * page, 16 * page, MADV_DONTNEED);
  EXPECT_EQ(area.wrong(1, 0, 4 * words_per_page), 4 * words_per_page);
  for (std::size_t i = 4 * words_per_page; i < 20 * words_per_page; ++i) {
    ASSERT_EQ(area.data()[i], 0U) << i;
  }
  EXPECT_EQ(area.wrong(1, 20 * words_per_page, area.words()), area.words());
}

TEST_P(NextTouchTest, MovingTheMappingTakesTheBytesAlong) {
  if (way() == WantedWay::protect) GTEST_SKIP() << "mprotect does not tell of mremap";
  TestArea area(32);
  area.will_have_holes();
  ASSERT_EQ(mark(area, 8).error, 0);
  touch(area, 3);
  void* const at =
      mremap(area.bytes(), area.length().count, 2 * area.length().count, MREMAP_MAYMOVE);
  ASSERT_NE(at, MAP_FAILED);
  auto* const words = static_cast<std::uint64_t*>(at);
  for (std::size_t i = 0; i < area.words(); ++i) ASSERT_EQ(words[i], TestArea::value(1, i)) << i;
  for (std::size_t i = area.words(); i < 2 * area.words(); ++i) ASSERT_EQ(words[i], 0U);
  munmap(at, 2 * area.length().count);
  if (at != area.bytes()) area.release();
}

TEST_P(NextTouchTest, SystemCallsWorkOrFailCleanly) {
  const TestArea area(16);
  ASSERT_EQ(mark(area, 4).error, 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const ssize_t written = write(ends[1], area.bytes() + 8 * page, 100);
  if (system_calls_work()) {
    EXPECT_EQ(written, 100);
  } else {
    EXPECT_EQ(written, -1);
    EXPECT_EQ(errno, EFAULT);
    next_touch_.touch(area.address() + 8 * page, {100});
    EXPECT_EQ(write(ends[1], area.bytes() + 8 * page, 100), 100);
  }
  std::array<char, 100> got{};
  EXPECT_EQ(read(ends[0], got.data(), got.size()), 100);
  EXPECT_EQ(memcmp(got.data(), area.bytes() + 8 * page, got.size()), 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_TRUE(area.intact());
}

/// The numbers of this process' descriptors that watch memory. They are closed by the system
/// itself: ThreadSanitizer knows one table of descriptors only.
std::vector<int> watching_files() {
  std::vector<int> files;
  for (int file = 0; file < 1024; ++file) {
    std::array<char, 64> target{};
    const std::string name = "/proc/self/fd/" + std::to_string(file);
    const ssize_t length = readlink(name.c_str(), target.data(), target.size() - 1);
    if (length > 0 && target.data() == std::string("anon_inode:[userfaultfd]")) {
      files.push_back(file);
    }
  }
  return files;
}

TEST_P(NextTouchTest, WhatTheProgramClosesIsStillWatched) {
  TestArea area(32);
  area.will_have_holes();
  ASSERT_EQ(mark(area, 4).error, 0);
  touch(area, 0);
  for (const int file : watching_files()) ASSERT_EQ(syscall(SYS_close, file), 0);
  EXPECT_EQ(area.wrong(1, 0, 8 * words_per_page), 8 * words_per_page);
  ASSERT_EQ(munmap(area.bytes() + 8 * page, 4 * page), 0);
  EXPECT_EQ(area.wrong(1, 12 * words_per_page, area.words()), area.words());
  EXPECT_EQ(fetched(area), 7U);
  const TestArea another(16, 2);
  ASSERT_EQ(mark(another, 4).bytes, another.length());
  EXPECT_TRUE(another.intact(2));
  EXPECT_EQ(fetched(another), 11U);
}

TEST_P(NextTouchTest, ANumberThatTheProgramUsesAnewIsLeftAlone) {
  const std::vector<int> files = watching_files();
  const TestArea area(16);
  ASSERT_EQ(mark(area, 4).error, 0);
  const int other = open("/dev/null", O_RDWR);
  for (const int file : files) ASSERT_EQ(syscall(SYS_dup3, other, file, 0), file);
  EXPECT_TRUE(area.intact());
  EXPECT_EQ(fetched(area), 4U);
  next_touch_.before_fork();
  const pid_t child = fork();
  if (child == 0) {
    next_touch_.after_fork_in_child();
    const bool left =
        std::all_of(files.begin(), files.end(), [](int file) { return fcntl(file, F_GETFD) >= 0; });
    _exit(left ? 0 : 1);
  }
  next_touch_.after_fork_in_parent();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the child of a fork has closed what is the program's";
  for (const int file : files) close(file);
  close(other);
}

TEST_P(NextTouchTest, ManyThreadsAtOnce) {
  const TestArea area(64);
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(mark(area, 4).error, 0);
    std::vector<std::thread> threads;
    std::atomic<int> broken{0};
    for (int t = 0; t < 8; ++t) threads.emplace_back([&] { broken += area.intact() ? 0 : 1; });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(broken, 0);
  }
}

TEST_P(NextTouchTest, CollectTellsWhoTouchedWhat) {
  const TestArea area(16);
  ASSERT_EQ(mark(area, 4).error, 0);
  touch(area, 0);
  touch(area, 4 * words_per_page);
  touch(area, 12 * words_per_page);
  ASSERT_EQ(fetched(area), 3U);
  std::vector<std::array<std::uintptr_t, 2>> touched;
  next_touch_.collect(
      [](void* list, const NextTouch::Touched& by) noexcept {
        EXPECT_EQ(by.domain, DomainId{0});
        static_cast<decltype(touched)*>(list)->push_back({by.begin, by.end});
      },
      &touched);
  const std::uintptr_t base = area.address();
  EXPECT_EQ(touched,
            (decltype(touched){{base, base + 8 * page}, {base + 12 * page, base + 16 * page}}));
}

TEST_P(NextTouchTest, AttachingLeavesThePages) {
  const TestArea area(16);
  NextTouchOptions attach = options(4);
  attach.purpose = Purpose::attach;
  const Marked marked = next_touch_.mark(area.address(), area.length(), attach);
  if (marked.error == ENOTSUP) GTEST_SKIP() << "this kernel cannot move pages by userfaultfd";
  ASSERT_EQ(marked.error, 0);
  EXPECT_TRUE(area.intact());
  EXPECT_EQ(fetched(area), 4U);
}

// Between the look at the table and the look at the mappings, another thread marks the area: the
// page is closed, and the fault is ours all the same.
class OvertakenFault : public testing::Test {
 protected:
  OvertakenFault() {
    options_.chunk = {page};
    options_.way = WantedWay::protect;
  }
  static MapsSource maps() {
    MapsSource maps = real_maps();
    maps.open = []() noexcept {
      if (OvertakenFault* const test = meanwhile_.exchange(nullptr)) test->mark_again();
      return real_maps().open();
    };
    return maps;
  }
  void mark_again() {
    mprotect(area_.bytes(), page, PROT_READ | PROT_WRITE);
    EXPECT_EQ(next_touch_.mark(area_.address(), area_.length(), options_).error, 0);
  }
  /// The area was touched once, and closed by somebody else.
  void close_settled_page() {
    ASSERT_EQ(next_touch_.mark(area_.address(), area_.length(), options_).error, 0);
    EXPECT_TRUE(area_.intact());
    ASSERT_EQ(mprotect(area_.bytes(), page, PROT_NONE), 0);
  }

  /// Ends with status 7 in the program's own handler.
  void touch_under_own_handler() {
    struct sigaction own{};
    own.sa_handler = [](int) { _exit(7); };
    sigaction(SIGSEGV, &own, nullptr);
    const TestArea other(1);  // to be marked, so that our handler comes before the program's
    EXPECT_EQ(next_touch_.mark(other.address(), other.length(), options_).error, 0);
    touch();
  }
  std::uint64_t touch() const { return *static_cast<const volatile std::uint64_t*>(area_.data()); }

  static inline std::atomic<OvertakenFault*> meanwhile_{nullptr};
  NextTouchOptions options_;
  const Nodes nodes_{machine_of_nodes({0})};
  const TestArea area_{4};
  NextTouch next_touch_{real_calls(), nodes_, Bytes{page}, maps()};
};

/// The next request of the kernel that comes through takes long enough for whoever waits to sleep.
std::atomic<bool> next_is_slow{false};
SystemCalls calls_with_a_slow_request() {
  SystemCalls calls = real_calls();
  calls.control = [](int file, unsigned long request, void* argument) noexcept {
    const long result = real_calls().control(file, request, argument);
    if (result == -EBADF || !next_is_slow.exchange(false)) return result;
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(200)) {
    }
    return result;
  };
  return calls;
}

// A thread that is cancelled (pthread_cancel) while it waits for the keeper's answer would leave
// the chunk busy and the gate shut for all others.
TEST(NextTouchAlone, AThreadThatIsBeingCancelledFinishesItsTouch) {
  const Nodes nodes{machine_of_nodes({0})};
  NextTouch next_touch(calls_with_a_slow_request(), nodes, Bytes{page});
  NextTouchOptions options;
  options.chunk = {page};
  options.way = WantedWay::userfault_signal;
  const TestArea area(4);
  const Marked marked = next_touch.mark(area.address(), area.length(), options);
  if (marked.error == EPERM || marked.error == ENOSYS) {
    GTEST_SKIP() << "the kernel refuses userfaultfd: " << strerror(marked.error);
  }
  ASSERT_EQ(marked.error, 0);
  for (const int file : watching_files()) ASSERT_EQ(syscall(SYS_close, file), 0);
  struct Shared {
    const TestArea& area;
    std::atomic<bool> touched{false};
  } shared{area};
  const auto body = [](void* argument) -> void* {
    auto& own = *static_cast<Shared*>(argument);
    pthread_cancel(pthread_self());
    const volatile std::uint64_t* const first = own.area.data();
    static_cast<void>(*first);
    own.touched.store(true);
    pthread_testcancel();
    return nullptr;
  };
  next_is_slow.store(true);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, body, &shared), 0);
  void* result = nullptr;
  pthread_join(thread, &result);
  ASSERT_TRUE(shared.touched.load());
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_TRUE(area.intact());
}

TEST(NextTouchAlone, WorksWhereThereIsNoTableOfItsOwn) {
  SystemCalls calls = real_calls();
  calls.keep_only = [](const int*, std::size_t) noexcept { return long{-ENOSYS}; };
  const Nodes nodes{machine_of_nodes({0})};
  NextTouch next_touch(calls, nodes, Bytes{page});
  NextTouchOptions options;
  options.chunk = {page};
  options.way = WantedWay::userfault_signal;
  const TestArea area(8);
  const Marked marked = next_touch.mark(area.address(), area.length(), options);
  if (marked.error == EPERM || marked.error == ENOSYS) {
    GTEST_SKIP() << "the kernel refuses userfaultfd: " << strerror(marked.error);
  }
  ASSERT_EQ(marked.error, 0);
  EXPECT_TRUE(area.intact());
  EXPECT_EQ(next_touch.counts().chunks, 8U);
}

TEST_F(OvertakenFault, IsOursIfTheAreaWasMarkedMeanwhile) {
  close_settled_page();
  meanwhile_.store(this);
  // The fault's handler reads it: the touch must not come first.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  EXPECT_EQ(touch(), TestArea::value(1, 0));
  EXPECT_EQ(meanwhile_.load(), nullptr);
  EXPECT_TRUE(area_.intact());
  EXPECT_EQ(next_touch_.counts().chunks, 8U);
}

TEST_F(OvertakenFault, IsTheProgramsIfNothingWasMarked) {
  close_settled_page();
  EXPECT_EXIT(touch_under_own_handler(), testing::ExitedWithCode(7), "");
  mprotect(area_.bytes(), page, PROT_READ | PROT_WRITE);
}

// A touch of a page that was settled before gives it zeros if there is none. Between the look at
// the table and that, another thread fills the page and marks the area again: its bytes lie aside
// then, and must not be covered. (With messages, the kernel refuses zeros until the marking was
// told.)
class LateTouch : public testing::Test {
 protected:
  LateTouch() {
    options_.chunk = {page};
    options_.way = WantedWay::userfault_signal;
    now_ = this;
  }
  ~LateTouch() override { now_ = nullptr; }

  static SystemCalls calls() {
    SystemCalls calls = real_calls();
    calls.control = [](int file, unsigned long request, void* argument) noexcept {
      // Not where Lares only asks whether a change is under way.
      LateTouch* const test = now_;
      if (test != nullptr && request == UFFDIO_ZEROPAGE &&
          static_cast<uffdio_zeropage*>(argument)->range.start == test->area_.address()) {
        test->before_zeros();
      }
      return real_calls().control(file, request, argument);
    };
    return calls;
  }
  // Whoever is held up until the zeros are there is given this time to show that it is not.
  void before_zeros() {
    constexpr int held_up_ms = 200;
    if (!zeros_come_.exchange(true)) await(marked_again_, held_up_ms);
  }
  static bool await(const std::atomic<bool>& flag, int milliseconds) {
    for (; !flag.load() && milliseconds > 0; --milliseconds) usleep(1000);
    return flag.load();
  }
  Marked mark() { return next_touch_.mark(area_.address(), area_.length(), options_); }
  void fill_and_mark_again() {
    constexpr int long_enough_ms = 20'000;
    EXPECT_TRUE(await(zeros_come_, long_enough_ms));
    area_.data()[0] = 42;
    EXPECT_EQ(mark().error, 0);
    marked_again_.store(true);
  }
  void touch() const {
    const volatile std::uint64_t* const first = area_.data();
    static_cast<void>(*first);
  }

  static inline std::atomic<LateTouch*> now_{nullptr};
  std::atomic<bool> zeros_come_{false};
  std::atomic<bool> marked_again_{false};
  NextTouchOptions options_;
  const Nodes nodes_{machine_of_nodes({0})};
  const TestArea area_{4};
  NextTouch next_touch_{calls(), nodes_, Bytes{page}};
};

TEST_F(LateTouch, LosesNothingThatWasMarkedMeanwhile) {
  const Marked marked = mark();
  if (marked.error == EPERM || marked.error == ENOSYS) {
    GTEST_SKIP() << "the kernel refuses userfaultfd: " << strerror(marked.error);
  }
  ASSERT_EQ(marked.error, 0);
  touch();
  // Settled, and emptied by the program: a page of zeros is due.
  ASSERT_EQ(madvise(area_.bytes(), page, MADV_DONTNEED), 0);
  std::thread other([this] { fill_and_mark_again(); });
  touch();
  other.join();
  EXPECT_EQ(area_.data()[0], 42U);
  EXPECT_EQ(area_.wrong(1, words_per_page, area_.words()), area_.words());
}

std::string name_of(const testing::TestParamInfo<Played>& info) {
  const std::string kernel = info.param.old ? "OnOldKernels" : "";
  switch (info.param.way) {
    case WantedWay::userfault_thread:
      return "UserfaultThread" + kernel;
    case WantedWay::userfault_signal:
      return "UserfaultSignal" + kernel;
    default:
      return "Protect" + kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, NextTouchTest,
                         testing::Values(Played{WantedWay::userfault_thread, false},
                                         Played{WantedWay::userfault_signal, false},
                                         Played{WantedWay::protect, false},
                                         Played{WantedWay::userfault_thread, true},
                                         Played{WantedWay::userfault_signal, true},
                                         Played{WantedWay::protect, true}),
                         name_of);

}  // namespace
}  // namespace lares::memory
