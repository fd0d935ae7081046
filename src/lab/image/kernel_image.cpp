#include "lab/image/kernel_image.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>

#include "lab/image/lz4.hpp"

namespace lares::lab {
namespace {

constexpr std::size_t boot_flag = 0x1fe;        // 0xaa55
constexpr std::size_t magic = 0x202;            // "HdrS"
constexpr std::size_t version_pointer = 0x20e;  // less 0x200, where the text of `uname -a` is
constexpr std::size_t load_flags = 0x236;       // bit 0: has a 64-bit entry
constexpr std::size_t setup_sectors = 0x1f1;    // of 512 bytes, after the first one
constexpr std::size_t payload_offset = 0x248;   // of the packed kernel, after these
constexpr std::size_t payload_length = 0x24c;
constexpr std::size_t smallest = 0x268;

constexpr std::size_t largest_kernel = std::size_t{512} << 20U;

unsigned byte_at(std::string_view bytes, std::size_t offset) noexcept {
  return static_cast<unsigned char>(bytes[offset]);
}

bool is_boot_image(std::string_view bytes) noexcept {
  return bytes.size() >= smallest && bytes.substr(boot_flag, 2) == "\x55\xaa" &&
         bytes.substr(magic, 4) == "HdrS";
}

std::uint32_t number_at(std::string_view bytes, std::size_t offset) noexcept {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

template <class T>
bool load(std::string_view bytes, std::uint64_t offset, T& value) noexcept {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

std::uint64_t padded(std::uint32_t size) noexcept { return (std::uint64_t{size} + 3) & ~3ULL; }

/// True if one of the notes is the PVH entry: name "Xen", type 18.
bool has_pvh_note(std::string_view notes) noexcept {
  constexpr std::uint32_t physical_entry = 18;
  constexpr std::array xen{'X', 'e', 'n', '\0'};
  Elf64_Nhdr note{};
  while (load(notes, 0, note)) {
    const std::string_view name = notes.substr(sizeof(note), note.n_namesz);
    if (note.n_type == physical_entry && std::ranges::equal(name, xen)) return true;
    const std::uint64_t size = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
    notes.remove_prefix(std::min<std::uint64_t>(size, notes.size()));
  }
  return false;
}

bool has_pvh_entry(std::string_view elf) noexcept {
  Elf64_Ehdr header{};
  if (!load(elf, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (header.e_phoff > elf.size() || !load(elf, header.e_phoff + i * sizeof(part), part)) break;
    if (part.p_type != PT_NOTE || part.p_offset > elf.size()) continue;
    if (has_pvh_note(elf.substr(part.p_offset, part.p_filesz))) return true;
  }
  return false;
}

bool is_release(std::string_view text) noexcept {
  // It becomes a part of a path.
  return !text.empty() && text.find("..") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '+' || c == '~';
         });
}

}  // namespace

Result<std::string> kernel_release(std::string_view bytes, std::string_view name) {
  if (!is_boot_image(bytes)) {
    return Error{fmt::format("\"{}\" is no kernel that x86-64 machines boot (a vmlinuz)", name)};
  }
  if ((byte_at(bytes, load_flags) & 1U) == 0) {
    return Error{
        fmt::format("the kernel \"{}\" is for 32-bit machines; the lab's guests are x86-64", name)};
  }
  const std::size_t start =
      0x200 + (byte_at(bytes, version_pointer) | byte_at(bytes, version_pointer + 1) << 8U);
  const auto text = start < bytes.size() ? bytes.substr(start, 256) : std::string_view{};
  const auto release = text.substr(0, text.find_first_of(std::string_view(" \0", 2)));
  if (!is_release(release)) {
    return Error{fmt::format("the kernel \"{}\" does not say its release", name)};
  }
  return std::string(release);
}

std::optional<std::string> unpacked_kernel(std::string_view bytes) {
  if (!is_boot_image(bytes)) return std::nullopt;
  const unsigned sectors = byte_at(bytes, setup_sectors);
  const std::uint64_t start =
      std::uint64_t{512} * ((sectors == 0 ? 4 : sectors) + 1) + number_at(bytes, payload_offset);
  if (start > bytes.size()) return std::nullopt;
  auto kernel = unpack_lz4(bytes.substr(start, number_at(bytes, payload_length)), largest_kernel);
  if (!kernel || !has_pvh_entry(*kernel)) return std::nullopt;
  return kernel;
}

}  // namespace lares::lab
