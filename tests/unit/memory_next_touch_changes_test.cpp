// What a program may do to marked memory, from any thread and at any time: it gets what it would
// have got without the mark.
#include <gtest/gtest.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "memory/next_touch/fault_signals.hpp"
#include "memory/next_touch/next_touch.hpp"
#include "memory_area.hpp"
#include "memory_calls_fake.hpp"
#include "memory_fakes.hpp"
#include "support/sanitized.hpp"

namespace lares::memory {
namespace {

/// A way on this kernel, or on one that lacks what the way can do without.
struct Played {
  WantedWay way;
  bool old;
};

class NextTouchChanges : public testing::TestWithParam<Played> {
 protected:
  void SetUp() override {
    TestArea probe(1);
    const Marked marked = next_touch_.mark(probe.address(), probe.length(), options(1));
    next_touch_.settle(probe.address(), probe.length());
    if (marked.error == EPERM || marked.error == ENOSYS) {
      GTEST_SKIP() << "the kernel refuses userfaultfd: " << strerror(marked.error);
    }
    ASSERT_EQ(marked.error, 0);
  }
  [[nodiscard]] static NextTouchOptions options(std::uint64_t pages) {
    NextTouchOptions result;
    result.chunk = {pages * page};
    result.way = GetParam().way;
    return result;
  }
  int mark(const TestArea& area, std::uint64_t pages) {
    return next_touch_.mark(area.address(), area.length(), options(pages)).error;
  }
  /// True if a child that is forked now sees the area as it was filled.
  bool child_sees(const TestArea& area) {
    next_touch_.before_fork();
    const pid_t child = fork();
    if (child == 0) {
      next_touch_.after_fork_in_child();
      _exit(area.intact() ? 0 : 1);
    }
    next_touch_.after_fork_in_parent();
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0;
  }

  const Nodes nodes_{machine_of_nodes({0})};
  NextTouch next_touch_{GetParam().old ? old_calls() : real_calls(), nodes_, Bytes{page}};
};

// --- Splitting -----------------------------------------------------------------------------------

/// Each makes several mappings of one and changes no byte. False: this system refuses it.
bool split(const TestArea& area, int how) {
  char* const middle = area.bytes() + 5 * page;
  switch (how) {
    case 0:
      return mprotect(middle, page, PROT_READ) == 0 &&
             mprotect(middle, page, PROT_READ | PROT_WRITE) == 0 &&
             mprotect(middle + 3 * page, page, PROT_READ) == 0;
    case 1:
      return mlock(middle, 3 * page) == 0;
    case 2:
      return madvise(middle, 3 * page, MADV_DONTDUMP) == 0;
    case 3:
      return madvise(middle, 3 * page, MADV_HUGEPAGE) == 0;
    case 4:
      return madvise(middle, 3 * page, MADV_RANDOM) == 0;
    default: {
      unsigned long node = 1;
      return syscall(SYS_mbind, middle, 3 * page, 1, &node, 64, 0) == 0;
    }
  }
}
constexpr int splits = 6;

// --- Places --------------------------------------------------------------------------------------

TEST_P(NextTouchChanges, WhatTheProgramUnmapsOnceMoreIsNotOurs) {
  if (under_sanitizer) GTEST_SKIP() << "the sanitizer chooses all places";
  const TestArea area(64);
  TestArea hole(64);
  munmap(hole.bytes(), hole.length().count);
  ASSERT_EQ(mark(area, 8), 0);
  // Of this test's threads none has mapped anything since.
  munmap(hole.bytes(), hole.length().count);
  hole.release();
  EXPECT_TRUE(area.intact());
}

/// Of [begin, begin + bytes), from the kernel's list.
std::size_t huge_bytes(std::uintptr_t begin, std::size_t bytes) {
  std::ifstream list("/proc/self/smaps");
  std::size_t found = 0;
  bool inside = false;
  for (std::string line; std::getline(list, line);) {
    unsigned long from = 0;
    unsigned long until = 0;
    unsigned long kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &until) == 2) {
      inside = from < begin + bytes && begin < until;
    } else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %lu", &kib) == 1) {
      found += kib << 10U;
    }
  }
  return found;
}

