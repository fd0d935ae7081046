// Where work runs, and where its data is.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "trace/findings/diagnoses/diagnoses.hpp"
#include "trace/findings/sums.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace {

/// Own time of grains whose home is known, by where they ran.
struct ByHome {
  Time near = 0;
  Time far = 0;

  [[nodiscard]] double far_share() const {
    return near + far == 0 ? 0 : static_cast<double>(far) / static_cast<double>(near + far);
  }
};

ByHome by_home(const Trace& trace) {
  ByHome sum;
  for (const Grain& grain : trace.grains) {
    if (!grain.has(grain_flag::has_data)) continue;
    (grain.locality == Locality::remote ? sum.far : sum.near) += grain.self;
  }
  return sum;
}

std::vector<Index> far_examples(const Trace& trace) {
  std::vector<Index> worst;
  for (Index i = 0; i < trace.grains.size(); ++i) {
    const Grain& grain = trace.grains[i];
    if (grain.has(grain_flag::has_data) && grain.locality == Locality::remote) worst.push_back(i);
  }
  const std::size_t count = std::min<std::size_t>(5, worst.size());
  std::partial_sort(
      worst.begin(), worst.begin() + static_cast<std::ptrdiff_t>(count), worst.end(),
      [&trace](Index a, Index b) { return trace.grains[a].self > trace.grains[b].self; });
  worst.resize(count);
  return worst;
}

// Time that far grains would save if they took as long as near ones.
Time saved_at_home(const Findings& findings) {
  double sum = 0;
  for (const ConstructRow& row : findings.constructs) {
    if (row.inflation <= 1) continue;
    const auto far =
        static_cast<double>(row.sums.time_by[static_cast<std::size_t>(Locality::remote)]);
    sum += far * (1 - 1 / row.inflation);
  }
  return static_cast<Time>(sum);
}

}  // namespace

std::optional<Diagnosis> far_from_data(const Trace& trace, const Findings& findings) {
  constexpr double least = 0.25;
  const auto domains = static_cast<double>(trace.domains);
  const ByHome time = by_home(trace);
  const Together all = together(trace, findings);
  if (trace.domains < 2 || time.near + time.far == 0) return std::nullopt;
  const double by_chance = (domains - 1) / domains;
  if (time.far_share() < least || time.far_share() < 0.4 * by_chance) return std::nullopt;
  Diagnosis found;
  found.id = "far-from-data";
  found.severity = Severity::problem;
  found.title = "Work runs far from its data";
  found.grains = far_examples(trace);
  if (!found.grains.empty()) found.construct = trace.grains[found.grains.front()].construct;
  found.evidence = fmt::format(
      "{} of the time of grains whose data's home is known is spent in another domain; threads "
      "that take what comes would have {}",
      human_share(time.far_share()), human_share(by_chance));
  for (const ConstructRow& row : findings.constructs) {
    if (row.inflation <= 1.1) continue;
    found.evidence += fmt::format("; grains of {} take {:.2f} times as long there",
                                  place_of(trace, row.construct), row.inflation);
    break;
  }
  found.threshold =
      fmt::format("said where it is more than {}, and more than four tenths of what chance gives",
                  human_share(least));
  const bool follows_data = trace.about.policy != "central" && trace.about.policy != "stock-like";
  found.remedy = follows_data
                     ? "compare policies: lares run --policy push=most-bytes,steal=break-even, "
                       "and lares simulate on this trace; or let the data follow: lares run "
                       "--placement follow"
                     : "lares run --policy auto";
  found.gain = static_cast<double>(saved_at_home(findings)) /
               static_cast<double>(std::max<Time>(1, all.time));
  found.gain_how = found.gain > 0 ? "far grains as long as near ones of the same construct"
                                  : "not known: too few grains of each kind to compare";
  return found;
}

