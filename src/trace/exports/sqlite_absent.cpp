// Instead of sqlite.cpp where the library is not installed.
#include "trace/exports/formats.hpp"

namespace lares::trace {

Failure sqlite_missing() {
  return "this build of Lares has no SQLite; install libsqlite3-dev and build again";
}

Failure write_sqlite(const Trace& /*trace*/, const std::string& /*path*/) {
  return sqlite_missing();
}

}  // namespace lares::trace
