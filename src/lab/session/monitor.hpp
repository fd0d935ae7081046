// Asks a running QEMU questions (QMP).
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lares::lab {

/// The answer of QEMU's monitor to one of its human commands, such as "info ramblock". `file` is
/// our end of the monitor's socket, on which nothing was asked before. Waits for at most `seconds`.
Result<std::string> ask_monitor(int file, std::string_view command, int seconds);

}  // namespace lares::lab
