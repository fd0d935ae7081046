#include "memory/maps.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
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

// PROCMAP_QUERY is younger than the headers that Lares is built with.
struct Query {
  std::uint64_t size, flags, address;
  std::uint64_t begin, end, attributes, page_bytes, offset, inode;
  std::uint32_t major, minor, name_bytes, build_id_bytes;
  std::uint64_t name, build_id;
};

long query_maps(int descriptor, std::uint64_t address, Mapping& out) noexcept {
  constexpr unsigned long request = _IOWR('f', 17, Query);
  constexpr std::uint64_t holding_or_next = 0x10;
  Query query{};
  query.size = sizeof(query);
  query.flags = holding_or_next;
  query.address = address;
  const int program_errno = errno;
  const long result =
      syscall(SYS_ioctl, descriptor, request, reinterpret_cast<std::uintptr_t>(&query));
  const int error = errno;
  errno = program_errno;
  if (result < 0) return -error;
  out.begin = query.begin;
  out.end = query.end;
  out.readable = (query.attributes & 1U) != 0;
  out.writable = (query.attributes & 2U) != 0;
  out.executable = (query.attributes & 4U) != 0;
  out.shared = (query.attributes & 8U) != 0;
  out.data = out.readable && out.writable;
  out.closed = !out.readable && !out.writable;
  out.anonymous = query.inode == 0;
  return 0;
}

/// The digit's value, or -1.
int hex(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool MapsParser::feed(char c) noexcept {
  if (c == '\n') {
    const bool complete = complete_;
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
      mapping_.readable = c == 'r';
      state_ = State::writable;
      break;
    case State::writable:
      mapping_.writable = c == 'w';
      mapping_.data = mapping_.readable && mapping_.writable;
      mapping_.closed = !mapping_.readable && !mapping_.writable;
      complete_ = mapping_.begin < mapping_.end;
      state_ = State::executable;
      break;
    case State::executable:
      mapping_.executable = c == 'x';
      state_ = State::shared;
      break;
    case State::shared:
      mapping_.shared = c == 's';
      state_ = State::offset;
      gap_ = true;
      break;
    case State::offset:
      feed_gap(c, State::device);
      break;
    case State::device:
      feed_gap(c, State::inode);
      break;
    case State::inode:
      if (c == ' ') {
        if (!gap_) state_ = State::rest;
      } else {
        mapping_.anonymous = gap_ && c == '0';
        gap_ = false;
        if (!mapping_.anonymous) state_ = State::rest;
      }
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

/// Skips a field: the spaces before it, and what follows to the next space.
void MapsParser::feed_gap(char c, State next) noexcept {
  if (c != ' ') {
    gap_ = false;
  } else if (!gap_) {
    gap_ = true;
    state_ = next;
  }
}

const MapsSource& real_maps() noexcept {
  static constexpr MapsSource source{&open_maps, &read_maps, &close_maps, &query_maps};
  return source;
}

}  // namespace lares::memory
