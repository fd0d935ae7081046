// Kernels are found where the user, a package or the cache has them. apt-get and apt-cache are
// scripts of the test, which stand first in PATH: nothing is downloaded.
#include "lab/image/kernel.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "lab/image/command.hpp"
#include "lab/image/debian.hpp"
#include "support/lab_image.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;
using test::lay_out_kernel;
using test::TemporaryFolder;
using test::WithVariable;
using test::write_file;

std::vector<std::string> names_of(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const auto& module : kernel.modules) names.push_back(module.name);
  return names;
}

const std::vector<std::string> load_order{"virtio_ring", "virtio", "virtio_pci", "virtio_console"};

class KernelAt : public testing::Test {
 protected:
  [[nodiscard]] std::string sentence(const std::string& path) const {
    const auto kernel = kernel_at(path, root_.path());
    return kernel ? "" : kernel.error().sentence;
  }
  TemporaryFolder root_;
};

TEST_F(KernelAt, AFolderAsAPackageLaysItOut) {
  lay_out_kernel(root_.path(), "6.1.0-9-cloud-amd64");
  const auto kernel = kernel_at(root_.path(), "/nowhere");
  ASSERT_TRUE(kernel) << kernel.error().sentence;
  EXPECT_EQ(kernel.value().release, "6.1.0-9-cloud-amd64");
  EXPECT_EQ(kernel.value().image, root_ / "boot/vmlinuz-6.1.0-9-cloud-amd64");
  EXPECT_EQ(names_of(kernel.value()), load_order);
}

TEST_F(KernelAt, AnImageWithTheSystemsModules) {
  lay_out_kernel(root_.path(), "6.1.0-9-cloud-amd64");
  TemporaryFolder elsewhere;
  fs::copy_file(root_ / "boot/vmlinuz-6.1.0-9-cloud-amd64", elsewhere / "mine");
  const auto kernel = kernel_at(elsewhere / "mine", root_.path());
  ASSERT_TRUE(kernel) << kernel.error().sentence;
  EXPECT_EQ(names_of(kernel.value()), load_order);
}

TEST_F(KernelAt, TheHighestReleaseIsTaken) {
  lay_out_kernel(root_.path(), "6.1.0-9");
  lay_out_kernel(root_.path(), "6.1.0-10");
  EXPECT_EQ(kernel_at(root_.path(), "/nowhere").value().release, "6.1.0-10");
}

TEST_F(KernelAt, PackedModulesAreUnpacked) {
  lay_out_kernel(root_.path(), "6.9");
  const std::string modules = root_ / "lib/modules/6.9/kernel/drivers/virtio/";
  ASSERT_EQ(run_command({"gzip", modules + "virtio.ko"}).value().exit_status, 0);
  const auto kernel = kernel_at(root_.path(), "/nowhere");
  ASSERT_TRUE(kernel) << kernel.error().sentence;
  EXPECT_EQ(names_of(kernel.value()), load_order);
  EXPECT_EQ(kernel.value().modules[1].bytes, test::module_file("virtio_ring"));
}

TEST_F(KernelAt, ADamagedPackedModuleIsNamed) {
  lay_out_kernel(root_.path(), "6.9");
  const std::string modules = root_ / "lib/modules/6.9/kernel/drivers/virtio/";
  fs::remove(modules + "virtio.ko");
  write_file(modules + "virtio.ko.gz", "no gzip file");
  EXPECT_EQ(sentence(root_.path()).find("gzip cannot unpack \"" + modules + "virtio.ko.gz\": "),
            0U);
}

TEST_F(KernelAt, BuiltInModulesAreNotLoaded) {
  lay_out_kernel(root_.path(), "6.9");
  const std::string modules = root_ / "lib/modules/6.9";
  fs::remove(modules + "/kernel/drivers/virtio/virtio_ring.ko");
  fs::remove(modules + "/kernel/drivers/virtio/virtio_pci.ko");
  write_file(modules + "/modules.builtin", "kernel/v/virtio_ring.ko\nkernel/v/virtio_pci.ko\n");
  const auto kernel = kernel_at(root_.path(), "/nowhere");
  ASSERT_TRUE(kernel) << kernel.error().sentence;
  EXPECT_EQ(names_of(kernel.value()), (std::vector<std::string>{"virtio", "virtio_console"}));
}

TEST_F(KernelAt, AMissingModuleIsNamed) {
  lay_out_kernel(root_.path(), "6.9");
  const std::string modules = root_ / "lib/modules/6.9";
  fs::remove(modules + "/kernel/drivers/virtio/virtio_ring.ko");
  EXPECT_EQ(sentence(root_.path()),
            "the kernel's modules in \"" + modules + "\" lack virtio_ring, and it is not built in");
}

TEST_F(KernelAt, ModulesThatNeedEachOtherEnd) {
  lay_out_kernel(root_.path(), "6.9");
  write_file(root_ / "lib/modules/6.9/kernel/drivers/virtio/virtio_ring.ko",
             test::module_file("virtio"));
  EXPECT_TRUE(kernel_at(root_.path(), "/nowhere"));
}

