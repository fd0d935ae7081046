// Grains that are too small to be worth a scheduler's while, or too large to be shared out.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "trace/findings/diagnoses/diagnoses.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace {

/// By the depth at which they were created.
struct Level {
  std::uint64_t grains = 0;
  Time below = 0;  ///< own time of what has this depth or more
};

std::vector<Level> levels_of(const Trace& trace) {
  std::vector<Level> levels;
  for (const Grain& grain : trace.grains) {
    if (grain.has(grain_flag::is_chunk)) continue;
    if (grain.depth >= levels.size()) levels.resize(grain.depth + std::size_t{1});
    if (!grain.has(grain_flag::goes_on)) ++levels[grain.depth].grains;
    levels[grain.depth].below += grain.self;
  }
  for (std::size_t d = levels.size(); d-- > 1;) levels[d - 1].below += levels[d].below;
  return levels;
}

// The deepest level whose tasks, with all that they make, are worth `enough` time each, while there
// are enough of them for all threads.
std::size_t cut_off(const std::vector<Level>& levels, Time enough, std::size_t threads) {
  std::size_t best = 0;
  for (std::size_t d = 1; d < levels.size(); ++d) {
    if (levels[d].grains == 0 || levels[d].below / levels[d].grains < enough) break;
    best = d;
    if (levels[d].grains > 100 * threads) break;
  }
  return best;
}

std::vector<Index> longest_of(const Trace& trace, std::size_t count) {
  std::vector<Index> order(trace.grains.size());
  for (Index i = 0; i < order.size(); ++i) order[i] = i;
  count = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&trace](Index a, Index b) { return trace.grains[a].self > trace.grains[b].self; });
  order.resize(count);
  return order;
}

std::string finer_loop(const Trace& trace, const ConstructRow& row) {
  return row.construct != none && trace.constructs[row.construct].is_loop
             ? "give the loop larger chunks: schedule(dynamic, N) with N times more iterations"
             : "";
}

}  // namespace

std::optional<Diagnosis> too_fine(const Trace& trace, const Findings& findings) {
  constexpr double most_share = 0.15;   // of a grain's own time
  constexpr double least_share = 0.05;  // of the threads' time
  constexpr Time worth = 20;            // times what creating one costs
  const Together all = together(trace, findings);
  const ConstructRow* worst = nullptr;
  for (const ConstructRow& row : findings.constructs) {
    const bool matters =
        static_cast<double>(row.create) > least_share * static_cast<double>(all.time);
    const bool is_fine =
        static_cast<double>(row.create) > most_share * static_cast<double>(row.sums.time);
    if (matters && is_fine && (worst == nullptr || row.create > worst->create)) worst = &row;
  }
  if (worst == nullptr) return std::nullopt;
  const Time cost = worst->create / std::max<std::uint64_t>(1, worst->sums.grains);
  Diagnosis found;
  found.id = "too-fine";
  found.severity = Severity::problem;
  found.title = "Tasks are too fine";
  found.construct = worst->construct;
  found.evidence =
      fmt::format("{} tasks of {} have {} of work each (median {}), and creating one takes {}",
                  worst->sums.grains, place_of(trace, worst->construct),
                  human_time(worst->sums.time / std::max<std::uint64_t>(1, worst->sums.grains)),
                  human_time(worst->median), human_time(cost));
  found.threshold = fmt::format(
      "said where creating a construct's tasks takes more than {} of their own time and {} of all "
      "threads' time",
      human_share(most_share), human_share(least_share));
  const auto levels = levels_of(trace);
  const std::size_t level = cut_off(levels, worth * cost, all.threads);
  const std::string loop = finer_loop(trace, *worst);
  if (!loop.empty()) {
    found.remedy = loop;
  } else if (levels.size() > 3 && level + 1 < levels.size()) {
    found.remedy = fmt::format(
        "stop creating tasks below depth {}: `#pragma omp task final(depth >= {})`, or call the "
        "function directly there; a task of that depth with all below it has {} of work",
        level, level,
        human_time(levels[level].below / std::max<std::uint64_t>(1, levels[level].grains)));
  } else {
    found.remedy =
        "give each task more to do: several iterations or blocks at a time, `taskloop "
        "grainsize(N)`, or an if() clause";
  }
  found.gain =
      static_cast<double>(worst->create) / static_cast<double>(std::max<Time>(1, all.time));
  found.gain_how = "what creating these tasks took, of all threads' time in regions";
  return found;
}

