#include "trace/findings/construct_traffic.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace lares::trace {
namespace {

/// One construct while its grains are gone through.
struct Gathering {
  ConstructTraffic traffic;
  std::set<std::pair<std::uint16_t, Index>> ran;                // domain, thread
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // begin, end
};

void add_access(Gathering& of, const Access& access, std::size_t ran_in, std::size_t domains) {
  if (access.bytes == 0) return;
  const bool known = access.home < domains;
  const std::size_t home = known ? access.home : ran_in;
  auto& matrix = access.writes ? of.traffic.written : of.traffic.read;
  matrix[ran_in * domains + home] += access.bytes;
  if (!known) of.traffic.homeless += access.bytes;
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - access.address;
  of.ranges.emplace_back(access.address, access.address + std::min(access.bytes, room));
}

std::uint64_t length_of_union(std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t covered_to = 0;
  std::uint64_t sum = 0;
  for (const auto& [begin, end] : ranges) {
    const std::uint64_t from = std::max(begin, covered_to);
    if (end > from) sum += end - from;
    covered_to = std::max(covered_to, end);
  }
  return sum;
}

Gathering empty_gathering(std::size_t domains) {
  Gathering of;
  of.traffic.read.assign(domains * domains, 0);
  of.traffic.written.assign(domains * domains, 0);
  of.traffic.busy.assign(domains, 0);
  of.traffic.threads.assign(domains, 0);
  return of;
}

Time time_of(const ConstructTraffic& traffic) {
  return std::accumulate(traffic.busy.begin(), traffic.busy.end(), Time{0});
}

}  // namespace

std::vector<ConstructTraffic> construct_traffic(const Trace& trace) {
  const std::size_t domains = trace.domains;
  std::vector<Gathering> all(trace.constructs.size() + 1, empty_gathering(domains));
  for (const Grain& grain : trace.grains) {
    if (grain.domain >= domains) continue;
    Gathering& of = all[grain.construct == none ? trace.constructs.size() : grain.construct];
    of.traffic.busy[grain.domain] += grain.self;
    of.ran.emplace(grain.domain, grain.thread);
    if (grain.has(grain_flag::goes_on)) continue;  // the first part has named them
    for (std::size_t i = 0; i < grain.accesses; ++i) {
      add_access(of, trace.accesses[grain.first_access + i], grain.domain, domains);
    }
  }
  std::vector<ConstructTraffic> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Gathering& of = all[i];
    if (of.ran.empty()) continue;
    for (const auto& [domain, thread] : of.ran) ++of.traffic.threads[domain];
    of.traffic.construct = i == trace.constructs.size() ? none : static_cast<Index>(i);
    of.traffic.distinct = length_of_union(of.ranges);
    found.push_back(std::move(of.traffic));
  }
  std::sort(found.begin(), found.end(), [](const ConstructTraffic& a, const ConstructTraffic& b) {
    return std::pair(time_of(b), a.construct) < std::pair(time_of(a), b.construct);
  });
  return found;
}

}  // namespace lares::trace
