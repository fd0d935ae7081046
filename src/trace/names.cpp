#include "trace/names.hpp"

#include <fmt/format.h>

#include <array>

namespace lares::trace {

const char* to_words(Locality locality) noexcept {
  switch (locality) {
    case Locality::local:
      return "local";
    case Locality::same_domain:
      return "same domain";
    case Locality::remote:
      return "remote";
    case Locality::unknown:
      break;
  }
  return "unknown";
}

const char* to_words(WaitKind kind) noexcept {
  switch (kind) {
    case WaitKind::taskwait:
      return "taskwait";
    case WaitKind::depend:
      return "taskwait depend";
    case WaitKind::taskgroup:
      return "end of taskgroup";
    case WaitKind::barrier:
      return "barrier";
    case WaitKind::region_end:
      return "end of region";
    case WaitKind::loop_end:
      break;
  }
  return "end of loop";
}

std::string human_time(Time nanoseconds) {
  constexpr std::array units{"ns", "us", "ms", "s"};
  auto value = static_cast<double>(nanoseconds);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} ns", nanoseconds);
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, digits, units[unit]);
}

std::string human_share(double share) {
  const double value = share * 100;
  return fmt::format("{:.{}f} %", value, value < 9.95 && value > 0 ? 1 : 0);
}

}  // namespace lares::trace
