// How work comes to be, and who waits for it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "trace/findings/diagnoses/diagnoses.hpp"
#include "trace/findings/over_time.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace {

double share(Time part, Time whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::array<Time, 6> idle_by_kind(const Trace& trace) {
  std::array<Time, 6> sums{};
  for (const Wait& wait : trace.waits) sums[static_cast<std::size_t>(wait.kind)] += wait.idle;
  return sums;
}

Time idle_of(const std::array<Time, 6>& by_kind, WaitKind kind) {
  return by_kind[static_cast<std::size_t>(kind)];
}

/// Who created how much of the deferred tasks.
struct Creators {
  std::uint64_t tasks = 0;
  std::map<Index, std::uint64_t> by;
  Index most = none;
};

Creators creators_of(const Trace& trace) {
  Creators found;
  for (const Grain& grain : trace.grains) {
    const bool counts =
        !grain.has(grain_flag::is_chunk | grain_flag::goes_on | grain_flag::undeferred);
    if (!counts || grain.created_on == none) continue;
    ++found.tasks;
    const std::uint64_t sum = ++found.by[grain.created_on];
    if (found.most == none || sum > found.by[found.most]) found.most = grain.created_on;
  }
  return found;
}

/// Of the slices in regions, those in which threads had nothing to run: while nothing was ready,
/// and while something was for each of them.
struct IdleSlices {
  double starved = 0;
  double kept_back = 0;
};

IdleSlices idle_slices(const Trace& trace, const Findings& findings, std::size_t threads) {
  constexpr double busy = 0.8;
  const auto all = static_cast<double>(threads);
  IdleSlices sums;
  double active = 0;
  Slices regions(trace.duration, findings.parallelism.size());
  for (const Region& region : trace.regions) regions.add(region.begin, region.end);
  const std::vector<double> in_region = regions.means();
  for (std::size_t i = 0; i < in_region.size(); ++i) {
    if (in_region[i] < 0.5) continue;
    const ParallelismSlice& slice = findings.parallelism[i];
    ++active;
    if (slice.running >= busy * all) continue;
    if (slice.waiting < 1) ++sums.starved;
    if (slice.waiting >= all) ++sums.kept_back;
  }
  if (active == 0) return {};
  return {sums.starved / active, sums.kept_back / active};
}

}  // namespace

std::optional<Diagnosis> one_creator(const Trace& trace, const Findings& findings) {
  constexpr double most_by_one = 0.9;
  constexpr double least_idle = 0.15;
  constexpr double least_starved = 0.3;
  const Together all = together(trace, findings);
  const Creators creators = creators_of(trace);
  if (all.threads < 2 || creators.tasks < 10 * all.threads) return std::nullopt;
  const double by_one =
      static_cast<double>(creators.by.at(creators.most)) / static_cast<double>(creators.tasks);
  const double idle = share(findings.idle, all.time);
  const double starved = idle_slices(trace, findings, all.threads).starved;
  if (by_one < most_by_one || idle < least_idle || starved < least_starved) return std::nullopt;
  const ThreadRow& creator = findings.threads[creators.most];
  const double creating = share(creator.create + creator.other,
                                creator.work + creator.create + creator.idle + creator.other);
  if (creating < 0.5) return std::nullopt;
  Diagnosis found;
  found.id = "one-creator";
  found.severity = Severity::problem;
  found.title = "One thread cannot create tasks as fast as the others run them";
  found.evidence = fmt::format(
      "thread {} created {} of {} tasks and spent {} of its time doing so; in {} of the slices "
      "threads were idle while no task was ready",
      trace.threads[creators.most].number, human_share(by_one), creators.tasks,
      human_share(creating), human_share(starved));
  found.threshold = fmt::format(
      "said where one thread creates more than {} of the tasks, most of its time goes there, "
      "threads wait more than {} and nothing is ready in more than {} of the time",
      human_share(most_by_one), human_share(least_idle), human_share(least_starved));
  found.remedy =
      "let all threads create: `#pragma omp for` around the creating loop in place of `single`, "
      "`taskloop`, or tasks that create tasks; or make each task larger";
  found.gain = idle;
  found.gain_how = "the threads' waiting, at most";
  return found;
}

std::optional<Diagnosis> kept_back(const Trace& trace, const Findings& findings) {
  constexpr double least_idle = 0.15;
  constexpr double least_slices = 0.2;
  const Together all = together(trace, findings);
  if (all.threads < 2) return std::nullopt;
  const double idle = share(findings.idle, all.time);
  const double slices = idle_slices(trace, findings, all.threads).kept_back;
  if (idle < least_idle || slices < least_slices) return std::nullopt;
  Diagnosis found;
  found.id = "kept-back";
  found.severity = Severity::problem;
  found.title = "Threads wait while tasks lie ready for others";
  found.evidence = fmt::format(
      "threads wait {} of their time, and in {} of the slices some did while a task for each "
      "thread was ready",
      human_share(idle), human_share(slices));
  found.threshold =
      fmt::format("said where threads wait more than {}, and so in more than {} of the slices",
                  human_share(least_idle), human_share(least_slices));
  found.remedy =
      "a policy that takes tasks from afar sooner: lares run --policy "
      "steal=most-loaded, or --policy central";
  found.gain = idle;
  found.gain_how = "the threads' waiting, at most";
  return found;
}

