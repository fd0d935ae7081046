#include "host/openmp/kmp_reductions.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

#include "base/raw_memory.hpp"
#include "host/openmp/kmp_entry.hpp"

namespace lares::omp::kmp {

namespace {

// Copies of different threads share no cache line.
constexpr std::size_t line = 64;

constexpr char g_kind = 0;  // its address marks the records of this front end

/// One item of one group. Constant but for the copies: each is made by its thread when it first
/// asks for it, and read by others that look for its address.
struct Item {
  void* shared;
  void* original;  ///< for the initialiser, or null: it takes the copy only
  std::size_t bytes;
  void* init;  ///< or null: zeros
  void (*fini)(void*);
  void (*combine)(void*, void*);
  std::atomic<void*>* copies;  ///< by worker of the team
};

/// What Taskgroup::reductions points to.
struct Reductions {
  const char* kind;
  const runtime::Team* team;
  std::size_t threads;
  std::size_t count;
  Item* items;
};

Item make_item(const ReductionInput& input) noexcept {
  return {input.shared, nullptr,       input.bytes, reinterpret_cast<void*>(input.init),
          input.fini,   input.combine, nullptr};
}

Item make_item(const ReductionInputWithOriginal& input) noexcept {
  void* original = input.original != nullptr ? input.original : input.shared;
  return {input.shared, original,      input.bytes, reinterpret_cast<void*>(input.init),
          input.fini,   input.combine, nullptr};
}

// One block: the record, its items, their tables of copies.
template <class Input>
void add_reductions(const runtime::Worker& worker, runtime::Taskgroup& group, std::int32_t count,
                    const void* data) noexcept {
  const std::size_t threads = worker.team->size();
  const auto items = static_cast<std::size_t>(count);
  // Alone, every task works on the original.
  if (threads == 1 || items == 0) return;
  const std::size_t bytes =
      sizeof(Reductions) + items * (sizeof(Item) + threads * sizeof(std::atomic<void*>));
  auto* record = new (need_memory(bytes)) Reductions{&g_kind, worker.team, threads, items, nullptr};
  record->items = reinterpret_cast<Item*>(record + 1);
  auto* copies = reinterpret_cast<std::atomic<void*>*>(record->items + items);
  const auto* input = static_cast<const Input*>(data);
  for (std::size_t i = 0; i < items; ++i) {
    auto* item = new (record->items + i) Item(make_item(input[i]));
    item->copies = copies + i * threads;
    for (std::size_t j = 0; j < threads; ++j) new (item->copies + j) std::atomic<void*>(nullptr);
  }
  group.reductions = record;
}

Reductions* reductions_of(const runtime::Taskgroup& group) noexcept {
  auto* record = static_cast<Reductions*>(group.reductions);
  return record != nullptr && record->kind == &g_kind ? record : nullptr;
}

bool is_within(const void* address, const void* copy, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto begin = reinterpret_cast<std::uintptr_t>(copy);
  return copy != nullptr && at - begin < bytes;
}

// The item whose original, or any thread's copy of it, is at `address`.
Item* find_item(const Reductions& record, const void* address) noexcept {
  const std::span<Item> items{record.items, record.count};
  for (Item& item : items) {
    if (item.shared == address) return &item;
  }
  for (Item& item : items) {
    for (std::size_t i = 0; i < record.threads; ++i) {
      // relaxed: whoever passed us this address made the copy before.
      if (is_within(address, item.copies[i].load(std::memory_order_relaxed), item.bytes)) {
        return &item;
      }
    }
  }
  return nullptr;
}

void* make_copy(const Item& item) {
  const std::size_t bytes = (item.bytes + line - 1) / line * line;
  void* copy = std::aligned_alloc(line, bytes == 0 ? line : bytes);
  if (copy == nullptr) std::abort();
  std::memset(copy, 0, bytes);
  if (item.init == nullptr) return copy;
  if (item.original != nullptr) {
    reinterpret_cast<void (*)(void*, void*)>(item.init)(copy, item.original);
  } else {
    reinterpret_cast<void (*)(void*)>(item.init)(copy);
  }
  return copy;
}

// The thread's number in the team that the group belongs to, which may be an enclosing one.
std::size_t index_in(const Reductions& record, const runtime::Worker& worker) noexcept {
  for (const runtime::Worker* at = &worker; at != nullptr; at = at->outer) {
    if (at->team == record.team) return at->id.index();
  }
  return worker.id.index() % record.threads;
}

void* copy_for(const Reductions& record, const Item& item, const runtime::Worker& worker) {
  std::atomic<void*>& copy = item.copies[index_in(record, worker)];
  if (copy.load(std::memory_order_relaxed) == nullptr) {
    copy.store(make_copy(item), std::memory_order_release);
  }
  return copy.load(std::memory_order_relaxed);
}

void combine(Reductions& record) {
  for (Item& item : std::span<Item>{record.items, record.count}) {
    for (std::size_t i = 0; i < record.threads; ++i) {
      // acquire: the group's end has ordered the contents already; this pairs with the store.
      void* copy = item.copies[i].load(std::memory_order_acquire);
      if (copy == nullptr) continue;
      item.combine(item.shared, copy);
      if (item.fini != nullptr) item.fini(copy);
      std::free(copy);
    }
  }
}

template <class Input>
void* start(runtime::Worker& worker, std::int32_t count, const void* data) noexcept {
  runtime::Taskgroup* group = runtime::current_group(worker);
  add_reductions<Input>(worker, *group, count, data);
  return group;
}

// `reduction(task, ...)` on a parallel or worksharing construct: each thread's implicit task is in
// a group of its own, with copies of its own for all threads. Only those that are asked for are
// made, and what each group combines goes into its thread's private variable, which the compiler
// reduces over the team as usual. So the threads need not agree on which construct they are in.
template <class Input>
void* start_modified(runtime::Worker& worker, std::int32_t count, const void* data) noexcept {
  runtime::begin_group(worker);
  return start<Input>(worker, count, data);
}

[[noreturn]] void unknown_item() noexcept {
  static const char message[] = "lares: a task reduction names an item of no enclosing reduction\n";
  (void)!write(2, message, sizeof(message) - 1);
  std::abort();
}

}  // namespace

void end_group(runtime::Worker& worker) {
  Reductions* record = reductions_of(*worker.current->open_group);
  runtime::end_group(worker);
  if (record == nullptr) return;
  combine(*record);
  std::free(record);
}

}  // namespace lares::omp::kmp

