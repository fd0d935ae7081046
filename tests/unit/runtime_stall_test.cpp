// The look at a process that does not go on (stall.hpp): what it counts, while all goes on as well.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "runtime/stall.hpp"
#include "runtime/stall_inside.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

std::string page_of(Nanoseconds stalled) {
  const int file = memfd_create("page", MFD_CLOEXEC);
  stall::write_page(file, stalled);
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(file, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  close(file);
  return text;
}

void wait_until(const std::atomic<bool>& flag) {
  while (!flag.load(std::memory_order_acquire)) sched_yield();
}

/// A thread that looks again and again.
class Onlooker {
 public:
  Onlooker()
      : thread_([this] {
          while (!over_.load(std::memory_order_relaxed)) {
            stall::look();
            if (page_of(Nanoseconds{0}).find("  team of ") != std::string::npos) {
              seen_.store(true, std::memory_order_release);
            }
          }
        }) {}
  Onlooker(const Onlooker&) = delete;
  Onlooker& operator=(const Onlooker&) = delete;
  ~Onlooker() {
    over_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  [[nodiscard]] bool has_seen_a_team() const { return seen_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> over_{false};
  std::atomic<bool> seen_{false};
  std::thread thread_;
};

class Stall : public testing::Test {
 protected:
  const host::Machine machine_{{2, 2}};
};

TEST_F(Stall, ALookDoesNotDisturbTasksOrTeams) {
  const Onlooker onlooker;
  std::atomic<int> ran{0};
  int wanted = 0;
  for (int round = 0; round < 40 || !onlooker.has_seen_a_team(); ++round) {
    const std::size_t size = 1 + static_cast<std::size_t>(round) % 4;
    int data = 0;
    host::region(size, [&ran, &data](Worker& worker) {
      for (int i = 0; i < 20; ++i) {
        host::spawn(worker, [&ran](Worker& runner) {
          host::spawn(runner, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
          taskwait(runner);
        });
      }
      host::spawn(worker, {host::out(&data)}, [](Worker&) {});
      host::spawn(worker, {host::in(&data)}, [](Worker&) {});
      taskwait(worker);
    });
    wanted += 20 * static_cast<int>(size);
  }
  EXPECT_EQ(ran.load(), wanted);
}

TEST_F(Stall, CountsWhatIsHeldBackAndByWhat) {
  std::string page;
  stall::Progress before;
  stall::Progress after;
  host::single(2, [&](Worker& worker) {
    before = stall::look();
    int data = 0;
    std::atomic<bool> ended{false};
    const auto body = [&ended](Worker&) { ended.store(true, std::memory_order_release); };
    Task* task = host::make_task(worker, body, task_flag::detachable);
    const Dependence writes = host::out(&data);
    submit(worker, *task, {&writes, 1});
    host::spawn(worker, {host::in(&data)}, [](Worker&) {});
    host::spawn(worker, {host::in(&data)}, [](Worker&) {});
    wait_until(ended);
    while (worker.team->pending_events.load(std::memory_order_relaxed) == 0) sched_yield();
    // The other worker has ended the body, and has nothing to do from now on.
    after = stall::look();
    page = page_of(Nanoseconds{2'500'000'000});
    fulfil(*task);
    taskwait(worker);
  });
  EXPECT_EQ(after.open - before.open, 3U);
  EXPECT_NE(page.find("no task has started or ended for 2.5 s, and 3 are open"), page.npos) << page;
  EXPECT_NE(page.find("2 held back by dependences, 0 by mutexinoutset, 1 that have ended but for "
                      "their event"),
            page.npos)
      << page;
  EXPECT_NE(page.find("queued: nothing"), page.npos) << page;
  EXPECT_EQ(stall::look().open, 0U);
}

TEST_F(Stall, CountsTasksThatLackALock) {
  LARES_NEEDS_ORDER();  // with tiny queues the creator runs the body that waits for it
  std::string page;
  host::single(2, [&](Worker& worker) {
    int data = 0;
    std::atomic<bool> begun{false};
    std::atomic<bool> may_end{false};
    const Dependence both = host::on(&data, DependKind::mutexinoutset);
    for (int i = 0; i < 3; ++i) {
      const auto body = [&](Worker&) {
        begun.store(true, std::memory_order_release);
        wait_until(may_end);
      };
      submit(worker, *host::make_task(worker, body), {&both, 1});
    }
    wait_until(begun);
    page = page_of(Nanoseconds{0});
    may_end.store(true, std::memory_order_release);
    taskwait(worker);
    EXPECT_EQ(worker.team->excluded.load(std::memory_order_relaxed), 0U);
  });
  EXPECT_NE(page.find("open are 1 that run or wait on a stack, 0 queued, 0 held back by "
                      "dependences, 2 by mutexinoutset"),
            page.npos)
      << page;
}

TEST_F(Stall, ATaskThatRunsAtOnceIsOpenToo) {
  host::single(1, [](Worker& worker) {
    host::spawn(worker, [](Worker& runner) {
      EXPECT_EQ(stall::look().open, 1U);
      host::spawn(runner, [](Worker&) { EXPECT_EQ(stall::look().open, 2U); });
      taskwait(runner);
    });
    taskwait(worker);
  });
  EXPECT_EQ(stall::look().open, 0U);
}

TEST_F(Stall, AWaitIsToldOfOnceItIsLong) {
  host::single(2, [](Worker& worker) {
    const Worker& other = *worker.team->workers[1];
    const auto waits = [&other] { return stall::wait_of(other); };
    while (waits() != Wait::region_end && waits() != Wait::barrier) sched_yield();
    EXPECT_EQ(stall::wait_of(worker), Wait::none);
    std::atomic<bool> begun{false};
    std::atomic<bool> may_end{false};
    // Only the other worker can run it, since this one does not wait.
    host::spawn(worker, [&](Worker& runner) {
      EXPECT_EQ(stall::wait_of(runner), Wait::none);
      begun.store(true, std::memory_order_release);
      wait_until(may_end);
    });
    wait_until(begun);
    may_end.store(true, std::memory_order_release);
    taskwait(worker);
  });
}

TEST_F(Stall, AWaitingWorkerAnswersARequest) {
  std::string folder = testing::TempDir() + "lares-stall-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  static std::string kept;  // the engine keeps the pointer
  kept = folder;
  stall::set_up(kept.c_str(), Nanoseconds{0}, {});
  CountersFile& counters = *host::counters_file();
  stall::begin(counters);
  const std::uint32_t number = counters.stall_request.load(std::memory_order_relaxed) + 1;
  const std::string path =
      folder + "/asked." + std::to_string(getpid()) + "." + std::to_string(number);
  host::single(2, [&](Worker&) {
    counters.stall_request.store(number, std::memory_order_relaxed);
    while (access(path.c_str(), R_OK) != 0) sched_yield();
  });
  stall::watched.store(nullptr, std::memory_order_relaxed);
  std::ifstream file(path);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find("as asked: 0 tasks are open\n  team of 2 threads"), page.npos) << page;
  EXPECT_NE(page.find("waits at the end of the region"), page.npos) << page;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lares::runtime
