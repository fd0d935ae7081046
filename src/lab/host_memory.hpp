// How much memory a guest may take on this host.
#pragma once

#include <string_view>

#include "base/ids.hpp"

namespace lares::lab {

/// What the kernel says can be taken without swapping (MemAvailable), or what is left of this
/// process' control groups (version 2) if that is less; in whole MiB. Thread safe.
Bytes available_host_memory();

/// The same from the text of /proc/meminfo alone; 0 if it does not tell.
Bytes available_in_meminfo(std::string_view meminfo);

}  // namespace lares::lab