namespace kmp = lares::omp::kmp;
namespace runtime = lares::runtime;

LARES_EXPORT void* __kmpc_task_reduction_init(std::int32_t gtid, std::int32_t count, void* data) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_task_reduction_init, gtid, count, data);
  return kmp::start<kmp::ReductionInput>(*worker, count, data);
}

LARES_EXPORT void* __kmpc_taskred_init(std::int32_t gtid, std::int32_t count, void* data) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_taskred_init, gtid, count, data);
  return kmp::start<kmp::ReductionInputWithOriginal>(*worker, count, data);
}

LARES_EXPORT void* __kmpc_task_reduction_modifier_init(kmp_location* loc, std::int32_t gtid,
                                                       std::int32_t worksharing, std::int32_t count,
                                                       void* data) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_task_reduction_modifier_init, loc, gtid, worksharing, count,
                              data);
  return kmp::start_modified<kmp::ReductionInput>(*worker, count, data);
}

LARES_EXPORT void* __kmpc_taskred_modifier_init(kmp_location* loc, std::int32_t gtid,
                                                std::int32_t worksharing, std::int32_t count,
                                                void* data) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_taskred_modifier_init, loc, gtid, worksharing, count, data);
  return kmp::start_modified<kmp::ReductionInputWithOriginal>(*worker, count, data);
}

LARES_EXPORT void __kmpc_task_reduction_modifier_fini(kmp_location* loc, std::int32_t gtid,
                                                      std::int32_t worksharing) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_task_reduction_modifier_fini, loc, gtid, worksharing);
  kmp::end_group(*worker);
}

LARES_EXPORT void* __kmpc_task_reduction_get_th_data(std::int32_t gtid, void* group, void* data) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_task_reduction_get_th_data, gtid, group, data);
  const auto* at = group != nullptr ? static_cast<const runtime::Taskgroup*>(group)
                                    : runtime::current_group(*worker);
  for (; at != nullptr; at = at->outer) {
    const kmp::Reductions* record = kmp::reductions_of(*at);
    if (record == nullptr) continue;
    if (const kmp::Item* item = kmp::find_item(*record, data)) {
      return kmp::copy_for(*record, *item, *worker);
    }
  }
  if (worker->team->size() == 1) return data;
  kmp::unknown_item();
}
