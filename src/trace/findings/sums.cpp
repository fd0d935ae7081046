#include "trace/findings/sums.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace lares::trace {
namespace {

void add(Sums& sums, const Grain& grain) {
  const auto kind = static_cast<std::size_t>(grain.locality);
  const bool is_new = !grain.has(grain_flag::goes_on);
  sums.grains += is_new ? 1U : 0U;
  sums.grains_by[kind] += is_new ? 1U : 0U;
  sums.time += grain.self;
  sums.time_by[kind] += grain.self;
  if (is_new) sums.bytes_by[kind] += grain.bytes;
}

/// Grains of a construct that name data, remote ones and others.
struct Sides {
  struct Side {
    std::uint64_t grains = 0;
    Time time = 0;
    std::uint64_t bytes = 0;

    void add(const Grain& grain) {
      ++grains;
      time += grain.self;
      bytes += grain.bytes;
    }
    [[nodiscard]] double mean(bool by_bytes) const {
      return static_cast<double>(time) / static_cast<double>(by_bytes ? bytes : grains);
    }
  };
  Side near;
  Side far;

  void add(const Grain& grain) {
    if (!grain.has(grain_flag::has_data)) return;
    (grain.locality == Locality::remote ? far : near).add(grain);
  }
  [[nodiscard]] double inflation(bool trusts_lengths) const {
    constexpr std::uint64_t few = 10;
    if (near.grains < few || far.grains < few || near.time == 0) return 0;
    const bool by_bytes = trusts_lengths && near.bytes > 0 && far.bytes > 0;
    return far.mean(by_bytes) / near.mean(by_bytes);
  }
};

/// What is gathered of a construct before it becomes a row.
struct Gathered {
  ConstructRow row;
  Sides sides;
  std::vector<Time> times;
};

void gather(Gathered& gathered, const Grain& grain) {
  add(gathered.row.sums, grain);
  gathered.sides.add(grain);
  gathered.times.push_back(grain.self);
  gathered.row.create += grain.create_cost;
  if (grain.stolen_from != no_domain) ++gathered.row.stolen;
  if (grain.has(grain_flag::has_data)) ++gathered.row.with_home;
}

ConstructRow finished(Gathered& gathered, bool trusts_lengths) {
  std::vector<Time>& times = gathered.times;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  gathered.row.median = *middle;
  const auto [shortest, longest] = std::minmax_element(times.begin(), times.end());
  gathered.row.shortest = *shortest;
  gathered.row.longest = *longest;
  gathered.row.inflation = gathered.sides.inflation(trusts_lengths);
  return gathered.row;
}

void add_constructs(const Trace& trace, Findings& findings) {
  std::vector<Gathered> of(trace.constructs.size() + 1);  // the last: not known
  for (const Grain& grain : trace.grains) {
    const std::size_t at = grain.construct == none ? trace.constructs.size() : grain.construct;
    gather(of[at], grain);
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].times.empty()) continue;
    of[i].row.construct = i == trace.constructs.size() ? none : static_cast<Index>(i);
    findings.constructs.push_back(finished(of[i], !trace.estimates_lengths));
  }
  std::sort(findings.constructs.begin(), findings.constructs.end(),
            [](const ConstructRow& a, const ConstructRow& b) {
              return std::pair(b.sums.time, a.construct) < std::pair(a.sums.time, b.construct);
            });
}

void add_matrix(const Trace& trace, Findings& findings) {
  const std::size_t size = trace.domains;
  findings.bytes.assign(size * size, 0);
  findings.written.assign(size * size, 0);
  findings.grains.assign(size * size, 0);
  for (const Grain& grain : trace.grains) {
    if (grain.domain >= size || grain.has(grain_flag::goes_on)) continue;
    if (grain.home < size) ++findings.grains[grain.home * size + grain.domain];
    for_each_home(trace, grain, [&](const Access& access) {
      if (access.home >= size) return;
      const std::size_t cell = access.home * size + grain.domain;
      findings.bytes[cell] += access.bytes;
      if (access.writes) findings.written[cell] += access.bytes;
    });
  }
}

