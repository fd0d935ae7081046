// How the program was started.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/run_stats.hpp"
#include "trace/findings/diagnoses/diagnoses.hpp"
#include "trace/names.hpp"

namespace lares::trace {

std::optional<Diagnosis> unbound_threads(const Trace& trace, const Findings&) {
  if (trace.about.binding != "none" || trace.threads.size() < 2) return std::nullopt;
  Diagnosis found;
  found.id = "unbound";
  found.severity = trace.domains > 1 ? Severity::problem : Severity::note;
  found.title = "Threads are not bound to cores";
  found.evidence = "the kernel may move them away from their data at any time";
  found.threshold = "said where neither the program nor lares run binds threads";
  found.remedy = "lares run --bind spread, or OMP_PROC_BIND=spread OMP_PLACES=cores";
  found.gain_how = "not known from a trace";
  return found;
}

std::optional<Diagnosis> more_threads_than_cores(const Trace& trace, const Findings&) {
  std::uint32_t largest = 0;
  for (const Region& region : trace.regions) largest = std::max(largest, region.team);
  if (trace.about.cpus == 0 || largest <= trace.about.cpus) return std::nullopt;
  Diagnosis found;
  found.id = "oversubscribed";
  found.severity = Severity::problem;
  found.title = "There are more threads than cores";
  found.evidence = fmt::format("a team of {} threads on {} cores", largest, trace.about.cpus);
  found.threshold = "said where a team is larger than the cores that the process may use";
  found.remedy = fmt::format("OMP_NUM_THREADS={}", trace.about.cpus);
  found.gain_how = "not known from a trace";
  return found;
}

std::optional<Diagnosis> disturbed(const Trace& trace, const Findings&) {
  const double share = trace.about.processor_wait;
  if (share <= analysis::notable_waiting_share) return std::nullopt;
  Diagnosis found;
  found.id = "disturbed";
  found.severity = Severity::warning;
  found.title = "Threads waited for processors";
  found.evidence =
      fmt::format("{} of the time in which they could run, while others had the processors",
                  human_share(share));
  found.threshold = fmt::format("said where it is more than {}: what else is said may be of that",
                                human_share(analysis::notable_waiting_share));
  found.remedy =
      "run it while nothing else does, on cores of its own (taskset), or with fewer threads";
  found.gain = std::min(1.0, share);
  found.gain_how = "that time, at most";
  return found;
}

std::optional<Diagnosis> kernel_moves_pages(const Trace& trace, const Findings&) {
  if (!trace.about.numa_balancing || trace.about.cores_of_domain.size() < 2) return std::nullopt;
  Diagnosis found;
  found.id = "numa-balancing";
  found.severity = Severity::warning;
  found.title = "The kernel moves pages by itself";
  found.evidence = "kernel.numa_balancing is on while threads are placed by Lares";
  found.threshold =
      "said where it is on and there are several domains: the kernel's documentation "
      "says to disable it for programs that are bound to nodes";
  found.remedy = "sysctl kernel.numa_balancing=0";
  found.gain_how = "not known from a trace";
  return found;
}

std::optional<Diagnosis> several_runtimes(const Trace& trace, const Findings&) {
  if (trace.about.runtimes < 2) return std::nullopt;
  Diagnosis found;
  found.id = "several-runtimes";
  found.severity = Severity::problem;
  found.title = "Several OpenMP runtimes share the cores";
  found.evidence = fmt::format("{}: each has threads of its own", trace.about.openmp);
  found.threshold = "said where a process has more than one";
  found.remedy = "build all parts with one compiler, or link one runtime";
  found.gain_how = "not known from a trace";
  return found;
}

}  // namespace lares::trace
