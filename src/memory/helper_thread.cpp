#include "memory/helper_thread.hpp"

#include <sched.h>

#include <cstddef>

#include "memory/next_touch/quiet.hpp"

namespace lares::memory {

namespace {

constexpr std::size_t stack_bytes = std::size_t{256} * 1024;

/// False if none of them can be asked for.
bool bind_to(pthread_attr_t& attributes, std::span<const OsCpu> near) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const OsCpu cpu : near) {
    if (cpu.index() < CPU_SETSIZE) CPU_SET(cpu.index(), &set);
  }
  return CPU_COUNT(&set) != 0 && pthread_attr_setaffinity_np(&attributes, sizeof(set), &set) == 0;
}

int start(pthread_t& thread, void* (*routine)(void*), void* argument,
          std::span<const OsCpu> near) noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  bind_to(attributes, near);
  const SignalsBlocked blocked;
  const int error = pthread_create(&thread, &attributes, routine, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace

int start_helper_thread(pthread_t& thread, void* (*routine)(void*), void* argument,
                        std::span<const OsCpu> near) noexcept {
  const int error = start(thread, routine, argument, near);
  return error == 0 || near.empty() ? error : start(thread, routine, argument, {});
}

}  // namespace lares::memory