TEST_F(KernelAt, MistakesAreNamed) {
  EXPECT_EQ(sentence("/nowhere/vmlinuz"),
            "cannot read \"/nowhere/vmlinuz\": No such file or directory");
  EXPECT_EQ(sentence(root_.path()), "the folder \"" + root_.path() +
                                        "\" has no kernel: neither vmlinuz* nor boot/vmlinuz*");
  write_file(root_ / "vmlinuz", "text");
  EXPECT_EQ(sentence(root_ / "vmlinuz"),
            "\"" + (root_ / "vmlinuz") + "\" is no kernel that x86-64 machines boot (a vmlinuz)");
  write_file(root_ / "vmlinuz", test::kernel_file("6.9 x"));
  EXPECT_EQ(sentence(root_ / "vmlinuz"),
            "the kernel \"" + (root_ / "vmlinuz") +
                "\" has no modules: there is no folder lib/modules/6.9 beside it, nor " +
                (root_ / "lib/modules/6.9"));
}

TEST(KernelPackage, TheDependencyIsRead) {
  EXPECT_EQ(kernel_dependency("Package: linux-image-cloud-amd64\nVersion: 6.1.192-2\n"
                              "Depends: linux-image-6.1.0-56-cloud-amd64 (= 6.1.192-2)\nSize: 1\n"),
            (Package{"linux-image-6.1.0-56-cloud-amd64", "6.1.192-2"}));
  EXPECT_EQ(kernel_dependency("Depends: kmod, linux-image-6.2 (= 1:6+b~1), x"),
            (Package{"linux-image-6.2", "1:6+b~1"}));
}

TEST(KernelPackage, OddTextHasNone) {
  for (const auto* text :
       {"", "Depends: ", "Depends: linux-image-6.2", "Depends: linux-image-6.2 (>= 6)",
        "Depends: linux-image-6.2 (= ", "Depends: linux-image-$(x) (= 6)",
        "Depends: linux-image-6.2 (= ../6)", "Depends: ,,,", " Depends: linux-image-1 (= 1)"}) {
    EXPECT_EQ(kernel_dependency(text), std::nullopt) << text;
  }
}

TEST(KernelPackage, TheSizeIsRead) {
  EXPECT_EQ(package_size("Installed-Size: 13\nSize: 1504\n"), Bytes{1504});
  EXPECT_EQ(package_size("Size: many\n"), Bytes{0});
}

/// A cache, a system without kernels, and an apt that has one package and counts its downloads.
class FindKernel : public testing::Test {
 protected:
  void SetUp() override {
    if (run_command({"dpkg-deb", "--version"}).ok()) return;
    GTEST_SKIP() << "this system has no dpkg-deb to make a package with";
  }

  std::string make_package(const std::string& release) {
    const std::string tree = folder_ / "tree-" + release;
    lay_out_kernel(tree, release);
    write_file(tree + "/DEBIAN/control", "Package: linux-image-" + release +
                                             "\nVersion: 1\nArchitecture: amd64\nDescription: x\n"
                                             "Maintainer: nobody <nobody@localhost>\n");
    const std::string file = folder_ / release + ".deb";
    const auto built = run_command({"dpkg-deb", "--root-owner-group", "--build", tree, file});
    EXPECT_EQ(built.value().exit_status, 0) << built.value().errors;
    return file;
  }

  void script(const std::string& name, const std::string& text) {
    write_file(folder_ / "bin/" + name, "#!/bin/sh\n" + text, 0755);
  }

  void offer(const std::string& release) {
    const std::string package = make_package(release);
    script("apt-cache", "echo 'Depends: linux-image-" + release + " (= 1)'\n");
    script("apt-get", "echo \"$@\" >> " + (folder_ / "downloads") + "\ncp " + package + " .\n");
  }

  std::string downloads() {
    const auto text = read_file(folder_ / "downloads", Bytes{10000});
    return text ? text.value() : "";
  }

  Result<Kernel> find(const std::string& named = "") {
    const auto cache = CacheFolder::open_at(folder_ / "cache");
    Progress progress;
    return find_kernel(cache.value(), progress, {.named = named, .system_root = folder_ / "root"});
  }

  std::string sentence(const std::string& named = "") {
    const auto kernel = find(named);
    return kernel ? "" : kernel.error().sentence;
  }

  TemporaryFolder folder_;
  WithVariable path_{"PATH", folder_ / "bin:/usr/bin:/bin"};
};

