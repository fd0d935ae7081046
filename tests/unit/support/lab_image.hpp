// Folders, archives, kernels and modules that the tests of the lab's image use.
#pragma once

#include <elf.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/image/file.hpp"

namespace lares::lab::test {

/// Removed at the end with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lares-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = std::filesystem::canonical(name).string();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }

 private:
  std::string path_;
};

/// Sets a variable of the process, and puts the old value back.
class WithVariable {
 public:
  WithVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;
  ~WithVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

inline void write_file(const std::string& path, std::string_view bytes, mode_t mode = 0644) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  chmod(path.c_str(), mode);
}

inline std::string bytes_of(const File& file) {
  const auto path = "/proc/self/fd/" + std::to_string(file.descriptor());
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// One member of a cpio archive, as the format's description says to read it.
struct Member {
  std::string name;
  std::uint32_t mode = 0, user = 0, group = 0, links = 0, modified = 0, major = 0, minor = 0;
  std::uint32_t number = 0;
  std::string content;
};

/// All members up to the end of the file, over the ends of the archives in it. Fails the test if
/// the bytes are not laid out as they must be.
inline std::vector<Member> members_of(const std::string& bytes) {
  std::vector<Member> members;
  std::size_t at = 0;
  const auto align = [&] { at = (at + 3) / 4 * 4; };
  while (at + 110 <= bytes.size()) {
    EXPECT_EQ(bytes.substr(at, 6), "070701") << "at " << at;
    if (bytes.substr(at, 6) != "070701") return members;
    const auto number = [&](std::size_t index) {
      return static_cast<std::uint32_t>(
          std::stoul(bytes.substr(at + 6 + 8 * index, 8), nullptr, 16));
    };
    Member member;
    member.number = number(0);
    member.mode = number(1);
    member.user = number(2);
    member.group = number(3);
    member.links = number(4);
    member.modified = number(5);
    member.major = number(9);
    member.minor = number(10);
    const std::size_t size = number(6), name_size = number(11);
    member.name = bytes.substr(at + 110, name_size - 1);
    EXPECT_EQ(bytes[at + 110 + name_size - 1], '\0');
    at += 110 + name_size;
    align();
    member.content = bytes.substr(at, size);
    EXPECT_EQ(member.content.size(), size);
    at += size;
    align();
    members.push_back(member);
  }
  EXPECT_EQ(at, bytes.size());
  return members;
}

inline const Member* find_member(const std::vector<Member>& members, std::string_view name) {
  const Member* found = nullptr;  // of several the last: it is what remains after unpacking
  for (const auto& member : members) {
    if (member.name == name) found = &member;
  }
  return found;
}

template <class T>
void append_raw(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A kernel module's ELF file, as far as needed: a section .modinfo.
inline std::string module_file(std::string_view depends) {
  std::string info = "license=GPL";
  info += '\0';
  info += "depends=" + std::string(depends);
  info += '\0';
  const std::string names("\0.modinfo\0.shstrtab\0", 20);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_shoff = sizeof header + info.size() + names.size();
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr modinfo{}, strings{};
  modinfo.sh_name = 1;
  modinfo.sh_offset = sizeof header;
  modinfo.sh_size = info.size();
  strings.sh_name = 10;
  strings.sh_offset = sizeof header + info.size();
  strings.sh_size = names.size();
  std::string bytes;
  append_raw(bytes, header);
  bytes += info + names;
  append_raw(bytes, Elf64_Shdr{});
  append_raw(bytes, modinfo);
  append_raw(bytes, strings);
  return bytes;
}

/// The header of a vmlinuz.
inline std::string kernel_file(std::string_view version, bool is_64 = true) {
  std::string bytes(0x300, '\0');
  bytes[0x1fe] = '\x55';
  bytes[0x1ff] = '\xaa';
  bytes.replace(0x202, 4, "HdrS");
  bytes[0x20e] = '\x80';
  bytes[0x20f] = '\x00';
  bytes[0x236] = is_64 ? '\1' : '\0';
  bytes.replace(0x280, version.size(), version);
  return bytes;
}

/// What a kernel package holds, as Debian lays it out.
inline void lay_out_kernel(const std::string& root, const std::string& release) {
  write_file(root + "/boot/vmlinuz-" + release, kernel_file(release + " (someone) #1 SMP"));
  const std::string modules = root + "/lib/modules/" + release;
  write_file(modules + "/kernel/drivers/virtio/virtio.ko", module_file("virtio_ring"));
  write_file(modules + "/kernel/drivers/virtio/virtio_ring.ko", module_file(""));
  write_file(modules + "/kernel/drivers/virtio/virtio_pci.ko", module_file("virtio,virtio_ring"));
  write_file(modules + "/kernel/drivers/char/virtio_console.ko", module_file("virtio"));
  write_file(modules + "/modules.builtin", "kernel/mm/zpool.ko\n");
}

}  // namespace lares::lab::test
