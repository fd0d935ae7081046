#include "memory/maps.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace lares::memory {
namespace {

/// System calls directly: open() and read() are points where a thread can be cancelled, and the
/// program may have put its own in their place.
long quiet_syscall(long number, long a, long b, long c) noexcept {
  const int program_errno = errno;
  const long result = syscall(number, a, b, c);
  errno = program_errno;
  return result;
}

int open_maps() noexcept {
  static constexpr char path[] = "/proc/self/maps";
  return static_cast<int>(
      quiet_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC));
}

long read_maps(int descriptor, std::span<char> out) noexcept {
  return quiet_syscall(SYS_read, descriptor, reinterpret_cast<long>(out.data()),
                       static_cast<long>(out.size()));
}

void close_maps(int descriptor) noexcept { quiet_syscall(SYS_close, descriptor, 0, 0); }

/// The digit's value, or -1.
int hex(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool MapsParser::feed(char c) noexcept {
  if (c == '\n') {
    const bool complete = state_ == State::rest && complete_;
    state_ = State::line_start;
    return complete;
  }
  switch (state_) {
    case State::line_start:
      mapping_ = {};
      complete_ = false;
      state_ = State::begin;
      [[fallthrough]];
    case State::begin:
      feed_number(mapping_.begin, c, '-', State::end);
      break;
    case State::end:
      feed_number(mapping_.end, c, ' ', State::readable);
      break;
    case State::readable:
      mapping_.data = c == 'r';
      mapping_.closed = c == '-';
      state_ = State::writable;
      break;
    case State::writable:
      mapping_.data = mapping_.data && c == 'w';
      mapping_.closed = mapping_.closed && c == '-';
      complete_ = mapping_.begin < mapping_.end;
      state_ = State::rest;
      break;
    case State::rest:
      break;
  }
  return false;
}

void MapsParser::feed_number(std::uint64_t& number, char c, char terminator, State next) noexcept {
  if (const int digit = hex(c); digit >= 0) {
    number = number << 4U | static_cast<std::uint64_t>(digit);
  } else {
    state_ = c == terminator ? next : State::rest;
  }
}

const MapsSource& real_maps() noexcept {
  static constexpr MapsSource source{&open_maps, &read_maps, &close_maps};
  return source;
}

}  // namespace lares::memory
