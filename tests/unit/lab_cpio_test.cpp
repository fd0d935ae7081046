// Archives for the kernel: every byte where its description puts it.
#include "lab/image/cpio.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/lab_image.hpp"

namespace lares::lab {
namespace {

using test::bytes_of;
using test::find_member;
using test::Member;
using test::members_of;

class Cpio : public testing::Test {
 protected:
  Cpio() : file_(std::move(memory_file("test").value())), archive_(file_) {}
  std::vector<Member> finished() {
    EXPECT_FALSE(archive_.finish());
    return members_of(bytes_of(file_));
  }
  File file_;
  CpioWriter archive_;
};

TEST_F(Cpio, AnEmptyArchiveIsItsTrailer) {
  const auto members = finished();
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0].name, "TRAILER!!!");
  EXPECT_EQ(members[0].mode, 0U);
}

TEST_F(Cpio, AFileKeepsItsAttributesAndContent) {
  const FileAttributes attributes{
      .permissions = 04751, .user = 1000, .group = 77, .modified = 1700000000};
  ASSERT_FALSE(archive_.add_bytes("/prog", attributes, "content"));
  const auto members = finished();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].name, "prog");
  EXPECT_EQ(members[0].mode, S_IFREG | 04751U);
  EXPECT_EQ(members[0].user, 1000U);
  EXPECT_EQ(members[0].group, 77U);
  EXPECT_EQ(members[0].modified, 1700000000U);
  EXPECT_EQ(members[0].links, 1U);
  EXPECT_EQ(members[0].content, "content");
}

TEST_F(Cpio, LengthsOfNamesAndContentsAreAllAligned) {
  std::size_t added = 0;
  for (std::size_t name = 1; name <= 5; ++name) {
    for (std::size_t size = 0; size <= 5; ++size, ++added) {
      const std::string path = "/" + std::to_string(size) + std::string(name, 'n');
      ASSERT_FALSE(archive_.add_bytes(path, {}, std::string(size, 'c')));
    }
  }
  const auto members = finished();
  ASSERT_EQ(members.size(), added + 1);
  EXPECT_EQ(find_member(members, "3nnnn")->content, "ccc");
}

TEST_F(Cpio, NamesMayHaveAnyBytes) {
  for (const auto* name : {"/a b", "/line\nbreak", "/\xff\xfe", "/caf\xc3\xa9", "/'\"\\$"}) {
    ASSERT_FALSE(archive_.add_bytes(name, {}, name));
  }
  const auto members = finished();
  for (const auto* name : {"/a b", "/line\nbreak", "/\xff\xfe", "/caf\xc3\xa9", "/'\"\\$"}) {
    ASSERT_NE(find_member(members, name + 1), nullptr) << name;
    EXPECT_EQ(find_member(members, name + 1)->content, name);
  }
}

TEST_F(Cpio, FoldersAreMadeOnceAndBeforeWhatIsInThem) {
  ASSERT_FALSE(archive_.add_folder("/a", {.permissions = 0700}));
  ASSERT_FALSE(archive_.add_bytes("/a/b/c", {}, ""));
  ASSERT_FALSE(archive_.add_bytes("/a/b/d", {}, ""));
  const auto members = finished();
  std::vector<std::string> names;
  for (const auto& member : members) names.push_back(member.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a/b", "a/b/c", "a/b/d", "TRAILER!!!"}));
  EXPECT_EQ(members[0].mode, S_IFDIR | 0700U);
  EXPECT_EQ(members[1].mode, S_IFDIR | 0755U);
}

TEST_F(Cpio, TheRootIsADot) {
  ASSERT_FALSE(archive_.add_folder("/", {.permissions = 0755}));
  EXPECT_NE(find_member(finished(), "."), nullptr);
}

TEST_F(Cpio, ALinkHoldsItsTarget) {
  ASSERT_FALSE(archive_.add_link("/lib", "usr/lib"));
  const auto members = finished();
  EXPECT_EQ(members[0].mode & S_IFMT, static_cast<mode_t>(S_IFLNK));
  EXPECT_EQ(members[0].content, "usr/lib");
}

TEST_F(Cpio, ADeviceHasItsNumbers) {
  ASSERT_FALSE(archive_.add_device("/console", 0600, 5, 1));
  const auto members = finished();
  EXPECT_EQ(members[0].mode, S_IFCHR | 0600U);
  EXPECT_EQ(members[0].major, 5U);
  EXPECT_EQ(members[0].minor, 1U);
}

TEST_F(Cpio, AFileIsReadFromItsBeginning) {
  const File content = std::move(memory_file("content").value());
  const std::string large(std::size_t{3} << 20U, 'x');
  ASSERT_FALSE(write_all(content, large, "content"));
  ASSERT_FALSE(archive_.add_file("/large", {}, content));
  ASSERT_FALSE(archive_.add_file("/again", {}, content));
  const auto members = finished();
  EXPECT_EQ(find_member(members, "large")->content, large);
  EXPECT_EQ(find_member(members, "again")->content, large);
  EXPECT_NE(find_member(members, "large")->number, find_member(members, "again")->number);
}

TEST_F(Cpio, ATooLongNameIsRefused) {
  const auto error = archive_.add_bytes("/" + std::string(5000, 'n'), {}, "");
  ASSERT_TRUE(error);
  EXPECT_NE(error->sentence.find("its name is too long"), std::string::npos);
}

TEST_F(Cpio, AFileOfFourGigabytesIsRefusedBeforeItIsRead) {
  const File content = std::move(memory_file("content").value());
  ASSERT_EQ(ftruncate(content.descriptor(), std::int64_t{1} << 32U), 0);
  const auto error = archive_.add_file("/huge", {}, content);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->sentence,
            "cannot take \"/huge\" into the guest: 4 GiB and more do not fit into its image");
}

TEST_F(Cpio, WhatCannotBeWrittenIsAnError) {
  const File full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  CpioWriter archive(full);
  ASSERT_TRUE(archive.add_bytes("/a", {}, "b"));
}

TEST_F(Cpio, UnpackedSizeCountsPages) {
  ASSERT_FALSE(archive_.add_bytes("/a", {}, "b"));
  ASSERT_FALSE(archive_.add_bytes("/b", {}, std::string(4097, 'b')));
  EXPECT_EQ(archive_.unpacked(), Bytes{3 * 4096});
}

}  // namespace
}  // namespace lares::lab
