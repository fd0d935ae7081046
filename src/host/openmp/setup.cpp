// What happens when the library is loaded: it reads what `lares run` decided, or stays out of the
// way.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/file_size_limit.hpp"
#include "base/read_file.hpp"
#include "host/openmp/binding.hpp"
#include "host/openmp/bringing.hpp"
#include "host/openmp/following.hpp"
#include "host/openmp/gomp_tasks.hpp"
#include "host/openmp/kept_threads.hpp"
#include "host/openmp/kmp_tasks.hpp"
#include "host/openmp/own_allocators.hpp"
#include "host/openmp/placement.hpp"
#include "host/openmp/region.hpp"
#include "host/openmp/stock.hpp"
#include "host/openmp/tools/finding.hpp"
#include "machine/machine.hpp"
#include "memory/moves/move_log.hpp"
#include "memory/placement_choice.hpp"
#include "policy/registry.hpp"
#include "runtime/engine.hpp"
#include "runtime/explain.hpp"
#include "runtime/first_domain.hpp"
#include "runtime/process_lock.hpp"
#include "runtime/processor_time.hpp"
#include "runtime/record.hpp"
#include "runtime/stall.hpp"

namespace lares::omp {

namespace {

char g_session[512];

// A sparse file of this process in the session's folder, which the launcher reads after our end,
// whatever end it is; null if that is refused.
void* map_file(const char* kind, std::size_t bytes) noexcept {
  char path[600];
  std::snprintf(path, sizeof(path), "%s/%s.%d", g_session, kind, static_cast<int>(getpid()));
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (bytes <= file_size_limit() && ftruncate(file, static_cast<off_t>(bytes)) == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (memory != MAP_FAILED) return memory;
  unlink(path);
  return nullptr;
}

std::uintptr_t task_code(const runtime::Task& task) noexcept {
  if (const std::uintptr_t code = gomp::task_code(task); code != 0) return code;
  if (const std::uintptr_t code = kmp::task_code(task); code != 0) return code;
  return reinterpret_cast<std::uintptr_t>(runtime::stall::glance(task.run));
}

// `lares run --explain` leaves a file for us, which says so.
void explain_if_wanted() noexcept {
  char path[600];
  std::snprintf(path, sizeof(path), "%s/explain", g_session);
  if (access(path, F_OK) != 0) return;
  void* const memory = map_file("explain", sizeof(runtime::ExplainFile));
  if (memory == nullptr) return;
  auto* const file = static_cast<runtime::ExplainFile*>(memory);
  file->row_bytes = sizeof(runtime::ConstructRow);
  file->pid = static_cast<std::uint32_t>(getpid());
  file->magic = runtime::ExplainFile::expected_magic;
  runtime::explain::begin(*file, task_code);
}

runtime::CountersFile* map_counters() noexcept {
  void* const memory = map_file("stats", runtime::counters_file_bytes);
  if (memory == nullptr) return nullptr;
  explain_if_wanted();
  auto* counters = static_cast<runtime::CountersFile*>(memory);
  counters->slot_bytes = sizeof(runtime::CounterSlot);
  counters->pid = static_cast<std::uint32_t>(getpid());
  std::strncpy(counters->command, program_invocation_short_name, sizeof(counters->command) - 1);
  counters->magic = runtime::CountersFile::expected_magic;
  return counters;
}

// `lares run --record` leaves a file for us, with the bytes that the record may have, and `--trace`
// a folder besides. Answers where the record goes, or null.
const char* record_folder() noexcept {
  std::string path = g_session;
  path += "/record";
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* memory =
      mmap(nullptr, sizeof(runtime::RecordBudget), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return nullptr;
  runtime::record::set_budget(static_cast<runtime::RecordBudget*>(memory));
  runtime::record::set_code_of(task_code);
  static char folder[sizeof(g_session) + 8];
  std::snprintf(folder, sizeof(folder), "%s/%s", g_session, runtime::trace_folder_name);
  if (access(folder, F_OK) != 0) return g_session;
  memory::open_move_log((std::string(folder) + "/" + memory::moves_file).c_str());
  return folder;
}

// `lares run --stall` leaves its limit for us, in milliseconds; 0 if it does not.
Nanoseconds stall_limit() noexcept {
  const std::string text = read_file(std::string(g_session) + "/stall");
  return {std::strtoll(text.c_str(), nullptr, 10) * 1'000'000};
}

const char* runtime_of(const void* host) noexcept {
  return static_cast<const Stock*>(host)->name();
}

// The parent's file stays the parent's.
void after_fork_in_child() noexcept {
  runtime::renew_process_locks();
  if (runtime::Engine::active()) runtime::Engine::instance().reset_after_fork(map_counters);
  free_after_fork();
  KeptThreads::forget_after_fork();
}

runtime::WaitPolicy wait_policy() noexcept {
  const char* text = std::getenv("OMP_WAIT_POLICY");
  if (text != nullptr && strcasecmp(text, "active") == 0) return runtime::WaitPolicy::active;
  if (text != nullptr && strcasecmp(text, "passive") == 0) return runtime::WaitPolicy::passive;
  const char* blocktime = std::getenv("KMP_BLOCKTIME");
  if (blocktime != nullptr && strcasecmp(blocktime, "infinite") == 0) {
    return runtime::WaitPolicy::active;
  }
  if (blocktime != nullptr && std::strcmp(blocktime, "0") == 0) return runtime::WaitPolicy::passive;
  return runtime::WaitPolicy::unspecified;
}

// libomp's own variable; whoever sets it wants tasks queued, whatever the memory.
bool throttles() noexcept {
  const char* text = std::getenv("KMP_ENABLE_TASK_THROTTLING");
  if (text == nullptr) return true;
  for (const char* no : {"0", "false", ".false.", "off", "no", "disabled"}) {
    if (strcasecmp(text, no) == 0) return false;
  }
  return true;
}

// Data is put where its place in an array says: by `lares run --placement`, or by liblares.
bool places_by_number() noexcept {
  const char* const words = std::getenv("LARES_PLACEMENT");
  const auto choice = memory::parse_placement(words == nullptr ? "first-touch" : words);
  using Kind = memory::PlacementKind;
  const Kind kind = choice ? choice.value().kind : Kind::first_touch;
  const bool deals = kind == Kind::blocked || kind == Kind::cyclic || kind == Kind::interleave;
  return deals || dlsym(RTLD_DEFAULT, "lares_alloc") != nullptr;
}

// When the program's own handlers have run, and before runtimes end their threads.
void tell_processor_time() {
  runtime::CountersFile* const counters = runtime::Engine::instance().counters_if_any();
  if (counters == nullptr) return;
  const runtime::ProcessorTime time = runtime::processor_time();
  counters->running_ns.store(time.running_ns, std::memory_order_relaxed);
  counters->waiting_ns.store(time.waiting_ns, std::memory_order_relaxed);
}

void set_up() noexcept {
  const char* session = std::getenv("LARES_SESSION");
  if (session == nullptr || std::strlen(session) >= sizeof(g_session)) return;
  std::strcpy(g_session, session);
  const std::string text = read_file(std::string(g_session) + "/machine");
  if (text.empty()) return;  // the launcher is gone: so are we
  Result<machine::Machine> machine = machine::parse_compact(text);
  if (!machine) return;
  const char* wanted = std::getenv("LARES_POLICY");
  Result<policy::Choice> choice = policy::parse_choice(wanted == nullptr ? "auto" : wanted,
                                                       machine.value().domains_with_cores());
  if (!choice) return;
  const char* loops = std::getenv("LARES_LOOPS");
  const auto loop_choice =
      policy::parse_loops(loops == nullptr ? "stock" : loops, machine.value().domains_with_cores());
  runtime::Engine& engine = runtime::Engine::instance();
  engine.set_up(std::move(machine.value()), choice.value(), nullptr);
  engine.set_counters_maker(map_counters);
  engine.set_wait_policy(wait_policy());
  engine.set_throttling(throttles());
  if (loop_choice) engine.set_loops(loop_choice.value());
  if (const char* const folder = record_folder()) runtime::Engine::record_into(folder);
  runtime::stall::set_up(g_session, stall_limit(), {task_code, runtime_of});
  set_up_allocators(engine.machine());
  if (places_by_number()) runtime::count_domains_from_zero();
  set_up_binding(engine.machine(), std::getenv("LARES_BOUND"), g_session);
  KeptThreads::set_processors(engine.machine().cores.size());
  pthread_atfork(runtime::hold_process_locks, runtime::release_process_locks, after_fork_in_child);
  tools::look_for_tool();
  set_up_repair();
  set_up_bringing();
  set_up_following();  // listens in its place
  std::atexit(tell_processor_time);
}

// After the C library's own constructors, before the program's.
__attribute__((constructor)) void on_load() { set_up(); }

}  // namespace

}  // namespace lares::omp

/// Tells liblares (lares_active) that the runtime is in this process.
LARES_EXPORT int lares_runtime_active() { return lares::omp::active() ? 1 : 0; }