TEST_P(NextTouchChanges, HugePagesStayWholeWhereverTheAreaBegins) {
  if (GetParam().old) GTEST_SKIP() << "pages are copied";
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer says where memory may lie";
  constexpr std::size_t huge = std::size_t{2} << 20U;
  constexpr std::size_t pages = huge / page;
  const TestArea room(6 * pages);
  const std::uintptr_t border = (room.address() + huge - 1) / huge * huge;
  auto* const first = reinterpret_cast<char*>(border);
  madvise(first, 4 * huge, MADV_DONTNEED);
  if (madvise(first, 4 * huge, MADV_HUGEPAGE) != 0) GTEST_SKIP() << "no huge pages";
  std::memset(first, 7, 4 * huge);
  const std::size_t before = huge_bytes(border, 4 * huge);
  if (before != 4 * huge) GTEST_SKIP() << "the system gave " << before << " bytes in huge pages";
  // From the middle of the first one to the middle of the last.
  ASSERT_EQ(next_touch_.mark(border + huge / 2, {3 * huge}, options(3 * pages)).error, 0);
  next_touch_.touch(border + huge / 2, {1});
  // Who touched goes on when its own page is there; a thread may still be moving the others.
  EXPECT_EQ(std::count(first, first + 4 * huge, 7), static_cast<std::ptrdiff_t>(4 * huge));
  // Of the mapping that they are in, which may be all of it again.
  EXPECT_GE(huge_bytes(border + huge, 2 * huge), 2 * huge);
}

TEST_P(NextTouchChanges, ASplitMappingIsTouched) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "mprotect would open it";
  for (int how = 0; how < splits; ++how) {
    const TestArea area(16);
    ASSERT_EQ(mark(area, 0), 0);
    if (!split(area, how)) continue;
    const std::size_t wrong = area.wrong(1, 0, area.words());
    ASSERT_EQ(wrong, area.words()) << "split " << how << ", there is " << area.data()[wrong];
  }
}

TEST_P(NextTouchChanges, ASplitMappingIsSettled) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "mprotect would open it";
  for (int how = 0; how < splits; ++how) {
    const TestArea area(16);
    ASSERT_EQ(mark(area, 8), 0);
    if (!split(area, how)) continue;
    next_touch_.settle(area.address(), area.length());
    EXPECT_FALSE(next_touch_.waits(area.address(), area.length()));
    EXPECT_TRUE(area.intact()) << "split " << how;
  }
}

TEST_P(NextTouchChanges, ASplitMappingIsForked) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "mprotect would open it";
  for (int how = 0; how < splits; ++how) {
    const TestArea area(16);
    ASSERT_EQ(mark(area, 8), 0);
    if (!split(area, how)) continue;
    EXPECT_TRUE(child_sees(area)) << "split " << how;
    EXPECT_TRUE(area.intact()) << "split " << how;
  }
}

// --- Marking from many threads -------------------------------------------------------------------

