#include "machine/survey.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "machine/distances.hpp"

namespace lares::machine {
namespace {

bool holds(const std::vector<CoreId>& cores, CoreId core) {
  return std::binary_search(cores.begin(), cores.end(), core);
}

bool ordinary(const SurveyNode& node) { return node.kind == "DRAM" || node.kind == "unknown"; }

/// The node that is attached most closely to `core`, with or without memory; the number of nodes
/// if there is none.
std::size_t attached_node(const Survey& survey, CoreId core) {
  const auto rank = [&](std::size_t n) {
    const SurveyNode& node = survey.nodes[n];
    return std::tuple(!ordinary(node), !node.own_cpus, node.near_cores.size(), n);
  };
  std::size_t best = survey.nodes.size();
  for (std::size_t n = 0; n < survey.nodes.size(); ++n) {
    if (!holds(survey.nodes[n].near_cores, core)) continue;
    if (best == survey.nodes.size() || rank(n) < rank(best)) best = n;
  }
  return best;
}

/// The nearest node with memory for a core whose own node (if it has one) has none.
std::size_t nearest_node(const Survey& survey, const LevelDistances& by_level, CoreId core,
                         std::size_t own) {
  const bool has_slit = !survey.slit.empty() && own < survey.nodes.size();
  const auto rank = [&](std::size_t n) {
    const SurveyNode& node = survey.nodes[n];
    const std::uint32_t far =
        has_slit ? survey.slit_at(own, n) : by_level.to_set(core, node.near_cores);
    return std::tuple(!has_memory(survey, node), !ordinary(node), far, n);
  };
  std::vector<std::size_t> all(survey.nodes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return *std::min_element(all.begin(), all.end(),
                           [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
}

/// Groups nest; those that make domains are the outermost of which there are several.
int group_depth(const Survey& survey) {
  std::map<int, int> count;
  for (const SharedSet& set : survey.sets) {
    if (set.level == Level::group) ++count[set.depth];
  }
  for (const auto& [depth, groups] : count) {
    if (groups > 1) return depth;
  }
  return count.empty() ? 0 : count.begin()->first;
}

std::vector<SharedSet> numa_sets(const std::vector<std::size_t>& homes) {
  std::map<std::size_t, std::vector<CoreId>> members;
  for (std::size_t c = 0; c < homes.size(); ++c) members[homes[c]].emplace_back(c);
  std::vector<SharedSet> sets;
  for (auto& [node, cores] : members) sets.push_back({Level::numa, 0, std::move(cores)});
  return sets;
}

/// The narrowest set wider than `level` that holds `core`, as a number; -1 for the whole machine.
std::ptrdiff_t wider_set(const Survey& survey, Level level, CoreId core) {
  std::ptrdiff_t best = -1;
  for (std::size_t s = 0; s < survey.sets.size(); ++s) {
    const SharedSet& set = survey.sets[s];
    if (set.level >= level || !holds(set.cores, core)) continue;
    if (best < 0 || set.cores.size() < survey.sets[static_cast<std::size_t>(best)].cores.size()) {
      best = static_cast<std::ptrdiff_t>(s);
    }
  }
  return best;
}

void add_leftovers(const Survey& survey, Level level, std::vector<SharedSet>& sets) {
  std::vector<bool> covered(survey.cores.size(), false);
  for (const SharedSet& set : sets) {
    for (const CoreId core : set.cores) covered[core.index()] = true;
  }
  std::map<std::ptrdiff_t, std::vector<CoreId>> leftovers;
  for (std::size_t c = 0; c < covered.size(); ++c) {
    if (!covered[c]) leftovers[wider_set(survey, level, CoreId{c})].emplace_back(c);
  }
  for (auto& [wider, cores] : leftovers) sets.push_back({level, 0, std::move(cores)});
}

}  // namespace

void guess_kinds(Survey& survey) {
  std::uint64_t usual = 0;
  for (const SurveyNode& node : survey.nodes) {
    if (node.own_cpus && ordinary(node)) usual = std::max(usual, node.bandwidth);
  }
  if (usual == 0) return;
  for (SurveyNode& node : survey.nodes) {
    if (node.own_cpus || node.kind != "unknown" || node.bandwidth == 0) continue;
    if (node.bandwidth >= usual + usual / 2) node.kind = "HBM";
    if (node.bandwidth <= usual - usual / 3) node.kind = "CXL";
  }
}

bool has_memory(const Survey& survey, const SurveyNode& node) {
  return node.total.count > 0 ||
         std::all_of(survey.nodes.begin(), survey.nodes.end(),
                     [](const SurveyNode& n) { return n.total.count == 0; });
}

std::vector<std::size_t> home_nodes(const Survey& survey) {
  const LevelDistances by_level(survey.sets, survey.cores.size());
  std::vector<std::size_t> homes(survey.cores.size());
  for (std::size_t c = 0; c < homes.size(); ++c) {
    homes[c] = attached_node(survey, CoreId{c});
    const bool attached = homes[c] < survey.nodes.size();
    if (attached && has_memory(survey, survey.nodes[homes[c]])) continue;
    homes[c] = nearest_node(survey, by_level, CoreId{c}, homes[c]);
  }
  return homes;
}

std::vector<SharedSet> sets_of(const Survey& survey, const std::vector<std::size_t>& homes,
                               Level level) {
  std::vector<SharedSet> sets;
  if (level == Level::numa) {
    sets = numa_sets(homes);
  } else {
    const int depth = group_depth(survey);
    std::copy_if(survey.sets.begin(), survey.sets.end(), std::back_inserter(sets),
                 [&](const SharedSet& set) {
                   return set.level == level && (level != Level::group || set.depth == depth);
                 });
    if (!sets.empty()) add_leftovers(survey, level, sets);
  }
  std::sort(sets.begin(), sets.end(), [](const SharedSet& a, const SharedSet& b) {
    return a.cores.front() < b.cores.front();
  });
  return sets;
}

}  // namespace lares::machine
