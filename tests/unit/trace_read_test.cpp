// The engine under trace, from many threads at once, and what is read of it.
#include "trace/read.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "runtime/record.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

using trace::Grain;
using trace::none;
using trace::Trace;

/// A folder for the process's files: threads keep theirs open for ever.
const std::string& folder() {
  static const std::string path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "lares-trace-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return name;
  }();
  return path;
}

std::uintptr_t code_of(const Task& task) noexcept {
  return reinterpret_cast<std::uintptr_t>(task.run);
}

void spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

class TraceOfEngine : public testing::Test {
 protected:
  void SetUp() override {
    record::set_code_of(code_of);
    Engine::record_into(folder().c_str());
    before_ = read().grains.size();
  }
  void TearDown() override { Engine::record_into(nullptr); }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }

  static Trace read() {
    auto trace = trace::read_trace(folder());
    return trace.ok() ? std::move(trace.value()) : Trace{};
  }
  std::size_t before_ = 0;
};

void expect_invariants(const Trace& trace) {
  ASSERT_EQ(trace.grains_of.size(), trace.threads.size() + 1);
  ASSERT_EQ(trace.grains_of.back(), trace.grains.size());
  for (std::size_t i = 0; i < trace.grains.size(); ++i) {
    const Grain& grain = trace.grains[i];
    ASSERT_LE(grain.created, grain.ready);
    ASSERT_LE(grain.ready, grain.begin);
    ASSERT_LE(grain.begin, grain.end);
    ASSERT_LE(grain.self, grain.length());
    ASSERT_LE(grain.end, trace.duration);
    if (i > trace.grains_of[grain.thread]) {
      ASSERT_LE(trace.grains[i - 1].begin, grain.begin);
    }
    if (grain.creator != none) {
      ASSERT_LE(trace.grains[grain.creator].begin, grain.begin);
    }
    if (grain.construct != none) {
      ASSERT_LT(grain.construct, trace.constructs.size());
    }
    ASSERT_LT(grain.region, trace.regions.size());
  }
}

TEST_F(TraceOfEngine, HasEveryTaskWithItsCreatorAndDepth) {
  const host::Machine machine({2, 2});
  static constexpr int each = 200;
  host::region(4, [](Worker& worker) {
    for (int i = 0; i < each; ++i) {
      host::spawn(worker, [](Worker& runner) {
        host::spawn(runner, [](Worker&) {});
        taskwait(runner);
      });
    }
  });
  const Trace trace = read();
  expect_invariants(trace);
  EXPECT_EQ(trace.grains.size() - before_, 4U * each * 2);
  std::size_t inner = 0;
  for (const Grain& grain : trace.grains) {
    EXPECT_EQ(grain.depth, grain.creator == none ? 0 : 1);
    if (grain.creator != none) ++inner;
  }
  EXPECT_GE(inner, 4U * each);
  EXPECT_FALSE(trace.regions.empty());
  EXPECT_EQ(trace.regions.back().team, 4U);
}

TEST_F(TraceOfEngine, TellsOwnTimeFromThatOfWhatRanInside) {
  const host::Machine machine({1});
  host::single(1, [](Worker& worker) {
    host::spawn(worker, [](Worker& runner) {
      spin(std::chrono::microseconds(2000));
      host::spawn(runner, [](Worker&) { spin(std::chrono::microseconds(6000)); });
      taskwait(runner);
    });
  });
  const Trace trace = read();
  expect_invariants(trace);
  ASSERT_EQ(trace.grains.size() - before_, 2U);
  const Grain* outer = nullptr;
  const Grain* inner = nullptr;
  for (const Grain& grain : trace.grains) {
    if (grain.creator == none && grain.length() >= 7'990'000) outer = &grain;
    if (grain.creator != none && grain.length() >= 5'990'000) inner = &grain;
  }
  ASSERT_NE(outer, nullptr);
  ASSERT_NE(inner, nullptr);
  EXPECT_GE(outer->self, 1'990'000U);
  EXPECT_LE(outer->self + inner->length(), outer->length() + 1000);
  EXPECT_EQ(inner->self, inner->length());
}

