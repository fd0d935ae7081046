#include "memory/next_touch/userfault.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace lares::memory {
namespace {

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

// UFFDIO_MOVE is younger than the headers that Lares is built with.
constexpr std::uint64_t feature_move = std::uint64_t{1} << 16U;
struct MoveRequest {
  std::uint64_t to, from, bytes, mode;
  std::int64_t moved;
};
constexpr unsigned long move_request = _IOWR(UFFDIO, 0x05, MoveRequest);

constexpr std::uint64_t needed =
    UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_UNMAP;

int error_of(long result) noexcept { return result < 0 ? static_cast<int>(-result) : 0; }

/// A request that did a part gives the part, not why it ended: the next one says that.
Userfault::Done done_of(long result, std::int64_t bytes) noexcept {
  if (bytes > 0) return {static_cast<std::uint64_t>(bytes), 0};
  return {0, error_of(result)};
}

/// What the calling thread's table does not have, or has as something else: the number was free.
bool is_gone(long result) noexcept { return result == -EBADF || result == -ENOTTY; }

/// To a high number: programs that close what they do not know get the low ones next, and look for
/// theirs among these.
int move_up(int file) noexcept {
  constexpr int high = 512;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, high);
  if (moved < 0) return file;
  ::close(file);
  return moved;
}

}  // namespace

long Userfault::control(unsigned long request, void* argument) const noexcept {
  const int file = descriptor();
  const long result = calls_.control(file, request, argument);
  if (!is_gone(result) || file < 0 || keeper_ == nullptr || !keeper_->keeps()) return result;
  kept_.store(true, std::memory_order_relaxed);  // relaxed: a hint
  return keeper_->control(file, request, argument);
}

int Userfault::open(bool signal) noexcept {
  long descriptor = calls_.userfault(O_CLOEXEC | O_NONBLOCK);
  // Without the right to hold up the kernel itself, faults of the program can still be handled.
  if (descriptor < 0 && signal) {
    descriptor = calls_.userfault(O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
  }
  if (descriptor < 0) return error_of(descriptor);
  const int file = move_up(static_cast<int>(descriptor));
  const std::uint64_t own = signal ? UFFD_FEATURE_SIGBUS : UFFD_FEATURE_THREAD_ID;
  uffdio_api request{UFFD_API, needed | own | feature_move, 0};
  can_move_ = calls_.control(file, UFFDIO_API, &request) >= 0;
  long result = 0;
  if (!can_move_) {
    // A request for an unknown feature is refused as a whole, and closes no door.
    request = {UFFD_API, needed | own, 0};
    result = calls_.control(file, UFFDIO_API, &request);
  }
  if (result < 0) {
    ::close(file);
    return error_of(result);
  }
  descriptor_.store(file, std::memory_order_relaxed);
  return 0;
}

void Userfault::close() noexcept {
  const int file = descriptor_.exchange(-1, std::memory_order_relaxed);
  uffdio_range nothing{0, 0};  // which every userfaultfd refuses in its own way
  if (file >= 0 && !is_gone(calls_.control(file, UFFDIO_WAKE, &nothing))) ::close(file);
}

int Userfault::watch(std::uintptr_t begin, std::uint64_t bytes) const noexcept {
  uffdio_register request{{begin, bytes}, UFFDIO_REGISTER_MODE_MISSING, 0};
  return error_of(control(UFFDIO_REGISTER, &request));
}

int Userfault::unwatch(std::uintptr_t begin, std::uint64_t bytes) const noexcept {
  uffdio_range range{begin, bytes};
  return error_of(control(UFFDIO_UNREGISTER, &range));
}

Userfault::Done Userfault::copy(std::uintptr_t to, std::uintptr_t from,
                                std::uint64_t bytes) const noexcept {
  uffdio_copy request{to, from, bytes, 0, 0};
  const long result = control(UFFDIO_COPY, &request);
  return done_of(result, request.copy);
}

Userfault::Done Userfault::move(std::uintptr_t to, std::uintptr_t from,
                                std::uint64_t bytes) const noexcept {
  constexpr std::uint64_t allow_holes = 2;
  MoveRequest request{to, from, bytes, allow_holes, 0};
  const long result = control(move_request, &request);
  return done_of(result, request.moved);
}

int Userfault::zero(std::uintptr_t to, std::uint64_t page) const noexcept {
  uffdio_zeropage request{{to, page}, 0, 0};
  return error_of(control(UFFDIO_ZEROPAGE, &request));
}

bool Userfault::has_unread_change(std::uint64_t page) const noexcept {
  // The kernel says so before it looks where the page is to go: no program has the one at `page`.
  return descriptor() >= 0 && zero(page, page) == EAGAIN;
}

int Userfault::wake(std::uintptr_t begin, std::uint64_t bytes) const noexcept {
  uffdio_range range{begin, bytes};
  return error_of(control(UFFDIO_WAKE, &range));
}

}  // namespace lares::memory
