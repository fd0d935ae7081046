// Whether there is memory at an address.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "memory/calls.hpp"

namespace lares::memory {

/// False if nothing is mapped at `address`: no load or store can work there. True also where the
/// system does not say. One system call.
/// Thread safety: any thread; the answer is as old as the call.
inline bool is_mapped(const SystemCalls& calls, std::uintptr_t address) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char present = 0;
  void* const first = reinterpret_cast<void*>(address / page * page);
  return calls.present(first, page, &present) != -ENOMEM;
}

}  // namespace lares::memory
