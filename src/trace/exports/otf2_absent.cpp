// Instead of the files otf2_*.cpp where the library is not installed.
#include "trace/exports/formats.hpp"

namespace lares::trace {

Failure otf2_missing() {
  return "this build of Lares has no OTF2; install libopen-trace-format2-dev and build again";
}

Failure write_otf2(const Trace& /*trace*/, const std::string& /*path*/) { return otf2_missing(); }

}  // namespace lares::trace
