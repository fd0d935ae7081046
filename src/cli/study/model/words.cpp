#include <fmt/format.h>

#include "cli/study/model/show.hpp"

namespace lares::cli {

std::string time_text(model::Seconds time) {
  const double seconds = time.count;
  if (seconds == 0) return "0";
  if (seconds >= 1) return fmt::format("{:.4g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

std::string error_text(double error) { return fmt::format("{:+.1f} %", 100 * error); }

std::string bound_word(model::Bound bound) {
  switch (bound) {
    case model::Bound::memory:
      return "memory";
    case model::Bound::computation:
      return "computation";
    case model::Bound::synchronisation:
      break;
  }
  return "synchronisation";
}

}  // namespace lares::cli
