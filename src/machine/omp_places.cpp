#include "machine/omp_places.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lares::machine {
namespace {

constexpr std::array<std::pair<std::string_view, Smt>, 4> words = {{
    {"core", Smt::core},
    {"thread", Smt::thread},
    {"first", Smt::first},
    {"last", Smt::last},
}};

void add_place(std::string& places, std::span<const OsCpu> cpus) {
  places += places.empty() ? "{" : ",{";
  for (const OsCpu cpu : cpus) {
    if (places.back() != '{') places += ',';
    places += std::to_string(cpu.value());
  }
  places += '}';
}

std::size_t most_threads(const Machine& machine, std::span<const CoreId> cores) {
  std::size_t most = 0;
  for (const CoreId core : cores) most = std::max(most, machine.cores[core.index()].cpus.size());
  return most;
}

/// What each core shares, widest first, named by the first core that shares it.
std::vector<CoreId> shared_path(const Machine& machine, CoreId core) {
  std::vector<std::pair<std::size_t, CoreId>> nodes;  // size, first core
  for (const TreeNode& node : machine.tree) {
    if (std::binary_search(node.cores.begin(), node.cores.end(), core)) {
      nodes.emplace_back(node.cores.size(), node.cores.front());
    }
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CoreId> path;
  for (const auto& node : nodes) path.push_back(node.second);
  path.push_back(core);
  return path;
}

}  // namespace

Result<Smt> parse_smt(std::string_view word) {
  for (const auto& [name, smt] : words) {
    if (word == name) return smt;
  }
  return Error{"unknown way with hardware threads \"" + std::string(word) +
               "\", accepted are core, thread, first, last"};
}

std::vector<CoreId> cores_by_cache(const Machine& machine, DomainId domain) {
  std::vector<std::pair<std::vector<CoreId>, CoreId>> cores;
  for (const CoreId core : machine.domains[domain.index()].cores) {
    cores.emplace_back(shared_path(machine, core), core);
  }
  std::sort(cores.begin(), cores.end());
  std::vector<CoreId> sorted;
  for (const auto& core : cores) sorted.push_back(core.second);
  return sorted;
}

std::string omp_places(const Machine& machine, std::span<const DomainId> domains, Smt smt) {
  std::vector<CoreId> cores;
  for (const DomainId domain : domains) {
    const auto more = cores_by_cache(machine, domain);
    cores.insert(cores.end(), more.begin(), more.end());
  }
  const std::size_t rounds = smt == Smt::last ? most_threads(machine, cores) : 1;
  std::string places;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const CoreId core : cores) {
      const std::span<const OsCpu> cpus = machine.cores[core.index()].cpus;
      if (smt == Smt::core) add_place(places, cpus);
      if (smt == Smt::first) add_place(places, cpus.first(1));
      if (smt == Smt::last && round < cpus.size()) add_place(places, cpus.subspan(round, 1));
      for (std::size_t i = 0; smt == Smt::thread && i < cpus.size(); ++i) {
        add_place(places, cpus.subspan(i, 1));
      }
    }
  }
  return places;
}

}  // namespace lares::machine
