#include "host/openmp/gomp_reductions.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/raw_memory.hpp"
#include "host/openmp/gomp_abi.hpp"
#include "host/openmp/region.hpp"
#include "runtime/process_lock.hpp"
#include "runtime/spinlock.hpp"

namespace lares::omp::gomp {

namespace {

// Words of the compiler's record.
enum Word : std::size_t {
  items,
  thread_bytes,
  copies,
  allocator,
  next,
  first_mark,
  copies_end,
  item
};
constexpr std::size_t item_words = 3;

std::uintptr_t* as_record(std::uintptr_t word) noexcept {
  return reinterpret_cast<std::uintptr_t*>(word);
}

void* zeroed(std::size_t align, std::size_t bytes) noexcept {
  if (align < sizeof(void*)) align = sizeof(void*);
  void* memory = nullptr;
  if (posix_memalign(&memory, align, bytes == 0 ? align : bytes) != 0) std::abort();
  std::memset(memory, 0, bytes);
  return memory;
}

template <class Fill>
void link_records(std::uintptr_t* data, std::uintptr_t* older, Fill fill) noexcept {
  for (std::uintptr_t* record = data;; record = as_record(record[next])) {
    fill(record);
    record[first_mark] = record == data ? 1 : 0;
    if (record[next] == 0) {
      record[next] = reinterpret_cast<std::uintptr_t>(older);
      return;
    }
  }
}

std::uintptr_t* current_record(runtime::Worker& worker) noexcept {
  const runtime::Taskgroup* group = runtime::current_group(worker);
  while (group != nullptr && group->reductions == nullptr) group = group->outer;
  return group == nullptr ? nullptr : static_cast<std::uintptr_t*>(group->reductions);
}

// The item's private copy for `thread`, and its original: by the original's address, or by the
// address of any thread's copy of it.
struct Found {
  std::uintptr_t copy = 0;
  std::uintptr_t original = 0;
};

Found find_item(std::uintptr_t* data, std::uintptr_t address, std::size_t thread) noexcept {
  for (std::uintptr_t* record = data; record != nullptr; record = as_record(record[next])) {
    for (std::size_t i = 0; i < record[items]; ++i) {
      const std::uintptr_t* entry = record + item + i * item_words;
      if (entry[0] != address) continue;
      return {record[copies] + thread * record[thread_bytes] + entry[1], entry[0]};
    }
  }
  for (std::uintptr_t* record = data; record != nullptr; record = as_record(record[next])) {
    if (address < record[copies] || address >= record[copies_end]) continue;
    const std::uintptr_t offset = (address - record[copies]) % record[thread_bytes];
    Found found{record[copies] + thread * record[thread_bytes] + offset, 0};
    for (std::size_t i = 0; i < record[items]; ++i) {
      const std::uintptr_t* entry = record + item + i * item_words;
      if (entry[1] == offset) found.original = entry[0];
    }
    return found;
  }
  return {};
}

/// Worksharing constructs that are under way in a team: threads may be some constructs apart.
struct Construct {
  std::atomic<std::uint64_t> number{0};          ///< 0 = free, else which construct, from 1
  std::atomic<std::uintptr_t*> record{nullptr};  ///< of the first thread
  std::atomic<std::uint32_t> passed{0};          ///< threads that have taken it
};
constexpr std::size_t ring_size = 64;

struct Ring {
  const runtime::Team* team = nullptr;
  Construct constructs[ring_size];
  std::atomic<std::uint64_t>* counts = nullptr;  ///< by worker: constructs met
  Ring* next = nullptr;
};

// One ring for each team that ever used the construct: few programs do, so a list is enough.
LARES_PROCESS_LOCK(g_ring_lock);
Ring* g_rings = nullptr;  // under g_ring_lock

Ring& ring_of(const runtime::Team& team) noexcept {
  const std::lock_guard lock(g_ring_lock);
  for (Ring* ring = g_rings; ring != nullptr; ring = ring->next) {
    if (ring->team == &team) return *ring;
  }
  auto* ring = make_raw<Ring>();
  ring->team = &team;
  ring->counts = static_cast<std::atomic<std::uint64_t>*>(zeroed(
      alignof(std::atomic<std::uint64_t>), team.size() * sizeof(std::atomic<std::uint64_t>)));
  ring->next = g_rings;
  g_rings = ring;
  return *ring;
}

}  // namespace

void register_reductions(std::uintptr_t* data, std::uintptr_t* older,
                         std::size_t threads) noexcept {
  link_records(data, older, [threads](std::uintptr_t* record) {
    const std::size_t bytes = record[thread_bytes] * threads;
    record[copies] = reinterpret_cast<std::uintptr_t>(zeroed(record[copies], bytes));
    record[copies_end] = record[copies] + bytes;
  });
}

void adopt_reductions(std::uintptr_t* data, std::uintptr_t* older,
                      const std::uintptr_t* first) noexcept {
  link_records(data, older, [&first](std::uintptr_t* record) {
    record[copies] = first[copies];
    record[copies_end] = first[copies_end];
    first = as_record(first[next]);
  });
}

void free_reductions(std::uintptr_t* data) noexcept {
  std::uintptr_t* record = data;
  do {
    std::free(reinterpret_cast<void*>(record[copies]));
    record = as_record(record[next]);
  } while (record != nullptr && record[first_mark] == 0);
}

void register_with_group(runtime::Worker& worker, std::uintptr_t* data) noexcept {
  runtime::Taskgroup* group = runtime::current_group(worker);
  std::uintptr_t* older = nullptr;
  for (auto* outer = group->outer; outer != nullptr && older == nullptr; outer = outer->outer) {
    older = static_cast<std::uintptr_t*>(outer->reductions);
  }
  register_reductions(data, older, worker.team->size());
  group->reductions = data;
}

void enter_team_reduction(runtime::Worker& worker, void* data) noexcept {
  runtime::begin_group(worker)->reductions = data;
}

void leave_team_reduction(runtime::Worker& worker) noexcept { runtime::end_group(worker); }

void enter_workshare_reduction(runtime::Worker& worker, std::uintptr_t* data) noexcept {
  std::uintptr_t* older = current_record(worker);
  runtime::Taskgroup* group = runtime::begin_group(worker);
  group->workshare = true;
  Ring& ring = ring_of(*worker.team);
  // Every thread of a team meets the same constructs in the same order.
  const std::uint64_t number =
      ring.counts[worker.id.index()].fetch_add(1, std::memory_order_relaxed) + 1;
  Construct& construct = ring.constructs[number % ring_size];
  bool first = false;
  runtime::spin_until([&] {  // the slot may still serve a construct `ring_size` earlier
    std::uint64_t free = 0;
    first = construct.number.compare_exchange_strong(free, number, std::memory_order_acq_rel);
    return first || free == number;
  });
  if (first) {
    register_reductions(data, older, worker.team->size());
    construct.record.store(data, std::memory_order_release);
  } else {
    runtime::spin_until(
        [&] { return construct.record.load(std::memory_order_acquire) != nullptr; });
    adopt_reductions(data, older, construct.record.load(std::memory_order_relaxed));
  }
  if (construct.passed.fetch_add(1, std::memory_order_acq_rel) + 1 == worker.team->size()) {
    construct.record.store(nullptr, std::memory_order_relaxed);
    construct.passed.store(0, std::memory_order_relaxed);
    construct.number.store(0, std::memory_order_release);
  }
  group->reductions = data;
}

}  // namespace lares::omp::gomp

