// Words of the program's memory, read where it may have none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/calls.hpp"

namespace lares::memory {

/// Reads the word at each address into `words`, which has as many. False if one cannot be read, or
/// the kernel refuses; what is in `words` is of no use then. Some microseconds for each 64.
/// Thread safety: any thread; what others write meanwhile is read before or after that.
inline bool read_words(const SystemCalls& calls, std::span<const std::uintptr_t> addresses,
                       std::span<std::uintptr_t> words) noexcept {
  for (std::size_t done = 0; done < addresses.size();) {
    const std::size_t count = std::min(addresses.size() - done, most_words_read);
    const long bytes = calls.read_words(&addresses[done], count, &words[done]);
    if (bytes != static_cast<long>(count * sizeof(std::uintptr_t))) return false;
    done += count;
  }
  return true;
}

}  // namespace lares::memory
