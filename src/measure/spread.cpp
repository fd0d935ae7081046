#include "measure/spread.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lares::measure {
namespace {

double rounded(double value) {
  if (!(value > 0)) return value;
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

}  // namespace

machine::Spread spread_of(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  return {rounded(values[values.size() / 2]), rounded(values.front()), rounded(values.back())};
}

Unsteady unsteady(const machine::Measurements& measurements) {
  Unsteady result;
  const auto count = [&](const machine::Spread& spread) {
    ++result.of;
    if (spread.most > 2 * spread.least) ++result.figures;
  };
  for (const auto& pair : measurements.pairs) count(pair.figure);
  for (const auto& all : measurements.aggregate) count(all.mb_s);
  for (const auto& move : measurements.migration) count(move.ns_per_page);
  for (const auto& sync : measurements.synchronisation) count(sync.ns);
  for (const auto& compute : measurements.compute) count(compute.gflops);
  return result;
}

}  // namespace lares::measure
