#include "host/openmp/tools/finding.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "host/openmp/region.hpp"
#include "host/openmp/tools/callbacks.hpp"
#include "host/openmp/tools/entry_points.hpp"
#include "host/openmp/tools/events.hpp"
#include "host/openmp/tools/records.hpp"
#include "runtime/engine.hpp"

namespace lares::omp::tools {

std::atomic<bool> g_is_named{false};
std::atomic<bool> g_may_start{false};
std::atomic<Watched> g_watched{Watched::none};

namespace {

constexpr unsigned openmp_version = 202111;  // 5.2, whose chapter 19 this follows
constexpr const char* start_name = "ompt_start_tool";

pthread_once_t g_start_once = PTHREAD_ONCE_INIT;
std::atomic<Stock*> g_first_stock{nullptr};  // the first one to come sets it, before it is read
ompt::StartResult* g_tool = nullptr;         // written at the start; read at the end
std::atomic<bool> g_has_ended{false};        // the first one to end it sets it
// A tool watches one runtime: whoever sets it first has it.
std::atomic<bool> g_is_taken{false};
int g_log = -1;  // descriptor; of who starts the tool

bool is_word(const char* text, const char* word) noexcept {
  return text != nullptr && strcasecmp(text, word) == 0;
}

// --- what OMP_TOOL_VERBOSE_INIT asks for

void open_log() noexcept {
  const char* const where = std::getenv("OMP_TOOL_VERBOSE_INIT");
  if (where == nullptr || where[0] == '\0' || is_word(where, "disabled")) return;
  if (is_word(where, "stdout")) {
    g_log = STDOUT_FILENO;
  } else if (is_word(where, "stderr")) {
    g_log = STDERR_FILENO;
  } else {
    g_log = open(where, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  }
}

void close_log() noexcept {
  if (g_log > STDERR_FILENO) close(g_log);
  g_log = -1;
}

__attribute__((format(printf, 1, 2))) void log(const char* format, ...) noexcept {
  if (g_log < 0) return;
  std::va_list arguments;
  va_start(arguments, format);
  dprintf(g_log, "lares: OMPT: ");
  vdprintf(g_log, format, arguments);
  dprintf(g_log, "\n");
  va_end(arguments);
}

// --- looking

bool is_of_libomp(void* function) noexcept {
  Dl_info where{};
  if (dladdr(function, &where) == 0 || where.dli_fname == nullptr) return false;
  void* const runtime = dlsym(RTLD_NEXT, "__kmpc_fork_call");
  Dl_info libomp{};
  return runtime != nullptr && dladdr(runtime, &libomp) != 0 && libomp.dli_fbase == where.dli_fbase;
}

// libomp itself defines a weak one, whatever name its file has.
ompt::StartTool start_in(void* handle) noexcept {
  void* start = dlsym(handle, start_name);
  // Ours is for libomp; what it would have found without us comes after us.
  if (is_own_code(start)) start = dlsym(RTLD_NEXT, start_name);
  if (start == nullptr || is_own_code(start) || is_of_libomp(start)) return nullptr;
  return reinterpret_cast<ompt::StartTool>(start);
}

/// Who asks a tool to start.
struct Asking {
  unsigned version;
  const char* runtime;

  [[nodiscard]] ompt::StartResult* operator()(ompt::StartTool start) const noexcept {
    return start(version, runtime);
  }
};

ompt::StartResult* start_from_library(const char* path, const Asking& ask) noexcept {
  void* const handle = dlopen(path, RTLD_LAZY);
  if (handle == nullptr) {
    log("%s", dlerror());
    return nullptr;
  }
  const ompt::StartTool start = start_in(handle);
  if (start == nullptr) {
    log("%s: no %s", path, start_name);
    dlclose(handle);
    return nullptr;
  }
  ompt::StartResult* const result = ask(start);
  log("%s: %s", path, result == nullptr ? "does not want to start" : "started");
  if (result == nullptr) dlclose(handle);
  return result;
}

ompt::StartResult* start_from_libraries(const Asking& ask) noexcept {
  const char* const list = std::getenv("OMP_TOOL_LIBRARIES");
  if (list == nullptr) return nullptr;
  char path[4096];
  for (const char* at = list; *at != '\0';) {
    const std::size_t length = std::strcspn(at, ":");
    if (length > 0 && length < sizeof(path)) {
      std::memcpy(path, at, length);
      path[length] = '\0';
      if (ompt::StartResult* const result = start_from_library(path, ask)) return result;
    }
    at += length;
    if (*at == ':') ++at;
  }
  return nullptr;
}

ompt::StartResult* start_some(const Asking& ask) noexcept {
  if (const ompt::StartTool start = start_in(RTLD_DEFAULT)) {
    ompt::StartResult* const result = ask(start);
    log("the program's own: %s", result == nullptr ? "does not want to start" : "started");
    if (result != nullptr) return result;
  }
  return start_from_libraries(ask);
}

// --- ending

pid_t g_process = 0;  // whose threads there are; written at the start

// libgomp's threads live as long as the process. What keeps the calling thread's together after its
// last region takes them all into a further one, so each can tell of its end by itself. They are
// not ended: the program may look at what they have, until it has ended. In a fork's child there
// are none.
void end_threads_of_pool() noexcept {
  const ThreadRecord* const thread = this_thread();
  if (thread == nullptr || thread->current != &thread->initial_task) return;
  if (thread->pool_size < 2 || getpid() != g_process) return;
  using Body = void (*)(void*);
  real<void(Body, void*, unsigned, unsigned)>(*thread->pool, Entry::GOMP_parallel)(
      [](void*) {
        const ThreadRecord* const here = this_thread();
        if (here != nullptr && !here->is_initial) tell_thread_end();
      },
      nullptr, thread->pool_size, 0);
}

void finish_at_exit() noexcept {
  if (!g_has_ended.load(std::memory_order_relaxed)) end_threads_of_pool();
  finish_tool();
}

void start_for_libgomp() noexcept {
  open_log();
  Stock& stock = *g_first_stock.load(std::memory_order_relaxed);
  set_stock(stock);
  char runtime[96];
  std::snprintf(runtime, sizeof(runtime), "Lares over %s", stock.name());
  ompt::StartResult* const tool = start_some({openmp_version, runtime});
  // What the tool is told of it is told once it is ready.
  if (tool != nullptr && tool->initialize(look_up, 0, &tool->tool_data) != 0) {
    g_tool = tool;
    g_process = getpid();
    std::atexit(finish_at_exit);
    g_watched.store(Watched::libgomp, std::memory_order_relaxed);
    begin_to_watch();
  } else {
    if (tool != nullptr) log("its initialisation has failed");
    runtime::Engine::instance().note(
        "no OMPT tool was started; OMP_TOOL_VERBOSE_INIT=stderr says why");
  }
  close_log();
}

void start_once() {
  if (!g_is_taken.exchange(true, std::memory_order_relaxed)) start_for_libgomp();
  // release: who sees this sees whether there is a watcher.
  g_may_start.store(false, std::memory_order_release);
}

}  // namespace

void look_for_tool() noexcept {
  if (is_word(std::getenv("OMP_TOOL"), "disabled")) return;
  const char* const libraries = std::getenv("OMP_TOOL_LIBRARIES");
  const bool is_listed = libraries != nullptr && libraries[0] != '\0';
  if (!is_listed && start_in(RTLD_DEFAULT) == nullptr) return;
  g_is_named.store(true, std::memory_order_relaxed);
  g_may_start.store(true, std::memory_order_release);
}

void start_tool(Stock& stock) noexcept {
  if (stock.is_libomp()) return;  // it starts the tool itself
  // A tool that uses OpenMP as it starts would come here again.
  static std::atomic<pthread_t> starter{};  // relaxed: a thread looks for itself
  if (starter.load(std::memory_order_relaxed) == pthread_self()) return;
  Stock* none = nullptr;
  g_first_stock.compare_exchange_strong(none, &stock, std::memory_order_relaxed);
  pthread_once(&g_start_once, [] {
    starter.store(pthread_self(), std::memory_order_relaxed);
    start_once();
    starter.store(pthread_t{}, std::memory_order_relaxed);
  });
  if (runtime::watch::watcher() != nullptr && is_watched_stock(stock)) {
    need_thread(ompt::Thread::initial);
  }
}

Taken take_tool_for_libomp(unsigned version, const char* runtime_version,
                           ompt::StartResult** tool) noexcept {
  if (!is_named() && active()) return Taken::nobody;
  if (g_is_taken.exchange(true, std::memory_order_relaxed)) return Taken::by_other;
  open_log();
  *tool = start_some({version, runtime_version});
  close_log();
  if (*tool == nullptr) return Taken::nobody;
  return active() ? Taken::to_pass_on : Taken::as_it_is;
}

void watch_libomp() noexcept {
  g_watched.store(Watched::libomp, std::memory_order_relaxed);
  begin_to_watch();
}

void finish_tool() noexcept {
  // relaxed: whoever is first does the rest alone.
  if (g_tool == nullptr || g_has_ended.exchange(true, std::memory_order_relaxed)) return;
  tell_thread_end();
  g_tool->finalize(&g_tool->tool_data);
  forget_callbacks();
}

}  // namespace lares::omp::tools
