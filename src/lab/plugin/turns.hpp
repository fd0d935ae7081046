// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// How long a vCPU may go on before it lets the others have a turn.
#pragma once

#include <cstdint>

namespace lares::lab::counting {

/// One vCPU's. Where a guest has more vCPUs than its host has cores, the host's system changes
/// between them after some milliseconds, while the guest takes them for processors that run side by
/// side: who waits for another one, as the kernel does for all of them when it moves a page, waits
/// for dozens of such turns; what the program does in two milliseconds, only the few do that happen
/// to run. So a vCPU gives way after a tenth of a millisecond or so of its own accord.
/// Thread safety: one thread at a time.
class Turn {
 public:
  /// An access to memory, or several that something else counts for. True if the turn is over, and
  /// the next one begins.
  [[nodiscard]] bool ends(std::uint32_t accesses) noexcept {
    if (left_ > accesses) [[likely]] {
      left_ -= accesses;
      return false;
    }
    left_ = length;
    return true;
  }

  /// In accesses of the program.
  static constexpr std::uint32_t length = 4096;
  /// For how many of them an instruction counts by which a program says that it only waits.
  static constexpr std::uint32_t pause = 64;

 private:
  std::uint32_t left_ = length;
};

}  // namespace lares::lab::counting