TEST_P(NextTouchChanges, ManyThreadsMarkOneRange) {
  const TestArea area(32);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < (under_tsan ? 10 : 50); ++round) {
        // The whole, and parts of it.
        const std::uintptr_t begin = area.address() + (t % 2) * 8 * page;
        if (next_touch_.mark(begin, {16 * page}, options(4)).error != 0) ++wrong;
        if (area.data()[t] != TestArea::value(1, t)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(area.intact());
}

// --- Emptying ------------------------------------------------------------------------------------

/// While others do something to the area, this thread empties a page and reads it.
template <class Meanwhile>
std::size_t emptied_pages_that_came_back(const TestArea& area, const std::function<int()>& mark,
                                         Meanwhile meanwhile) {
  std::size_t back = 0;
  for (int round = 0; round < (under_tsan ? 20 : 200); ++round) {
    const_cast<TestArea&>(area).fill(1);
    EXPECT_EQ(mark(), 0);
    std::atomic<bool> go{false};
    std::thread other([&] {
      while (!go.load()) sched_yield();
      meanwhile();
    });
    go.store(true);
    for (std::size_t i = 0; i < area.length().count / page; i += 3) {
      char* const at = area.bytes() + i * page;
      madvise(at, page, MADV_DONTNEED);
      for (std::size_t j = 0; j < page; j += 512) back += at[j] != 0 ? 1 : 0;
    }
    other.join();
    for (std::size_t i = 0; i < area.length().count / page; ++i) {
      const std::uint64_t first = area.data()[i * words_per_page + 1];
      if (i % 3 == 0) back += first != 0 ? 1 : 0;
      if (i % 3 != 0) back += first != TestArea::value(1, i * words_per_page + 1) ? 1 : 0;
    }
  }
  return back;
}

TEST_P(NextTouchChanges, EmptiedPagesStayEmptyWhileOthersSettle) {
  const TestArea area(64);
  const std::size_t back = emptied_pages_that_came_back(
      area, [&] { return mark(area, 16); },
      [&] { next_touch_.settle(area.address(), area.length()); });
  EXPECT_EQ(back, 0U);
}

TEST_P(NextTouchChanges, EmptiedPagesStayEmptyWhileOthersTouch) {
  const TestArea area(64);
  const std::size_t back = emptied_pages_that_came_back(
      area, [&] { return mark(area, 16); },
      [&] {
        for (std::size_t i = 1; i < 64; i += 3) {
          const volatile char* const at = area.bytes() + i * page;
          static_cast<void>(*at);
        }
      });
  EXPECT_EQ(back, 0U);
}

// --- Moving and unmapping ------------------------------------------------------------------------

TEST_P(NextTouchChanges, MovedPartsKeepTheirBytes) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "mprotect does not tell of mremap";
  TestArea area(32);
  area.will_have_holes();
  TestArea room(64);
  room.will_have_holes();
  ASSERT_EQ(mark(area, 5), 0);
  const volatile std::uint64_t* const some = area.data() + 11 * words_per_page;
  static_cast<void>(*some);
  // Not at the borders of chunks; then again, and a part of it is unmapped.
  ASSERT_EQ(mremap(area.bytes() + 7 * page, 10 * page, 10 * page, MREMAP_MAYMOVE | MREMAP_FIXED,
                   room.bytes()),
            room.bytes());
  ASSERT_EQ(mremap(room.bytes() + 2 * page, 8 * page, 8 * page, MREMAP_MAYMOVE | MREMAP_FIXED,
                   room.bytes() + 40 * page),
            room.bytes() + 40 * page);
  munmap(room.bytes() + 41 * page, page);
  next_touch_.settle(area.address(), {3 * page});
  EXPECT_EQ(area.wrong(1, 0, 7 * words_per_page), 7 * words_per_page);
  EXPECT_EQ(area.wrong(1, 17 * words_per_page, area.words()), area.words());
  for (std::size_t i = 0; i < 10 * words_per_page; ++i) {
    if (i / words_per_page == 3) continue;  // unmapped
    const std::uint64_t* const at =
        i < 2 * words_per_page ? room.data() + i : room.data() + 38 * words_per_page + i;
    ASSERT_EQ(*at, TestArea::value(1, 7 * words_per_page + i)) << i;
  }
}

TEST_P(NextTouchChanges, ASystemCallMayFillAGrownTail) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "mprotect does not tell of mremap";
  TestArea area(16);
  area.will_have_holes();
  const TestArea in_the_way(1);
  ASSERT_EQ(mark(area, 4), 0);
  void* const at = mremap(area.bytes(), 16 * page, 64 * page, MREMAP_MAYMOVE);
  ASSERT_NE(at, MAP_FAILED);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "tail", 4), 4);
  if (at != area.bytes()) {
    EXPECT_EQ(read(ends[0], static_cast<char*>(at) + 40 * page, 4), 4) << strerror(errno);
  }
  auto* const words = static_cast<std::uint64_t*>(at);
  for (std::size_t i = 0; i < area.words(); ++i) ASSERT_EQ(words[i], TestArea::value(1, i)) << i;
  close(ends[0]);
  close(ends[1]);
  munmap(at, 64 * page);
  if (at != area.bytes()) area.release();
}

