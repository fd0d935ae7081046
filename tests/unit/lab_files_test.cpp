// The guest's files are the host's, with every link and folder on the way.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "lab/image/guest_files.hpp"
#include "support/lab_image.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;
using Kind = GuestFiles::Kind;
using test::TemporaryFolder;
using test::write_file;

class Files : public testing::Test {
 protected:
  [[nodiscard]] const GuestFiles::Entry* entry(const std::string& name) const {
    const auto found = files_.entries().find(folder_ / name);
    return found == files_.entries().end() ? nullptr : &found->second;
  }
  TemporaryFolder folder_;
  GuestFiles files_;
};

TEST_F(Files, AFileBringsItsFoldersWithTheirAttributes) {
  write_file(folder_ / "a/b/file", "x", 0640);
  fs::permissions(folder_ / "a", fs::perms(0750));
  const auto real = files_.add(folder_ / "a/b/file");
  ASSERT_TRUE(real);
  EXPECT_EQ(real.value(), folder_ / "a/b/file");
  EXPECT_EQ(entry("a/b/file")->kind, Kind::file);
  EXPECT_EQ(entry("a/b/file")->attributes.permissions, 0640U);
  EXPECT_EQ(entry("a/b/file")->attributes.user, getuid());
  EXPECT_EQ(entry("a")->kind, Kind::folder);
  EXPECT_EQ(entry("a")->attributes.permissions, 0750U);
}

TEST_F(Files, LinksOnTheWayComeAlong) {
  write_file(folder_ / "real/file", "x");
  fs::create_symlink("real", folder_ / "relative");
  fs::create_symlink(folder_ / "relative", folder_ / "absolute");
  fs::create_symlink("../absolute/file", folder_ / "real/link");
  const auto real = files_.add(folder_ / "absolute/link");
  ASSERT_TRUE(real);
  EXPECT_EQ(real.value(), folder_ / "real/file");
  EXPECT_EQ(entry("absolute")->target, folder_ / "relative");
  EXPECT_EQ(entry("relative")->target, "real");
  EXPECT_EQ(entry("real/link")->kind, Kind::link);
  EXPECT_EQ(entry("real/file")->kind, Kind::file);
}

TEST_F(Files, DotsAreFollowedThroughLinks) {
  write_file(folder_ / "one/two/file", "x");
  write_file(folder_ / "one/other", "x");
  fs::create_symlink("one/two", folder_ / "link");
  const auto real = files_.add(folder_ / "./link/../other");
  ASSERT_TRUE(real);
  EXPECT_EQ(real.value(), folder_ / "one/other");
}

TEST_F(Files, ARelativePathStartsHere) {
  const auto before = fs::current_path();
  write_file(folder_ / "file", "x");
  fs::current_path(folder_.path());
  const auto real = files_.add("file");
  fs::current_path(before);
  ASSERT_TRUE(real);
  EXPECT_EQ(real.value(), folder_ / "file");
}

TEST_F(Files, AFolderAloneIsEmpty) {
  write_file(folder_ / "a/file", "x");
  ASSERT_TRUE(files_.add(folder_ / "a"));
  EXPECT_EQ(entry("a")->kind, Kind::folder);
  EXPECT_EQ(entry("a/file"), nullptr);
}

TEST_F(Files, AFolderWithAllBringsAll) {
  write_file(folder_ / "a/b/file", "x");
  write_file(folder_ / "outside", "x");
  fs::create_symlink("../outside", folder_ / "a/link");
  fs::create_symlink("nowhere", folder_ / "a/broken");
  fs::create_symlink(".", folder_ / "a/self");
  ASSERT_FALSE(files_.add_all(folder_ / "a"));
  EXPECT_NE(entry("a/b/file"), nullptr);
  EXPECT_NE(entry("outside"), nullptr);
  EXPECT_EQ(entry("a/broken")->target, "nowhere");
  EXPECT_EQ(entry("a/self")->target, ".");
}

TEST_F(Files, MistakesAreNamed) {
  write_file(folder_ / "file", "x");
  fs::create_symlink("loop", folder_ / "loop");
  fs::create_symlink("nowhere", folder_ / "broken");
  const auto sentence = [&](const std::string& path) { return files_.add(path).error().sentence; };
  const auto cannot = [](const std::string& path, const std::string& why) {
    return "cannot take \"" + path + "\" into the guest: " + why;
  };
  EXPECT_EQ(sentence(folder_ / "none"), cannot(folder_ / "none", "No such file or directory"));
  EXPECT_EQ(sentence(folder_ / "broken"), cannot(folder_ / "broken", "No such file or directory"));
  EXPECT_EQ(sentence(folder_ / "file/x"), cannot(folder_ / "file/x", "Not a directory"));
  EXPECT_EQ(sentence(folder_ / "loop"),
            cannot(folder_ / "loop", "Too many levels of symbolic links"));
  EXPECT_EQ(sentence(""), cannot("", "its name is empty"));
  EXPECT_EQ(files_.add_all(folder_ / "broken")->sentence,
            cannot(folder_ / "broken", "No such file or directory"));
}

TEST_F(Files, TheGuestsOwnFoldersAreRefused) {
  for (const auto* path : {"/proc/self/exe", "/sys", "/dev/shm", "/dev/../dev/null"}) {
    const auto added = files_.add(path);
    ASSERT_FALSE(added) << path;
    EXPECT_NE(added.error().sentence.find("are the guest's own"), std::string::npos) << path;
  }
}

TEST_F(Files, ASocketIsRefused) {
  const File socket_file(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder_ / "s").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(socket_file.descriptor(), reinterpret_cast<sockaddr*>(&address), sizeof address),
            0);
  EXPECT_NE(files_.add(folder_ / "s").error().sentence.find("it is no regular file"),
            std::string::npos);
}

TEST_F(Files, TheArchiveHasWhatWasCollected) {
  write_file(folder_ / "a/file", "content", 0755);
  fs::create_symlink("a", folder_ / "link");
  ASSERT_TRUE(files_.add(folder_ / "link/file"));
  const File file = std::move(memory_file("test").value());
  CpioWriter archive(file);
  ASSERT_FALSE(files_.write(archive));
  ASSERT_FALSE(archive.finish());
  const auto members = test::members_of(test::bytes_of(file));
  const auto* content = test::find_member(members, (folder_ / "a/file").substr(1));
  ASSERT_NE(content, nullptr);
  EXPECT_EQ(content->content, "content");
  EXPECT_EQ(test::find_member(members, (folder_ / "link").substr(1))->content, "a");
}

TEST_F(Files, WhatWentMeanwhileIsAnError) {
  write_file(folder_ / "file", "x");
  ASSERT_TRUE(files_.add(folder_ / "file"));
  fs::remove(folder_ / "file");
  const File file = std::move(memory_file("test").value());
  CpioWriter archive(file);
  EXPECT_TRUE(files_.write(archive));
}

}  // namespace
}  // namespace lares::lab
