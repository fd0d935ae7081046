#include "lab/session/streams.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace lares::lab {
namespace {

bool is_regular(int file) noexcept {
  struct stat status{};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

bool has_room(int file) noexcept {
  pollfd out{file, POLLOUT, 0};
  return poll(&out, 1, 0) == 1;
}

}  // namespace

OutputStream::OutputStream(int file) : file_(file), always_fits_(is_regular(file)) {}

bool OutputStream::write_piece(std::string_view& bytes) {
  // A pipe that poll() calls writable takes this much without waiting.
  if (!always_fits_ && !has_room(file_)) return false;
  const std::size_t most = always_fits_ ? bytes.size() : std::size_t{PIPE_BUF};
  const ssize_t written = write(file_, bytes.data(), std::min(most, bytes.size()));
  if (written >= 0) {
    bytes.remove_prefix(static_cast<std::size_t>(written));
    return true;
  }
  if (errno == EINTR) return true;
  if (errno == EAGAIN) return false;
  failure_ = errno;
  return false;
}

void OutputStream::put(std::string_view bytes) {
  pending_.append(bytes);
  pump();
}

void OutputStream::pump() {
  std::string_view rest = pending_;
  while (!rest.empty() && failure_ == 0 && write_piece(rest)) {
  }
  if (failure_ != 0) rest = {};
  pending_.erase(0, pending_.size() - rest.size());
}

bool same_file(int a, int b) noexcept {
  struct stat first{};
  struct stat second{};
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace lares::lab
