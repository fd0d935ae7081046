#include "lab/image/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace lares::lab {
namespace {

namespace fs = std::filesystem;

constexpr auto unused_for = std::chrono::hours{24 * 30};
constexpr std::chrono::milliseconds asked_every{100};

Error no_cache(std::string_view path, std::string_view reason) {
  return {
      fmt::format("cannot make the lab's cache folder \"{}\": {}; set XDG_CACHE_HOME to a "
                  "folder that can be written",
                  path, reason)};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Those that no process used for a month; what cannot be removed stays.
void remove_unused(const fs::path& folder, std::string_view kind) {
  std::error_code error;
  std::vector<fs::path> unused;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const auto used = entry->last_write_time(ignored);
    if (ignored || !entry->is_regular_file(ignored)) continue;
    if (!entry->path().filename().string().starts_with(kind)) continue;
    if (fs::file_time_type::clock::now() - used > unused_for) unused.push_back(entry->path());
  }
  for (const auto& path : unused) fs::remove(path, error);
}

/// A file in `folder` that disappears if this process does: without a name where the file system
/// can do that, else with the name `named`.
File unnamed_file(const std::string& folder, const std::string& named, bool& has_name) {
  File file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644));
  has_name = !file.is_open();
  if (file.is_open()) return file;
  return File(open(named.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644));
}

/// Gives the complete file its name. Another process may have done the same meanwhile: as well.
bool give_name(const File& file, bool has_name, const std::string& named, const std::string& path) {
  if (has_name) return rename(named.c_str(), path.c_str()) == 0;
  const auto self = fmt::format("/proc/self/fd/{}", file.descriptor());
  return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 ||
         errno == EEXIST;
}

}  // namespace

void ContentHash::add(std::string_view part) noexcept {
  constexpr std::uint64_t prime = 0x100000001b3U;
  for (const char byte : part) state_ = (state_ ^ static_cast<unsigned char>(byte)) * prime;
  for (auto left = part.size(); left > 0; left >>= 8U) state_ = (state_ ^ (left & 0xffU)) * prime;
  state_ = (state_ ^ 0x100U) * prime;
}

std::string ContentHash::text() const { return fmt::format("{:016x}", state_); }

Workbench::~Workbench() {
  if (!lock_.is_open()) return;  // moved from
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<CacheFolder> CacheFolder::open() {
  // A relative path in the variable counts as none (XDG Base Directory Specification).
  std::string base = variable("XDG_CACHE_HOME");
  if (base.empty() || base[0] != '/') {
    base = variable("HOME");
    if (base.empty() || base[0] != '/') return no_cache("~/.cache/lares/lab", "HOME is not set");
    base += "/.cache";
  }
  return open_at(base + "/lares/lab");
}

Result<CacheFolder> CacheFolder::open_at(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return no_cache(path, error.message());
  if (access(path.c_str(), W_OK | X_OK) != 0) return no_cache(path, "it cannot be written");
  return CacheFolder(path);
}

std::string CacheFolder::path_of(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

Result<File> CacheFolder::find_or_make(
    const std::string& name, const std::function<std::optional<Error>(const File&)>& fill) const {
  const std::string path = path_of(name);
  File found(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (found.is_open()) {
    futimens(found.descriptor(), nullptr);  // used now; who may not say so, need not
    return found;
  }
  const HeldSignals held;
  remove_unused(path_, name.substr(0, name.rfind('-') + 1));
  bool has_name = false;
  const std::string named = fmt::format("{}.{}", path, getpid());
  File file = unnamed_file(path_, named, has_name);
  if (!file.is_open()) return file_error("write", path, errno);
  auto error = fill(file);
  if (!error && !give_name(file, has_name, named, path)) error = file_error("write", path, errno);
  if (error) {
    if (has_name) unlink(named.c_str());
    return *error;
  }
  return file;
}

Result<Workbench> CacheFolder::workbench(Progress& progress) const {
  const std::string lock_path = path_of("work.lock");
  File lock(::open(lock_path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644));
  if (!lock.is_open()) return file_error("open", lock_path, errno);
  auto held = std::make_unique<HeldSignals>();
  while (flock(lock.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return file_error("lock", lock_path, errno);
    if (HeldSignals::any_waiting()) return Error{"interrupted"};
    progress.show("another lares prepares the lab's kernel; waiting for it");
    std::this_thread::sleep_for(asked_every);
  }
  Workbench bench(std::move(held), std::move(lock), path_of("work"));
  std::error_code error;
  fs::remove_all(bench.path(), error);
  fs::create_directory(bench.path(), error);
  if (error) return Error{fmt::format("cannot make \"{}\": {}", bench.path(), error.message())};
  return bench;
}

}  // namespace lares::lab
