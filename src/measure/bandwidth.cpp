#include "measure/bandwidth.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/random.hpp"

namespace lares::measure {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t most_passes = 1'000'000;

/// Makes the compiler believe that a result is used.
void use(double value) noexcept { asm volatile("" : : "g"(value) : "memory"); }

double bytes_per_pass(Kernel kernel, const Work& work) {
  double bytes = 0;
  for (const auto& segments : work) {
    for (const Segment& segment : segments) {
      bytes += static_cast<double>(segment.count * sizeof(double) * accesses_of(kernel));
    }
  }
  return bytes;
}

/// So many passes that a repetition takes long enough to be timed.
std::size_t passes_for(Nanoseconds one_pass, Nanoseconds least_time) {
  const double passes = std::ceil(static_cast<double>(least_time.count) /
                                  static_cast<double>(std::max<std::int64_t>(one_pass.count, 1)));
  return static_cast<std::size_t>(std::clamp(passes, 1.0, static_cast<double>(most_passes)));
}

Nanoseconds timed(Crew& crew, Kernel kernel, const Work& work, std::size_t passes) {
  return crew.run([&](std::size_t member) {
    for (std::size_t pass = 0; pass < passes; ++pass) use(run_kernel(kernel, work[member]));
  });
}

/// A single cycle through all lines (Sattolo 1986).
void link_lines(std::byte* memory, std::size_t lines, std::uint64_t seed) {
  const auto at = [&](std::size_t i) { return reinterpret_cast<std::size_t*>(memory + i * line); };
  for (std::size_t i = 0; i < lines; ++i) *at(i) = i;
  Random random(seed);
  for (std::size_t i = lines - 1; i > 0; --i) {
    std::swap(*at(i), *at(random.below(static_cast<std::uint32_t>(i))));
  }
}

/// Each load needs the one before.
std::size_t follow(const std::byte* memory, std::size_t start, std::size_t loads) noexcept {
  for (std::size_t i = 0; i < loads; ++i) {
    start = *reinterpret_cast<const std::size_t*>(memory + start * line);
  }
  return start;
}

}  // namespace

std::vector<double> bandwidth(Crew& crew, Kernel kernel, const Work& work, const Pace& pace) {
  timed(crew, kernel, work, 1);
  const std::size_t passes = passes_for(timed(crew, kernel, work, 1), pace.least_time);
  const double bytes = bytes_per_pass(kernel, work) * static_cast<double>(passes);
  std::vector<double> values;
  for (std::size_t i = 0; i < pace.repeats; ++i) {
    const Nanoseconds time = timed(crew, kernel, work, passes);
    values.push_back(bytes * 1e3 / static_cast<double>(std::max<std::int64_t>(time.count, 1)));
  }
  return values;
}

void link_chain(Crew& crew, std::byte* memory, Bytes size, std::uint64_t seed) {
  crew.run([&](std::size_t member) {
    if (member == 0) link_lines(memory, std::max<std::size_t>(size.count / line, 2), seed);
  });
}

std::vector<double> latency(Crew& crew, const std::byte* memory, const Pace& pace) {
  std::vector<double> values;
  crew.run([&](std::size_t member) {
    if (member != 0) return;
    constexpr std::size_t probe = 4'096;
    const Nanoseconds before = now();
    std::size_t here = follow(memory, 0, probe);
    const std::size_t loads = probe * passes_for(now() - before, pace.least_time);
    for (std::size_t i = 0; i < pace.repeats; ++i) {
      const Nanoseconds start = now();
      here = follow(memory, here, loads);
      values.push_back(static_cast<double>((now() - start).count) / static_cast<double>(loads));
    }
    use(static_cast<double>(here));
  });
  return values;
}

}  // namespace lares::measure