TEST_F(TraceOfEngine, TellsWhichEndMadeATaskReady) {
  const host::Machine machine({2});
  static int data = 0;
  host::single(2, [](Worker& worker) {
    for (int i = 0; i < 50; ++i) {
      host::spawn(worker, {host::out(&data)}, [](Worker&) { spin(std::chrono::microseconds(50)); });
    }
  });
  const Trace trace = read();
  expect_invariants(trace);
  std::size_t released = 0;
  for (const Grain& grain : trace.grains) {
    if (grain.released_by == none) continue;
    ++released;
    EXPECT_LE(trace.grains[grain.released_by].end, grain.begin);
    EXPECT_EQ(grain.accesses, 1U);
    EXPECT_EQ(trace.accesses[grain.first_access].address, reinterpret_cast<std::uintptr_t>(&data));
  }
  EXPECT_GE(released, 30U);  // those that were made before the one before them had ended
}

TEST_F(TraceOfEngine, NamesConstructsByTheirCode) {
  const host::Machine machine({1});
  host::single(1, [](Worker& worker) { host::spawn(worker, [](Worker&) {}); });
  const Trace trace = read();
  const Grain& last = trace.grains.back();
  ASSERT_NE(last.construct, none);
  const std::string& file = trace.constructs[last.construct].file;
#if __GLIBC_PREREQ(2, 35)
  EXPECT_NE(file.find("trace_tests"), std::string::npos) << file;
#else
  EXPECT_EQ(file, "");
#endif
}

class TraceFolder : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / "lares-trace-XXXXXX").string();
    ASSERT_NE(mkdtemp(path_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
  }
  [[nodiscard]] std::string refusal() const {
    const auto trace = trace::read_trace(path_);
    return trace.ok() ? std::string() : trace.error().sentence;
  }
  std::string path_;
};

TEST_F(TraceFolder, ThatIsNoneIsRefusedWithWhatToDo) {
  EXPECT_NE(refusal().find("is no trace of Lares"), std::string::npos);
  EXPECT_NE(refusal().find("lares run --trace"), std::string::npos);
  path_ += "/gone";
  EXPECT_NE(refusal().find("is no folder"), std::string::npos);
  path_.resize(path_.size() - 5);
}

TEST_F(TraceFolder, OfForeignFilesIsRefused) {
  write("record.1.0", "");
  write("trace.json", "{}");
  EXPECT_NE(refusal().find("truncated"), std::string::npos);
  write("record.1.0", std::string(4096, 'x'));
  EXPECT_NE(refusal().find("mark"), std::string::npos);
}

TEST_F(TraceFolder, WithoutAnyTaskIsATraceWithoutGrains) {
  write("trace.json", R"({"lares_trace": 1, "finished": true, "command": ["./app"]})");
  const auto trace = trace::read_trace(path_);
  ASSERT_TRUE(trace.ok());
  EXPECT_TRUE(trace.value().grains.empty());
  EXPECT_EQ(trace.value().about.command.front(), "./app");
  EXPECT_TRUE(trace.value().notes.empty());
}

TEST_F(TraceFolder, SaysWhatIsMissing) {
  write("trace.json", R"({"lares_trace": 2})");
  RecordFileHead head{};
  head.magic = RecordFileHead::expected_magic;
  head.window_bytes = 4096;
  std::string bytes(4096, '\0');
  std::memcpy(bytes.data(), &head, sizeof(head));
  write("record.1.0", bytes);
  write("record.1.1", "rubbish");
  const auto trace = trace::read_trace(path_);
  ASSERT_TRUE(trace.ok());
  std::string notes;
  for (const std::string& note : trace.value().notes) notes += note + "\n";
  EXPECT_NE(notes.find("format 2"), std::string::npos) << notes;
  EXPECT_NE(notes.find("did not finish"), std::string::npos) << notes;
  EXPECT_NE(notes.find("1 file of threads"), std::string::npos) << notes;
}

}  // namespace
}  // namespace lares::runtime
