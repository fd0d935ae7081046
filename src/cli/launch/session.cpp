#include "cli/launch/session.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace lares::cli {
namespace {

constexpr std::string_view folder_prefix = "lares-session-";

std::vector<std::string> bases(const Environment& environment) {
  std::vector<std::string> list;
  for (const auto& base :
       {environment.get("XDG_RUNTIME_DIR"), std::optional<std::string>("/dev/shm"),
        environment.get("TMPDIR"), std::optional<std::string>("/tmp")}) {
    if (base && base->front() == '/') list.push_back(*base);
  }
  return list;
}

bool write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The file `machine`, complete and locked before it has its name, so that no one who finds it can
/// take a session that is just starting for one that was left behind.
int write_machine(const std::string& folder, std::string_view machine) noexcept {
  const std::string draft = folder + "/machine.new";
  const int file = open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && write_all(file, machine) &&
      rename(draft.c_str(), (folder + "/machine").c_str()) == 0) {
    return file;
  }
  close(file);
  return -1;
}

void remove_folder(const std::string& folder) noexcept {
  // A daemon that the program left running may add a file meanwhile; a few rounds see it off.
  for (int round = 0; round < 3; ++round) {
    std::error_code failed;
    std::filesystem::remove_all(folder, failed);
    if (!failed) return;
  }
}

bool is_mine(const std::string& folder) noexcept {
  struct stat status{};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid();
}

void remove_if_left_behind(const std::string& folder) noexcept {
  if (!is_mine(folder)) return;
  const int file =
      open((folder + "/machine").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) remove_folder(folder);
  close(file);
}

void remove_left_behind(const std::string& base) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(base.c_str()), &closedir);
  if (!listing) return;
  while (const dirent* entry = readdir(listing.get())) {
    if (std::string_view(entry->d_name).starts_with(folder_prefix)) {
      remove_if_left_behind(base + "/" + entry->d_name);
    }
  }
}

}  // namespace

Result<Session> Session::create(const Environment& environment, std::string_view machine) {
  for (const std::string& base : bases(environment)) {
    std::string folder = base + "/" + std::string(folder_prefix) + "XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) continue;
    const int lock = write_machine(folder, machine);
    if (lock >= 0) {
      remove_left_behind(base);
      return Session(std::move(folder), lock);
    }
    remove_folder(folder);
  }
  return Error{
      "cannot create a folder in $XDG_RUNTIME_DIR, /dev/shm, $TMPDIR or /tmp, so the program runs "
      "without Lares; make one of them writable"};
}

Session::Session(Session&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {
  other.path_.clear();
}

Session::~Session() {
  if (!path_.empty()) remove_folder(path_);
  if (lock_ >= 0) close(lock_);
}

}  // namespace lares::cli
