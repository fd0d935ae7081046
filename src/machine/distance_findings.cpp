#include "machine/distance_findings.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace lares::machine {
namespace {

/// The part of a matrix that is compared; 0 is unknown.
struct View {
  const std::vector<std::uint32_t>& values;
  std::size_t width;
  std::size_t size;

  [[nodiscard]] std::uint32_t at(std::size_t from, std::size_t to) const {
    return values.empty() ? 0 : values[from * width + to];
  }
};

bool notable(std::uint32_t more, std::uint32_t less) {
  return static_cast<double>(more) >= notable_ratio * static_cast<double>(less);
}

double ratio(std::uint32_t more, std::uint32_t less) {
  return static_cast<double>(more) / static_cast<double>(less);
}

void note_pair(HiddenSpread& spread, std::size_t from, std::size_t to, std::uint32_t measured) {
  if (spread.pairs == 0 || measured < spread.least) {
    spread.least = measured;
    spread.least_from = DomainId{from};
    spread.least_to = DomainId{to};
  }
  if (spread.pairs == 0 || measured > spread.most) {
    spread.most = measured;
    spread.most_from = DomainId{from};
    spread.most_to = DomainId{to};
  }
  ++spread.pairs;
}

std::vector<HiddenSpread> find_hidden(const View& slit, const View& measured) {
  std::map<std::uint32_t, HiddenSpread> by_value;
  for (std::size_t from = 0; from < slit.size; ++from) {
    for (std::size_t to = 0; to < slit.size; ++to) {
      if (from == to || slit.at(from, to) == 0 || measured.at(from, to) == 0) continue;
      HiddenSpread& spread = by_value[slit.at(from, to)];
      spread.slit = slit.at(from, to);
      note_pair(spread, from, to, measured.at(from, to));
    }
  }
  std::vector<HiddenSpread> hidden;
  for (const auto& [value, spread] : by_value) {
    if (notable(spread.most, spread.least)) hidden.push_back(spread);
  }
  std::sort(hidden.begin(), hidden.end(), [](const HiddenSpread& a, const HiddenSpread& b) {
    return std::pair(-ratio(a.most, a.least), a.slit) < std::pair(-ratio(b.most, b.least), b.slit);
  });
  return hidden;
}

std::vector<Asymmetry> find_asymmetric(const View& measured) {
  std::vector<Asymmetry> found;
  for (std::size_t a = 0; a < measured.size; ++a) {
    for (std::size_t b = 0; b < measured.size; ++b) {
      const std::uint32_t there = measured.at(a, b);
      const std::uint32_t back = measured.at(b, a);
      if (a == b || back == 0 || there <= back || !notable(there, back)) continue;
      found.push_back({DomainId{a}, DomainId{b}, there, back});
    }
  }
  std::sort(found.begin(), found.end(), [](const Asymmetry& a, const Asymmetry& b) {
    return std::tuple(-ratio(a.there, a.back), a.from, a.to) <
           std::tuple(-ratio(b.there, b.back), b.from, b.to);
  });
  return found;
}

std::vector<NearerStranger> find_strangers(const View& measured) {
  std::vector<NearerStranger> found;
  for (std::size_t d = 0; d < measured.size; ++d) {
    const std::uint32_t own = measured.at(d, d);
    NearerStranger nearest{DomainId{d}, {}, own, own};
    for (std::size_t other = 0; other < measured.size; ++other) {
      const std::uint32_t distance = measured.at(d, other);
      if (distance == 0 || distance >= nearest.other) continue;
      nearest.stranger = DomainId{other};
      nearest.other = distance;
    }
    if (nearest.stranger.valid() && notable(own, nearest.other)) found.push_back(nearest);
  }
  return found;
}

/// A step of a minimal tree, with the sum of both directions; unknown directions count double.
struct Step {
  std::size_t a, b;
  std::uint32_t sum;
};

std::uint32_t both_ways(const View& view, std::size_t a, std::size_t b) {
  const std::uint32_t there = view.at(a, b);
  const std::uint32_t back = view.at(b, a);
  if (there == 0 && back == 0) return std::numeric_limits<std::uint32_t>::max();
  return (there == 0 ? back : there) + (back == 0 ? there : back);
}

/// Kruskal's sets.
class Sets {
 public:
  explicit Sets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  [[nodiscard]] std::size_t root(std::size_t v) const {
    while (parent_[v] != v) v = parent_[v];
    return v;
  }
  bool join(std::size_t a, std::size_t b) {
    const std::size_t low = std::min(root(a), root(b));
    const std::size_t high = std::max(root(a), root(b));
    parent_[high] = low;
    return low != high;
  }

