// The parts of a measurement, in the order in which `measure` runs them.
#pragma once

#include <memory>
#include <vector>

#include "measure/measure.hpp"
#include "measure/memory.hpp"

namespace lares::measure {

/// What all parts share.
struct Bench {
  const machine::Machine& machine;
  const Plan& plan;
  const Progress& progress;
  Bytes footprint;                    ///< that no cache holds, of each thread
  std::vector<DomainId> with_cores;   ///< of the plan's domains
  std::vector<DomainId> with_memory;  ///< of the plan's domains: all of them
  std::size_t done = 0;
  std::size_t all = 0;

  void step(const std::string& what) { progress(what, done++, all); }
  [[nodiscard]] std::vector<OsCpu> cpus(DomainId domain) const {
    return measuring_cpus(machine, domain, plan.cores_per_domain);
  }
  [[nodiscard]] std::vector<OsCpu> all_cpus() const;
  /// Those of the plan that leave room for the largest.
  [[nodiscard]] std::vector<Bytes> cache_footprints() const;
  [[nodiscard]] OsNode node(DomainId domain) const { return machine.domains[domain.index()].node; }
};

Result<bool> measure_pairs(Bench& bench, std::vector<machine::MeasuredPair>& pairs);
Result<bool> measure_aggregate(Bench& bench, std::vector<machine::MeasuredAggregate>& aggregate);
Result<bool> measure_migration(Bench& bench, std::vector<machine::MeasuredMigration>& migration);
/// Bound threads of the command, by its own kernels.
void measure_compute(Bench& bench, std::vector<machine::MeasuredCompute>& compute);
void measure_synchronisation(Bench& bench, std::vector<machine::MeasuredSync>& synchronisation);
/// By libgomp and libomp, as far as they are installed. The last part: it sets OMP_PLACES,
/// OMP_PROC_BIND and OMP_DYNAMIC, and threads of the runtimes stay.
void measure_openmp_runtimes(Bench& bench, std::vector<machine::MeasuredSync>& synchronisation);

}  // namespace lares::measure
