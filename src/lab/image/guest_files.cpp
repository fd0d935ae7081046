#include "lab/image/guest_files.hpp"

#include <fmt/format.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <set>
#include <vector>

#include "lab/image/file.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // the kernel's own limit
constexpr std::array<std::string_view, 4> guests_own{"/proc", "/sys", "/dev", "/.lares"};

Error cannot_take(std::string_view path, std::string_view why) {
  return {fmt::format("cannot take \"{}\" into the guest: {}", path, why)};
}

bool is_guests_own(std::string_view path) noexcept {
  for (const auto folder : guests_own) {
    if (path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/')) {
      return true;
    }
  }
  return false;
}

std::deque<std::string> parts_of(std::string_view path) {
  std::deque<std::string> parts;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    if (end > 0) parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

FileAttributes attributes_of(const struct stat& status) noexcept {
  return {.permissions = status.st_mode & 07777U,
          .user = status.st_uid,
          .group = status.st_gid,
          .modified = static_cast<std::uint32_t>(status.st_mtim.tv_sec)};
}

Result<std::string> link_target(const std::string& path) {
  std::array<char, PATH_MAX> buffer;
  const ssize_t size = readlink(path.c_str(), buffer.data(), buffer.size());
  if (size < 0) return file_error("read", path, errno);
  return std::string(buffer.data(), static_cast<std::size_t>(size));
}

}  // namespace

/// Follows one path part by part, as the kernel does, and notes everything that it passes.
class GuestFiles::Walk {
 public:
  Walk(std::string_view path, Entries& entries) : path_(path), entries_(entries) {}

  Result<std::string> run() {
    if (path_.empty()) return cannot_take(path_, "its name is empty");
    std::error_code error;
    const std::string start =
        path_[0] == '/' ? std::string(path_) : (fs::current_path(error) / path_).string();
    if (error) return cannot_take(path_, error.message());
    left_ = parts_of(start);
    while (!left_.empty()) {
      const std::string part = std::move(left_.front());
      left_.pop_front();
      if (auto failed = step(part)) return *failed;
    }
    return here_.empty() ? "/" : here_;
  }

 private:
  std::optional<Error> step(const std::string& part) {
    if (part == ".") return std::nullopt;
    if (part == "..") {
      here_.resize(here_.empty() ? 0 : here_.rfind('/'));
      return std::nullopt;
    }
    const std::string next = here_ + "/" + part;
    if (is_guests_own(next)) {
      return cannot_take(path_, "/proc, /sys and /dev are the guest's own there");
    }
    struct stat status{};
    if (lstat(next.c_str(), &status) != 0) return cannot_take(path_, std::strerror(errno));
    if (S_ISLNK(status.st_mode)) return follow(next);
    return arrive(next, status);
  }

  std::optional<Error> follow(const std::string& link) {
    if (++links_ > most_links) return cannot_take(path_, std::strerror(ELOOP));
    const auto target = link_target(link);
    if (!target) return target.error();
    entries_[link] = {.kind = Kind::link, .attributes = {}, .target = target.value()};
    if (target.value().starts_with('/')) here_.clear();
    const auto parts = parts_of(target.value());
    left_.insert(left_.begin(), parts.begin(), parts.end());
    return std::nullopt;
  }

  std::optional<Error> arrive(const std::string& path, const struct stat& status) {
    const bool is_folder = S_ISDIR(status.st_mode);
    if (!is_folder && !left_.empty()) return cannot_take(path_, std::strerror(ENOTDIR));
    if (!is_folder && !S_ISREG(status.st_mode)) return cannot_take(path_, "it is no regular file");
    if (!is_folder && access(path.c_str(), R_OK) != 0) {
      return cannot_take(path_, std::strerror(errno));
    }
    entries_[path] = {.kind = is_folder ? Kind::folder : Kind::file,
                      .attributes = attributes_of(status),
                      .target = {}};
    here_ = path;
    return std::nullopt;
  }

  std::string_view path_;
  Entries& entries_;
  std::deque<std::string> left_;
  std::string here_;  ///< without a slash at its end; empty for the root
  int links_ = 0;
};

Result<std::string> GuestFiles::add(std::string_view path) { return Walk(path, entries_).run(); }

std::optional<Error> GuestFiles::add_all(std::string_view path) {
  std::vector<std::string> left{std::string(path)};
  std::set<std::string> done;
  while (!left.empty()) {
    const std::string next = std::move(left.back());
    left.pop_back();
    const auto real = add(next);
    std::error_code error;
    const bool leads_nowhere = !real && next != path &&
                               fs::is_symlink(fs::symlink_status(next, error)) &&
                               !fs::exists(next, error);
    if (!real && !leads_nowhere) return real.error();
    if (!real || !done.insert(real.value()).second) continue;
    if (!fs::is_directory(real.value(), error)) continue;
    fs::directory_iterator entry(real.value(), error);
    for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
      left.push_back(entry->path().string());
    }
    if (error) return cannot_take(real.value(), error.message());
  }
  return std::nullopt;
}

std::optional<Error> GuestFiles::write(CpioWriter& archive) const {
  const auto write_one = [&](const std::string& path, const Entry& entry) -> std::optional<Error> {
    if (entry.kind == Kind::folder) return archive.add_folder(path, entry.attributes);
    if (entry.kind == Kind::link) return archive.add_link(path, entry.target);
    const auto content = open_for_reading(path);
    if (!content) return content.error();
    return archive.add_file(path, entry.attributes, content.value());
  };
  for (const auto& [path, entry] : entries_) {
    if (auto error = write_one(path, entry)) return error;
  }
  return std::nullopt;
}

}  // namespace lares::lab
