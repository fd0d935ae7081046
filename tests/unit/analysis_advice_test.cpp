// The advice rules: each is asked with a run that it must speak on, and with one just beside it.
#include <gtest/gtest.h>

#include <string>

#include "analysis/advice.hpp"

namespace lares::analysis {
namespace {

/// 1000 tasks, all local to known data, hardly any queueing: nothing to say.
RunStats quiet_run() {
  RunStats run;
  run.processes.emplace_back();
  run.threads = 4;
  run.regions = 1;
  run.counts.data_tasks = {1000, 0, 0};
  run.counts.data_bytes = {1'000'000, 0, 0};
  run.counts.queue_operations = 2000;
  run.counts.queueing_ns = 1e6;
  run.counts.thread_time_ns = 1e9;
  run.busiest_share = 0.25;
  run.runtimes = {"libgomp.so.1"};
  return run;
}

Setting two_domains() {
  Setting setting;
  setting.domains = 2;
  setting.cores = 4;
  setting.level = "numa";
  setting.push = "writer-domain-or-local";
  setting.steal = "nearest";
  setting.push_uses_data = true;
  return setting;
}

std::string rule_of(const RunStats& run, const Setting& setting) {
  const auto advice = advise(run, setting);
  return advice ? std::string(advice->rule) : "";
}

std::string sentence_of(const RunStats& run, const Setting& setting) {
  const auto advice = advise(run, setting);
  return advice ? advice->sentence : "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Advice, IsSilentWhenNothingStandsOut) {
  EXPECT_EQ(rule_of(quiet_run(), two_domains()), "");
  EXPECT_EQ(rule_of(RunStats{}, Setting{}), "");
}

TEST(Advice, NamesTheNumberOfThreadsWhenTheyShareCores) {
  RunStats run = quiet_run();
  run.threads = 5;
  EXPECT_EQ(rule_of(run, two_domains()), "oversubscribed");
  EXPECT_TRUE(contains(sentence_of(run, two_domains()), "OMP_NUM_THREADS=4"));
}

TEST(Advice, FindsTasksThatAreTooSmall) {
  RunStats run = quiet_run();
  run.counts.queueing_ns = 0.19e9;
  EXPECT_EQ(rule_of(run, two_domains()), "");
  run.counts.queueing_ns = 0.21e9;
  EXPECT_EQ(rule_of(run, two_domains()), "tasks-too-small");
  EXPECT_TRUE(contains(sentence_of(run, two_domains()), "21 %"));
}

TEST(Advice, NeverReportsMoreThanTheWholeTime) {
  RunStats run = quiet_run();
  run.counts.queueing_ns = 7e9;  // samples can overshoot
  EXPECT_TRUE(contains(sentence_of(run, two_domains()), "100 %"));
}

TEST(Advice, TellsOneProducerFromSmallTasks) {
  RunStats run = quiet_run();
  run.counts.queueing_ns = 0.3e9;
  run.busiest_share = 0.625;  // a producer among four threads
  EXPECT_EQ(rule_of(run, two_domains()), "single-producer");
  run.busiest_share = 0.30;
  EXPECT_EQ(rule_of(run, two_domains()), "tasks-too-small");
  run.threads = 1;  // alone, every thread is the producer
  run.busiest_share = 1.0;
  EXPECT_EQ(rule_of(run, two_domains()), "tasks-too-small");
}

TEST(Advice, DoesNotJudgeAFewTasks) {
  RunStats run = quiet_run();
  run.counts.data_tasks = {0, 0, enough_tasks - 1};
  run.counts.data_bytes = {0, 0, 1000};
  run.counts.queueing_ns = 0.9e9;
  EXPECT_EQ(rule_of(run, two_domains()), "");
}

TEST(Advice, PointsToAFinerLevelWhenThereIsOneDomain) {
  Setting setting = two_domains();
  setting.domains = 1;
  setting.finer_level = "l2";
  EXPECT_EQ(rule_of(quiet_run(), setting), "one-domain");
  EXPECT_TRUE(contains(sentence_of(quiet_run(), setting), "--domain l2"));
  setting.finer_level = "";
  EXPECT_EQ(rule_of(quiet_run(), setting), "one-domain");
  EXPECT_FALSE(contains(sentence_of(quiet_run(), setting), "--domain"));
}

TEST(Advice, AsksToBindThreads) {
  Setting setting = two_domains();
  setting.bound = false;
  EXPECT_EQ(rule_of(quiet_run(), setting), "unbound");
  setting.domains = 1;
  EXPECT_EQ(rule_of(quiet_run(), setting), "one-domain");  // binding would change nothing
}

TEST(Advice, OffersAPolicyThatUsesTheHomesItKnows) {
  RunStats run = quiet_run();
  run.counts.data_tasks = {400, 0, 600};
  run.counts.data_bytes = {400, 0, 600};
  Setting setting = two_domains();
  setting.push = "local";
  setting.push_uses_data = false;
  EXPECT_EQ(rule_of(run, setting), "remote-data");
  EXPECT_TRUE(contains(sentence_of(run, setting), "push=local"));
  EXPECT_TRUE(contains(sentence_of(run, setting), "--policy virouleau"));
  run.counts.data_bytes = {600, 0, 400};  // bytes outweigh tasks
  EXPECT_EQ(rule_of(run, setting), "");
}

TEST(Advice, SaysWhyDataIsRemoteUnderAPolicyThatLooksForIt) {
  RunStats run = quiet_run();
  run.counts.data_tasks = {100, 0, 900};
  run.counts.data_bytes = {};
  EXPECT_TRUE(contains(sentence_of(run, two_domains()), "several domains"));
  run.counts.steals[2] = 500;
  EXPECT_EQ(rule_of(run, two_domains()), "remote-data");
  EXPECT_TRUE(contains(sentence_of(run, two_domains()), "stole"));
}

TEST(Advice, AsksForClausesThatTheCompilerPassesOn) {
  RunStats run = quiet_run();
  run.counts.data_tasks = {};
  run.counts.data_bytes = {};
  run.counts.creator_tasks = {500, 100, 400};
  EXPECT_EQ(rule_of(run, two_domains()), "no-data-known");
  EXPECT_TRUE(contains(sentence_of(run, two_domains()), "GCC drops"));
  run.runtimes = {"libomp.so.5"};
  EXPECT_TRUE(contains(sentence_of(run, two_domains()), "`affinity`"));
  EXPECT_FALSE(contains(sentence_of(run, two_domains()), "GCC"));
  run.counts.creator_tasks = {800, 100, 100};
  EXPECT_EQ(rule_of(run, two_domains()), "");
}

TEST(Advice, OffersNearestWhenStealsGoFar) {
  RunStats run = quiet_run();
  run.counts.steals = {900, 150, 150, 0, 0, 0, 0, 0};
  Setting setting = two_domains();
  setting.steal = "random";
  EXPECT_EQ(rule_of(run, setting), "far-steals");
  EXPECT_TRUE(contains(sentence_of(run, setting), "steal=nearest"));
  setting.steal = "nearest";
  EXPECT_FALSE(contains(sentence_of(run, setting), "steal=nearest"));
  run.counts.steals = {900, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(rule_of(run, setting), "");
}

}  // namespace
}  // namespace lares::analysis
