// How fast one core computes alone, and all of them together: together they may have to be slower.
#include <algorithm>
#include <vector>

#include "measure/compute_kernels.hpp"
#include "measure/parts.hpp"
#include "measure/spread.hpp"

namespace lares::measure {
namespace {

constexpr std::uint64_t first_rounds = 20'000;

/// 10^9 operations a second of all members together, one value for each repetition. A repetition
/// comes before them and is not counted: processors take their time to become fast.
std::vector<double> gflops(Crew& crew, Operations kind, const Pace& pace) {
  std::vector<Computed> done(crew.size());
  const auto timed_rounds = [&](std::uint64_t rounds) {
    return crew.run([&](std::size_t member) { done[member] = compute(kind, rounds); });
  };
  const auto once = std::max<std::int64_t>(timed_rounds(first_rounds).count, 1);
  const auto times =
      static_cast<std::uint64_t>(std::max<std::int64_t>(pace.least_time.count / once, 1));
  const std::uint64_t rounds = first_rounds * std::min<std::uint64_t>(times, 100'000);
  timed_rounds(rounds);
  std::vector<double> values;
  for (std::size_t i = 0; i < pace.repeats; ++i) {
    const auto time = std::max<std::int64_t>(timed_rounds(rounds).count, 1);
    double operations = 0;
    for (const Computed& each : done) operations += static_cast<double>(each.operations);
    values.push_back(operations / static_cast<double>(time));
  }
  return values;
}

}  // namespace

void measure_compute(Bench& bench, std::vector<machine::MeasuredCompute>& compute) {
  const std::vector<OsCpu> cpus = bench.all_cpus();
  for (const std::size_t count : {std::size_t{1}, cpus.size()}) {
    bench.step("operations of " + std::to_string(count) + " threads");
    if (count == 1 && !compute.empty()) continue;  // one core is all
    Crew crew({cpus.begin(), cpus.begin() + static_cast<std::ptrdiff_t>(count)});
    for (const Operations kind : all_operations) {
      compute.push_back({std::string(operations_name(kind)), static_cast<std::uint32_t>(count),
                         spread_of(gflops(crew, kind, bench.plan.pace))});
    }
  }
}

}  // namespace lares::measure
