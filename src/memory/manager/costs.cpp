#include "memory/manager/costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace lares::memory {
namespace {

constexpr double line_bytes = 64;

double figure(const std::vector<std::uint32_t>& matrix, const machine::Machine& machine,
              DomainId from, DomainId home) {
  const std::size_t size = machine.domains.size();
  return matrix.size() == size * size ? matrix[from.index() * size + home.index()] : 0;
}

std::string amount(Bytes bytes) {
  constexpr std::array<const char*, 4> units{"bytes", "KiB", "MiB", "GiB"};
  double value = static_cast<double>(bytes.count);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%.4g %s", value, units[unit]);
  return text.data();
}

std::string duration(double nanoseconds) {
  constexpr std::array<const char*, 4> units{"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; nanoseconds >= 1000 && unit + 1 < units.size(); ++unit) nanoseconds /= 1000;
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%.3g %s", nanoseconds, units[unit]);
  return text.data();
}

}  // namespace

AccessCost access_cost(const machine::Machine& machine, DomainId from, DomainId home, Bytes bytes,
                       Use use) {
  const double count = static_cast<double>(bytes.count) * (use == Use::write ? 2 : 1);
  const machine::Performance& known = machine.performance;
  if (const double mb_s = figure(known.bandwidth_mb_s, machine, from, home); mb_s > 0) {
    return {count * 1000 / mb_s, false};
  }
  if (const double latency = figure(known.latency_ns, machine, from, home); latency > 0) {
    return {count / line_bytes * latency, false};
  }
  constexpr double local_bytes_per_ns = 10;
  const double distance = figure(machine.distances.values, machine, from, home);
  return {count / local_bytes_per_ns * (distance > 0 ? distance / 10 : 1), true};
}

double break_even(double overhead, double before, double after) noexcept {
  if (overhead <= 0) return 0;
  return before > after ? overhead / (before - after) : std::numeric_limits<double>::infinity();
}

std::string migration_advice(Bytes bytes, DomainId home, DomainId to, double overhead_ns,
                             double before_ns, double after_ns) {
  const double sweeps = break_even(overhead_ns, before_ns, after_ns);
  std::string text = "moving " + amount(bytes) + " from domain " + std::to_string(home.value()) +
                     " to domain " + std::to_string(to.value()) + " costs " + duration(overhead_ns);
  if (!std::isfinite(sweeps)) return text + " and never pays: access is no faster there";
  std::array<char, 40> number;
  std::snprintf(number.data(), number.size(), "%.0f", std::max(1.0, std::ceil(sweeps)));
  text += " and pays after ";
  text += number.data();
  return text + (sweeps <= 1 ? " sweep" : " sweeps");
}

}  // namespace lares::memory
