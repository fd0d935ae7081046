// A C library that cannot be told of forks: nothing may wait for its next touch, which the child of
// a fork would not have. A program of its own, since a process asks once.
#include <lares/memory.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

// What pthread_atfork of the GNU C library calls.
extern "C" __attribute__((visibility("default"))) int __register_atfork(void (*)(), void (*)(),
                                                                        void (*)(), void*) {
  return ENOMEM;
}

int main() {
  constexpr std::size_t bytes = std::size_t{1} << 20U;
  void* const area = std::aligned_alloc(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), bytes);
  const int result = lares_migrate_on_next_touch(area, bytes, 0, LARES_WAY_AUTOMATIC);
  const int error = errno;
  std::printf("result %d, error %d: %s\n", result, error, lares_memory_error());
  std::free(area);
  return result == -1 && error == ENOMEM ? 0 : 1;
}