namespace gomp = lares::omp::gomp;

LARES_EXPORT void GOMP_taskgroup_reduction_register(std::uintptr_t* data) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_taskgroup_reduction_register, data);
  gomp::register_with_group(*worker, data);
}

LARES_EXPORT void GOMP_taskgroup_reduction_unregister(std::uintptr_t* data) {
  // Also called by the master after a region with a task reduction, when it may be no worker any
  // more: what marks a registration as ours is its first word, which the stock runtime never sets
  // to 1.
  if (data[5] == 1) return gomp::free_reductions(data);
  LARES_REAL_BY_CALLER(GOMP_taskgroup_reduction_unregister);
  GOMP_taskgroup_reduction_unregister_real(data);
}

LARES_EXPORT void GOMP_task_reduction_remap(std::size_t count, std::size_t originals,
                                            void** items) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_task_reduction_remap, count, originals, items);
  std::uintptr_t* data = gomp::current_record(*worker);
  for (std::size_t i = 0; i < count; ++i) {
    const gomp::Found found =
        gomp::find_item(data, reinterpret_cast<std::uintptr_t>(items[i]), worker->id.index());
    if (found.copy == 0) {
      static const char message[] =
          "lares: a task reduction names an item of no enclosing reduction\n";
      (void)!write(2, message, sizeof(message) - 1);
      std::abort();
    }
    items[i] = reinterpret_cast<void*>(found.copy);
    if (i < originals) items[count + i] = reinterpret_cast<void*>(found.original);
  }
}

LARES_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  LARES_OWN_WORKER_OR_FORWARD(GOMP_workshare_task_reduction_unregister, cancelled);
  auto* data = static_cast<std::uintptr_t*>(lares::runtime::current_group(*worker)->reductions);
  lares::runtime::end_group(*worker);
  if (worker->id.value() == 0) gomp::free_reductions(data);
  if (!cancelled) lares::runtime::barrier(*worker);
}
