// The engine under record: each thread's file, from many threads at once, and what becomes of it.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <string>

#include "analysis/record_file.hpp"
#include "analysis/task_graph.hpp"
#include "simulate/graph_file.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

/// A folder for the process's files: threads keep theirs open for ever.
const std::string& folder() {
  static const std::string path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "lares-record-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return name;
  }();
  return path;
}

class RecordEngine : public testing::Test {
 protected:
  void SetUp() override { Engine::record_into(folder().c_str()); }
  void TearDown() override { Engine::record_into(nullptr); }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }

  static std::size_t count_lines(const std::string& text, const std::string& start) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("\n" + start, at)) != std::string::npos; ++at) ++count;
    return count;
  }
  static analysis::TaskGraph graph() {
    return analysis::write_task_graph(analysis::read_records(folder()), "test");
  }
};

TEST_F(RecordEngine, HasEveryTaskOfManyThreads) {
  const host::Machine machine({2, 2});
  const std::size_t before = graph().tasks;
  static constexpr int each = 300;
  std::atomic<int> ran{0};
  host::region(8, [&ran](Worker& worker) {
    for (int i = 0; i < each; ++i) {
      host::spawn(worker, [&ran](Worker& runner) {
        host::spawn(runner, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
        taskwait(runner);
        ran.fetch_add(1, std::memory_order_relaxed);
      });
    }
    barrier(worker);
    host::spawn(worker, [](Worker&) {});
  });
  const analysis::TaskGraph found = graph();
  EXPECT_EQ(ran.load(), 8 * each * 2);
  EXPECT_EQ(found.tasks - before, 8U * each * 2 + 8);
  EXPECT_EQ(found.not_started, 0U);
  EXPECT_FALSE(found.full);
  EXPECT_TRUE(simulate::parse_graph(found.text, 4).ok());
}

TEST_F(RecordEngine, HasDependencesAndGrowsBeyondOneWindow) {
  const host::Machine machine({2});
  const analysis::TaskGraph before = graph();
  static constexpr int tasks = 6000;
  static int data[64];
  host::single(2, [](Worker& worker) {
    for (int i = 0; i < tasks; ++i) {
      host::spawn(worker, {host::out(&data[i % 64]), host::in(&data[(i + 1) % 64])},
                  [](Worker&) {});
    }
  });
  const analysis::TaskGraph found = graph();
  EXPECT_EQ(found.tasks - before.tasks, static_cast<std::size_t>(tasks));
  EXPECT_EQ(count_lines(found.text, "block") - count_lines(before.text, "block"), 64U);
}

TEST_F(RecordEngine, TellsUndeferredTasksFromThoseThatMerelyRanAtOnce) {
  const host::Machine machine({1});
  const analysis::TaskGraph before = graph();
  host::single(1, [](Worker& worker) {
    const auto nothing = [](Task&, Worker&) {};
    host::run_inline(worker, nothing, nullptr, nullptr, 0);
    host::run_inline(worker, nothing, nullptr, nullptr, task_flag::undeferred);
    run_undeferred(worker, *host::make_task(worker, [](Worker&) {}), {});
  });
  const analysis::TaskGraph found = graph();
  EXPECT_EQ(count_lines(found.text, "task") - count_lines(before.text, "task"), 1U);
  EXPECT_EQ(count_lines(found.text, "now") - count_lines(before.text, "now"), 2U);
}

TEST_F(RecordEngine, WritesNothingWhenItIsOff) {
  Engine::record_into(nullptr);
  const host::Machine machine({2});
  const std::size_t before = graph().tasks;
  host::single(2, [](Worker& worker) { host::spawn(worker, [](Worker&) {}); });
  EXPECT_EQ(graph().tasks, before);
}

TEST_F(RecordEngine, GoesOnWithoutRoom) {
  static const std::string nowhere = folder() + "/none";
  Engine::record_into(nowhere.c_str());
  const host::Machine machine({2});
  std::atomic<int> ran{0};
  std::thread([&ran] {  // new threads, which have no file yet
    host::region(2, [&ran](Worker& worker) {
      host::spawn(worker, [&ran](Worker&) { ran.fetch_add(1, std::memory_order_relaxed); });
    });
  })
      .join();
  EXPECT_EQ(ran.load(), 2);
}

}  // namespace
}  // namespace lares::runtime
