// Tasks that somebody else completes (detach, proxies), and what the offloading library asks about
// the current task.
#include <mutex>
#include <unordered_set>

#include "host/openmp/kmp_entry.hpp"
#include "host/openmp/kmp_tasks.hpp"
#include "runtime/process_lock.hpp"

namespace lares::omp::kmp {

namespace {

// Proxies are completed by threads that may be nobody's, which cannot tell whose task it is.
LARES_PROCESS_LOCK(g_lock);
std::unordered_set<const CompilerTask*>& proxies() {
  static auto* set = new std::unordered_set<const CompilerTask*>;  // under g_lock; lives for ever
  return *set;
}

bool forget_proxy(const CompilerTask* made) noexcept {
  const std::lock_guard lock(g_lock);
  return proxies().erase(made) != 0;
}

std::uint64_t id_of(const runtime::Task& task) noexcept {
  return reinterpret_cast<std::uintptr_t>(&task);
}

bool is_implicit(const runtime::Task& task) noexcept {
  return task.has(runtime::task_flag::implicit);
}

}  // namespace

void remember_proxy(const CompilerTask& made) noexcept {
  const std::lock_guard lock(g_lock);
  proxies().insert(&made);
}

}  // namespace lares::omp::kmp

namespace kmp = lares::omp::kmp;
namespace runtime = lares::runtime;

LARES_EXPORT void* __kmpc_task_allow_completion_event(kmp_location* loc, std::int32_t gtid,
                                                      kmp_task* made) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_task_allow_completion_event, loc, gtid, made);
  runtime::Task& task = kmp::task_of(*made);
  task.flags |= runtime::task_flag::detachable;
  return reinterpret_cast<void*>(lares::omp::event_of(task));
}

LARES_EXPORT void __kmpc_proxy_task_completed(std::int32_t gtid, kmp_task* task) {
  if (kmp::forget_proxy(task)) return runtime::fulfil(kmp::task_of(*task));
  LARES_KMP_REAL(__kmpc_proxy_task_completed)(gtid, task);
}

LARES_EXPORT void __kmpc_proxy_task_completed_ooo(kmp_task* task) {
  if (kmp::forget_proxy(task)) return runtime::fulfil(kmp::task_of(*task));
  LARES_KMP_REAL(__kmpc_proxy_task_completed_ooo)(task);
}

// Without a task team of libomp's the offloading library does not leave a target task and queue it
// again, but waits for the device.
LARES_EXPORT bool __kmpc_omp_has_task_team(std::int32_t gtid) {
  if (kmp::own_worker(__builtin_return_address(0)) != nullptr) return false;
  return LARES_KMP_REAL(__kmpc_omp_has_task_team)(gtid);
}

LARES_EXPORT void** __kmpc_omp_get_target_async_handle_ptr(std::int32_t gtid) {
  if (kmp::own_worker(__builtin_return_address(0)) != nullptr) return nullptr;
  return LARES_KMP_REAL(__kmpc_omp_get_target_async_handle_ptr)(gtid);
}

LARES_EXPORT std::uint64_t __kmpc_get_taskid() {
  const runtime::Worker* const worker = kmp::own_worker(__builtin_return_address(0));
  if (worker == nullptr || kmp::is_implicit(*worker->current)) {
    return LARES_KMP_REAL(__kmpc_get_taskid)();
  }
  return kmp::id_of(*worker->current);
}

LARES_EXPORT std::uint64_t __kmpc_get_parent_taskid() {
  const runtime::Worker* const worker = kmp::own_worker(__builtin_return_address(0));
  if (worker == nullptr || kmp::is_implicit(*worker->current)) {
    return LARES_KMP_REAL(__kmpc_get_parent_taskid)();
  }
  const runtime::Task& parent = *worker->current->parent.load(std::memory_order_relaxed);
  // The number of an implicit task is the stock runtime's, which takes it for the current one.
  return kmp::is_implicit(parent) ? LARES_KMP_REAL(__kmpc_get_taskid)() : kmp::id_of(parent);
}

// Our tasks have no dependence nodes of libomp's layout.
LARES_EXPORT void* __kmpc_task_get_depnode(kmp_task* task) {
  if (kmp::own_worker(__builtin_return_address(0)) != nullptr) return nullptr;
  return LARES_KMP_REAL(__kmpc_task_get_depnode)(task);
}

LARES_EXPORT void* __kmpc_task_get_successors(kmp_task* task) {
  if (kmp::own_worker(__builtin_return_address(0)) != nullptr) return nullptr;
  return LARES_KMP_REAL(__kmpc_task_get_successors)(task);
}
