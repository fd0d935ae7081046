// The reader of counters files, and the merge of many processes.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "analysis/run_stats.hpp"
#include "analysis/stats_file.hpp"
#include "analysis_sample.hpp"
#include "base/random.hpp"

namespace lares::analysis {
namespace {

using runtime::CountersFile;
using runtime::CounterSlot;
using test::SampleStats;

SampleStats two_threads() {
  SampleStats sample(2);
  sample.slot(0).tasks[0].add(10);
  sample.slot(0).data_tasks[2].add(5);
  sample.slot(0).data_bytes[2].add(4096);
  sample.slot(0).inlined.add(3);
  sample.slot(0).queue_operations.add(1000);
  sample.slot(0).samples.add(10);
  sample.slot(0).sampled_ticks.add(2000);  // 200 ticks = 100 ns each
  sample.slot(1).tasks[1].add(7);
  sample.slot(1).steals[0].add(4);
  sample.slot(1).steals[7].add(1);
  sample.slot(1).failed_rounds.add(9);
  sample.slot(0).loops.add(2);
  sample.slot(0).loop_iterations[0].add(100);
  sample.slot(1).loop_iterations[1].add(20);
  sample.slot(1).loop_iterations[2].add(3);
  sample.slot(1).loop_steals[0].add(5);
  sample.slot(1).loop_steals[1].add(1);
  sample.slot(1).loop_steals[3].add(2);
  sample.slot(0).loop_ticks.add(6000);  // two in a nanosecond
  sample.slot(1).loop_ticks.add(2000);
  sample.slot(1).loop_wait_ticks.add(1000);
  sample.slot(0).bubbles.add(2);
  sample.slot(1).bubbles.add(1);
  sample.slot(0).bubble_shakes.add(4);
  sample.slot(1).bubble_seen.add(5);
  sample.slot(1).bubble_steals.add(6);
  sample.slot(1).bubble_data.add(8);
  sample.slot(1).queue_operations.add(20);
  return sample;
}

TEST(StatsFile, AddsUpTheThreads) {
  const auto stats = parse_stats(two_threads().bytes());
  ASSERT_TRUE(stats.ok()) << stats.error().sentence;
  const ProcessStats& process = stats.value();
  EXPECT_EQ(process.pid, 4711U);
  EXPECT_EQ(process.runtime, "libgomp.so.1");
  EXPECT_EQ(process.command, "app");
  EXPECT_EQ(process.threads, 2U);
  EXPECT_EQ(process.wall.count, 2'000'000);
  EXPECT_EQ(process.counts.creator_tasks, (Shares{10, 7, 0}));
  EXPECT_EQ(process.counts.data_tasks, (Shares{0, 0, 5}));
  EXPECT_EQ(process.counts.data_bytes, (Shares{0, 0, 4096}));
  EXPECT_EQ(process.counts.tasks().total(), 22U);
  EXPECT_EQ(process.counts.inlined, 3U);
  EXPECT_EQ(process.counts.stolen(), 5U);
  EXPECT_EQ(process.counts.steals[7], 1U);
  EXPECT_EQ(process.counts.failed_rounds, 9U);
  EXPECT_EQ(process.counts.loops, 2U);
  EXPECT_EQ(process.counts.loop_iterations, (Shares{100, 20, 3}));
  EXPECT_EQ(process.counts.loop_steals[0], 5U);
  EXPECT_EQ(process.counts.loop_steals[1], 1U);
  EXPECT_EQ(process.counts.loop_ranges_stolen(), 8U);
  EXPECT_DOUBLE_EQ(process.counts.loop_ns, 4000);
  EXPECT_DOUBLE_EQ(process.counts.loop_wait_ns, 500);
  EXPECT_DOUBLE_EQ(process.counts.loop_imbalance(), 1.5);
  EXPECT_EQ(process.counts.bubbles, 3U);
  EXPECT_EQ(process.counts.bubble_shakes, 4U);
  EXPECT_EQ(process.counts.bubble_seen, 5U);
  EXPECT_EQ(process.counts.bubble_steals, 6U);
  EXPECT_EQ(process.counts.bubble_data, 8U);
  EXPECT_EQ(process.counts.queue_operations, 1020U);
  EXPECT_EQ(process.busiest_operations, 1000U);
}

TEST(StatsFile, ScalesSampledTicksToNanoseconds) {
  const auto stats = parse_stats(two_threads().bytes());
  ASSERT_TRUE(stats.ok());
  // 1000 operations of 100 ns; the other thread has no sample and adds nothing.
  EXPECT_DOUBLE_EQ(stats.value().counts.queueing_ns, 100'000.0);
  EXPECT_DOUBLE_EQ(stats.value().counts.thread_time_ns, 2 * 2'000'000.0);
}

// One of ten sampled operations lost its processor for a millisecond: that happened once, and not
// once in ten operations.
TEST(StatsFile, ScalesUpNoInterruption) {
  SampleStats sample = two_threads();
  sample.slot(0).samples.add(1);
  sample.slot(0).sampled_ticks.add(2'000'000);
  sample.slot(0).longest_sample.add(2'000'000);
  const auto stats = parse_stats(sample.bytes());
  ASSERT_TRUE(stats.ok());
  EXPECT_DOUBLE_EQ(stats.value().counts.queueing_ns, 999 * 100.0 + 1'000'000.0);
}

TEST(StatsFile, QueueingTakesNoMoreThanTheThreadsTime) {
  SampleStats sample = two_threads();
  sample.slot(0).sampled_ticks.add(1'000'000'000);
  const auto stats = parse_stats(sample.bytes());
  ASSERT_TRUE(stats.ok());
  EXPECT_DOUBLE_EQ(stats.value().counts.queueing_ns, 2 * 2'000'000.0);
  EXPECT_DOUBLE_EQ(merge({stats.value()}).queueing_share(), 1.0);
}

TEST(StatsFile, HasNoTimesWhenTheProgramDiedInItsFirstRegion) {
  SampleStats sample = two_threads();
  sample.head().end_ns = 0;
  sample.head().end_ticks = 0;
  const auto stats = parse_stats(sample.bytes());
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats.value().wall.count, 0);
  EXPECT_EQ(stats.value().counts.queueing_ns, 0);
  EXPECT_EQ(stats.value().counts.tasks().total(), 22U);
}

TEST(StatsFile, TakesOnlyNotesThatAreComplete) {
  SampleStats sample(0);
  sample.add_note("first");
  sample.add_note("half wri");
  sample.head().notes[1].ready = 0;
  sample.add_note("third");
  const auto stats = parse_stats(sample.bytes());
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats.value().notes, (std::vector<std::string>{"first", "third"}));
}

TEST(StatsFile, SurvivesMoreSlotsAndNotesThanTheFileHolds) {
  SampleStats sample = two_threads();
  sample.head().slots_used = 0xFFFF'FFFFU;
  sample.head().notes_used = 0xFFFF'FFFFU;
  const auto stats = parse_stats(sample.bytes());
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats.value().counts.tasks().total(), 22U);
}

TEST(StatsFile, RefusesWhatIsNotACountersFile) {
  std::vector<std::byte> bytes = two_threads().bytes();
  EXPECT_FALSE(parse_stats({}).ok());
  EXPECT_FALSE(parse_stats(std::span(bytes).first(CountersFile::slots_offset - 1)).ok());
  bytes[0] ^= std::byte{1};
  EXPECT_FALSE(parse_stats(bytes).ok());

  SampleStats other = two_threads();
  other.head().slot_bytes = sizeof(CounterSlot) * 2;
  const auto refused = parse_stats(other.bytes());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence.find("another version"), std::string::npos);
}