void add_threads(const Trace& trace, Findings& findings) {
  findings.threads.resize(trace.threads.size());
  for (Index t = 0; t < trace.threads.size(); ++t) findings.threads[t].thread = t;
  for (const Grain& grain : trace.grains) {
    findings.threads[grain.thread].work += grain.self;
    if (grain.created_on < trace.threads.size()) {
      findings.threads[grain.created_on].create += grain.create_cost;
    }
  }
  for (const Wait& wait : trace.waits) findings.threads[wait.thread].idle += wait.idle;
  const std::vector<Time> inside = time_in_regions(trace);
  for (ThreadRow& row : findings.threads) {
    const Time known = row.work + row.create + row.idle;
    row.other = inside[row.thread] > known ? inside[row.thread] - known : 0;
    findings.work += row.work;
    findings.creation += row.create;
    findings.idle += row.idle;
  }
}

void add_domains(const Trace& trace, Findings& findings) {
  findings.domains.resize(trace.domains);
  for (std::size_t d = 0; d < trace.domains; ++d) {
    findings.domains[d].domain = static_cast<std::uint16_t>(d);
  }
  for (const Grain& grain : trace.grains) {
    if (grain.domain < trace.domains) add(findings.domains[grain.domain].sums, grain);
  }
  for (std::size_t t = 0; t < trace.threads.size(); ++t) {
    const std::uint16_t domain = trace.threads[t].domain;
    if (domain >= trace.domains) continue;
    ++findings.domains[domain].threads;
    findings.domains[domain].idle += findings.threads[t].idle;
  }
}

// Of regions that are in no other, which may overlap where a program has several masters.
Time wall_in_regions(const Trace& trace) {
  Time sum = 0;
  Time until = 0;
  for (const Region& region : trace.regions) {
    const Time begin = std::max(until, region.begin);
    if (region.end > begin) sum += region.end - begin;
    until = std::max(until, region.end);
  }
  return sum;
}

}  // namespace

// Every thread waits at a region's end: from the region's begin until then it is in it. Of inner
// regions the outer one has the time.
std::vector<Time> time_in_regions(const Trace& trace) {
  std::vector<Time> inside(trace.threads.size());
  for (const Wait& wait : trace.waits) {
    if (wait.kind != WaitKind::region_end || wait.region >= trace.regions.size()) continue;
    const Region& region = trace.regions[wait.region];
    if (region.outer == none && wait.end > region.begin) {
      inside[wait.thread] += wait.end - region.begin;
    }
  }
  return inside;
}

void add_sums(const Trace& trace, Findings& findings) {
  for (const Grain& grain : trace.grains) add(findings.all, grain);
  add_constructs(trace, findings);
  add_matrix(trace, findings);
  add_threads(trace, findings);
  add_domains(trace, findings);
  findings.in_regions = wall_in_regions(trace);
}

void add_lengths(const Trace& trace, Findings& findings) {
  std::map<std::uint32_t, LengthBin> bins;
  for (const Grain& grain : trace.grains) {
    const auto log2 = static_cast<std::uint32_t>(std::bit_width(std::max<Time>(grain.self, 1)) - 1);
    LengthBin& bin = bins[log2];
    bin.log2 = log2;
    ++bin.grains_by[static_cast<std::size_t>(grain.locality)];
    bin.time_by[static_cast<std::size_t>(grain.locality)] += grain.self;
  }
  if (bins.empty()) return;
  // Those between, too: a picture has them.
  for (std::uint32_t i = bins.begin()->first; i <= bins.rbegin()->first; ++i) {
    LengthBin bin = bins[i];
    bin.log2 = i;
    findings.lengths.push_back(bin);
  }
}

}  // namespace lares::trace