TEST_F(FindKernel, IsFetchedOnceAndOnlyWhatIsNeededIsKept) {
  offer("6.1.0-9-cloud-amd64");
  for (int i = 0; i < 2; ++i) {
    const auto kernel = find();
    ASSERT_TRUE(kernel) << kernel.error().sentence;
    EXPECT_EQ(kernel.value().release, "6.1.0-9-cloud-amd64");
    EXPECT_EQ(names_of(kernel.value()), load_order);
    EXPECT_EQ(kernel.value().image.find(folder_ / "cache/"), 0U);
  }
  EXPECT_EQ(downloads(), "download -q -o Acquire::Retries=1 linux-image-6.1.0-9-cloud-amd64=1\n");
  EXPECT_FALSE(fs::exists(folder_ / "cache/work"));
}

TEST_F(FindKernel, AnInstalledCloudKernelNeedsNoDownload) {
  offer("6.1.0-9-cloud-amd64");
  lay_out_kernel(folder_ / "root", "6.1.0-8-cloud-amd64");
  lay_out_kernel(folder_ / "root", "6.9.0-generic");
  EXPECT_EQ(find().value().release, "6.1.0-8-cloud-amd64");
  EXPECT_EQ(downloads(), "");
}

TEST_F(FindKernel, ANamedPackageIsUnpackedOnce) {
  const std::string package = make_package("5.9");
  for (int i = 0; i < 2; ++i) {
    const auto kernel = find(package);
    ASSERT_TRUE(kernel) << kernel.error().sentence;
    EXPECT_EQ(kernel.value().release, "5.9");
    script("dpkg-deb", "exit 1\n");
  }
}

TEST_F(FindKernel, ANamedPackageIsNotTakenForAFetchedOne) {
  offer("6.1.0-9-cloud-amd64");
  ASSERT_TRUE(find(make_package("5.9")));
  EXPECT_EQ(find().value().release, "6.1.0-9-cloud-amd64");
}

TEST_F(FindKernel, ANamedFolderIsUsedAsItIs) {
  offer("6.1.0-9-cloud-amd64");
  EXPECT_EQ(find(folder_ / "tree-6.1.0-9-cloud-amd64").value().release, "6.1.0-9-cloud-amd64");
  EXPECT_EQ(downloads(), "");
}

TEST_F(FindKernel, AWrongNameIsTheVariablesMistake) {
  EXPECT_EQ(sentence("/nowhere"),
            "LARES_LAB_KERNEL: cannot read \"/nowhere\": No such file or directory");
  write_file(folder_ / "x.deb", "no package");
  EXPECT_EQ(sentence(folder_ / "x.deb").find("LARES_LAB_KERNEL: dpkg-deb cannot unpack"), 0U);
  EXPECT_FALSE(fs::exists(folder_ / "cache/work"));
}

TEST_F(FindKernel, APackageWithoutKernelIsRefused) {
  write_file(folder_ / "tree/DEBIAN/control",
             "Package: x\nVersion: 1\nArchitecture: all\nDescription: x\nMaintainer: x <x@y>\n");
  const std::string package = folder_ / "x.deb";
  ASSERT_EQ(run_command({"dpkg-deb", "--build", folder_ / "tree", package}).value().exit_status, 0);
  EXPECT_NE(sentence(package).find("has no kernel"), std::string::npos) << sentence(package);
}

TEST_F(FindKernel, NoNetworkSaysWhatToDo) {
  offer("6.1.0-9-cloud-amd64");
  script("apt-get", "echo 'E: no network' >&2; exit 100\n");
  EXPECT_EQ(
      sentence(),
      "the lab needs a kernel for its guests, and apt-get cannot download "
      "linux-image-6.1.0-9-cloud-amd64 (E: no network); run \"apt-get update\" as root if the "
      "package lists are old, install linux-image-cloud-amd64, or set LARES_LAB_KERNEL to a "
      "kernel package (.deb), a vmlinuz, or a folder with boot/ and lib/modules/");
  EXPECT_FALSE(fs::exists(folder_ / "cache/work"));
}

TEST_F(FindKernel, ListsWithoutThePackageSayWhatToDo) {
  script("apt-cache", "exit 100\n");
  EXPECT_EQ(sentence().find("the lab needs a kernel for its guests, and apt does not know Debian's "
                            "package linux-image-cloud-amd64; run \"apt-get update\" as root"),
            0U);
}

TEST_F(FindKernel, NoAptSaysWhatToDo) {
  const WithVariable path("PATH", folder_ / "bin");
  EXPECT_EQ(
      sentence().find("the lab needs a kernel for its guests, and this system has no apt-cache"
                      " to fetch Debian's with; install Debian's package apt"),
      0U);
}

TEST_F(FindKernel, ADamagedCacheSaysWhichFolderToRemove) {
  offer("6.1.0-9-cloud-amd64");
  ASSERT_TRUE(find());
  const std::string kept = folder_ / "cache/kernel/linux-image-6.1.0-9-cloud-amd64_1";
  fs::remove_all(kept + "/lib");
  EXPECT_EQ(sentence().find("the lab's kernel in \"" + kept + "\" is damaged ("), 0U);
  fs::remove_all(kept);
  EXPECT_EQ(sentence(), "");
}

}  // namespace
}  // namespace lares::lab