// The kernel fills what a locked mapping has grown by before it tells that the mapping has moved,
// and refuses to fill anything for us until that is told: the call must not wait for us to do so.
TEST_P(NextTouchChanges, ALockedMappingGrowsElsewhere) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "mprotect does not tell of mremap";
  TestArea area(16);
  area.will_have_holes();
  TestArea room(48);
  room.will_have_holes();
  ASSERT_EQ(mark(area, 4), 0);
  // Closed, so that locking touches nothing; and it says that it could not.
  ASSERT_EQ(mprotect(area.bytes(), 16 * page, PROT_NONE), 0);
  if (syscall(SYS_mlock, area.bytes(), 16 * page) == 0 || errno != ENOMEM) {
    GTEST_SKIP() << "mlock is refused";
  }
  ASSERT_EQ(mprotect(area.bytes(), 16 * page, PROT_READ | PROT_WRITE), 0);
  ASSERT_EQ(mremap(area.bytes(), 16 * page, 40 * page, MREMAP_MAYMOVE | MREMAP_FIXED, room.bytes()),
            room.bytes());
  for (std::size_t i = 0; i < 40 * words_per_page; ++i) {
    const std::uint64_t expected = i < area.words() ? TestArea::value(1, i) : 0;
    ASSERT_EQ(room.data()[i], expected) << i;
  }
  EXPECT_EQ(room.wrong(1, 40 * words_per_page, room.words()), room.words());
}

// --- What cannot be marked -----------------------------------------------------------------------

