// Threads that the program makes itself. Binding OpenMP's threads binds the program's first thread,
// and what that thread creates would inherit one core; who said nothing about binding must not find
// all their other threads there. So those start with all processors that the program was given.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <cstdlib>
#include <cstring>

#include "host/openmp/region.hpp"

namespace lares::omp {

namespace {

using Start = void* (*)(void*);

/// What the program's thread is to run.
struct Program {
  Start start;
  void* argument;
};

bool bound_by_us() noexcept {
  static const bool bound = std::getenv("LARES_BOUND") != nullptr;
  return bound && active();
}

// The stock runtimes bind the threads that they make as OMP_PLACES says.
bool is_runtime(const void* code) noexcept {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return false;
  const char* slash = std::strrchr(info.dli_fname, '/');
  const char* name = slash == nullptr ? info.dli_fname : slash + 1;
  return std::strncmp(name, "libgomp", 7) == 0 || std::strncmp(name, "libomp", 6) == 0 ||
         std::strncmp(name, "libiomp", 7) == 0;
}

cpu_set_t whole_machine() noexcept {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const machine::Core& core : runtime::Engine::instance().machine().cores) {
    for (const OsCpu cpu : core.cpus) {
      if (cpu.index() < CPU_SETSIZE) CPU_SET(cpu.index(), &all);
    }
  }
  return all;
}

// True if the program asks for processors itself; unset attributes say "all".
bool asks_for_processors(const pthread_attr_t* attributes) noexcept {
  cpu_set_t wanted;
  if (attributes == nullptr ||
      pthread_attr_getaffinity_np(attributes, sizeof(wanted), &wanted) != 0) {
    return false;
  }
  return CPU_COUNT(&wanted) < CPU_SETSIZE;
}

void* run_unbound(void* argument) {
  const Program program = *static_cast<Program*>(argument);
  std::free(argument);
  const cpu_set_t all = whole_machine();
  if (CPU_COUNT(&all) != 0) sched_setaffinity(0, sizeof(all), &all);
  return program.start(program.argument);
}

}  // namespace

}  // namespace lares::omp

// NOLINTBEGIN: the name and the types are POSIX's.
LARES_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                void* (*start)(void*), void* argument) {
  namespace omp = lares::omp;
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const create = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!omp::bound_by_us() || omp::is_runtime(__builtin_return_address(0)) ||
      omp::asks_for_processors(attributes)) {
    return create(thread, attributes, start, argument);
  }
  auto* program = static_cast<omp::Program*>(std::malloc(sizeof(omp::Program)));
  if (program == nullptr) return create(thread, attributes, start, argument);
  *program = {start, argument};
  const int result = create(thread, attributes, omp::run_unbound, program);
  if (result != 0) std::free(program);
  return result;
}
// NOLINTEND
