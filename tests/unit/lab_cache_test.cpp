// The cache under several processes, and the tools that it runs.
#include "lab/image/cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>

#include "lab/image/command.hpp"
#include "support/lab_image.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::TemporaryFolder;
using test::WithVariable;
using test::write_file;

std::string hash_of(std::initializer_list<std::string_view> parts) {
  ContentHash hash;
  for (const auto part : parts) hash.add(part);
  return hash.text();
}

TEST(ContentHash, TellsPartsApart) {
  EXPECT_EQ(hash_of({"ab", "c"}), hash_of({"ab", "c"}));
  EXPECT_NE(hash_of({"ab", "c"}), hash_of({"a", "bc"}));
  EXPECT_NE(hash_of({"abc"}), hash_of({"abc", ""}));
  EXPECT_NE(hash_of({""}), hash_of({}));
  EXPECT_EQ(hash_of({"abc"}).size(), 16U);
}

class Cache : public testing::Test {
 protected:
  std::size_t files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(cache_.path())) ++count;
    return count;
  }
  TemporaryFolder folder_;
  CacheFolder cache_ = CacheFolder::open_at(folder_ / "a/cache").value();
  int made_ = 0;
  std::function<std::optional<Error>(const File&)> fill_ = [this](const File& file) {
    ++made_;
    return write_all(file, "content", "test");
  };
};

TEST_F(Cache, MakesAnEntryOnce) {
  for (int i = 0; i < 2; ++i) {
    const auto file = cache_.find_or_make("base-1", fill_);
    ASSERT_TRUE(file) << file.error().sentence;
    EXPECT_EQ(bytes_of(file.value()), "content");
  }
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Cache, AFailureLeavesNothing) {
  const auto file = cache_.find_or_make(
      "base-1", [](const File&) -> std::optional<Error> { return Error{"no"}; });
  EXPECT_EQ(file.error().sentence, "no");
  EXPECT_EQ(files(), 0U);
}

TEST_F(Cache, AnEntryThatAnotherMadeMeanwhileIsNoError) {
  const auto file = cache_.find_or_make("base-1", [&](const File& own) {
    EXPECT_TRUE(cache_.find_or_make("base-1", fill_));
    return write_all(own, "mine", "test");
  });
  ASSERT_TRUE(file) << file.error().sentence;
  EXPECT_EQ(bytes_of(file.value()), "mine");
}

TEST_F(Cache, OnlyOldEntriesOfTheKindGo) {
  write_file(cache_.path_of("base-old"), "x");
  write_file(cache_.path_of("other-old"), "x");
  write_file(cache_.path_of("base-new"), "x");
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{24 * 40};
  fs::last_write_time(cache_.path_of("base-old"), long_ago);
  fs::last_write_time(cache_.path_of("other-old"), long_ago);
  ASSERT_TRUE(cache_.find_or_make("base-1", fill_));
  EXPECT_FALSE(fs::exists(cache_.path_of("base-old")));
  EXPECT_TRUE(fs::exists(cache_.path_of("other-old")));
  EXPECT_TRUE(fs::exists(cache_.path_of("base-new")));
}

TEST_F(Cache, UseKeepsAnEntryYoung) {
  ASSERT_TRUE(cache_.find_or_make("base-1", fill_));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{24 * 40};
  fs::last_write_time(cache_.path_of("base-1"), long_ago);
  ASSERT_TRUE(cache_.find_or_make("base-1", fill_));
  ASSERT_TRUE(cache_.find_or_make("base-2", fill_));
  EXPECT_TRUE(fs::exists(cache_.path_of("base-1")));
}

