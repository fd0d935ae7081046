// A page is emptied by one thread while others mark, bring and forget it; and either the thread
// that empties it or the one that is told of it gets no processor for long. It must read as zeros
// when the call has returned, and as what is written after that from then on.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "memory/next_touch/next_touch.hpp"
#include "memory_area.hpp"
#include "memory_calls_fake.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

/// The calling thread runs on the first of its processors from now on.
void share_processor() {
  cpu_set_t all;
  pthread_getaffinity_np(pthread_self(), sizeof(all), &all);
  std::size_t first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

/// The calling thread shares one processor with `Hog`, and gets only what that leaves.
class Starved {
 public:
  Starved() {
    pthread_getaffinity_np(pthread_self(), sizeof(before_), &before_);
    pthread_getschedparam(pthread_self(), &policy_, &parameters_);
    share_processor();
    const sched_param none{};
    pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
  }
  ~Starved() {
    pthread_setschedparam(pthread_self(), policy_, &parameters_);
    pthread_setaffinity_np(pthread_self(), sizeof(before_), &before_);
  }
  Starved(const Starved&) = delete;
  Starved& operator=(const Starved&) = delete;

 private:
  cpu_set_t before_;
  int policy_ = SCHED_OTHER;
  sched_param parameters_{};
};

/// Keeps that processor busy.
class Hog {
 public:
  Hog() : thread_([this] { run(); }) {}
  ~Hog() {
    stop_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

 private:
  void run() {
    share_processor();
    while (!stop_.load(std::memory_order_relaxed)) {
    }
  }
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

enum class Slow { emptier, monitor };
struct Case {
  WantedWay way;
  bool old;  ///< as before Linux 6.8
  Slow slow;
};

class NextTouchEmptied : public testing::TestWithParam<Case> {};

/// Empties one page and writes it again, and looks each time.
class Emptier {
 public:
  Emptier(const TestArea& area, bool starved)
      : area_(area), thread_([this, starved] {
          std::optional<Starved> slow;
          if (starved) slow.emplace();
          run();
        }) {}
  ~Emptier() {
    stop_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  Emptier(const Emptier&) = delete;
  Emptier& operator=(const Emptier&) = delete;

 private:
  void run() {
    std::atomic_ref word(area_.data()[0]);
    for (std::uint64_t value = 1; !stop_.load(std::memory_order_relaxed); ++value) {
      madvise(area_.bytes(), page, MADV_DONTNEED);
      const std::uint64_t empty = word.load(std::memory_order_relaxed);
      word.store(value, std::memory_order_relaxed);
      for (int look = 0; look < 100; ++look) {
        const std::uint64_t found = word.load(std::memory_order_relaxed);
        if (found == value && empty == 0) continue;
        ADD_FAILURE() << "round " << value << ": emptied, it was " << empty << "; then it had "
                      << found << " instead of " << value;
        return;
      }
    }
  }
  const TestArea& area_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST_P(NextTouchEmptied, ReadsAsZerosAndKeepsWhatIsWritten) {
  const Nodes nodes{machine_of_nodes({0})};
  NextTouch next_touch(GetParam().old ? old_calls() : real_calls(), nodes, {page});
  const TestArea area(3);
  NextTouchOptions options;
  options.way = GetParam().way;
  options.chunk = {page};
  const Hog hog;
  {
    std::optional<Starved> slow;  // the monitor inherits it
    if (GetParam().slow == Slow::monitor) slow.emplace();
    const int error = next_touch.mark(area.address(), area.length(), options).error;
    if (error == EPERM || error == ENOSYS) GTEST_SKIP() << "the kernel refuses userfaultfd";
  }
  const Emptier emptier(area, GetParam().slow == Slow::emptier);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (int round = 0; !HasFailure() && std::chrono::steady_clock::now() < end; ++round) {
    ASSERT_EQ(next_touch.mark(area.address(), area.length(), options).error, 0);
    if (round % 3 == 0) next_touch.settle(area.address(), {page});
    if (round % 3 == 1) next_touch.settle(area.address(), area.length());
    if (round % 2 == 0) sched_yield();
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, NextTouchEmptied,
                         testing::Values(Case{WantedWay::userfault_thread, false, Slow::emptier},
                                         Case{WantedWay::userfault_thread, true, Slow::emptier},
                                         Case{WantedWay::userfault_signal, false, Slow::emptier},
                                         Case{WantedWay::userfault_signal, true, Slow::emptier},
                                         Case{WantedWay::userfault_thread, false, Slow::monitor},
                                         Case{WantedWay::userfault_thread, true, Slow::monitor},
                                         Case{WantedWay::userfault_signal, false, Slow::monitor},
                                         Case{WantedWay::userfault_signal, true, Slow::monitor}),
                         [](const auto& info) {
                           const Case& c = info.param;
                           return std::string(c.way == WantedWay::userfault_thread ? "Thread"
                                                                                   : "Signal") +
                                  (c.old ? "OnOldKernels" : "") +
                                  (c.slow == Slow::emptier ? "WithALateEmptier"
                                                           : "WithALateMonitor");
                         });

}  // namespace
}  // namespace lares::memory
