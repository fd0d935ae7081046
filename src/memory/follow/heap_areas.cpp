#include "memory/follow/heap_areas.hpp"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

constexpr std::uintptr_t page = 4096;

/// An arena's heaps are so large and begin at multiples of it (glibc's HEAP_MAX_SIZE with 64 bits,
/// without large pages).
constexpr std::uintptr_t heap_room = std::uintptr_t{64} << 20U;

/// What stands at the begin of each (glibc's heap_info, unchanged since 2.10).
struct HeapHead {
  std::uintptr_t arena;
  std::uintptr_t previous;
  std::uint64_t size;
  std::uint64_t usable;
};

/// The program may unmap it meanwhile.
bool read_head(std::uintptr_t at, HeapHead& head) noexcept {
  const int program_errno = errno;
  iovec to{&head, sizeof(head)};
  iovec from{pointer(at), sizeof(head)};
  const long got = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1UL, &from, 1UL, 0UL);
  errno = program_errno;
  return got == static_cast<long>(sizeof(head));
}

bool is_heap(std::uintptr_t at, const HeapHead& head) noexcept {
  const bool first = head.previous == 0;
  const bool arena_fits = first ? head.arena > at && head.arena < at + page
                                : head.arena % heap_room != 0 && head.previous % heap_room == 0;
  return arena_fits && head.size >= page && head.size % page == 0 && head.usable % page == 0 &&
         head.size <= head.usable && head.usable <= heap_room;
}

}  // namespace

std::uintptr_t heap_end() noexcept {
  return static_cast<std::uintptr_t>(syscall(SYS_brk, 0));  // gives the end as it is
}

std::size_t find_heap_areas(const MapsSource& maps, std::uintptr_t own_end, std::size_t least,
                            std::span<const LargeArea> pieces,
                            std::span<LargeArea> areas) noexcept {
  std::size_t found = 0;
  const auto add_part = [&](std::uintptr_t begin, std::uintptr_t end) noexcept {
    if (end > begin && end - begin >= least && found < areas.size()) areas[found++] = {begin, end};
  };
  const auto add = [&](std::uintptr_t begin, std::uintptr_t end) noexcept {
    const auto is_before = [begin](const LargeArea& piece) { return piece.end <= begin; };
    auto piece = std::find_if_not(pieces.begin(), pieces.end(), is_before);
    for (; piece != pieces.end() && piece->begin < end; ++piece) {
      add_part(begin, piece->begin);
      begin = std::max(begin, piece->end);
    }
    add_part(begin, end);
  };
  add((own_end + page - 1) & ~(page - 1), heap_end() & ~(page - 1));
  for_each_mapping(maps, [&](const Mapping& mapping) {
    if (!mapping.data || mapping.executable || mapping.shared || !mapping.anonymous) return;
    // Neighbours may be one mapping.
    for (std::uintptr_t at = (mapping.begin + heap_room - 1) & ~(heap_room - 1); at < mapping.end;
         at += heap_room) {
      HeapHead head;
      if (!read_head(at, head) || !is_heap(at, head)) continue;
      add(at + page, std::min<std::uintptr_t>(at + head.size, mapping.end));
    }
  });
  return found;
}

}  // namespace lares::memory
