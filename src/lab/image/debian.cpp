#include "lab/image/debian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "lab/image/command.hpp"
#include "lab/image/signals.hpp"
#include "lab/image/text.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view otherwise =
    "or set LARES_LAB_KERNEL to a kernel package (.deb), a vmlinuz, or a folder with boot/ and "
    "lib/modules/";

Error no_kernel(std::string_view why, std::string_view remedy) {
  return {
      fmt::format("the lab needs a kernel for its guests, and {}; {}, {}", why, remedy, otherwise)};
}

/// What apt says is read, so it shall not be translated.
CommandOptions untranslated() { return {.environment = {"LC_ALL=C"}}; }

/// The value of a field of a package's description, up to its line's end.
std::string_view field(std::string_view shown, std::string_view name) {
  while (!shown.empty()) {
    const auto line = shown.substr(0, shown.find('\n'));
    if (line.starts_with(name) && line.substr(name.size()).starts_with(": ")) {
      return line.substr(name.size() + 2);
    }
    shown.remove_prefix(std::min(line.size() + 1, shown.size()));
  }
  return {};
}

/// As Debian allows them in names and versions, so that nothing else gets into a path or option.
bool is_word(std::string_view text) {
  return !text.empty() && text[0] != '-' && text[0] != '.' &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             ".+-~:") == std::string_view::npos;
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const auto size = entry->is_regular_file(ignored) ? entry->file_size(ignored) : 0;
    if (!ignored) total += size;
  }
  return total;
}

std::string show(const std::string& package) {
  const auto shown =
      run_command({"apt-cache", "show", "--no-all-versions", package}, untranslated());
  return shown && shown.value().exit_status == 0 ? shown.value().output : "";
}

std::string of_all(Bytes total) {
  return total.count == 0 ? "" : fmt::format(" of {}", total.count / 1'000'000);
}

Result<std::string> only_package_in(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".deb") return entry.path().string();
  }
  return Error{
      fmt::format("apt-get said that it downloaded a package, but \"{}\" has none", folder)};
}

}  // namespace

std::optional<Package> kernel_dependency(std::string_view shown) {
  auto list = field(shown, "Depends");
  while (!list.empty()) {
    const auto item = trimmed(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(std::min(list.find(','), list.size()) + 1, list.size()));
    const auto name = item.substr(0, item.find(' '));
    const auto equals = item.find("(= ");
    if (!name.starts_with("linux-image-") || !is_word(name) || equals == std::string_view::npos) {
      continue;
    }
    const auto version = item.substr(equals + 3, item.find(')', equals) - equals - 3);
    if (is_word(version)) return Package{std::string(name), std::string(version)};
  }
  return std::nullopt;
}

Bytes package_size(std::string_view shown) {
  const auto text = field(shown, "Size");
  Bytes size;
  std::from_chars(text.data(), text.data() + text.size(), size.count);
  return size;
}

Result<Package> newest_kernel_package() {
  const auto shown = run_command(
      {"apt-cache", "show", "--no-all-versions", std::string(kernel_meta_package)}, untranslated());
  if (!shown) {
    if (HeldSignals::any_waiting()) return shown.error();
    return no_kernel("this system has no apt-cache to fetch Debian's with",
                     "install Debian's package apt");
  }
  if (const auto package = kernel_dependency(shown.value().output)) return *package;
  return no_kernel(fmt::format("apt does not know Debian's package {}", kernel_meta_package),
                   "run \"apt-get update\" as root");
}

Result<std::string> download(const Package& package, const std::string& folder,
                             Progress& progress) {
  const Bytes size = package_size(show(package.name));
  auto options = untranslated();
  options.folder = folder;
  options.while_waiting = [&] {
    progress.show(fmt::format("fetching {}, once: {}{} MB", package.name,
                              bytes_in(folder) / 1'000'000, of_all(size)));
  };
  const auto result = run_command({"apt-get", "download", "-q", "-o", "Acquire::Retries=1",
                                   fmt::format("{}={}", package.name, package.version)},
                                  options);
  if (!result && HeldSignals::any_waiting()) return result.error();
  if (!result) {
    return no_kernel(fmt::format("it cannot be fetched ({})", result.error().sentence),
                     "install Debian's package apt");
  }
  if (result.value().exit_status == 0) return only_package_in(folder);
  return no_kernel(fmt::format("apt-get cannot download {} ({})", package.name,
                               last_line(result.value().errors)),
                   fmt::format("run \"apt-get update\" as root if the package lists are old, "
                               "install {}",
                               kernel_meta_package));
}

std::optional<Error> unpack_package(const std::string& file, const std::string& folder,
                                    Progress& progress) {
  CommandOptions options = untranslated();
  options.while_waiting = [&] { progress.show("unpacking the lab's kernel, once"); };
  const auto result = run_command({"dpkg-deb", "-x", file, folder}, options);
  if (!result && HeldSignals::any_waiting()) return result.error();
  if (!result) {
    return Error{fmt::format("cannot unpack \"{}\" ({}): install Debian's package dpkg", file,
                             result.error().sentence)};
  }
  if (result.value().exit_status == 0) return std::nullopt;
  return Error{
      fmt::format("dpkg-deb cannot unpack \"{}\": {}", file, last_line(result.value().errors))};
}

}  // namespace lares::lab