TEST_F(Cache, LiesWhereTheVariablesSay) {
  const WithVariable home("HOME", folder_ / "home");
  {
    const WithVariable cache("XDG_CACHE_HOME", folder_ / "xdg");
    EXPECT_EQ(CacheFolder::open().value().path(), folder_ / "xdg/lares/lab");
  }
  const WithVariable relative("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(CacheFolder::open().value().path(), folder_ / "home/.cache/lares/lab");
  const WithVariable none("HOME", "");
  EXPECT_EQ(CacheFolder::open().error().sentence,
            "cannot make the lab's cache folder \"~/.cache/lares/lab\": HOME is not set; set "
            "XDG_CACHE_HOME to a folder that can be written");
}

TEST_F(Cache, AFileInTheWayIsNamed) {
  write_file(folder_ / "file", "x");
  EXPECT_EQ(CacheFolder::open_at(folder_ / "file/cache").error().sentence,
            "cannot make the lab's cache folder \"" + (folder_ / "file/cache") +
                "\": Not a directory; set XDG_CACHE_HOME to a folder that can be written");
}

TEST_F(Cache, TheWorkbenchIsCleanBeforeAndAfter) {
  write_file(cache_.path_of("work/left/behind"), "by a killed process");
  Progress progress;
  std::string path;
  {
    const auto bench = cache_.workbench(progress);
    ASSERT_TRUE(bench) << bench.error().sentence;
    path = bench.value().path();
    EXPECT_TRUE(fs::is_empty(path));
    write_file(path + "/a/b", "x");
  }
  EXPECT_FALSE(fs::exists(path));
}

/// Runs in a child process, so that signals and locks are its own; its exit status.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(Cache, ASignalWaitsUntilTheWorkbenchIsClean) {
  const int status = in_child([&] {
    Progress progress;
    auto bench = cache_.workbench(progress);
    kill(getpid(), SIGTERM);
    return bench && HeldSignals::any_waiting() && fs::exists(bench.value().path()) ? 0 : 1;
    // Not reached: the signal comes when the bench goes.
  });
  EXPECT_EQ(status, 128 + SIGTERM);
  EXPECT_FALSE(fs::exists(cache_.path_of("work")));
}

TEST_F(Cache, WhoWaitsForTheWorkbenchCanBeInterrupted) {
  Progress progress;
  const auto mine = cache_.workbench(progress);
  ASSERT_TRUE(mine);
  const int status = in_child([&] {
    const HeldSignals held;
    kill(getpid(), SIGTERM);
    const auto other = cache_.workbench(progress);
    _exit(!other && other.error().sentence == "interrupted" ? 0 : 1);
    return 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(mine.value().path()));
}

TEST(Command, ReturnsWhatWasSaid) {
  const auto result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(result) << result.error().sentence;
  EXPECT_EQ(result.value().output, "out\n");
  EXPECT_EQ(result.value().errors, "err\n");
  EXPECT_EQ(result.value().exit_status, 3);
}

TEST(Command, TellsSignalsLikeAShell) {
  EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}).value().exit_status, 137);
}

TEST(Command, HasTheFolderAndEnvironmentThatItIsGiven) {
  const WithVariable kept("LARES_TEST_KEPT", "kept");
  const WithVariable replaced("LARES_TEST_REPLACED", "old");
  const WithVariable unset("LARES_TEST_UNSET", "old");
  const auto result = run_command(
      {"sh", "-c", "pwd; echo $LARES_TEST_KEPT $LARES_TEST_REPLACED ${LARES_TEST_UNSET-none}; cat"},
      {.environment = {"LARES_TEST_REPLACED=new"}, .unset = {"LARES_TEST_UNSET"}, .folder = "/"});
  EXPECT_EQ(result.value().output, "/\nkept new none\n");
}

TEST(Command, WhatIsNotThereIsAnError) {
  EXPECT_EQ(run_command({"lares-no-such-tool"}).error().sentence,
            "cannot start \"lares-no-such-tool\": No such file or directory");
}

TEST(Command, EndlessOutputIsCutOff) {
  EXPECT_EQ(run_command({"yes"}, {.output_limit = Bytes{100}}).error().sentence,
            "yes wrote without end");
}

TEST(Command, AHeldSignalEndsIt) {
  const int status = in_child([] {
    const HeldSignals held;
    kill(getpid(), SIGINT);
    const auto result = run_command({"sleep", "1000"});
    _exit(!result && result.error().sentence == "sleep was interrupted" ? 0 : 1);
    return 1;
  });
  EXPECT_EQ(status, 0);
}

TEST(Command, TheLastLineIsTheLastThatSaysSomething) {
  EXPECT_EQ(last_line("a\nb\n\n"), "b");
  EXPECT_EQ(last_line("a"), "a");
  EXPECT_EQ(last_line("\n"), "");
}

std::string shown(bool is_terminal, std::chrono::milliseconds patience) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const File read_end(ends[0]);
  {
    const File write_end(ends[1]);
    Progress progress(write_end.descriptor(), is_terminal, patience);
    progress.show("half");
    progress.show("half");
    progress.show("all");
  }
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(read(read_end.descriptor(), text.data(), text.size())));
  return text;
}

TEST(Progress, IsOneLineThatGoesAway) {
  EXPECT_EQ(shown(true, std::chrono::milliseconds{0}),
            "\r\x1b[Klares: half\r\x1b[Klares: all\r\x1b[K");
}

TEST(Progress, IsForTerminalsAndForWhatTakesLong) {
  EXPECT_EQ(shown(false, std::chrono::milliseconds{0}), "");
  EXPECT_EQ(shown(true, std::chrono::hours{1}), "");
}

}  // namespace
}  // namespace lares::lab
