// Objects that are unloaded: what is remembered of their code must not be taken for that of another
// object at the same addresses.
#include <dlfcn.h>

#include <atomic>

#include "host/openmp/stock.hpp"
#include "runtime/team.hpp"

LARES_EXPORT int dlclose(void* handle) {
  static std::atomic<int (*)(void*)> original{nullptr};
  auto* close = original.load(std::memory_order_relaxed);
  if (close == nullptr) {
    close = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
    original.store(close, std::memory_order_relaxed);
  }
  const int result = close(handle);
  // After the object's own destructors, which may call OpenMP and be remembered.
  lares::omp::g_unloads.fetch_add(1, std::memory_order_release);
  lares::runtime::tell_region_news();
  return result;
}
