// The summary: what it says, that it keeps to its twelve lines, and that its JSON is well-formed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/stats_file.hpp"
#include "analysis/summary.hpp"
#include "analysis_sample.hpp"
#include "base/random.hpp"

namespace lares::analysis {
namespace {

Report sample_report() {
  ProcessStats process;
  process.pid = 7;
  process.command = "app";
  process.runtime = "libgomp.so.1";
  process.threads = 4;
  process.regions = 2;
  process.wall = {1'500'000'000};
  process.counts.creator_tasks = {0, 100, 0};
  process.counts.data_tasks = {1'234'467, 0, 0};
  process.counts.data_bytes = {3ULL << 30U, 0, 1ULL << 30U};
  process.counts.inlined = 12;
  process.counts.steals = {10, 0, 2, 0, 0, 0, 0, 0};
  process.counts.queue_operations = 1000;
  process.counts.queueing_ns = 60'000'000;
  process.counts.thread_time_ns = 6e9;

  Report report;
  report.command = {"./app", "-x"};
  report.machine = "test";
  report.policy = "distribution=cyclic,push=local,steal=nearest";
  report.policy_words = report.policy;
  report.binding = "close";
  report.setting.domains = 2;
  report.setting.cores = 4;
  report.setting.level = "l2";
  report.setting.push = "local";
  report.setting.steal = "nearest";
  report.run = merge({process});
  return report;
}

std::string text_of(const Report& report) {
  std::string text;
  for (const std::string& line : summary_text(report, max_summary_lines)) text += line + "\n";
  return text;
}

TEST(SummaryText, SaysWhatTheRunDid) {
  const std::string text = text_of(sample_report());
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has("4 threads in 2 l2 domains, bound, libgomp.so.1, 1.5 s")) << text;
  EXPECT_TRUE(has("push=local,steal=nearest")) << text;
  EXPECT_TRUE(has("1,234,567, 12 at once")) << text;
  EXPECT_TRUE(has("100.0 % local")) << text;
  EXPECT_TRUE(has(" 75.0 % local    0.0 % same domain   25.0 % remote  of 4.0 GiB")) << text;
  EXPECT_TRUE(has("own domain 10, nearest other 0, 2nd nearest 2\n")) << text;
  EXPECT_TRUE(has("1.0 % of the threads' time in queues, 60000 ns per operation")) << text;
}

TEST(SummaryText, StartsEveryLineWithItsName) {
  for (const std::string& line : summary_text(sample_report(), max_summary_lines)) {
    EXPECT_TRUE(line.starts_with("lares: ")) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(SummaryText, IsSilentWithoutOpenMP) {
  Report report = sample_report();
  report.run = merge({});
  EXPECT_TRUE(summary_text(report, max_summary_lines).empty());
  report.notes = {"./app is linked statically"};
  EXPECT_EQ(summary_text(report, max_summary_lines).size(), 1U);
}

TEST(SummaryText, NeverHasMoreThanTwelveLines) {
  Report report = sample_report();
  report.run.threads = 5;  // there is advice
  for (int count = 0; count <= 40; ++count) {
    const auto lines = summary_text(report, max_summary_lines);
    EXPECT_LE(lines.size(), max_summary_lines);
    EXPECT_TRUE(lines.back().starts_with("lares: advice")) << lines.back();
    report.run.notes.push_back("note " + std::to_string(count));
  }
  const std::string text = text_of(report);
  EXPECT_NE(text.find("note 0"), std::string::npos);
  EXPECT_NE(text.find("38 more; --summary=text FILE"), std::string::npos) << text;
  EXPECT_NE(summary_text(report, 1000).size(), max_summary_lines);
}

TEST(SummaryText, PrintsEachNoteOnce) {
  Report report = sample_report();
  report.notes = {"the same"};
  report.run.notes = {"the same"};
  const std::string text = text_of(report);
  EXPECT_EQ(text.find("the same"), text.rfind("the same"));
}

TEST(SummaryText, HasNoSharesWithoutTasks) {
  Report report = sample_report();
  ProcessStats loops_only;
  loops_only.regions = 3;
  loops_only.threads = 2;
  report.run = merge({loops_only});
  const std::string text = text_of(report);
  EXPECT_NE(text.find("lares: tasks     0\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("% local"), std::string::npos) << text;
}

TEST(Summary, SaysWhyThreadsOfTeamsMoved) {
  Report report = sample_report();
  EXPECT_EQ(text_of(report).find("bubbles"), std::string::npos);
  report.run.counts.bubbles = 61;
  report.run.counts.bubble_shakes = 4;
  report.run.counts.bubble_seen = 2;
  EXPECT_NE(text_of(report).find("61 teams placed; threads moved: 4 to their data, 2 to what they "
                                 "were seen to touch, 0 to idle cores\n"),
            std::string::npos)
      << text_of(report);
  const auto json = nlohmann::json::parse(summary_json(report));
  EXPECT_EQ(json.at("bubbles").at("threads_moved_to_seen_data"), 2);
}

TEST(SummaryText, CountsProcesses) {
  Report report = sample_report();
  std::vector<ProcessStats> many(3, report.run.processes[0]);
  report.run = merge(many);
  EXPECT_NE(text_of(report).find(", 3 processes"), std::string::npos);
}

TEST(SummaryJson, TellsTheSameToPrograms) {
  const auto json = nlohmann::json::parse(summary_json(sample_report()));
  EXPECT_EQ(json["format"], "lares-summary");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["openmp"], true);
  EXPECT_EQ(json["command"][1], "-x");
  EXPECT_EQ(json["tasks"]["run"], 1'234'567);
  EXPECT_EQ(json["tasks"]["by_creator"]["same_domain"], 100);
  EXPECT_EQ(json["bytes"]["remote"], 1U << 30U);
  EXPECT_EQ(json["steals_by_distance"].size(), runtime::distance_ranks);
  EXPECT_DOUBLE_EQ(json["queueing"]["share_of_thread_time"], 0.01);
  EXPECT_EQ(json["processes"].size(), 1U);
  EXPECT_EQ(json["ending"]["exit_status"], 0);
  EXPECT_TRUE(json["advice"].is_null());
}

TEST(SummaryJson, HasNullForWhatIsNotKnown) {
  Report report = sample_report();
  report.run = merge({});
  report.ending.signal = 11;
  const auto json = nlohmann::json::parse(summary_json(report));
  EXPECT_EQ(json["openmp"], false);
  EXPECT_TRUE(json["wall_seconds"].is_null());
  EXPECT_TRUE(json["ending"]["exit_status"].is_null());
  EXPECT_EQ(json["ending"]["signal"], 11);
}

TEST(SummaryJson, TakesArgumentsThatAreNoText) {
  Report report = sample_report();
  report.command = {"./app", "\xFF\xFE"};
  EXPECT_TRUE(nlohmann::json::accept(summary_json(report)));
}

// Whatever a counters file says, both forms of the summary stay well-formed.
TEST(Summary, WithstandsMutatedCounters) {
  test::SampleStats sample(3);
  sample.add_note("a note");
  const auto original = sample.bytes();
  Random random(13);
  for (int round = 0; round < 2000; ++round) {
    auto bytes = original;
    for (int i = 0; i < 40; ++i) {
      const auto offset = offsetof(runtime::CountersFile, pid);
      const auto room = static_cast<std::uint32_t>(bytes.size() - offset);
      bytes[offset + random.below(random.below(2) == 0 ? 512 : room)] =
          static_cast<std::byte>(random.below(256));
    }
    const auto stats = parse_stats(bytes);
    ASSERT_TRUE(stats.ok());
    Report report = sample_report();
    report.run = merge({stats.value()});
    const auto lines = summary_text(report, max_summary_lines);
    EXPECT_LE(lines.size(), max_summary_lines);
    for (const std::string& line : lines) EXPECT_EQ(printable(line), line);
    EXPECT_TRUE(nlohmann::json::accept(summary_json(report)));
  }
}

}  // namespace
}  // namespace lares::analysis