TEST_P(NextTouchChanges, WhatIsExecutableSharedOrOfHugetlbfsIsRefused) {
  constexpr int data = PROT_READ | PROT_WRITE;
  constexpr int own = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const code = mmap(nullptr, 4 * page, data | PROT_EXEC, own, -1, 0);
  void* const shared = mmap(nullptr, 4 * page, data, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (void* const at : {code, shared}) {
    if (at == MAP_FAILED) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    EXPECT_EQ(next_touch_.mark(address, {4 * page}, options(1)).error, EFAULT);
    munmap(at, 4 * page);
  }
  constexpr std::size_t huge = std::size_t{2} << 20U;
  void* const large = mmap(nullptr, huge, data, own | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
  if (large == MAP_FAILED) return;
  const auto address = reinterpret_cast<std::uintptr_t>(large);
  EXPECT_EQ(next_touch_.mark(address, {huge}, options(1)).error, ENXIO);
  munmap(large, huge);
}

/// A device's registration of a buffer, as io_uring makes it.
class Pin {
 public:
  explicit Pin(const TestArea& area) {
    io_uring_params params{};
    ring_ = static_cast<int>(syscall(SYS_io_uring_setup, 4, &params));
    if (ring_ < 0) return;
    iovec buffer{area.bytes() + 4 * page, 2 * page};
    held_ = syscall(SYS_io_uring_register, ring_, IORING_REGISTER_BUFFERS, &buffer, 1) == 0;
  }
  ~Pin() {
    if (ring_ >= 0) close(ring_);
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  [[nodiscard]] bool held() const { return held_; }

 private:
  int ring_ = -1;
  bool held_ = false;
};

TEST_P(NextTouchChanges, PinnedPagesStayWhereTheyAre) {
  if (GetParam().old) GTEST_SKIP() << "older kernels can only copy";
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "move_pages leaves them";
  const TestArea area(16);
  const Pin pin(area);
  if (!pin.held()) GTEST_SKIP() << "no io_uring here";
  const Marked marked = next_touch_.mark(area.address(), area.length(), options(4));
  ASSERT_EQ(marked.error, 0);
  EXPECT_EQ(marked.left.count, 2 * page);
  EXPECT_EQ(marked.bytes.count, 14 * page);
  EXPECT_TRUE(area.intact());
}

TEST_P(NextTouchChanges, WhatAForkSharedCanBeMarkedAgain) {
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts a thread";
  const TestArea area(16);
  ASSERT_EQ(mark(area, 4), 0);
  ASSERT_TRUE(child_sees(area));
  const Marked marked = next_touch_.mark(area.address(), area.length(), options(4));
  ASSERT_EQ(marked.error, 0);
  EXPECT_EQ(marked.bytes, area.length());
  EXPECT_TRUE(area.intact());
}

// --- Refusals ------------------------------------------------------------------------------------

/// The kernel refuses one request of userfaultfd, and mremap, whenever the test says so.
struct Refusing {
  static inline std::atomic<unsigned long> request{0};
  static inline std::atomic<bool> remap_back{false};
  static SystemCalls calls(bool old) {
    SystemCalls calls = old ? old_calls() : real_calls();
    calls.control = old ? &control<true> : &control<false>;
    calls.remap = [](void* from, std::size_t a, std::size_t b, int flags, void* to) noexcept {
      const bool back = (flags & MREMAP_FIXED) != 0;
      return back && remap_back ? long{-ENOMEM} : real_calls().remap(from, a, b, flags, to);
    };
    return calls;
  }
  template <bool Old>
  static long control(int file, unsigned long wanted, void* argument) noexcept {
    if (wanted == request.load()) return -ENOMEM;
    return (Old ? old_calls() : real_calls()).control(file, wanted, argument);
  }
};

TEST_P(NextTouchChanges, ARefusedRollBackLosesNothing) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "no userfaultfd";
  NextTouch next_touch(Refusing::calls(GetParam().old), nodes_, Bytes{page});
  const TestArea area(16);
  Refusing::request = UFFDIO_UNREGISTER;
  Refusing::remap_back = true;
  next_touch.mark(area.address(), area.length(), options(4));
  Refusing::request = 0;
  Refusing::remap_back = false;
  EXPECT_TRUE(area.intact());
}

/// Linux 6.18 moves pages and says that they are there already, if a page changes meanwhile.
struct Lying {
  static inline std::atomic<int> moves_left{0};
  static SystemCalls calls() {
    SystemCalls calls = real_calls();
    calls.control = [](int file, unsigned long request, void* argument) noexcept {
      const long result = real_calls().control(file, request, argument);
      if (request != uffdio_move || result < 0 || moves_left.fetch_sub(1) <= 0) return result;
      constexpr std::size_t moved_at = 4 * sizeof(std::uint64_t);
      const std::int64_t error = -EEXIST;
      std::memcpy(static_cast<char*>(argument) + moved_at, &error, sizeof(error));
      return static_cast<long>(error);
    };
    return calls;
  }
};

TEST_P(NextTouchChanges, WhatTheKernelSaysIsThereAlreadyHasMoved) {
  if (GetParam().old) GTEST_SKIP() << "older kernels can only copy";
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "no userfaultfd";
  for (const int lies : {1, 2, 7, 100}) {
    NextTouch next_touch(Lying::calls(), nodes_, Bytes{page});
    const TestArea area(16);
    Lying::moves_left = lies;
    EXPECT_EQ(next_touch.mark(area.address(), area.length(), options(4)).error, 0) << lies;
    EXPECT_TRUE(area.intact()) << lies;
    Lying::moves_left = lies;
    EXPECT_EQ(next_touch.mark(area.address(), area.length(), options(4)).error, 0) << lies;
    EXPECT_EQ(next_touch.settle(area.address(), area.length()), 0) << lies;
    Lying::moves_left = 0;
    EXPECT_TRUE(area.intact()) << lies;
  }
}

/// The program forbids writing to a page just before the marker's first request.
struct Forbidding {
  static inline std::atomic<char*> page_at{nullptr};
  static SystemCalls calls() {
    SystemCalls calls = real_calls();
    calls.control = [](int file, unsigned long request, void* argument) noexcept {
      char* const at = request == uffdio_move ? page_at.exchange(nullptr) : nullptr;
      if (at != nullptr) mprotect(at, page, PROT_READ);
      return real_calls().control(file, request, argument);
    };
    return calls;
  }
};

/// False also if it hangs, with all signals blocked perhaps.
template <class Program>
bool holds_in_a_child(Program program) {
  const pid_t child = fork();
  if (child == 0) _exit(program() ? 0 : 1);
  const timespec moment{0, 10'000'000};
  int status = 1;
  for (int waited = 0; waited < 2000; ++waited) {
    if (waitpid(child, &status, WNOHANG) == child) return status == 0;
    nanosleep(&moment, nullptr);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

// A mark that ends halfway leaves an alias of which nobody may be told any more: whoever copies an
// absent page from it inside the gate would wait for the monitor, which waits for the gate.
TEST_P(NextTouchChanges, AMarkThatIsRefusedHalfwayEnds) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "no userfaultfd";
  if (GetParam().old) GTEST_SKIP() << "one request moves all";
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts a thread";
  const auto program = [this] {
    NextTouch next_touch(Forbidding::calls(), nodes_, Bytes{page});
    const TestArea area(8);
    madvise(area.bytes() + 4 * page, page, MADV_DONTNEED);
    Forbidding::page_at = area.bytes() + 4 * page;
    next_touch.mark(area.address(), area.length(), options(4));
    const bool rest = area.wrong(1, 0, 4 * words_per_page) == 4 * words_per_page &&
                      area.wrong(1, 5 * words_per_page, area.words()) == area.words();
    return rest && area.data()[4 * words_per_page] == 0;
  };
  EXPECT_TRUE(holds_in_a_child(program));
}

// Each answers for its own areas, whichever was first.
TEST_P(NextTouchChanges, TwoOfThemShareAProcess) {
  NextTouch other(GetParam().old ? old_calls() : real_calls(), nodes_, {page});
  const TestArea area(8);
  const TestArea others(8);
  mark(area, 2);
  ASSERT_EQ(other.mark(others.address(), others.length(), options(2)).error, 0);
  EXPECT_TRUE(others.intact());
  EXPECT_FALSE(other.waits(others.address(), others.length()));
  EXPECT_TRUE(next_touch_.waits(area.address(), area.length()));
  EXPECT_TRUE(area.intact());
  // Pages that are emptied while their chunk is settled and others wait.
  mark(area, 2);
  ASSERT_EQ(other.mark(others.address(), others.length(), options(2)).error, 0);
  others.data()[0] = 1;
  madvise(others.bytes(), page, MADV_DONTNEED);
  EXPECT_EQ(others.data()[0], 0U);
  area.data()[0] = 1;
  madvise(area.bytes(), page, MADV_DONTNEED);
  EXPECT_EQ(area.data()[0], 0U);
}

TEST_P(NextTouchChanges, AnAliasThatStaysWatchedIsCopied) {
  if (GetParam().way == WantedWay::protect) GTEST_SKIP() << "no userfaultfd";
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts a thread";
  const auto program = [this] {
    NextTouch next_touch(Refusing::calls(GetParam().old), nodes_, Bytes{page});
    const TestArea area(8);
    madvise(area.bytes() + 4 * page, page, MADV_DONTNEED);
    Refusing::request = UFFDIO_UNREGISTER;
    next_touch.mark(area.address(), area.length(), options(4));
    const bool rest = area.wrong(1, 0, 4 * words_per_page) == 4 * words_per_page &&
                      area.wrong(1, 5 * words_per_page, area.words()) == area.words();
    Refusing::request = 0;
    return rest && area.data()[4 * words_per_page] == 0;
  };
  EXPECT_TRUE(holds_in_a_child(program));
}

// Marked or refused, locked memory is locked afterwards, and empties as ever.
TEST_P(NextTouchChanges, LockedPagesCanBeEmptied) {
  const TestArea area(4);
  // Sanitizers lock nothing, and say that they did.
  if (syscall(SYS_mlock, area.bytes() + page, page) != 0) GTEST_SKIP() << "mlock is refused";
  mark(area, 1);
  constexpr int dontneed_locked = 24;  // MADV_DONTNEED_LOCKED (Linux 5.18)
  EXPECT_EQ(madvise(area.bytes() + page, page, MADV_DONTNEED), -1) << "it is not locked any more";
  if (madvise(area.bytes() + page, page, dontneed_locked) == 0) {
    EXPECT_EQ(area.data()[words_per_page], 0U);
  }
  EXPECT_EQ(area.wrong(1, 0, words_per_page), words_per_page);
  EXPECT_EQ(area.wrong(1, 2 * words_per_page, area.words()), area.words());
}

// Locked pages may not go aside on every kernel; a refused mark ends for all that.
TEST_P(NextTouchChanges, ALockedPartIsForked) {
  const TestArea area(16);
  if (mlock(area.bytes() + 4 * page, 3 * page) != 0) GTEST_SKIP() << "mlock is refused";
  mark(area, 5);
  EXPECT_TRUE(child_sees(area));
  EXPECT_TRUE(area.intact());
}

/// No mapping can be made any more: what would split one is refused.
SystemCalls calls_without_mappings() {
  SystemCalls calls = real_calls();
  calls.protect = [](void* at, std::size_t bytes, int protection) noexcept {
    const bool splits = protection != PROT_NONE && bytes < 16 * page;
    return splits ? long{-ENOMEM} : real_calls().protect(at, bytes, protection);
  };
  return calls;
}

TEST(NextTouchProtect, WithoutFurtherMappingsTheWholeAreaIsOpened) {
  const Nodes nodes{machine_of_nodes({0})};
  NextTouch next_touch(calls_without_mappings(), nodes, Bytes{page});
  const TestArea area(16);
  NextTouchOptions options;
  options.chunk = {page};
  options.way = WantedWay::protect;
  ASSERT_EQ(next_touch.mark(area.address(), area.length(), options).error, 0);
  EXPECT_TRUE(area.intact());
}

// --- Signals -------------------------------------------------------------------------------------

class NextTouchSignals : public testing::Test {
 protected:
  NextTouchSignals() {
    options_.chunk = {page};
    options_.way = WantedWay::protect;
  }
  void mark(const TestArea& area) {
    ASSERT_EQ(next_touch_.mark(area.address(), area.length(), options_).error, 0);
  }
  /// A handler that hands on what it does not know to what it found.
  static void chain(int signal, siginfo_t* info, void* context) {
    if (++chained_ > 9) _exit(9);  // a circle
    if (found_.sa_flags & SA_SIGINFO) {
      found_.sa_sigaction(signal, info, context);
    } else if (found_.sa_handler != SIG_DFL) {
      found_.sa_handler(signal);
    } else {
      ::signal(signal, SIG_DFL);
    }
  }
  static void set_chaining_handler() {
    struct sigaction own{};
    own.sa_sigaction = &chain;
    own.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &own, &found_);
  }
  static void access_null() {
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  }
  static inline struct sigaction found_{};
  static inline int chained_ = 0;
  NextTouchOptions options_;
  const Nodes nodes_{machine_of_nodes({0})};
  NextTouch next_touch_{real_calls(), nodes_, Bytes{page}};
};

TEST_F(NextTouchSignals, ACircleOfHandlersEnds) {
  if (under_sanitizer) GTEST_SKIP() << "its own handler ends the program";
  const auto program = [this] {
    alarm(20);
    const TestArea area(4);
    mark(area);
    set_chaining_handler();
    mark(area);
    area.data()[0] = 3;
    access_null();
  };
  EXPECT_EXIT(program(), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(NextTouchSignals, AHandlerThatJumpsOutIsAskedEachTime) {
  static sigjmp_buf back;
  static volatile int asked = 0;
  const auto program = [this] {
    alarm(20);
    const TestArea area(4);
    mark(area);
    struct sigaction own{};
    own.sa_handler = [](int) {
      asked = asked + 1;
      siglongjmp(back, 1);
    };
    sigaction(SIGSEGV, &own, nullptr);
    mark(area);
    for (static int i = 0; i < 5; ++i) {
      if (sigsetjmp(back, 1) == 0) access_null();
    }
    _exit(asked == 5 && area.intact() ? 0 : 1);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "");
}

TEST_F(NextTouchSignals, ManyHandlersOneAfterAnother) {
  const auto program = [this] {
    alarm(20);
    const TestArea area(4);
    int refused = 0;
    for (int i = 0; i < 40; ++i) {
      struct sigaction own{};
      own.sa_handler = [](int) { _exit(7); };
      own.sa_flags = i % 2 == 0 ? SA_NODEFER : 0;
      sigaction(SIGSEGV, &own, nullptr);
      refused += next_touch_.mark(area.address(), area.length(), options_).error;
    }
    _exit(refused == 0 && area.intact() ? 0 : 1);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "");
}

TEST_F(NextTouchSignals, ExecutingDataEndsAsEver) {
  if (under_sanitizer) GTEST_SKIP() << "its own handler ends the program";
  const auto program = [this] {
    alarm(20);
    const TestArea area(4);
    mark(area);
    using Code = void (*)();
    reinterpret_cast<Code>(area.address())();
  };
  EXPECT_EXIT(program(), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(NextTouchSignals, WhatTheProgramProtectsFromWritingStaysProtected) {
  const auto program = [this] {
    alarm(20);
    const TestArea area(4);
    struct sigaction own{};
    own.sa_handler = [](int) { _exit(7); };
    sigaction(SIGSEGV, &own, nullptr);
    mark(area);
    mprotect(area.bytes(), area.length().count, PROT_READ);
    if (!area.intact()) _exit(1);
    area.data()[0] = 5;
    _exit(2);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(7), "");
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

INSTANTIATE_TEST_SUITE_P(Ways, NextTouchChanges,
                         testing::Values(Played{WantedWay::userfault_thread, false},
                                         Played{WantedWay::userfault_signal, false},
                                         Played{WantedWay::protect, false},
                                         Played{WantedWay::userfault_thread, true},
                                         Played{WantedWay::userfault_signal, true},
                                         Played{WantedWay::protect, true}),
                         name_of);

}  // namespace
}  // namespace lares::memory
