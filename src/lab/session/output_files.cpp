#include "lab/session/output_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace lares::lab {

void OutputFiles::give_up(const std::string& sentence) {
  problems_.push_back(sentence);
  file_ = File();
}

void OutputFiles::begin(std::uint32_t number, std::uint32_t reason, std::uint32_t mode) {
  file_ = File();
  if (number >= paths_.size()) return;
  path_ = paths_[number];
  if (reason == ENOENT) {
    return give_up(fmt::format("--output: the program made no file \"{}\"", path_));
  }
  if (reason != 0) {
    return give_up(fmt::format("--output: cannot read \"{}\" in the guest: {}", path_,
                               std::strerror(static_cast<int>(reason))));
  }
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
  file_ = File(open(path_.c_str(), flags, mode & 0777U));
  if (!file_.is_open()) give_up("--output: " + file_error("write", path_, errno).sentence);
}

void OutputFiles::add(std::string_view bytes) {
  if (!file_.is_open()) return;
  if (const auto failure = write_all(file_, bytes, path_)) {
    give_up("--output: " + failure->sentence);
  }
}

void OutputFiles::end(std::uint32_t reason) {
  if (reason != 0) {
    give_up(fmt::format("--output: cannot read all of \"{}\" in the guest: {}", path_,
                        std::strerror(static_cast<int>(reason))));
  }
  file_ = File();
}

}  // namespace lares::lab
