#include "measure/measure.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "machine/distance_findings.hpp"
#include "measure/caches.hpp"
#include "measure/parts.hpp"
#include "measure/thread_counts.hpp"
#include "memory/manager/usage.hpp"

namespace lares::measure {
namespace {

using machine::Machine;
using machine::MeasuredPair;
using machine::Measurements;

std::string utc_now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

/// The most that any part takes: pairs the footprints of one domain's threads, the aggregate those
/// of all threads spread over the domains with cores.
std::vector<NodeNeed> needs_of(const Bench& bench) {
  const std::size_t members = bench.all_cpus().size();
  std::size_t most_threads = 1;
  for (const DomainId domain : bench.with_cores) {
    most_threads = std::max(most_threads, bench.cpus(domain).size());
  }
  std::vector<NodeNeed> needs;
  for (const DomainId domain : bench.with_memory) {
    const OsNode node = bench.node(domain);
    const auto of_node = [&](DomainId other) { return bench.node(other) == node; };
    if (std::any_of(needs.begin(), needs.end(),
                    [&](const NodeNeed& need) { return need.node == node; })) {
      continue;
    }
    const auto sharing = static_cast<std::size_t>(
        std::count_if(bench.with_cores.begin(), bench.with_cores.end(), of_node));
    const std::size_t part =
        (members * sharing + bench.with_cores.size() - 1) / bench.with_cores.size();
    const memory::Usage usage = memory::usage_of(node);
    needs.push_back(
        {node, std::max(most_threads, part), {usage.free.count + usage.cache.count / 2}});
  }
  return needs;
}

Result<Bench> prepare(const Machine& machine, const Plan& plan, const Progress& progress) {
  Bench bench{machine, plan, progress, plan.memory_footprint, {}, {}, 0, 0};
  for (const DomainId domain : plan.domains) {
    if (!domain.valid() || domain.index() >= machine.domains.size()) {
      return Error{"domain " + std::to_string(domain.value()) +
                   " does not exist, the machine has " + std::to_string(machine.domains.size())};
    }
    bench.with_memory.push_back(domain);
    if (!machine.domains[domain.index()].cores.empty()) bench.with_cores.push_back(domain);
  }
  if (bench.with_cores.empty()) return Error{"none of the domains has cores to measure with"};
  if (bench.footprint.count == 0) {
    bench.footprint = memory_footprint(bench.cpus(bench.with_cores.front()));
  }
  const Result<Bytes> fitting = fitting_footprint(bench.footprint, needs_of(bench));
  if (!fitting) return fitting.error();
  bench.footprint = fitting.value();
  return bench;
}

std::size_t count_steps(const Bench& bench) {
  const std::size_t pairs = bench.with_cores.size() * bench.with_memory.size();
  std::size_t steps = pairs;
  const std::size_t local = 1 + bench.cache_footprints().size();
  if (bench.plan.aggregate) steps += (2 + local) * bench.plan.kernels.size();
  if (bench.plan.migration) steps += bench.with_memory.size() * bench.with_memory.size();
  if (bench.plan.compute) steps += 2;
  if (bench.plan.synchronisation) {
    steps += thread_counts(bench.all_cpus().size()).size() + 2;  // two OpenMP runtimes
  }
  return steps;
}

/// Medians of the largest footprint of one kernel, by the most threads; 0 where there is none.
std::vector<std::uint32_t> matrix_of(const Measurements& measurements, std::string_view kernel,
                                     std::size_t size, std::uint32_t most) {
  std::vector<std::uint32_t> matrix(size * size, 0);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ranks(size * size);
  for (const MeasuredPair& pair : measurements.pairs) {
    const std::size_t cell = pair.from.index() * size + pair.to.index();
    const std::pair rank(pair.footprint.count, pair.threads);
    if (pair.kernel != kernel || rank < ranks[cell]) continue;
    ranks[cell] = rank;
    const double value = std::clamp(std::round(pair.figure.median), 1.0, static_cast<double>(most));
    matrix[cell] = static_cast<std::uint32_t>(value);
  }
  return matrix;
}

bool known(const std::vector<std::uint32_t>& values) {
  return std::any_of(values.begin(), values.end(), [](std::uint32_t v) { return v != 0; });
}

/// Rows of domains without cores are their columns: as far as others are from them.
bool complete_distances(std::vector<std::uint32_t>& distances, std::size_t size,
                        std::size_t with_cores) {
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t to = 0; to < size; ++to) {
      std::uint32_t& distance = distances[from * size + to];
      if (distance != 0) continue;
      if (from < with_cores) return false;
      distance = to < with_cores ? distances[to * size + from] : (from == to ? 10 : 0);
      if (distance == 0) distance = 20;  // between two memories nobody can measure
    }
  }
  return true;
}

}  // namespace

std::vector<OsCpu> measuring_cpus(const Machine& machine, DomainId domain, std::size_t most) {
  std::vector<OsCpu> cpus;
  for (const CoreId core : machine.domains[domain.index()].cores) {
    if (most != 0 && cpus.size() == most) break;
    cpus.push_back(machine.cores[core.index()].cpus.front());
  }
  return cpus;
}

std::vector<OsCpu> Bench::all_cpus() const {
  std::vector<OsCpu> all_of_them;
  for (const DomainId domain : with_cores) {
    const auto more = cpus(domain);
    all_of_them.insert(all_of_them.end(), more.begin(), more.end());
  }
  return all_of_them;
}

std::vector<Bytes> Bench::cache_footprints() const {
  std::vector<Bytes> smaller;
  for (const Bytes size : plan.cache_footprints) {
    if (2 * size.count < footprint.count) smaller.push_back(size);
  }
  return smaller;
}

Result<Measurements> measure(const Machine& machine, const Plan& plan, const Progress& progress) {
  auto prepared = prepare(machine, plan, progress);
  if (!prepared) return prepared.error();
  Bench& bench = prepared.value();
  bench.all = count_steps(bench);
  Measurements measurements;
  measurements.when = utc_now();
  measurements.repeats = static_cast<std::uint32_t>(plan.pace.repeats);
  if (machine.distances.source == "slit") measurements.slit = machine.distances.values;
  auto done = measure_pairs(bench, measurements.pairs);
  if (!done) return done.error();
  if (plan.aggregate) done = measure_aggregate(bench, measurements.aggregate);
  if (!done) return done.error();
  if (plan.migration) done = measure_migration(bench, measurements.migration);
  if (!done) return done.error();
  if (plan.compute) measure_compute(bench, measurements.compute);
  if (plan.synchronisation) {
    measure_synchronisation(bench, measurements.synchronisation);
    measure_openmp_runtimes(bench, measurements.synchronisation);
  }
  progress("done", bench.all, bench.all);
  return measurements;
}

bool apply(const Measurements& measurements, Machine& machine) {
  const std::size_t size = machine.domains.size();
  auto bandwidth = matrix_of(measurements, "read", size, machine::max_bandwidth_mb_s);
  auto latency = matrix_of(measurements, "latency", size, machine::max_latency_ns);
  auto distances = machine::distances_by_bandwidth(bandwidth, size);
  machine.performance.bandwidth_mb_s =
      known(bandwidth) ? std::move(bandwidth) : std::vector<std::uint32_t>{};
  machine.performance.latency_ns =
      known(latency) ? std::move(latency) : std::vector<std::uint32_t>{};
  machine.grade = "measured";
  if (distances.empty() || !complete_distances(distances, size, machine.domains_with_cores())) {
    return false;
  }
  machine.distances.values = std::move(distances);
  machine.distances.source = "measured";
  return true;
}

}  // namespace lares::measure
