#include "host/openmp/control_variables.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "base/raw_memory.hpp"
#include "host/openmp/region.hpp"

namespace lares::omp {

namespace {

/// The variables that a task can set, as omp_get_* tells them.
struct Variables {
  int threads = 0;
  int dynamic = 0;
  int levels = 0;
  int schedule = 0;
  int chunk = 0;
  int device = 0;
  std::uintptr_t allocator = 0;  ///< 0 if the runtime is too old to have one

  friend bool operator==(const Variables&, const Variables&) = default;
};

/// Variables that some task had: one of each value, which lives for ever. So tasks share them by
/// address, and the same address is the same value.
struct Snapshot {
  Variables values;
  Snapshot* next = nullptr;
};

constexpr std::size_t bucket_count = 256;
// Any thread adds at the front; nobody removes.
std::atomic<Snapshot*> g_snapshots[bucket_count];

/// What the stock runtime has for the calling thread; nullptr if that is to be asked.
__attribute__((tls_model("initial-exec"))) constinit thread_local const Snapshot* t_now = nullptr;

Variables read(Stock& stock) noexcept {
  Variables now;
  using Get = int();
  using GetSchedule = void(int*, int*);
  now.threads = real<Get>(stock, Entry::omp_get_max_threads)();
  now.dynamic = real<Get>(stock, Entry::omp_get_dynamic)();
  now.levels = real<Get>(stock, Entry::omp_get_max_active_levels)();
  now.device = real<Get>(stock, Entry::omp_get_default_device)();
  real<GetSchedule>(stock, Entry::omp_get_schedule)(&now.schedule, &now.chunk);
  using GetAllocator = std::uintptr_t();
  auto* const allocator = real<GetAllocator>(stock, Entry::omp_get_default_allocator);
  if (allocator != nullptr) now.allocator = allocator();
  return now;
}

std::size_t bucket_of(const Variables& values) noexcept {
  std::uint64_t hash = values.allocator;
  for (const int value : {values.threads, values.dynamic, values.levels, values.schedule,
                          values.chunk, values.device}) {
    hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x9E3779B97F4A7C15ULL;
  }
  return static_cast<std::size_t>(hash >> 32U) % bucket_count;
}

const Snapshot* snapshot_of(const Variables& values) noexcept {
  std::atomic<Snapshot*>& bucket = g_snapshots[bucket_of(values)];
  Snapshot* fresh = nullptr;
  Snapshot* head = bucket.load(std::memory_order_acquire);  // what others have written into it
  for (;;) {
    for (Snapshot* at = head; at != nullptr; at = at->next) {
      if (!(at->values == values)) continue;
      std::free(fresh);
      return at;
    }
    if (fresh == nullptr) fresh = make_raw<Snapshot>(values);
    fresh->next = head;
    // release: its contents; acquire on failure: the other's.
    if (bucket.compare_exchange_weak(head, fresh, std::memory_order_release,
                                     std::memory_order_acquire)) {
      return fresh;
    }
  }
}

const Snapshot& current(Stock& stock) noexcept {
  if (t_now == nullptr) t_now = snapshot_of(read(stock));
  return *t_now;
}

void change_to(Stock& stock, const Snapshot& snapshot) noexcept {
  const Variables& now = current(stock).values;
  const Variables& wanted = snapshot.values;
  using Set = void(int);
  using SetSchedule = void(int, int);
  if (now.threads != wanted.threads) {
    real<Set>(stock, Entry::omp_set_num_threads)(wanted.threads);
  }
  if (now.dynamic != wanted.dynamic) real<Set>(stock, Entry::omp_set_dynamic)(wanted.dynamic);
  if (now.levels != wanted.levels) {
    real<Set>(stock, Entry::omp_set_max_active_levels)(wanted.levels);
  }
  if (now.device != wanted.device) {
    real<Set>(stock, Entry::omp_set_default_device)(wanted.device);
  }
  if (now.allocator != wanted.allocator) {
    using SetAllocator = void(std::uintptr_t);
    real<SetAllocator>(stock, Entry::omp_set_default_allocator)(wanted.allocator);
  }
  if (now.schedule != wanted.schedule || now.chunk != wanted.chunk) {
    real<SetSchedule>(stock, Entry::omp_set_schedule)(wanted.schedule, wanted.chunk);
  }
  t_now = &snapshot;
}

// Task::front_end is a snapshot to be applied before the body; once that is done, with the lowest
// bit set, one to be restored after it; or null.
constexpr std::uintptr_t restores = 1;

const Snapshot& snapshot_in(const runtime::Task& task) noexcept {
  const auto word = reinterpret_cast<std::uintptr_t>(task.front_end);
  return *reinterpret_cast<const Snapshot*>(word & ~restores);
}
bool has_been_applied(const runtime::Task& task) noexcept {
  return (reinterpret_cast<std::uintptr_t>(task.front_end) & restores) != 0;
}
void restore_later(runtime::Task& task, const Snapshot& before) noexcept {
  task.front_end = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&before) | restores);
}

}  // namespace

void remember_control_variables(runtime::Worker& worker) noexcept {
  runtime::Task& task = *worker.current;
  if (!variables_differ(*worker.team)) {
    // Nobody has set any, so ours are still those of all.
    const void* none = nullptr;
    worker.team->first_variables.compare_exchange_strong(
        none, &current(stock_of(worker)), std::memory_order_release, std::memory_order_relaxed);
  }
  // The variables of an implicit task are the stock runtime's own.
  if (!task.has(runtime::task_flag::implicit) && !has_been_applied(task)) {
    restore_later(task, current(stock_of(worker)));
  }
  forget_control_variables();
}

void forget_control_variables() noexcept { t_now = nullptr; }

void inherit_from(runtime::Worker& worker, runtime::Task& child) noexcept {
  child.front_end = const_cast<Snapshot*>(&current(stock_of(worker)));
}

void apply_inherited(runtime::Task& task) noexcept {
  if (has_been_applied(task)) return;
  // Without variables of its own it was made by a task that had those that the region began with.
  const Snapshot& inherited = task.front_end != nullptr
                                  ? snapshot_in(task)
                                  : *static_cast<const Snapshot*>(
                                        task.team->first_variables.load(std::memory_order_acquire));
  task.front_end = nullptr;
  Stock& stock = stock_of(task);
  const Snapshot& before = current(stock);
  if (&before == &inherited) return;
  restore_later(task, before);
  change_to(stock, inherited);
}

void restore_saved(runtime::Task& task) noexcept {
  if (has_been_applied(task)) change_to(stock_of(task), snapshot_in(task));
  task.front_end = nullptr;
}

}  // namespace lares::omp
