// What it costs threads to wait for each other, by their number.
#include <algorithm>

#include "base/clock.hpp"
#include "measure/parts.hpp"
#include "measure/spread.hpp"
#include "measure/thread_counts.hpp"

namespace lares::measure {
namespace {

using machine::MeasuredSync;

std::vector<double> barrier_times(Crew& crew, std::size_t repeats) {
  std::vector<double> values;
  for (std::size_t i = 0; i < repeats; ++i) {
    const Nanoseconds time = crew.run([&](std::size_t) {
      for (std::size_t round = 0; round < barriers_per_value; ++round) crew.meet();
    });
    values.push_back(std::max(1.0, static_cast<double>(time.count)) / barriers_per_value);
  }
  return values;
}

/// Threads are woken, meet, and the caller waits for all: what a parallel region of sleepers costs.
std::vector<double> region_times(Crew& crew, std::size_t repeats) {
  std::vector<double> values;
  for (std::size_t i = 0; i < repeats; ++i) {
    const Nanoseconds start = now();
    for (std::size_t round = 0; round < regions_per_value; ++round) crew.run([](std::size_t) {});
    values.push_back(static_cast<double>((now() - start).count) / regions_per_value);
  }
  return values;
}

}  // namespace

void measure_synchronisation(Bench& bench, std::vector<MeasuredSync>& synchronisation) {
  const std::vector<OsCpu> cpus = bench.all_cpus();
  for (const std::size_t count : thread_counts(cpus.size())) {
    bench.step("synchronisation of " + std::to_string(count) + " threads");
    Crew crew({cpus.begin(), cpus.begin() + static_cast<std::ptrdiff_t>(count)});
    const auto threads = static_cast<std::uint32_t>(count);
    const std::size_t repeats = bench.plan.pace.repeats;
    synchronisation.push_back(
        {"barrier", "lares", threads, spread_of(barrier_times(crew, repeats))});
    synchronisation.push_back(
        {"parallel", "lares", threads, spread_of(region_times(crew, repeats))});
  }
}

}  // namespace lares::measure
