#include "memory/moves/move_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace lares::memory {
namespace {

// Shared with all processes of the run, and stays mapped to the end of this one. Its room is
// allocated, so to write into it does not fail, and nobody makes the file shorter.
std::atomic<MovesHead*> g_log{nullptr};

MovesHead* map_log(int file) noexcept {
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes < sizeof(MovesHead)) return nullptr;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const head = static_cast<MovesHead*>(memory);
  const bool fits = head->magic == MovesHead::expected_magic &&
                    head->room <= (bytes - sizeof(MovesHead)) / sizeof(MoveEvent);
  if (fits) return head;
  munmap(memory, bytes);
  return nullptr;
}

}  // namespace

void open_move_log(const char* path) noexcept {
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  // release: with what the head says.
  g_log.store(map_log(file), std::memory_order_release);
  close(file);
}

bool notes_moves() noexcept { return g_log.load(std::memory_order_relaxed) != nullptr; }

void note_move(MoveEvent event) noexcept {
  MovesHead* const head = g_log.load(std::memory_order_acquire);  // acquire: as above
  if (head == nullptr) return;
  // relaxed: numbers need only differ; the reader looks when the processes have ended.
  const std::uint64_t number =
      std::atomic_ref<std::uint64_t>(head->noted).fetch_add(1, std::memory_order_relaxed);
  if (number >= head->room) return;
  event.process = static_cast<std::uint32_t>(getpid());
  if (event.thread == 0) event.thread = static_cast<std::uint32_t>(gettid());
  const MoveKind kind = event.kind;
  event.kind = MoveKind::none;
  MoveEvent& place = reinterpret_cast<MoveEvent*>(head + 1)[number];
  place = event;
  // release: whoever sees the kind of an event sees all of it, also if the process was killed here.
  std::atomic_ref<MoveKind>(place.kind).store(kind, std::memory_order_release);
}

}  // namespace lares::memory
