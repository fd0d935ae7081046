// Stands in for the preloaded library, so that the launcher can be tested by itself: leaves known
// counters when the test asks for it, through variables that it puts into the environment.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/counters.hpp"

namespace {

using lares::runtime::CountersFile;
using lares::runtime::CounterSlot;

void* map_counters(const char* session) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/stats.%d", session, static_cast<int>(getpid()));
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  const std::size_t size = CountersFile::slots_offset + 2 * sizeof(CounterSlot);
  void* address = nullptr;
  if (ftruncate(file, static_cast<off_t>(size)) == 0) {
    address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  return address == MAP_FAILED ? nullptr : address;
}

void fill(void* address, std::uint64_t tasks) {
  auto* head = static_cast<CountersFile*>(address);
  head->magic = CountersFile::expected_magic;
  head->slot_bytes = sizeof(CounterSlot);
  head->pid = static_cast<std::uint32_t>(getpid());
  head->start_ns = 1;
  head->end_ns = 1'000'000'001;
  head->start_ticks = 1;
  head->end_ticks = 2'000'000'001;
  head->slots_used = 2;
  head->max_threads = 2;
  head->regions = 1;
  head->domains = 1;
  strcpy(head->runtime, "libgomp.so.1");
  snprintf(head->policy, sizeof(head->policy), "%s", getenv("LARES_POLICY"));
  auto* slots =
      reinterpret_cast<CounterSlot*>(static_cast<char*>(address) + CountersFile::slots_offset);
  slots[0].tasks[0].add(tasks);
  slots[1].data_tasks[2].add(tasks);
  slots[1].data_bytes[2].add(tasks * 64);
  slots[1].steals[0].add(tasks);
  const char* note = getenv("FAKE_NOTE");
  if (note == nullptr) return;
  snprintf(head->notes[0].text, sizeof(head->notes[0].text), "%s", note);
  head->notes[0].ready = 1;
  head->notes_used = 1;
}

/// FAKE_TASKS=N: N tasks by each of two threads. FAKE_ONLY=NAME: only in the program of that name.
/// FAKE_GARBAGE: damaged counters.
__attribute__((constructor)) void leave_counters() {
  const char* session = getenv("LARES_SESSION");
  const char* tasks = getenv("FAKE_TASKS");
  const char* only = getenv("FAKE_ONLY");
  if (session == nullptr || tasks == nullptr) return;
  if (only != nullptr && strcmp(only, program_invocation_short_name) != 0) return;
  void* address = map_counters(session);
  if (address == nullptr) return;
  fill(address, strtoull(tasks, nullptr, 10));
  if (getenv("FAKE_GARBAGE") != nullptr) memset(address, 0x5A, 64);
}

}  // namespace
