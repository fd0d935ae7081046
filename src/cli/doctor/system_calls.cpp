// The system calls that placement and binding rest on, tried for real in a child process.
#include <fmt/format.h>
#include <linux/membarrier.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/doctor/checks.hpp"
#include "memory/calls.hpp"

namespace lares::cli::doctor {
namespace {

using memory::NodeMask;

int error_of(long result) { return result < 0 ? errno : 0; }
/// Of a call of the table, which gives -errno.
int error_in(long result) { return result < 0 ? static_cast<int>(-result) : 0; }

/// A page of its own that is really there.
void* touched_page() {
  void* page = mmap(nullptr, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
                    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  static_cast<volatile char*>(page)[0] = 1;
  return page;
}

/// Binds this thread to the first cpu that it may use.
int try_sched_setaffinity() {
  constexpr int cpus = 8192;
  cpu_set_t* set = CPU_ALLOC(cpus);
  const std::size_t size = CPU_ALLOC_SIZE(cpus);
  CPU_ZERO_S(size, set);
  if (sched_getaffinity(0, size, set) != 0) return errno;
  int first = 0;
  while (first < cpus && !CPU_ISSET_S(static_cast<std::size_t>(first), size, set)) ++first;
  CPU_ZERO_S(size, set);
  CPU_SET_S(static_cast<std::size_t>(first), size, set);
  return error_of(sched_setaffinity(0, size, set));
}

/// The nodes that this process may use.
int allowed_nodes(NodeMask& mask) {
  int mode = 0;
  return error_of(syscall(SYS_get_mempolicy, &mode, mask.words(), memory::max_nodes, nullptr,
                          MPOL_F_MEMS_ALLOWED));
}

int try_set_mempolicy() {
  NodeMask mask;
  if (const int error = allowed_nodes(mask)) return error;
  return error_in(memory::real_calls().prefer(MPOL_INTERLEAVE, mask.words()));
}

int try_mbind() {
  NodeMask mask;
  if (const int error = allowed_nodes(mask)) return error;
  void* page = touched_page();
  if (page == nullptr) return errno;
  return error_in(memory::real_calls().bind(page, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
                                            MPOL_BIND, mask.words()));
}

/// Asks where a page is, then moves it to where it is.
int try_move_pages() {
  void* page = touched_page();
  if (page == nullptr) return errno;
  int status = -1;
  const memory::SystemCalls& calls = memory::real_calls();
  if (const int error = error_in(calls.move(1, &page, nullptr, &status))) return error;
  if (status < 0) return -status;
  const int node = status;
  return error_in(calls.move(1, &page, &node, &status));
}

int try_membarrier() {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (commands < 0) return errno;
  return (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 ? 0 : ENOSYS;
}

/// Runs `attempt` in a child, so that nothing of it stays. Returns its errno, 0 for success.
int in_child(int (*attempt)()) {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) _exit(attempt() & 0xFF);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  // A seccomp filter may kill instead of refusing.
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

struct Attempt {
  const char* name;
  int (*run)();
  Verdict refused;
  const char* loss;
};

constexpr Attempt attempts[] = {
    {"sched_setaffinity", try_sched_setaffinity, Verdict::warning,
     "threads cannot be bound, so tasks cannot be kept near their data"},
    {"set_mempolicy", try_set_mempolicy, Verdict::warning,
     "the policy of a thread's memory cannot be set"},
    {"mbind", try_mbind, Verdict::warning, "data cannot be placed; it stays where it is touched"},
    {"move_pages", try_move_pages, Verdict::warning,
     "homes of data cannot be found; tasks are scheduled by their creator"},
    {"membarrier", try_membarrier, Verdict::note, "ordinary memory fences are used instead"},
};

std::string remedy(int error) {
  switch (error) {
    case EPERM:
    case EACCES:
      return "a container's filter refuses it: start the container with --cap-add SYS_NICE, or "
             "with "
             "a seccomp profile that allows it";
    case ENOSYS:
      return "this kernel has it not: use one with CONFIG_NUMA and CONFIG_MEMBARRIER";
    default:
      return "see the error";
  }
}

}  // namespace

void check_system_calls(std::vector<Check>& checks) {
  for (const Attempt& attempt : attempts) {
    const int error = in_child(attempt.run);
    if (error == 0) {
      checks.push_back({attempt.name, Verdict::ok, "allowed", ""});
      continue;
    }
    checks.push_back({attempt.name, attempt.refused,
                      fmt::format("refused ({}): {}", std::strerror(error), attempt.loss),
                      remedy(error)});
  }
}

}  // namespace lares::cli::doctor
