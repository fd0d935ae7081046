#include "trace/homes.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lares::trace {
namespace {

class HomesInTime {
 public:
  explicit HomesInTime(Trace& trace)
      : trace_(trace), by_last_writer_(trace.about.level != "numa" && !trace.about.level.empty()) {}

  void see(Grain& grain) {
    for (std::size_t i = 0; i < grain.accesses; ++i) find(trace_.accesses[grain.first_access + i]);
    if (grain.home == no_domain && !grain.has(grain_flag::goes_on)) locate(grain);
    for (std::size_t i = 0; i < grain.accesses; ++i) {
      touch(trace_.accesses[grain.first_access + i], grain.domain);
    }
  }

 private:
  void find(Access& access) const {
    if (access.home != no_domain && !by_last_writer_) return;
    const auto at = homes_.find(access.address);
    if (at != homes_.end()) access.home = at->second;
  }

  void touch(const Access& access, std::uint16_t domain) {
    if (domain == no_domain || !access.writes) return;
    if (by_last_writer_) {
      homes_[access.address] = domain;
    } else {
      homes_.try_emplace(access.address, domain);
    }
  }

  // The domain of most of its bytes; where lengths are not known each counts alike.
  void locate(Grain& grain) const {
    std::vector<std::pair<std::uint16_t, std::uint64_t>> sums;
    for (std::size_t i = 0; i < grain.accesses; ++i) {
      const Access& access = trace_.accesses[grain.first_access + i];
      if (access.home == no_domain) continue;
      const auto at = std::find_if(sums.begin(), sums.end(),
                                   [&](const auto& sum) { return sum.first == access.home; });
      const std::uint64_t weight = std::max<std::uint64_t>(1, access.bytes);
      if (at == sums.end()) {
        sums.emplace_back(access.home, weight);
      } else {
        at->second += weight;
      }
    }
    if (sums.empty()) return;
    grain.home = std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->first;
    grain.located = runtime::Located::data;
    grain.flags |= grain_flag::has_data;
    grain.locality = grain.home == grain.domain ? Locality::local : Locality::remote;
  }

  Trace& trace_;
  bool by_last_writer_;
  std::unordered_map<std::uint64_t, std::uint16_t> homes_;
};

}  // namespace

void complete_homes(Trace& trace) {
  if (trace.accesses.empty()) return;
  std::vector<Index> order(trace.grains.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&trace](Index a, Index b) {
    return std::pair(trace.grains[a].begin, a) < std::pair(trace.grains[b].begin, b);
  });
  HomesInTime homes(trace);
  for (const Index grain : order) homes.see(trace.grains[grain]);
}

}  // namespace lares::trace
