#include "host/openmp/stock.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "base/raw_memory.hpp"
#include "host/openmp/binding.hpp"
#include "host/openmp/loaded_object.hpp"
#include "runtime/engine.hpp"
#include "runtime/process_lock.hpp"

namespace lares::omp {

std::atomic<std::uint32_t> g_unloads{0};

namespace {

const char* entry_name(Entry entry) noexcept {
  static constexpr const char* names[] = {
#define LARES_NAME(name) #name,
      LARES_STOCK_FUNCTIONS(LARES_NAME)
#undef LARES_NAME
  };
  return names[static_cast<std::size_t>(entry)];
}

const char* file_name(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

constexpr std::size_t max_stocks = 16;

/// Which runtime the code of one loaded object reaches.
struct Owner {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  Stock* stock = nullptr;
};

// Written under g_lock. Threads remember their last answers.
LARES_PROCESS_LOCK(g_lock);
Stock* g_stocks[max_stocks] = {};
std::atomic<std::size_t> g_stock_count{0};  // release: of so many, all is written

/// The answers to a thread's last questions about one of the ABIs. A program and its libraries may
/// take turns with each call.
class LastOwners {
 public:
  [[nodiscard]] Stock* find(std::uintptr_t at) const noexcept {
    // relaxed: who unloads an object and loads another there tells its other threads by itself.
    if (unloads_ != g_unloads.load(std::memory_order_relaxed)) return nullptr;
    for (const Owner& owner : owners_) {
      if (at >= owner.begin && at < owner.end) return owner.stock;
    }
    return nullptr;
  }
  void add(const Owner& owner) noexcept {
    const std::uint32_t unloads = g_unloads.load(std::memory_order_relaxed);
    if (unloads_ != unloads) *this = LastOwners();
    unloads_ = unloads;
    owners_[oldest_] = owner;
    oldest_ = (oldest_ + 1) % count;
  }

 private:
  static constexpr std::size_t count = 4;
  Owner owners_[count];
  std::size_t oldest_ = 0;
  std::uint32_t unloads_ = 0;
};

constexpr std::size_t abi_count = 3;
__attribute__((tls_model("initial-exec"))) constinit thread_local LastOwners t_last[abi_count];

bool defines_openmp(void* handle, const LoadedObject& object) noexcept {
  for (const char* symbol : {"GOMP_parallel", "__kmpc_fork_call"}) {
    void* found = dlsym(handle, symbol);
    const auto at = reinterpret_cast<std::uintptr_t>(found);
    if (found != nullptr && at >= object.begin && at < object.end) return true;
  }
  return false;
}

Stock* known_stock(const LoadedObject& object) noexcept {
  return stock_at(reinterpret_cast<const void*>(object.begin));
}

void note_second(const Stock& stock) noexcept {
  char text[200] = "a second OpenMP runtime is in this process (";
  std::strncat(text, stock.name(), 80);
  std::strncat(text, "): each keeps its own threads and Lares schedules the tasks of both apart",
               90);
  runtime::Engine::instance().note(text);
}

// A runtime looks at its first thread's processors when it starts. If Lares has bound that thread
// for a team of another runtime, this one would put all its threads there.
void start_unbound(Stock& stock) noexcept {
  if (t_place < 0) return;
  const Unbound unbound;
  if (auto* const start = real<int()>(stock, Entry::omp_get_max_threads); start != nullptr) start();
}

void add_stock(const LoadedObject& object) noexcept {
  if (known_stock(object) != nullptr || g_stock_count == max_stocks) return;
  // The handle keeps the runtime loaded: our records of it stay valid.
  void* handle = dlopen(object.path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return;
  if (!defines_openmp(handle, object)) {
    dlclose(handle);
    return;
  }
  // Not from the program's heap: where the runtime's own data lies there, relative to the lines of
  // the cache, follows from what was taken before, and has made empty regions a fifth dearer.
  alignas(Stock) static char memory[max_stocks][sizeof(Stock)];  // under g_lock
  const std::size_t index = g_stock_count;
  auto* stock = new (memory[index]) Stock(handle, file_name(object.path), object.begin, object.end);
  g_stocks[index] = stock;
  g_stock_count.store(index + 1, std::memory_order_release);
  runtime::Engine::instance().add_runtime(stock->name());
  if (!runtime::Engine::active()) return;
  if (g_stock_count > 1) note_second(*stock);
  // libgomp starts when it is loaded; libomp at its first call, which comes through us.
  if (stock->is_libomp()) start_unbound(*stock);
}

void scan() noexcept {
  // First the list, then the loading: dlopen must not be called under dl_iterate_phdr's lock.
  constexpr std::size_t most = max_stocks * 2;
  static LoadedObject candidates[most];  // under g_lock
  std::size_t count = 0;
  for_each_object([&count](const LoadedObject& object, const dl_phdr_info&) {
    if (may_be_runtime(object.path) && count < most) candidates[count++] = object;
    return true;
  });
  for (std::size_t i = 0; i < count; ++i) add_stock(candidates[i]);
}

// --- which runtime an object was linked with
// ------------------------------------------------------

// libomp.so and libomp.so.5 are the same file, so the names are also compared without their
// version.
Stock* stock_named(const char* path) noexcept {
  const char* const name = file_name(path);
  for (std::size_t i = 0; i < g_stock_count; ++i) {
    if (std::strcmp(g_stocks[i]->name(), name) == 0) return g_stocks[i];
  }
  const char* const end = std::strstr(name, ".so");
  const std::size_t stem =
      end == nullptr ? std::strlen(name) : static_cast<std::size_t>(end - name);
  for (std::size_t i = 0; i < g_stock_count; ++i) {
    if (std::strncmp(g_stocks[i]->name(), name, stem) == 0) return g_stocks[i];
  }
  return nullptr;
}

// The first runtime among what the object needs.
Stock* needed_stock(const LoadedObject& object) noexcept {
  Stock* needed = nullptr;
  needs_any(object, [&needed](const char* name) {
    if (!may_be_runtime(name)) return false;
    needed = stock_named(name);
    return needed != nullptr;
  });
  return needed;
}

// The runtime that the global scope gives: that of the first object loaded that has the symbol.
Stock* global_stock(Abi abi) noexcept {
  constexpr const char* probes[abi_count] = {"GOMP_parallel", "__kmpc_fork_call",
                                             "omp_get_thread_num"};
  const void* found = dlsym(RTLD_NEXT, probes[static_cast<std::size_t>(abi)]);
  if (found == nullptr) return nullptr;
  return stock_at(found);
}

Owner find_owner(const void* address, Abi abi) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  static LoadedObject holder;  // under g_lock: too large for a small stack
  bool found = false;
  for_each_object([at, &found](const LoadedObject& object, const dl_phdr_info&) {
    if (at < object.begin || at >= object.end) return true;
    holder = object;
    found = true;
    return false;
  });
  scan();
  if (g_stock_count == 0) return {};
  Stock* stock = found ? known_stock(holder) : nullptr;
  if (stock == nullptr) stock = global_stock(abi);
  if (stock == nullptr && found) stock = needed_stock(holder);
  if (stock == nullptr) stock = g_stocks[0];
  if (!found) return {at, at + 1, stock};
  return {holder.begin, holder.end, stock};
}

// The part of stock_of() for a question that the thread has not asked lately.
[[gnu::noinline]] Stock* ask_owner(const void* address, Abi abi, LastOwners& last) noexcept {
  const std::lock_guard lock(g_lock);
  const Owner owner = find_owner(address, abi);
  if (owner.stock == nullptr) {
    // Code calls OpenMP, but no runtime is loaded that we know: nothing can be forwarded.
    static const char message[] =
        "lares: the program calls OpenMP, but no libgomp, libomp or libiomp5 is loaded; run it "
        "without lares\n";
    (void)!write(2, message, sizeof(message) - 1);
    std::abort();
  }
  last.add(owner);
  return owner.stock;
}

}  // namespace

bool may_be_runtime(const char* path) noexcept {
  const char* name = file_name(path);
  return std::strncmp(name, "libgomp", 7) == 0 || std::strncmp(name, "libomp", 6) == 0 ||
         std::strncmp(name, "libiomp", 7) == 0;
}

Stock::Stock(void* handle, const char* name, std::uintptr_t begin, std::uintptr_t end) noexcept
    : handle_(handle), name_{}, begin_(begin), end_(end) {
  std::strncpy(name_, name, sizeof(name_) - 1);
  thread_num = real<int()>(*this, Entry::omp_get_thread_num);
  num_threads = real<int()>(*this, Entry::omp_get_num_threads);
  const char* cancellation = std::getenv("OMP_CANCELLATION");
  // Not asked from the runtime: that would start it before the program does.
  cancellable = cancellation != nullptr && std::strpbrk(cancellation, "tTyY1") != nullptr;
}

void* Stock::look_up(Entry entry) noexcept {
  const auto index = static_cast<std::size_t>(entry);
  if (absent_[index].load(std::memory_order_relaxed)) return nullptr;
  // By the runtime's own handle, so never our definition.
  void* const function = dlsym(handle_, entry_name(entry));
  functions_[index].store(function, std::memory_order_relaxed);
  if (function == nullptr) absent_[index].store(true, std::memory_order_relaxed);
  return function;
}

Stock* stock_at(const void* address) noexcept {
  const std::size_t count = g_stock_count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (g_stocks[i]->contains(address)) return g_stocks[i];
  }
  return nullptr;
}

Stock* stock_of(const void* address, Abi abi) noexcept {
  LastOwners& last = t_last[static_cast<std::size_t>(abi)];
  Stock* const known = last.find(reinterpret_cast<std::uintptr_t>(address));
  return known != nullptr ? known : ask_owner(address, abi, last);
}

}  // namespace lares::omp
