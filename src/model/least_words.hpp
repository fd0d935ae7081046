// What a least time waits for and what is said of it, in words.
#pragma once

#include <string>

#include "model/least_time.hpp"

namespace lares::model {

/// "domain 0 with the memory of 3".
std::string bottleneck_text(const MemoryTime& slowest);
/// "pair", "home", "machine", "nothing": for programs.
std::string bottleneck_word(Bottleneck bottleneck);
/// "memory-bound: domain 0 with its own memory", "not memory-bound", "names no bytes".
std::string verdict_text(const LeastTime& least);
/// "memory-bound", "partly", "not-memory-bound", "no-bytes": for programs.
std::string verdict_word(Verdict verdict);

}  // namespace lares::model
