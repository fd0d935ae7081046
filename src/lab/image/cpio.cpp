#include "lab/image/cpio.hpp"

#include <fmt/format.h>
#include <linux/limits.h>
#include <sys/stat.h>

#include <limits>

namespace lares::lab {
namespace {

constexpr std::uint64_t header_size = 110;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::string_view trailer = "TRAILER!!!";

/// The kernel unpacks relative to its root.
std::string_view stored_name(std::string_view name) noexcept {
  if (name == "/") return ".";
  return name.substr(name.starts_with('/') ? 1 : 0);
}

}  // namespace

struct CpioWriter::Header {
  std::uint32_t mode = 0;
  FileAttributes attributes = {};
  std::uint64_t size = 0;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
};

std::optional<Error> CpioWriter::pad(std::uint64_t written) {
  constexpr std::string_view zeros("\0\0\0", 3);
  return write_all(file_, zeros.substr(0, (4 - written % 4) % 4), "the guest's image");
}

std::optional<Error> CpioWriter::write_header(std::string_view name, const Header& header) {
  if (name.size() >= PATH_MAX) {
    return Error{fmt::format("cannot take \"{}\" into the guest: its name is too long", name)};
  }
  if (header.size > std::numeric_limits<std::uint32_t>::max()) {
    return Error{
        fmt::format("cannot take \"{}\" into the guest: 4 GiB and more do not fit into "
                    "its image",
                    name)};
  }
  const bool is_trailer = name == trailer && header.mode == 0;
  const std::string_view stored = stored_name(name);
  const auto text = fmt::format(
      "070701{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{}",
      is_trailer ? 0 : next_number_++, header.mode, header.attributes.user, header.attributes.group,
      1, header.attributes.modified, header.size, 0, 0, header.device_major, header.device_minor,
      stored.size() + 1, 0, stored);
  unpacked_ += Bytes{(header.size + page_bytes - 1) / page_bytes * page_bytes};
  // With the zero that ends the name.
  if (auto error = write_all(file_, {text.c_str(), text.size() + 1}, "the guest's image")) {
    return error;
  }
  return pad(header_size + stored.size() + 1);
}

std::optional<Error> CpioWriter::add_parents(std::string_view name) {
  for (auto slash = name.find('/', 1); slash != std::string_view::npos;
       slash = name.find('/', slash + 1)) {
    const auto folder = name.substr(0, slash);
    if (folders_.find(folder) != folders_.end()) continue;
    if (auto error = add_folder(folder, {.permissions = 0755})) return error;
  }
  return std::nullopt;
}

std::optional<Error> CpioWriter::add_folder(std::string_view name,
                                            const FileAttributes& attributes) {
  if (auto error = add_parents(name)) return error;
  folders_.emplace(name);
  return write_header(name, {.mode = S_IFDIR | attributes.permissions, .attributes = attributes});
}

std::optional<Error> CpioWriter::add_link(std::string_view name, std::string_view target) {
  if (auto error = add_parents(name)) return error;
  if (auto error = write_header(name, {.mode = S_IFLNK | 0777U, .size = target.size()})) {
    return error;
  }
  if (auto error = write_all(file_, target, name)) return error;
  return pad(target.size());
}

std::optional<Error> CpioWriter::add_bytes(std::string_view name, const FileAttributes& attributes,
                                           std::string_view bytes) {
  if (auto error = add_parents(name)) return error;
  if (auto error = write_header(name, {.mode = S_IFREG | attributes.permissions,
                                       .attributes = attributes,
                                       .size = bytes.size()})) {
    return error;
  }
  if (auto error = write_all(file_, bytes, name)) return error;
  return pad(bytes.size());
}

std::optional<Error> CpioWriter::add_file(std::string_view name, const FileAttributes& attributes,
                                          const File& content) {
  const auto size = size_of(content, name);
  if (!size) return size.error();
  if (auto error = add_parents(name)) return error;
  if (auto error = write_header(name, {.mode = S_IFREG | attributes.permissions,
                                       .attributes = attributes,
                                       .size = size.value().count})) {
    return error;
  }
  if (auto error = append_file(file_, content, size.value(), name)) return error;
  return pad(size.value().count);
}

std::optional<Error> CpioWriter::add_device(std::string_view name, std::uint32_t permissions,
                                            std::uint32_t major, std::uint32_t minor) {
  if (auto error = add_parents(name)) return error;
  return write_header(name, {.mode = S_IFCHR | permissions,
                             .attributes = {.permissions = permissions},
                             .device_major = major,
                             .device_minor = minor});
}

std::optional<Error> CpioWriter::finish() { return write_header(trailer, {}); }

}  // namespace lares::lab
