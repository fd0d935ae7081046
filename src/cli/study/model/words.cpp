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

std::string bottleneck_text(const model::MemoryTime& slowest) {
  switch (slowest.bottleneck) {
    case model::Bottleneck::nothing:
      return "nothing";
    case model::Bottleneck::pair:
      return slowest.from == slowest.to
                 ? fmt::format("domain {} with its own memory", slowest.from.value())
                 : fmt::format("domain {} with the memory of {}", slowest.from.value(),
                               slowest.to.value());
    case model::Bottleneck::home:
      return fmt::format("the memory of domain {}, which several use", slowest.to.value());
    case model::Bottleneck::machine:
      break;
  }
  return "memory that all cores share";
}

std::string bottleneck_word(model::Bottleneck bottleneck) {
  switch (bottleneck) {
    case model::Bottleneck::pair:
      return "pair";
    case model::Bottleneck::home:
      return "home";
    case model::Bottleneck::machine:
      return "machine";
    case model::Bottleneck::nothing:
      break;
  }
  return "nothing";
}

std::string verdict_word(model::Verdict verdict) {
  switch (verdict) {
    case model::Verdict::memory_bound:
      return "memory-bound";
    case model::Verdict::partly:
      return "partly";
    case model::Verdict::not_memory_bound:
      return "not-memory-bound";
    case model::Verdict::no_bytes:
      break;
  }
  return "no-bytes";
}

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
