// Whether the process got the processors that its threads wanted.
#pragma once

#include <cstdint>

namespace lares::runtime {

/// Sums over the threads that the process has now.
struct ProcessorTime {
  std::uint64_t running_ns = 0;  ///< on a processor
  std::uint64_t waiting_ns = 0;  ///< able to run, while others had it
};

/// As the kernel counts it (/proc/self/task/*/schedstat); zeros where it does not tell. Takes a few
/// system calls a thread, and no memory from malloc.
ProcessorTime processor_time() noexcept;

}  // namespace lares::runtime