 private:
  std::vector<std::size_t> parent_;
};

std::vector<Step> minimal_tree(const View& view) {
  std::vector<Step> all;
  for (std::size_t a = 0; a < view.size; ++a) {
    for (std::size_t b = 0; b < a; ++b) all.push_back({b, a, both_ways(view, a, b)});
  }
  std::sort(all.begin(), all.end(), [](const Step& x, const Step& y) {
    return std::tuple(x.sum, x.b, x.a) < std::tuple(y.sum, y.b, y.a);
  });
  Sets sets(view.size);
  std::vector<Step> tree;
  for (const Step& step : all) {
    if (sets.join(step.a, step.b)) tree.push_back(step);
  }
  return tree;
}

std::vector<std::vector<DomainId>> joined(const std::vector<Step>& tree, std::size_t steps,
                                          std::size_t size) {
  Sets sets(size);
  for (std::size_t i = 0; i < steps; ++i) sets.join(tree[i].a, tree[i].b);
  std::map<std::size_t, std::vector<DomainId>> members;
  for (std::size_t v = 0; v < size; ++v) members[sets.root(v)].emplace_back(v);
  std::vector<std::vector<DomainId>> groups;
  for (auto& [root, list] : members) groups.push_back(std::move(list));
  return groups;
}

DistanceGroups find_groups(const View& view) {
  DistanceGroups result;
  if (view.values.empty() || view.size < 3) return result;
  const std::vector<Step> tree = minimal_tree(view);
  std::size_t cut = 0;
  double widest = notable_ratio;
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const double gap = ratio(tree[i].sum, tree[i - 1].sum);
    if (gap <= widest) continue;
    widest = gap;
    cut = i;
  }
  if (cut == 0) return result;
  result.groups = joined(tree, cut, view.size);
  result.inside = tree[cut - 1].sum / 2.0;
  result.between = tree[cut].sum / 2.0;
  return result;
}

}  // namespace

std::vector<std::uint32_t> distances_by_bandwidth(std::span<const std::uint32_t> bandwidth,
                                                  std::size_t size) {
  if (bandwidth.size() != size * size || size == 0 || bandwidth[0] == 0) return {};
  std::vector<std::uint32_t> distances;
  for (const std::uint32_t value : bandwidth) {
    const std::uint64_t scaled =
        value == 0 ? 0 : (std::uint64_t{20} * bandwidth[0] / value + 1) / 2;
    const std::uint64_t distance =
        value == 0 ? 0 : std::clamp<std::uint64_t>(scaled, 1, max_distance);
    distances.push_back(static_cast<std::uint32_t>(distance));
  }
  return distances;
}

DistanceKinds distance_kinds(const Machine& machine, const Measurements& measurements) {
  const Distances& known = machine.distances;
  DistanceKinds kinds;
  kinds.slit = known.source == "slit" ? known.values : measurements.slit;
  kinds.measured = known.source == "measured"
                       ? known.values
                       : distances_by_bandwidth(machine.performance.bandwidth_mb_s, known.size);
  return kinds;
}

DistanceFindings find_in_distances(const DistanceKinds& kinds, std::size_t width,
                                   std::size_t size) {
  const View slit{kinds.slit, width, size};
  const View measured{kinds.measured, width, size};
  DistanceFindings findings;
  findings.hidden = find_hidden(slit, measured);
  findings.asymmetric = find_asymmetric(measured);
  findings.strangers = find_strangers(measured);
  findings.groups = find_groups(measured);
  findings.groups.in_slit =
      !findings.groups.groups.empty() && find_groups(slit).groups == findings.groups.groups;
  return findings;
}

}  // namespace lares::machine
