// Words for people.
#pragma once

#include "trace/trace.hpp"

namespace lares::trace {

/// "local", "same domain", "remote", "unknown".
const char* to_words(Locality locality) noexcept;
/// "taskwait", "taskwait depend", "end of taskgroup", "barrier", "end of region", "end of loop".
const char* to_words(WaitKind kind) noexcept;
/// "12.3 us", "4.56 ms": three figures and a unit of time.
std::string human_time(Time nanoseconds);
/// "12 %", "3.4 %" of a share.
std::string human_share(double share);

}  // namespace lares::trace
