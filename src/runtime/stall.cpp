#include "runtime/stall.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <new>

#include "runtime/process_lock.hpp"
#include "runtime/stall_inside.hpp"

namespace lares::runtime::stall {

std::atomic<CountersFile*> watched{nullptr};

namespace {

// Written by set_up, before the first team.
const char* g_folder = nullptr;
Nanoseconds g_limit;
FrontEnd g_front_end;

std::atomic<Team*> g_teams{nullptr};    // newest first; any master adds, none is ever taken out
std::atomic<std::uint32_t> g_pages{0};  // that this process has left for the launcher
LARES_PROCESS_LOCK(g_places_lock);

// The file has its name only when the page is complete.
void write_file(const char* kind, std::uint32_t number, Nanoseconds stalled) noexcept {
  char path[700];
  char draft[700];
  const auto pid = static_cast<int>(getpid());
  std::snprintf(path, sizeof(path), "%s/%s.%d.%u", g_folder, kind, pid, number);
  std::snprintf(draft, sizeof(draft), "%s/new-%s.%d.%u", g_folder, kind, pid, number);
  const int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  write_page(file, stalled);
  close(file);
  if (rename(draft, path) != 0) unlink(draft);
}

}  // namespace

void set_up(const char* folder, Nanoseconds limit, FrontEnd front_end) noexcept {
  g_folder = folder;
  g_limit = limit;
  g_front_end = front_end;
}

void begin(CountersFile& counters) noexcept {
  if (g_folder == nullptr) return;
  watched.store(&counters, std::memory_order_release);
  if (g_limit.count > 0) start_watching(g_limit);
}

void know(Team& team) noexcept {
  Team* head = g_teams.load(std::memory_order_relaxed);
  do {
    team.next_known = head;
    // release: whoever finds the team sees its slots and its link.
  } while (!g_teams.compare_exchange_weak(head, &team, std::memory_order_release,
                                          std::memory_order_relaxed));
}

Team* known_teams() noexcept { return g_teams.load(std::memory_order_acquire); }

void forget_after_fork() noexcept {
  watched.store(nullptr, std::memory_order_relaxed);
  g_teams.store(nullptr, std::memory_order_relaxed);
  g_pages.store(0, std::memory_order_relaxed);
}

Spinlock& places_lock() noexcept { return g_places_lock; }

const FrontEnd& front_end() noexcept { return g_front_end; }

void answer() noexcept {
  CountersFile* file = watched.load(std::memory_order_acquire);
  if (file == nullptr) return;
  std::uint32_t before = file->stall_answer.load(std::memory_order_relaxed);
  const std::uint32_t wanted = file->stall_request.load(std::memory_order_relaxed);
  // relaxed: it only says who writes; the page's file says that it is written.
  if (before == wanted ||
      !file->stall_answer.compare_exchange_strong(before, wanted, std::memory_order_relaxed)) {
    return;
  }
  write_file("asked", wanted, Nanoseconds{0});
}

void leave_page(Nanoseconds stalled) noexcept {
  write_file("stall", g_pages.fetch_add(1, std::memory_order_relaxed), stalled);
}

namespace {

std::uint64_t starts_of(const CountersFile& file) noexcept {
  const auto* slots = reinterpret_cast<const CounterSlot*>(reinterpret_cast<const char*>(&file) +
                                                           CountersFile::slots_offset);
  std::uint32_t used = file.slots_used.load(std::memory_order_relaxed);
  if (used > max_counter_slots) used = max_counter_slots;
  std::uint64_t starts = 0;
  for (std::uint32_t i = 0; i < used; ++i) {
    for (std::size_t kind = 0; kind < locality_kinds; ++kind) {
      starts += slots[i].tasks[kind].get() + slots[i].data_tasks[kind].get();
    }
  }
  return starts;
}

}  // namespace

Progress look() noexcept {
  Progress progress;
  if (const CountersFile* file = watched.load(std::memory_order_acquire); file != nullptr) {
    progress.moved = starts_of(*file);
  }
  const std::lock_guard lock(g_places_lock);
  for (Team* team = known_teams(); team != nullptr; team = team->next_known) {
    if (!has_met(*team)) continue;
    const Tally tally = tally_of(*team);
    progress.moved += tally.ended;
    progress.open += tally.open();
  }
  return progress;
}

bool has_met(const Team& team) noexcept {
  // acquire: the workers and their places are complete.
  return team.places_ready.load(std::memory_order_acquire) != 0;
}

Tally tally_of(const Team& team) noexcept {
  Tally tally;
  // What has ended first: both only grow, so no task is taken for one that ended before its start.
  tally.ended = team.foreign_finished.load(std::memory_order_acquire);
  for (const auto& worker : team.members()) {
    tally.ended += worker->finished.load(std::memory_order_acquire);
  }
  for (const auto& worker : team.members()) {
    tally.created += worker->created.load(std::memory_order_acquire);
  }
  for (const auto& worker : team.members()) {
    if (wait_of(*worker) == Wait::outside) continue;
    ++tally.inside;
    const Begun begun = begun_by(*worker);
    tally.begun += begun.counted;
    tally.at_once += begun.at_once;
  }
  tally.pending = team.pending_events.load(std::memory_order_relaxed);
  tally.excluded = team.excluded.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < team.places->size(); ++i) tally.queued += team.length(PlaceId{i});
  tally.queued += team.prioritised.length();
  return tally;
}

Begun begun_by(const Worker& worker) noexcept {
  // Bounded, because what is on the stack changes while it is read.
  constexpr int most = 4096;
  Begun begun;
  const Task* task = glance(worker.current);
  for (int i = 0; i < most && task != nullptr; ++i) {
    const std::uint16_t flags = glance(task->flags);
    if ((flags & task_flag::implicit) != 0) break;
    // Whatever a worker has begun descends from what it had begun before.
    if (glance(task->runner) == &worker) {
      ++((flags & task_flag::counted) != 0 ? begun.counted : begun.at_once);
    }
    task = glance(task->parent);
  }
  return begun;
}

}  // namespace lares::runtime::stall
