#include "machine/build.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "machine/distances.hpp"

namespace lares::machine {
namespace {

constexpr Level selectable[] = {Level::numa, Level::package, Level::l3, Level::l2, Level::group};

/// A survey together with what follows from it.
struct Plan {
  const Survey& survey;
  std::vector<std::size_t> homes;  // by core, index of a survey node
  Level level = Level::numa;
  std::vector<SharedSet> parts;  // the domains with cores
};

Level default_level(const Survey& survey, const std::vector<std::size_t>& homes) {
  for (const Level level : {Level::numa, Level::l3, Level::l2}) {
    if (sets_of(survey, homes, level).size() > 1) return level;
  }
  return Level::numa;
}

Error no_such_level(const Survey& survey, const std::vector<std::size_t>& homes, Level level) {
  std::string have;
  for (const Level candidate : selectable) {
    if (sets_of(survey, homes, candidate).empty()) continue;
    if (!have.empty()) have += ", ";
    have += level_name(candidate);
  }
  return {"the machine \"" + survey.name + "\" has no level " + std::string(level_name(level)) +
          ", it has " + have};
}

std::string domain_name(const Plan& plan, std::size_t part) {
  const std::string level(level_name(plan.level));
  if (plan.level != Level::numa) return level + " " + std::to_string(part);
  const std::size_t home = plan.homes[plan.parts[part].cores.front().index()];
  return level + " " + std::to_string(plan.survey.nodes[home].node.value());
}

bool is_home(const Plan& plan, std::size_t node) {
  return std::find(plan.homes.begin(), plan.homes.end(), node) != plan.homes.end();
}

/// Memory that is worth a domain of its own: no core's own, and not empty.
std::vector<std::size_t> memory_only_nodes(const Plan& plan) {
  std::vector<std::size_t> nodes;
  for (std::size_t n = 0; n < plan.survey.nodes.size(); ++n) {
    if (!is_home(plan, n) && has_memory(plan.survey, plan.survey.nodes[n])) nodes.push_back(n);
  }
  return nodes;
}

void add_domains(const Plan& plan, Machine& machine) {
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const auto& cores = plan.parts[p].cores;
    const SurveyNode& home = plan.survey.nodes[plan.homes[cores.front().index()]];
    machine.domains.push_back({cores, home.node, home.total, domain_name(plan, p)});
    for (const CoreId core : cores) machine.cores[core.index()].domain = DomainId{p};
  }
  for (const std::size_t n : memory_only_nodes(plan)) {
    const SurveyNode& node = plan.survey.nodes[n];
    machine.domains.push_back(
        {{}, node.node, node.total, "numa " + std::to_string(node.node.value())});
  }
}

void add_memory(const Plan& plan, Machine& machine) {
  for (std::size_t n = 0; n < plan.survey.nodes.size(); ++n) {
    const SurveyNode& node = plan.survey.nodes[n];
    const auto user = std::find(plan.homes.begin(), plan.homes.end(), n);
    const bool has_cores = user != plan.homes.end();
    if (!has_cores && !has_memory(plan.survey, node)) continue;
    // Descriptions name the special kinds only: what cores have as their own is ordinary memory.
    const bool ordinary = has_cores && node.kind == "unknown";
    MemoryNode entry{node.node,
                     node.total,
                     std::min(node.free, node.total),
                     ordinary ? "DRAM" : node.kind,
                     has_cores,
                     machine.domain_of(node.node)};
    if (!entry.domain.valid()) {
      entry.domain = machine.cores[static_cast<std::size_t>(user - plan.homes.begin())].domain;
    }
    machine.memory.push_back(std::move(entry));
  }
}

std::size_t node_index(const Survey& survey, OsNode node) {
  const auto found = std::find_if(survey.nodes.begin(), survey.nodes.end(),
                                  [&](const SurveyNode& n) { return n.node == node; });
  return static_cast<std::size_t>(found - survey.nodes.begin());
}

/// Replaces the made-up values between different nodes by the SLIT's. Where a node holds several
/// domains, their made-up distances stay, and those to other nodes stay above them.
void apply_slit(const Survey& survey, Machine& machine) {
  Distances& distances = machine.distances;
  bool shared_node = false;
  for (std::size_t a = 0; a < distances.size; ++a) {
    for (std::size_t b = a + 1; b < distances.size; ++b) {
      shared_node = shared_node || machine.domains[a].node == machine.domains[b].node;
    }
  }
  const std::uint32_t least = shared_node ? LevelDistances::same_node + 1 : LevelDistances::same;
  for (std::size_t from = 0; from < distances.size; ++from) {
    const std::size_t from_node = node_index(survey, machine.domains[from].node);
    for (std::size_t to = 0; to < distances.size; ++to) {
      const std::size_t to_node = node_index(survey, machine.domains[to].node);
      if (from_node == to_node) continue;
      distances.values[from * distances.size + to] =
          std::max(survey.slit_at(from_node, to_node), least);
    }
  }
  distances.source = "slit";
}

bool plausible_slit(const Survey& survey) {
  const std::size_t size = survey.nodes.size();
  if (size < 2 || survey.slit.size() != size * size) return false;
  for (std::size_t from = 0; from < size; ++from) {
    if (survey.slit_at(from, from) != LevelDistances::same) return false;
    for (std::size_t to = 0; to < size; ++to) {
      const std::uint32_t value = survey.slit_at(from, to);
      if (value < LevelDistances::same || value > max_distance) return false;
    }
  }
  return true;
}

void add_distances(const Plan& plan, Machine& machine) {
  std::vector<SharedSet> sets = plan.survey.sets;
  for (auto& set : sets_of(plan.survey, plan.homes, Level::numa)) sets.push_back(std::move(set));
  std::vector<std::vector<CoreId>> near;
  for (const Domain& domain : machine.domains) {
    near.push_back(domain.cores.empty()
                       ? plan.survey.nodes[node_index(plan.survey, domain.node)].near_cores
                       : domain.cores);
  }
  const LevelDistances by_level(sets, plan.survey.cores.size());
  machine.distances = level_distances(by_level, machine.domains, near);
  if (plausible_slit(plan.survey)) apply_slit(plan.survey, machine);
}

/// A set of cores on its way into the tree.
struct Candidate {
  Level level;
  DomainId domain;
  const std::vector<CoreId>* cores;
};

/// True if `candidate` neither holds a part of a domain nor cuts through one.
bool respects_domains(const Candidate& candidate, const std::vector<Domain>& domains,
                      const std::vector<DomainId>& domain_of) {
  std::vector<std::pair<DomainId, std::size_t>> touched;
  for (const CoreId core : *candidate.cores) {
    const DomainId domain = domain_of[core.index()];
    const auto entry = std::find_if(touched.begin(), touched.end(),
                                    [&](const auto& pair) { return pair.first == domain; });
    if (entry == touched.end()) {
      touched.emplace_back(domain, 1);
    } else {
      ++entry->second;
    }
  }
  return touched.size() == 1 || std::all_of(touched.begin(), touched.end(), [&](const auto& pair) {
           return domains[pair.first.index()].cores.size() == pair.second;
         });
}

std::vector<Candidate> tree_candidates(std::size_t core_count, const std::vector<Domain>& domains,
                                       Level level, const std::vector<SharedSet>& sets) {
  std::vector<Candidate> candidates;
  std::vector<DomainId> domain_of(core_count);
  for (std::size_t d = 0; d < domains.size(); ++d) {
    if (domains[d].cores.empty()) continue;
    candidates.push_back({level, DomainId{d}, &domains[d].cores});
    for (const CoreId core : domains[d].cores) domain_of[core.index()] = DomainId{d};
  }
  for (const SharedSet& set : sets) {
    const Candidate candidate{set.level, {}, &set.cores};
    if (set.cores.size() < 2 || !respects_domains(candidate, domains, domain_of)) continue;
    candidates.push_back(candidate);
  }
  // Widest first; of equal sets the wider level first, and a domain before what repeats it.
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(b.cores->size(), a.level, a.cores->front(), !a.domain.valid()) <
           std::tuple(a.cores->size(), b.level, b.cores->front(), !b.domain.valid());
  });
  return candidates;
}

}  // namespace