std::optional<Diagnosis> serial_phases(const Trace& trace, const Findings& findings) {
  constexpr double least = 0.2;
  const Together all = together(trace, findings);
  if (all.threads < 2 || trace.duration == 0) return std::nullopt;
  // Amdahl's part: no region, or a region in which one thread works.
  const Time outside =
      trace.duration > findings.in_regions ? trace.duration - findings.in_regions : 0;
  const double serial = share(outside, trace.duration);
  if (serial < least) return std::nullopt;
  // The longest of them.
  Time from = 0;
  Time to = 0;
  Time until = 0;
  for (const Region& region : trace.regions) {
    if (region.begin > until && region.begin - until > to - from) {
      from = until;
      to = region.begin;
    }
    until = std::max(until, region.end);
  }
  Diagnosis found;
  found.id = "serial";
  found.severity = serial > 0.4 ? Severity::problem : Severity::warning;
  found.title = "Much of the run is serial";
  found.from = from;
  found.to = to;
  found.evidence = fmt::format(
      "{} of {} between the first and the last region are in no parallel region: with any number "
      "of threads the run is at most {:.1f} times faster than with one",
      human_time(outside), human_time(trace.duration), 1 / serial);
  found.threshold = fmt::format(
      "said where more than {} of the time between the first and the last event is "
      "outside of regions",
      human_share(least));
  found.remedy = "put what lies between the regions into tasks or loops, the longest part first";
  const auto threads = static_cast<double>(all.threads);
  found.gain = serial * (1 - 1 / threads);
  found.gain_how = "Amdahl: that part shared by all threads";
  return found;
}

std::optional<Diagnosis> imbalance(const Trace& trace, const Findings& findings) {
  constexpr double least_idle = 0.1;
  constexpr double least_ratio = 1.15;  // the busiest thread's work over the mean
  const Together all = together(trace, findings);
  if (all.threads < 2) return std::nullopt;
  const auto waits = idle_by_kind(trace);
  const Time idle = idle_of(waits, WaitKind::barrier) + idle_of(waits, WaitKind::region_end);
  Time most = 0;
  Time sum = 0;
  for (const ThreadRow& row : findings.threads) {
    const Time busy = row.work + row.create + row.other;
    most = std::max(most, busy);
    sum += busy;
  }
  const double ratio = share(most * all.threads, sum);
  if (share(idle, all.time) < least_idle || ratio < least_ratio) return std::nullopt;
  Diagnosis found;
  found.id = "imbalance";
  found.severity = Severity::warning;
  found.title = "Threads wait for the last one at barriers";
  found.evidence = fmt::format(
      "{} of the threads' time goes into waiting at barriers and ends of regions; the busiest "
      "thread has {:.2f} times the mean's work",
      human_share(share(idle, all.time)), ratio);
  found.threshold = fmt::format(
      "said where barriers take more than {} and the busiest thread has more than {:.2f} times "
      "the mean's work",
      human_share(least_idle), least_ratio);
  found.remedy =
      "let threads that are done take more: schedule(dynamic) or (guided) with lares run --loops "
      "numa, tasks in place of static parts, or smaller tasks at the end";
  found.gain = share(idle, all.time);
  found.gain_how = "the waiting at barriers, at most";
  return found;
}

std::optional<Diagnosis> waits_for_children(const Trace& trace, const Findings& findings) {
  constexpr double least = 0.15;
  const Together all = together(trace, findings);
  if (all.threads < 2) return std::nullopt;
  const auto waits = idle_by_kind(trace);
  const Time idle = idle_of(waits, WaitKind::taskwait) + idle_of(waits, WaitKind::taskgroup) +
                    idle_of(waits, WaitKind::depend);
  if (share(idle, all.time) < least) return std::nullopt;
  Diagnosis found;
  found.id = "taskwaits";
  found.severity = Severity::warning;
  found.title = "Threads wait for tasks with nothing else to run";
  found.evidence = fmt::format("{} of the threads' time goes into taskwait and taskgroup",
                               human_share(share(idle, all.time)));
  found.threshold = fmt::format("said where it is more than {}", human_share(least));
  found.remedy =
      "name what a task needs in depend clauses in place of waiting for all children, so that "
      "later tasks can start";
  found.gain = share(idle, all.time);
  found.gain_how = "that waiting, at most";
  return found;
}

}  // namespace lares::trace
