// What ELF files and boot images say, also when somebody cut or painted over them.
#include "lab/image/elf.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "lab/image/kernel_image.hpp"
#include "lab/image/modules.hpp"
#include "support/lab_image.hpp"

namespace lares::lab {
namespace {

using test::kernel_file;
using test::module_file;

std::string own_bytes() {
  const auto file = MappedFile::open("/proc/self/exe");
  return std::string(file.value().bytes().substr(0, 1U << 16U));
}

TEST(Elf, TellsWhatThisProgramIs) {
  const auto mapped = MappedFile::open("/proc/self/exe");
  const auto file = read_elf(mapped.value().bytes());
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->is_64);
  EXPECT_NE(file->interpreter.find("/ld"), std::string::npos);
  EXPECT_TRUE(file->needs_libraries);
}

TEST(Elf, ForeignMachinesHaveNames) {
  EXPECT_EQ(machine_name({.is_64 = true, .machine = EM_AARCH64}), "arm64");
  EXPECT_EQ(machine_name({.is_64 = false, .machine = EM_386}), "i386");
  EXPECT_EQ(machine_name({.is_64 = false, .machine = EM_X86_64}), "x32");
  EXPECT_EQ(machine_name({.is_64 = true, .machine = 4711}), "ELF machine 4711");
}

TEST(Elf, BigEndianFilesTellTheirMachine) {
  std::string bytes = module_file("");
  bytes[EI_DATA] = ELFDATA2MSB;
  bytes[offsetof(Elf64_Ehdr, e_machine)] = '\0';
  bytes[offsetof(Elf64_Ehdr, e_machine) + 1] = static_cast<char>(EM_S390);
  ASSERT_TRUE(read_elf(bytes));
  EXPECT_EQ(machine_name(*read_elf(bytes)), "s390x");
}

TEST(Elf, OtherBytesAreNone) {
  EXPECT_FALSE(read_elf(""));
  EXPECT_FALSE(read_elf("#!/bin/sh\n"));
  EXPECT_FALSE(
      read_elf("\x7f"
               "ELF"));
}

TEST(Elf, ACutFileIsReadWithoutHarm) {
  const std::string program = own_bytes();
  for (std::size_t size = 0; size < 2000; ++size) {
    std::ignore = read_elf(std::string_view(program).substr(0, size));
  }
  EXPECT_FALSE(read_elf(std::string_view(program).substr(0, 100)));
}

TEST(Elf, RandomChangesAreReadWithoutHarm) {
  const std::string original = module_file("a,b");
  Random random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = original;
    for (int change = 0; change < 4; ++change) {
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] =
          static_cast<char>(random.below(256));
    }
    // Whatever the changes say, what is found lies in what was read.
    const std::string_view section = elf_section(bytes, ".modinfo");
    if (!section.empty()) {
      EXPECT_GE(section.data(), bytes.data());
      EXPECT_LE(section.data() + section.size(), bytes.data() + bytes.size());
    }
    for (const std::string& name : needed_modules(bytes)) EXPECT_LE(name.size(), section.size());
    const auto file = read_elf(bytes);
    EXPECT_TRUE(!file || file->interpreter.size() < bytes.size());
  }
}

TEST(Module, NamesWhatItNeeds) {
  EXPECT_EQ(needed_modules(module_file("virtio-ring,virtio")),
            (std::vector<std::string>{"virtio_ring", "virtio"}));
  EXPECT_TRUE(needed_modules(module_file("")).empty());
  EXPECT_TRUE(needed_modules("no module").empty());
}

TEST(Module, BuiltInOnesAreListed) {
  const std::string list = "kernel/drivers/virtio/virtio-pci.ko\nkernel/mm/zpool.ko\n";
  EXPECT_TRUE(is_built_in(list, "virtio_pci"));
  EXPECT_FALSE(is_built_in(list, "virtio"));
  EXPECT_FALSE(is_built_in("", "virtio"));
}

TEST(KernelImage, TellsItsRelease) {
  const auto release = kernel_release(kernel_file("6.1.0-9-cloud-amd64 (x@y) #1 SMP"), "k");
  ASSERT_TRUE(release) << release.error().sentence;
  EXPECT_EQ(release.value(), "6.1.0-9-cloud-amd64");
}

TEST(KernelImage, RefusesWhatIsNone) {
  EXPECT_EQ(kernel_release("", "/x").error().sentence,
            "\"/x\" is no kernel that x86-64 machines boot (a vmlinuz)");
  EXPECT_FALSE(kernel_release(own_bytes(), "k"));
}

TEST(KernelImage, Refuses32Bits) {
  EXPECT_EQ(kernel_release(kernel_file("6.1", false), "/x").error().sentence,
            "the kernel \"/x\" is for 32-bit machines; the lab's guests are x86-64");
}

TEST(KernelImage, RefusesAReleaseThatIsNoFoldersName) {
  for (const auto* release : {"", " ", "../etc x", "a/b x", "..", "a\nb"}) {
    EXPECT_EQ(kernel_release(kernel_file(release), "/x").error().sentence,
              "the kernel \"/x\" does not say its release");
  }
}

TEST(KernelImage, ACutOneIsReadWithoutHarm) {
  const std::string image = kernel_file("6.1 x");
  for (std::size_t size = 0; size <= image.size(); ++size) {
    const auto release = kernel_release(std::string_view(image).substr(0, size), "k");
    if (release) {
      EXPECT_TRUE(std::string_view("6.1").starts_with(release.value())) << size;
    } else {
      EXPECT_NE(release.error().sentence.find("\"k\""), std::string::npos) << size;
    }
  }
}

}  // namespace
}  // namespace lares::lab
