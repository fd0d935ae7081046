// The guest's file system as a whole.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "lab/image/initramfs.hpp"
#include "support/lab_image.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::find_member;
using test::Member;
using test::members_of;
using test::TemporaryFolder;
using test::write_file;

class LabImage : public testing::Test {
 protected:
  LabImage() {
    test::lay_out_kernel(folder_ / "kernel", "6.9");
    kernel_ = kernel_at(folder_ / "kernel", "/nowhere").value();
    write_file(folder_ / "init", "this is init");
    contents_.init = folder_ / "init";
  }
  Result<Image> make() { return make_image(kernel_, contents_, cache_); }
  std::vector<Member> members() {
    const auto image = make();
    EXPECT_TRUE(image) << image.error().sentence;
    return members_of(bytes_of(image.value().initramfs));
  }
  std::size_t bases() {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(cache_.path())) {
      if (entry.path().filename().string().starts_with("base-")) ++count;
    }
    return count;
  }

  TemporaryFolder folder_;
  CacheFolder cache_ = CacheFolder::open_at(folder_ / "cache").value();
  Kernel kernel_;
  ImageContents contents_;
};

TEST_F(LabImage, HasInitAndTheModulesInTheirOrder) {
  const auto all = members();
  EXPECT_EQ(find_member(all, guest_init_path.substr(1))->content, "this is init");
  EXPECT_EQ(find_member(all, guest_init_path.substr(1))->mode, S_IFREG | 0755U);
  EXPECT_EQ(find_member(all, guest_module_list_path.substr(1))->content,
            "/.lares/module/00-virtio_ring.ko\n/.lares/module/01-virtio.ko\n"
            "/.lares/module/02-virtio_pci.ko\n/.lares/module/03-virtio_console.ko\n");
  EXPECT_EQ(find_member(all, ".lares/module/01-virtio.ko")->content,
            test::module_file("virtio_ring"));
}

TEST_F(LabImage, HasAConsoleBeforeAnythingIsMounted) {
  const auto all = members();
  ASSERT_NE(find_member(all, "dev/console"), nullptr);
  EXPECT_EQ(find_member(all, "dev/console")->mode, S_IFCHR | 0600U);
}

TEST_F(LabImage, HasFilesAndFoldersAtTheirOwnPlaces) {
  write_file(folder_ / "data/in/file", "input", 0600);
  fs::create_directory(folder_ / "here");
  write_file(folder_ / "here/not taken", "x");
  contents_.files = {folder_ / "data"};
  contents_.folders = {folder_ / "here"};
  const auto all = members();
  EXPECT_EQ(find_member(all, (folder_ / "data/in/file").substr(1))->content, "input");
  EXPECT_NE(find_member(all, (folder_ / "here").substr(1)), nullptr);
  EXPECT_EQ(find_member(all, (folder_ / "here/not taken").substr(1)), nullptr);
}

TEST_F(LabImage, HasProgramsWithTheirLibraries) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the lab's guests are x86-64, and this host's programs are not";
#endif
  contents_.programs = {LARES_LAB_PROGRAM};
  contents_.environment = {"LD_LIBRARY_PATH=" + fs::path(LARES_LAB_LIBRARY).parent_path().string()};
  const auto all = members();
  for (const std::string path : {LARES_LAB_PROGRAM, LARES_LAB_LIBRARY}) {
    const auto* member = find_member(all, fs::canonical(path).string().substr(1));
    ASSERT_NE(member, nullptr) << path;
    EXPECT_EQ(member->content.size(), fs::file_size(path));
  }
}

TEST_F(LabImage, TheBaseIsKeptAndMadeOfItsParts) {
  const auto first = members();
  EXPECT_EQ(bases(), 1U);
  EXPECT_EQ(members().size(), first.size());
  EXPECT_EQ(bases(), 1U);
  write_file(folder_ / "init", "another init");
  EXPECT_EQ(find_member(members(), guest_init_path.substr(1))->content, "another init");
  EXPECT_EQ(bases(), 2U);
  kernel_.modules.pop_back();
  EXPECT_EQ(find_member(members(), ".lares/module/03-virtio_console.ko"), nullptr);
  EXPECT_EQ(bases(), 3U);
}

TEST_F(LabImage, TellsItsSizes) {
  write_file(folder_ / "large", std::string(std::size_t{1} << 20U, 'x'));
  const auto small = make();
  contents_.files = {folder_ / "large"};
  const auto large = make();
  ASSERT_TRUE(small && large);
  EXPECT_EQ(large.value().packed.count, bytes_of(large.value().initramfs).size());
  EXPECT_GE(large.value().unpacked.count, small.value().unpacked.count + (1U << 20U));
}

TEST_F(LabImage, HasTheKernelOpen) {
  const auto image = make();
  ASSERT_TRUE(image);
  fs::remove_all(folder_ / "kernel");
  EXPECT_EQ(bytes_of(image.value().kernel), test::kernel_file("6.9 (someone) #1 SMP"));
}

TEST_F(LabImage, MistakesAreNamed) {
  contents_.files = {"/nowhere/file"};
  EXPECT_EQ(make().error().sentence,
            "cannot take \"/nowhere/file\" into the guest: No such file or directory");
  contents_.init = "/nowhere/init";
  EXPECT_EQ(make().error().sentence,
            "the lab's init is missing: cannot read \"/nowhere/init\": No such file or directory");
}

}  // namespace
}  // namespace lares::lab