namespace {

/// What of a region's time its grains make up.
struct Filling {
  Index longest = none;
  Time work = 0;
  std::uint64_t grains = 0;
};

std::vector<Filling> filling_of(const Trace& trace) {
  std::vector<Filling> regions(trace.regions.size());
  for (Index i = 0; i < trace.grains.size(); ++i) {
    const Grain& grain = trace.grains[i];
    if (grain.region == none) continue;
    Filling& filling = regions[grain.region];
    filling.work += grain.self;
    ++filling.grains;
    if (filling.longest == none || grain.self > trace.grains[filling.longest].self) {
      filling.longest = i;
    }
  }
  return regions;
}

constexpr double most_of_region = 0.25;

/// One grain is a fair thread's whole part of its region or more, or a large one of a few.
bool is_coarse(const Trace& trace, const Region& region, const Filling& filling,
               std::size_t threads) {
  if (filling.longest == none) return false;
  const auto longest = static_cast<double>(trace.grains[filling.longest].self);
  const double part = static_cast<double>(filling.work) / static_cast<double>(threads);
  const bool is_long = longest > most_of_region * static_cast<double>(region.end - region.begin) &&
                       longest > most_of_region * part;
  return is_long && (filling.grains < 3 * threads || longest >= part);
}

/// The regions with that fault, together.
struct CoarseRegions {
  std::size_t count = 0;
  std::size_t worst = 0;  ///< that with the longest grain
  double lost = 0;        ///< threads' time in them without work
};

CoarseRegions coarse_regions(const Trace& trace, const std::vector<Filling>& fillings,
                             std::size_t threads) {
  CoarseRegions found;
  for (std::size_t i = 0; i < fillings.size(); ++i) {
    const Region& region = trace.regions[i];
    if (!is_coarse(trace, region, fillings[i], threads)) continue;
    const double time =
        static_cast<double>(region.end - region.begin) * static_cast<double>(threads);
    found.lost += std::max(0.0, time - static_cast<double>(fillings[i].work));
    const auto self = [&](std::size_t at) { return trace.grains[fillings[at].longest].self; };
    if (found.count++ == 0 || self(i) > self(found.worst)) found.worst = i;
  }
  return found;
}

}  // namespace

std::optional<Diagnosis> too_coarse(const Trace& trace, const Findings& findings) {
  constexpr double least_idle = 0.1;
  const Together all = together(trace, findings);
  if (all.threads < 2 || trace.grains.empty() || findings.in_regions == 0) return std::nullopt;
  const double idle = static_cast<double>(findings.idle) / static_cast<double>(all.time);
  const std::vector<Filling> fillings = filling_of(trace);
  const CoarseRegions coarse = coarse_regions(trace, fillings, all.threads);
  // One of many regions may have had a grain that was kept from its core.
  const double lost = std::min(idle, coarse.lost / static_cast<double>(all.time));
  if (coarse.count == 0 || lost < least_idle) return std::nullopt;
  const Region& region = trace.regions[coarse.worst];
  const Filling& filling = fillings[coarse.worst];
  const Grain& worst = trace.grains[filling.longest];
  Diagnosis found;
  found.id = "too-coarse";
  found.severity = Severity::problem;
  found.title = "Tasks are too coarse to be shared out";
  found.construct = worst.construct;
  found.from = region.begin;
  found.to = region.end;
  found.grains = longest_of(trace, 5);
  found.evidence = fmt::format(
      "one grain of {} has {} of work in a region of {}; {} grains for {} threads, which waited "
      "{} of their time; so in {} of {} regions",
      place_of(trace, worst.construct), human_time(worst.self),
      human_time(region.end - region.begin), filling.grains, all.threads, human_share(idle),
      coarse.count, trace.regions.size());
  found.threshold = fmt::format(
      "said where the longest grain takes more than {} of its region, there are fewer than three a "
      "thread or it is longer than a thread's fair part, and threads wait more than {} in such "
      "regions",
      human_share(most_of_region), human_share(least_idle));
  found.remedy =
      "split the work further: more, smaller tasks or chunks, ten or more a thread; "
      "the largest first where sizes differ";
  found.gain = lost;
  found.gain_how = "the threads' waiting in these regions, at most";
  return found;
}

}  // namespace lares::trace