std::vector<TreeNode> build_tree(std::size_t core_count, const std::vector<Domain>& domains,
                                 Level level, const std::vector<SharedSet>& sets) {
  std::vector<TreeNode> tree(1);
  for (std::size_t c = 0; c < core_count; ++c) tree[0].cores.emplace_back(c);
  std::vector<std::int32_t> deepest(core_count, 0);  // the narrowest node so far that holds a core
  for (const Candidate& candidate : tree_candidates(core_count, domains, level, sets)) {
    const auto& cores = *candidate.cores;
    const std::int32_t parent = deepest[cores.front().index()];
    const bool crosses = std::any_of(cores.begin(), cores.end(),
                                     [&](CoreId core) { return deepest[core.index()] != parent; });
    const bool repeats = cores.size() == tree[static_cast<std::size_t>(parent)].cores.size();
    if (crosses || (repeats && !candidate.domain.valid())) continue;
    for (const CoreId core : cores) deepest[core.index()] = static_cast<std::int32_t>(tree.size());
    tree.push_back({candidate.level, parent, candidate.domain, cores});
  }
  return tree;
}

Result<Machine> build(const Survey& survey, std::optional<Level> level) {
  if (survey.cores.empty()) {
    return Error{"the machine \"" + survey.name + "\" has no core that this process may use"};
  }
  if (survey.nodes.empty()) {
    return Error{"the machine \"" + survey.name + "\" has no memory that this process may use"};
  }
  Plan plan{survey, home_nodes(survey), Level::numa, {}};
  plan.level = level ? *level : default_level(survey, plan.homes);
  plan.parts = sets_of(survey, plan.homes, plan.level);
  if (plan.parts.empty()) return no_such_level(survey, plan.homes, plan.level);

  Machine machine;
  machine.name = survey.name;
  machine.domain_level = plan.level;
  for (const auto& cpus : survey.cores) machine.cores.push_back({cpus, {}});
  add_domains(plan, machine);
  add_memory(plan, machine);
  std::vector<SharedSet> sets = survey.sets;
  for (auto& set : sets_of(survey, plan.homes, Level::numa)) sets.push_back(std::move(set));
  machine.tree = build_tree(machine.cores.size(), machine.domains, plan.level, sets);
  add_distances(plan, machine);
  if (auto verdict = validate(machine)) return *verdict;
  return machine;
}

}  // namespace lares::machine
