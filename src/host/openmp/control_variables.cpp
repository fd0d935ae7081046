#include "host/openmp/control_variables.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

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
};

/// What hangs at Task::front_end.
struct Saved {
  bool inherits = false;  ///< `inherited` is to be applied before the body
  bool restores = false;  ///< `before` is to be restored after it
  Variables inherited;
  Variables before;
};

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

void write(Stock& stock, const Variables& wanted) noexcept {
  const Variables now = read(stock);
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
}

Saved& saved_of(runtime::Task& task) noexcept {
  if (task.front_end == nullptr) {
    void* memory = std::malloc(sizeof(Saved));
    if (memory == nullptr) std::abort();
    task.front_end = new (memory) Saved;
  }
  return *static_cast<Saved*>(task.front_end);
}

Stock& stock_of_task(const runtime::Task& task) noexcept {
  return *static_cast<Stock*>(const_cast<void*>(task.team->host));
}

}  // namespace

std::atomic<bool> threads_differ{false};

void remember_control_variables(runtime::Worker& worker) noexcept {
  runtime::Task& task = *worker.current;
  threads_differ.store(true, std::memory_order_relaxed);
  if (task.has(runtime::task_flag::implicit)) return;  // the stock runtime's own
  Saved& saved = saved_of(task);
  if (saved.restores) return;
  saved.restores = true;
  saved.before = read(stock_of(worker));
}

void inherit_from(runtime::Worker& worker, runtime::Task& child) noexcept {
  Saved& saved = saved_of(child);
  saved.inherits = true;
  saved.inherited = read(stock_of(worker));
}

void apply_inherited(runtime::Task& task) noexcept {
  Saved& saved = saved_of(task);
  if (!saved.inherits || saved.restores) return;
  Stock& stock = stock_of_task(task);
  saved.restores = true;
  saved.before = read(stock);
  write(stock, saved.inherited);
}

void restore_saved(runtime::Task& task) noexcept {
  const Saved& saved = saved_of(task);
  if (saved.restores) write(stock_of_task(task), saved.before);
  std::free(task.front_end);
  task.front_end = nullptr;
}

}  // namespace lares::omp