TEST(StatsFile, KeepsEscapeSequencesFromTheTerminal) {
  EXPECT_EQ(printable("a\033[31mb\x7f\n"), "a?[31mb??");
  EXPECT_EQ(printable("Gr\xC3\xB6\xC3\x9F"
                      "e \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "Gr\xC3\xB6\xC3\x9F"
            "e \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(printable("\xC2\x9B"), "??");                 // an escape in one character
  EXPECT_EQ(printable("\xFFx\xC3"), "?x?");               // no UTF-8, and a sequence cut short
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");            // a surrogate
  EXPECT_EQ(printable("\xC0\xAF\xE0\x80\xAF"), "?????");  // overlong
}

bool is_printable(const std::string& text) { return printable(text) == text; }

// Any bytes are allowed: mutated files give a sentence or sane text and never touch memory outside.
TEST(StatsFile, WithstandsMutatedBytes) {
  SampleStats sample = two_threads();
  sample.add_note("the runtime is linked statically");
  const std::vector<std::byte> original = sample.bytes();
  Random random(2016);
  std::size_t accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes = original;
    const std::uint32_t flips = 1 + random.below(24);
    for (std::uint32_t i = 0; i < flips; ++i) {
      // Half of the mutations hit the head's numbers, where the decisions are.
      const auto limit = static_cast<std::uint32_t>(random.below(2) == 0 ? 512 : bytes.size());
      bytes[random.below(limit)] = static_cast<std::byte>(random.below(256));
    }
    // Most mutations would only break the mark; mend it so that the rest is read.
    if (random.below(4) != 0) {
      std::copy_n(original.begin(), offsetof(CountersFile, pid), bytes.begin());
    }
    if (random.below(8) == 0) bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size())));
    const auto stats = parse_stats(bytes);
    if (!stats) {
      EXPECT_FALSE(stats.error().sentence.empty());
      continue;
    }
    ++accepted;
    EXPECT_TRUE(is_printable(stats.value().command));
    EXPECT_TRUE(is_printable(stats.value().runtime));
    EXPECT_GE(stats.value().wall.count, 0);
    EXPECT_GE(stats.value().counts.queueing_ns, 0);
  }
  EXPECT_GT(accepted, 10'000U);  // the loop looked at the fields, not only at the mark
}

class SessionFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "lares-analysis-XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::vector<std::byte>& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

  std::filesystem::path folder_;
};

TEST_F(SessionFolder, IsReadWithoutWhatIsDamagedOrForeign) {
  write("stats.1", two_threads().bytes());
  write("stats.2", two_threads().bytes());
  write("stats.3", {});
  write("machine", two_threads().bytes());
  std::filesystem::create_symlink("stats.1", folder_ / "stats.4");
  std::filesystem::create_directory(folder_ / "stats.5");
  ASSERT_EQ(mkfifo((folder_ / "stats.6").c_str(), 0600), 0);
  const SessionStats session = read_session(folder_);
  EXPECT_EQ(session.processes.size(), 2U);
  EXPECT_EQ(session.damaged, 4U);
}

TEST_F(SessionFolder, MayHoldThousandsOfProcesses) {
  SampleStats sample = two_threads();
  for (std::uint32_t pid = 1; pid <= 3000; ++pid) {
    sample.head().pid = pid;
    write("stats." + std::to_string(pid), sample.bytes());
  }
  const RunStats run = merge(read_session(folder_).processes);
  EXPECT_EQ(run.processes.size(), 3000U);
  EXPECT_EQ(run.counts.tasks().total(), 3000U * 22U);
}

TEST(Session, MayBeMissing) {
  const SessionStats session = read_session("/nonexistent/lares");
  EXPECT_TRUE(session.processes.empty());
  EXPECT_EQ(session.damaged, 0U);
}

TEST(Merge, LeavesOutProcessesWithoutOpenMPButKeepsTheirNotes) {
  ProcessStats idle;
  idle.pid = 2;
  idle.notes = {"left to the stock runtime"};
  ProcessStats busy;
  busy.pid = 1;
  busy.regions = 1;
  busy.threads = 8;
  busy.runtime = "libomp.so.5";
  busy.notes = {"left to the stock runtime", "mbind refused"};
  busy.counts.queue_operations = 100;
  busy.busiest_operations = 80;
  const RunStats run = merge({idle, busy});
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].pid, 1U);
  EXPECT_EQ(run.threads, 8U);
  EXPECT_DOUBLE_EQ(run.busiest_share, 0.8);
  EXPECT_EQ(run.notes, (std::vector<std::string>{"left to the stock runtime", "mbind refused"}));
  EXPECT_EQ(run.runtimes, (std::vector<std::string>{"libomp.so.5"}));
}

TEST(Merge, OfNothingUsedNoOpenMP) {
  const RunStats run = merge({});
  EXPECT_FALSE(run.used_openmp());
  EXPECT_EQ(run.queueing_share(), 0);
  EXPECT_EQ(run.operation_ns(), 0);
}

}  // namespace
}  // namespace lares::analysis
