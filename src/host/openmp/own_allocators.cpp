#include "host/openmp/own_allocators.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "host/openmp/region.hpp"
#include "memory/homes.hpp"
#include "memory/nodes.hpp"
#include "runtime/engine.hpp"

namespace lares::omp {

Store* own_store = nullptr;

namespace {

// Written at set-up.
const memory::Nodes* g_nodes = nullptr;
Handle g_environment = default_mem_alloc;  ///< what OMP_ALLOCATOR says

std::atomic<bool> g_default_set{false};  ///< for good; any thread writes, any thread reads

DomainId here() noexcept {
  const runtime::Worker* worker = runtime::this_worker();
  if (worker != nullptr && worker->domain.valid()) return worker->domain;
  const int cpu = sched_getcpu();
  return g_nodes->domain_of_cpu(cpu < 0 ? 0U : static_cast<unsigned>(cpu), 0);
}

void team(std::vector<DomainId>& domains) noexcept {
  const runtime::Worker* worker = runtime::this_worker();
  if (worker == nullptr) return;
  for (const auto& member : worker->team->members()) {
    if (member->domain.valid()) domains.push_back(member->domain);
  }
}

long pin(void* address, std::size_t bytes) noexcept {
  const int before = errno;
  const long result = mlock(address, bytes) == 0 ? 0 : -errno;
  errno = before;
  return result;
}

memory::Homes* homes() noexcept {
  return runtime::Engine::active() ? runtime::Engine::instance().homes() : nullptr;
}

void give_home(std::uintptr_t address, std::size_t bytes, DomainId home) noexcept {
  if (memory::Homes* const table = homes()) table->give(address, Bytes{bytes}, home);
}

void forget_home(std::uintptr_t address, std::size_t bytes) noexcept {
  if (memory::Homes* const table = homes()) table->forget(address, Bytes{bytes});
}

void give_up(std::size_t bytes) noexcept { out_of_memory(bytes); }

// The runtime reads the variable too, but makes an allocator of its own of the traits.
void read_default() noexcept {
  const char* const text = std::getenv("OMP_ALLOCATOR");
  if (text == nullptr) return;
  g_default_set.store(true, std::memory_order_relaxed);
  const auto wanted = read_environment(text);
  if (!wanted) return;
  g_environment = wanted->predefined != null_allocator
                      ? wanted->predefined
                      : own_store->make(wanted->space, wanted->traits);
  if (g_environment == null_allocator) g_environment = default_mem_alloc;
}

}  // namespace

void set_up_allocators(const machine::Machine& machine) noexcept {
  static constexpr Surroundings nothing;
  Surroundings around = nothing;
  around.calls = &memory::real_calls();
  around.pin = pin;
  around.here = here;
  around.team = team;
  around.give_home = give_home;
  around.forget_home = forget_home;
  around.give_up = give_up;
  // Never freed: the program's own last destructors may allocate.
  g_nodes = new memory::Nodes(machine);
  own_store = new Store(machine, around);
  read_default();
  pthread_atfork([] { own_store->before_fork(); }, [] { own_store->after_fork(); },
                 [] { own_store->after_fork(); });
}

void note_default_set() noexcept { g_default_set.store(true, std::memory_order_relaxed); }

Handle default_allocator(const void* caller, Abi abi) noexcept {
  // relaxed: a thread that set it, or was started after it was set, sees it.
  if (!g_default_set.load(std::memory_order_relaxed)) return default_mem_alloc;
  Stock& stock = *stock_of(caller, abi);
  auto* const ask = real<Handle()>(stock, Entry::omp_get_default_allocator);
  return ask == nullptr ? default_mem_alloc : made_known(ask());
}

Handle made_known(Handle handle) noexcept {
  return own_store == nullptr || Store::knows(handle) ? handle : g_environment;
}

void* resize_own(void* memory, std::size_t bytes, Handle handle) noexcept {
  if (bytes == 0) {
    own_store->free(memory);
    return nullptr;
  }
  return own_store->resize(memory, bytes, handle);
}

void out_of_memory(std::size_t bytes) noexcept {
  std::fprintf(stderr, "lares: out of memory: an OpenMP allocator has no %zu bytes\n", bytes);
  std::exit(EXIT_FAILURE);
}

}  // namespace lares::omp
