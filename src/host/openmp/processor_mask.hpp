// Sets of processors, as the kernel takes and gives them.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/ids.hpp"
#include "machine/machine.hpp"

namespace lares::omp {

/// A set of processors as the kernel has it.
struct ProcessorMask {
  std::array<unsigned long, 128> words{};  ///< 8192 processors, the most that Linux can have
  std::size_t bytes = 0;                   ///< how many of them the kernel uses; 0: not known

  /// A thread's, by its number in the system (0: the calling thread's). `bytes` is 0 if the kernel
  /// does not tell.
  static ProcessorMask of_thread(int number) noexcept;
  /// One alone, by the kernel's number.
  static ProcessorMask of_processor(int number) noexcept;
  bool apply() const noexcept;               ///< to the calling thread; false: refused
  bool apply_to(int number) const noexcept;  ///< to a thread of this process; false: refused
  [[nodiscard]] bool contains(const ProcessorMask& other) const noexcept;
  bool operator==(const ProcessorMask& other) const noexcept { return words == other.words; }
};

/// The calling thread goes on there, if it may, and keeps its processors.
void go_to_processor(int number) noexcept;

/// The processors of some cores.
ProcessorMask mask_of(const machine::Machine& machine, std::span<const CoreId> cores) noexcept;

}  // namespace lares::omp
