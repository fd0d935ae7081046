// How much memory a node has and how much of it is free.
#pragma once

#include <string_view>

#include "base/ids.hpp"

namespace lares::memory {

struct Usage {
  Bytes total;
  Bytes free;
  Bytes cache;  ///< of files: the kernel gives it up for who needs memory, if slowly
};

/// From the text of a node's meminfo, or of /proc/meminfo; what is not found is 0.
Usage parse_usage(std::string_view meminfo) noexcept;

/// Asks the kernel: for a node, or (an invalid id) for the whole machine. All 0 if it does not
/// tell. Thread safety: any thread.
Usage usage_of(OsNode node) noexcept;

}  // namespace lares::memory
