// Target tasks (`target nowait`): ours until they are ready, then carried out by libomp's helper
// threads, which wait for devices so that the team need not.
#include <strings.h>

#include <cstdlib>
#include <cstring>

#include "host/openmp/kmp_entry.hpp"
#include "host/openmp/kmp_tasks.hpp"
#include "runtime/watch.hpp"

namespace lares::omp::kmp {

namespace {

/// A task of libomp's that stands for one of ours.
struct Carrier {
  CompilerTask head;
  runtime::Task* task;
};

// libomp's setting; off, a task of libomp's would wait for libomp's own barriers, which we skip.
bool wants_helpers() noexcept {
  const char* use = std::getenv("LIBOMP_USE_HIDDEN_HELPER_TASK");
  if (use != nullptr) {
    for (const char* no : {"0", "false", "off", "no", "f", "n", ".false.", ".f.", "disabled"}) {
      if (strcasecmp(use, no) == 0) return false;
    }
  }
  const char* threads = std::getenv("LIBOMP_NUM_HIDDEN_HELPER_THREADS");
  return threads == nullptr || std::atoi(threads) > 0;
}

// Every libomp that knows of this entry point has helper threads.
bool has_helpers(Stock& stock) noexcept {
  static const bool wanted = wants_helpers();
  return wanted && stock.find(Entry::__kmpc_omp_has_task_team) != nullptr;
}

std::int32_t carry(std::int32_t gtid, void* argument) {
  CompilerTask& made = compiler_task(*static_cast<Carrier*>(argument)->task);
  return made.routine != nullptr ? made.routine(gtid, &made) : 0;
}

// libomp calls it as the carrier's destructors: whenever the routine has returned, and again each
// time it has asked for the device's progress. Without a handle nothing is under way any more.
std::int32_t arrive(std::int32_t gtid, void* argument) {
  runtime::Task& task = *static_cast<Carrier*>(argument)->task;
  void** const handle = real<decltype(__kmpc_omp_get_target_async_handle_ptr)>(
      stock_of(task), Entry::__kmpc_omp_get_target_async_handle_ptr)(gtid);
  if (handle != nullptr && *handle != nullptr) return 0;
  run_destructors(task, gtid);
  runtime::fulfil(task);
  return 0;
}

void hand_to_helper(runtime::Task& task, runtime::Worker& worker) {
  const std::int32_t gtid = gtid_of(worker);
  if (runtime::is_dropped(task)) {
    run_destructors(task, gtid);
    return runtime::fulfil(task);
  }
  Stock& stock = stock_of(worker);
  constexpr std::int64_t any_device = -1;
  CompilerTask* carrier =
      real<decltype(__kmpc_omp_target_task_alloc)>(stock, Entry::__kmpc_omp_target_task_alloc)(
          nullptr, gtid, static_cast<std::int32_t>(task_bit::tied | task_bit::destructors),
          sizeof(Carrier), 0, carry, any_device);
  reinterpret_cast<Carrier*>(carrier)->task = &task;
  carrier->data1.destructors = arrive;
  real<decltype(__kmpc_omp_task)>(stock, Entry::__kmpc_omp_task)(nullptr, gtid, carrier);
}

CompilerTask* make_target_task(runtime::Worker& worker, std::uint32_t bits, std::size_t size,
                               std::size_t shareds, TaskEntry routine) noexcept {
  CompilerTask* made = make_task(worker, bits | task_bit::tied, size, shareds, routine);
  // The children of a final task are over when they return: no helper for them.
  if (worker.current->has(runtime::task_flag::final) || !has_helpers(stock_of(worker))) return made;
  // A tool would hear of the helper's task, which the program does not know.
  if (runtime::watch::is_on(worker)) return made;
  runtime::Task& task = task_of(*made);
  task.run = hand_to_helper;
  task.flags |= runtime::task_flag::detachable | runtime::task_flag::must_run;
  return made;
}

}  // namespace

}  // namespace lares::omp::kmp

namespace kmp = lares::omp::kmp;

LARES_EXPORT kmp_task* __kmpc_omp_target_task_alloc(kmp_location* loc, std::int32_t gtid,
                                                    std::int32_t flags, std::size_t size,
                                                    std::size_t shareds, kmp_entry entry,
                                                    std::int64_t device) {
  LARES_KMP_WORKER_OR_FORWARD(__kmpc_omp_target_task_alloc, loc, gtid, flags, size, shareds, entry,
                              device);
  return kmp::make_target_task(*worker, static_cast<std::uint32_t>(flags), size, shareds, entry);
}
