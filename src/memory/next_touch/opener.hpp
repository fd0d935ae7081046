// Way::protect: closes pages, and opens what is closed.
#pragma once

#include <cstdint>

#include "memory/next_touch/shared.hpp"

namespace lares::memory {

/// Nobody tells that the program has put another mapping in the place of a closed one, or protects
/// it in its own way. So only what can neither be read nor written is opened.
/// Thread safety: any thread, open() also in a signal handler. 0 or an errno.
class Opener {
 public:
  explicit Opener(Shared& shared) noexcept : shared_(shared) {}

  /// Closes an area, or leaves it open.
  int close(const Region& region) const noexcept;
  /// Opens what is closed of a part of the area. ENOMEM, that is, the process has no mappings left:
  /// the whole area is opened then, which makes fewer of them.
  int open(const Region& region, std::uintptr_t begin, std::uintptr_t end) const noexcept;

 private:
  int open_closed(std::uintptr_t begin, std::uintptr_t end) const noexcept;

  Shared& shared_;
};

}  // namespace lares::memory
