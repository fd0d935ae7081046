#include "lab/image/kernel_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace lares::lab {
namespace {

constexpr std::size_t boot_flag = 0x1fe;        // 0xaa55
constexpr std::size_t magic = 0x202;            // "HdrS"
constexpr std::size_t version_pointer = 0x20e;  // less 0x200, where the text of `uname -a` is
constexpr std::size_t load_flags = 0x236;       // bit 0: has a 64-bit entry
constexpr std::size_t smallest = 0x268;

unsigned byte_at(std::string_view bytes, std::size_t offset) noexcept {
  return static_cast<unsigned char>(bytes[offset]);
}

bool is_boot_image(std::string_view bytes) noexcept {
  return bytes.size() >= smallest && bytes.substr(boot_flag, 2) == "\x55\xaa" &&
         bytes.substr(magic, 4) == "HdrS";
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

}  // namespace lares::lab
