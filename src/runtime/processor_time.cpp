#include "runtime/processor_time.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace lares::runtime {
namespace {

// As the kernel writes it, behind which the name follows.
struct DirectoryEntry {
  std::uint64_t number;
  std::int64_t next;
  std::uint16_t length;
  std::uint8_t kind;
};
constexpr std::size_t name_offset = offsetof(DirectoryEntry, kind) + 1;

void add_thread(int folder, const char* thread, ProcessorTime& sum) noexcept {
  std::array<char, 64> text{};
  if (std::snprintf(text.data(), text.size(), "%s/schedstat", thread) >=
      static_cast<int>(text.size())) {
    return;
  }
  const int file = openat(folder, text.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t count = read(file, text.data(), text.size() - 1);
  close(file);
  if (count <= 0) return;
  text[static_cast<std::size_t>(count)] = '\0';
  unsigned long long running = 0;
  unsigned long long waiting = 0;
  if (std::sscanf(text.data(), "%llu %llu", &running, &waiting) != 2) return;
  sum.running_ns += running;
  sum.waiting_ns += waiting;
}

}  // namespace

ProcessorTime processor_time() noexcept {
  ProcessorTime sum;
  const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return sum;
  std::array<char, 4096> room{};
  for (;;) {
    const long count = syscall(SYS_getdents64, folder, room.data(), room.size());
    if (count <= 0) break;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      DirectoryEntry entry;
      std::memcpy(&entry, &room[at], sizeof(entry));
      const char* const name = &room[at + name_offset];
      if (*name != '.') add_thread(folder, name, sum);
      at += entry.length;
    }
  }
  close(folder);
  return sum;
}

}  // namespace lares::runtime