std::optional<Diagnosis> data_in_one_domain(const Trace& trace, const Findings& findings) {
  constexpr double least = 0.8;
  if (trace.domains < 2) return std::nullopt;
  std::vector<std::uint64_t> grains(trace.domains);
  std::uint64_t sum = 0;
  for (std::size_t from = 0; from < trace.domains; ++from) {
    for (std::size_t to = 0; to < trace.domains; ++to) {
      grains[from] += findings.grains[from * trace.domains + to];
    }
    sum += grains[from];
  }
  const auto most = std::max_element(grains.begin(), grains.end());
  // Where data is named; the turn of a task or its part of a loop is no place of data.
  const auto named =
      std::count_if(trace.grains.begin(), trace.grains.end(), [](const Grain& grain) {
        return grain.has(grain_flag::has_data) && grain.located == runtime::Located::data;
      });
  const auto names = static_cast<std::uint64_t>(named);
  if (names < 20 || 2 * names < sum) return std::nullopt;
  const double share = static_cast<double>(*most) / static_cast<double>(sum);
  if (share < least) return std::nullopt;
  Diagnosis found;
  found.id = "data-in-one-domain";
  found.severity = Severity::problem;
  found.title = "Nearly all data lies in one domain";
  found.evidence = fmt::format("the data of {} of {} grains is at home in domain {} of {}",
                               human_share(share), sum, most - grains.begin(), trace.domains);
  found.threshold = fmt::format("said where one domain has more than {}", human_share(least));
  found.remedy =
      "initialise in parallel, with the threads that use it later (first touch); or without a "
      "change: lares run --placement next-touch or --placement interleave";
  found.gain = 0;
  found.gain_how = "not known from a trace; lares simulate predicts it";
  return found;
}

std::optional<Diagnosis> false_homes(const Trace& trace, const Findings& findings) {
  constexpr double most = 0.8;
  constexpr double least_time = 0.1;
  const ConstructRow* worst = nullptr;
  for (const ConstructRow& row : findings.constructs) {
    const bool matters =
        static_cast<double>(row.sums.time) > least_time * static_cast<double>(findings.work);
    if (matters && row.inflation > 0 && row.inflation < most) {
      if (worst == nullptr || row.inflation < worst->inflation) worst = &row;
    }
  }
  if (worst == nullptr || trace.domains < 2) return std::nullopt;
  Diagnosis found;
  found.id = "false-homes";
  found.severity = Severity::warning;
  found.title = "A construct's homes seem to be wrong";
  found.construct = worst->construct;
  found.evidence = fmt::format(
      "grains of {} that ran where their home is took {:.2f} times as long as those "
      "that ran elsewhere",
      place_of(trace, worst->construct), 1 / worst->inflation);
  found.threshold = fmt::format(
      "said of constructs with more than {} of the work whose far grains need less than {} of the "
      "near ones' time",
      human_share(least_time), human_share(most));
  found.remedy =
      "look at lares run --explain: what locates the data; name it in an affinity clause, or try "
      "--policy stock-like";
  found.gain_how = "not known";
  return found;
}

// A construct's grains take longer when more threads run: the more so the less they compute.
std::optional<Diagnosis> saturated_memory(const Trace& trace, const Findings& findings) {
  constexpr double least_growth = 1.5;
  constexpr std::uint64_t few = 30;
  const Together all = together(trace, findings);
  if (all.threads < 2 || findings.slice == 0 || findings.constructs.empty()) return std::nullopt;
  struct Side {
    std::uint64_t grains = 0;
    Time time = 0;
  };
  const auto threads = static_cast<double>(all.threads);
  for (const ConstructRow& row : findings.constructs) {
    if (row.sums.time * 4 < findings.work) break;  // of little work
    Side alone;
    Side crowded;
    for (const Grain& grain : trace.grains) {
      if (grain.construct != row.construct) continue;
      const std::size_t slice =
          std::min<std::size_t>(grain.begin / findings.slice, findings.parallelism.size() - 1);
      const double running = findings.parallelism[slice].running;
      Side* const side = running <= 0.5 * threads + 0.1 ? &alone
                         : running > 0.85 * threads     ? &crowded
                                                        : nullptr;
      if (side == nullptr) continue;
      ++side->grains;
      side->time += grain.self;
    }
    if (alone.grains < few || crowded.grains < few || alone.time == 0) continue;
    const double growth = static_cast<double>(crowded.time) / static_cast<double>(crowded.grains) /
                          (static_cast<double>(alone.time) / static_cast<double>(alone.grains));
    if (growth < least_growth) continue;
    Diagnosis found;
    found.id = "saturated";
    found.severity = Severity::warning;
    found.title = "Work slows down when all threads run";
    found.construct = row.construct;
    found.evidence = fmt::format(
        "grains of {} take {:.2f} times as long while more than 85 % of the threads run as while "
        "half of them do or fewer: the memory, a cache or a shared core feeds no more",
        place_of(trace, row.construct), growth);
    found.threshold = fmt::format(
        "said from {:.1f} times on, of constructs with a quarter of the "
        "work",
        least_growth);
    found.remedy =
        "try fewer threads (OMP_NUM_THREADS), threads spread over the domains "
        "(OMP_PROC_BIND=spread), or lares run --loops numa,moldable";
    found.gain_how = "not known";
    return found;
  }
  return std::nullopt;
}

}  // namespace lares::trace
