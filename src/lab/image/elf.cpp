#include "lab/image/elf.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <span>

namespace lares::lab {
namespace {

template <class T>
std::optional<T> load(std::string_view bytes, std::uint64_t offset) noexcept {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// The part of the file, as far as the file goes.
std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) noexcept {
  return offset > bytes.size() ? std::string_view{} : bytes.substr(offset, size);
}

std::string_view until_zero(std::string_view bytes) noexcept {
  return bytes.substr(0, bytes.find('\0'));
}

std::uint16_t half_word(std::string_view bytes, std::size_t offset, bool big_endian) noexcept {
  const auto first = static_cast<unsigned char>(bytes[offset]);
  const auto second = static_cast<unsigned char>(bytes[offset + 1]);
  return static_cast<std::uint16_t>(big_endian ? first << 8U | second : second << 8U | first);
}

bool needs_libraries(std::string_view dynamic) noexcept {
  for (std::uint64_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
    const auto entry = load<Elf64_Dyn>(dynamic, offset);
    if (!entry || entry->d_tag == DT_NULL) return false;
    if (entry->d_tag == DT_NEEDED) return true;
  }
}

bool read_segments(std::string_view bytes, const Elf64_Ehdr& header, ElfFile& file) {
  if (header.e_phnum > 0 && header.e_phoff > bytes.size()) return false;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = load<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return false;
    const auto content = part(bytes, segment->p_offset, segment->p_filesz);
    if (segment->p_type == PT_INTERP) file.interpreter = until_zero(content);
    if (segment->p_type == PT_DYNAMIC) file.needs_libraries = needs_libraries(content);
  }
  return true;
}

struct MachineName {
  std::uint16_t machine;
  std::string_view name;
};

constexpr MachineName machine_names[] = {
    {EM_386, "i386"},        {EM_ARM, "arm"},     {EM_AARCH64, "arm64"},
    {EM_PPC64, "ppc64"},     {EM_RISCV, "riscv"}, {EM_S390, "s390x"},
    {EM_SPARCV9, "sparc64"}, {EM_MIPS, "mips"},   {EM_LOONGARCH, "loongarch"},
};

}  // namespace

bool has_elf_magic(std::string_view bytes) noexcept {
  return bytes.starts_with(std::string_view(ELFMAG, SELFMAG));
}

std::optional<ElfFile> read_elf(std::string_view bytes) {
  if (!has_elf_magic(bytes) || bytes.size() < sizeof(Elf32_Ehdr)) return std::nullopt;
  const bool big_endian = bytes[EI_DATA] == ELFDATA2MSB;
  ElfFile file;
  file.is_64 = bytes[EI_CLASS] == ELFCLASS64;
  file.type = half_word(bytes, offsetof(Elf64_Ehdr, e_type), big_endian);
  file.machine = half_word(bytes, offsetof(Elf64_Ehdr, e_machine), big_endian);
  if (!file.is_64 || big_endian) return file;
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || !read_segments(bytes, *header, file)) return std::nullopt;
  return file;
}

std::string_view elf_section(std::string_view bytes, std::string_view name) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || !has_elf_magic(bytes) || header->e_shoff > bytes.size()) return {};
  const auto section = [&](std::uint64_t index) {
    return load<Elf64_Shdr>(bytes, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto names_section = section(header->e_shstrndx);
  if (!names_section) return {};
  const auto names = part(bytes, names_section->sh_offset, names_section->sh_size);
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto candidate = section(i);
    if (!candidate) return {};
    if (until_zero(part(names, candidate->sh_name, names.size())) != name) continue;
    return part(bytes, candidate->sh_offset, candidate->sh_size);
  }
  return {};
}

std::string machine_name(const ElfFile& file) {
  if (file.machine == EM_X86_64) return file.is_64 ? "x86-64" : "x32";
  for (const auto& [machine, name] : machine_names) {
    if (machine == file.machine) return std::string(name);
  }
  return fmt::format("ELF machine {}", file.machine);
}

}  // namespace lares::lab
