#include "host/openmp/task_makers.hpp"

#include <atomic>
#include <cstring>

#include "host/openmp/loaded_object.hpp"
#include "host/openmp/stock.hpp"

namespace lares::omp {
namespace {

// relaxed, both: facts that whoever does not see them finds out again.
std::atomic<bool> g_makers{false};            // some are there, for good
std::atomic<unsigned long long> g_looked{0};  // at what was loaded then, by the linker's count

bool starts_with(const char* name, const char* start) noexcept {
  return std::strncmp(name, start, std::strlen(start)) == 0;
}

// Who waits for tasks makes some.
bool is_of_tasks(const char* name) noexcept {
  return starts_with(name, "GOMP_task") || starts_with(name, "__kmpc_omp_task") ||
         starts_with(name, "__kmpc_omp_target_task") || starts_with(name, "__kmpc_taskloop");
}

bool looks_for_makers() noexcept {
  bool found = false;
  unsigned long long adds = 0;
  for_each_object([&](const LoadedObject& object, const dl_phdr_info& info) {
    adds = info.dlpi_adds;
    if (g_looked.load(std::memory_order_relaxed) == adds) return false;
    found = needs_any(object, may_be_runtime) && imports_any(object, is_of_tasks);
    return !found;
  });
  if (found) {
    g_makers.store(true, std::memory_order_relaxed);
  } else {
    g_looked.store(adds, std::memory_order_relaxed);
  }
  return found;
}

}  // namespace

bool may_make_tasks() noexcept {
  return g_makers.load(std::memory_order_relaxed) || looks_for_makers();
}

void note_task_maker() noexcept { g_makers.store(true, std::memory_order_relaxed); }

}  // namespace lares::omp
