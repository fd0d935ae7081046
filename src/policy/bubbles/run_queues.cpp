#include "policy/bubbles/run_queues.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace lares::policy {

using machine::Level;
using machine::Machine;

namespace {

// The SLIT's values for "here" and for "somewhere else, nothing more is known".
constexpr std::uint32_t here_distance = 10;
constexpr std::uint32_t elsewhere_distance = 20;

/// Cores that share something, before it is known which others are around them.
struct SharedLevel {
  Level level = Level::machine;
  std::vector<CoreId> cores;
  std::size_t number = 0;
};

std::vector<bool> usable_cores(const Machine& machine, std::span<const CoreId> usable) {
  std::vector<bool> is_usable(machine.cores.size(), false);
  for (const CoreId core : usable) {
    if (core.valid() && core.index() < is_usable.size()) is_usable[core.index()] = true;
  }
  if (std::ranges::find(is_usable, true) == is_usable.end()) is_usable.flip();
  return is_usable;
}

std::vector<CoreId> only(std::vector<CoreId> cores, const std::vector<bool>& is_usable) {
  std::erase_if(cores, [&](CoreId core) { return !is_usable[core.index()]; });
  return cores;
}

/// All levels with several usable cores, widest first. Domains are among them even if the tree
/// leaves them out.
std::vector<SharedLevel> levels_of(const Machine& machine, const std::vector<bool>& is_usable) {
  std::vector<SharedLevel> levels;
  const auto add = [&](Level level, const std::vector<CoreId>& cores) {
    levels.push_back({level, only(cores, is_usable), levels.size()});
    if (levels.back().cores.size() < 2) levels.pop_back();
  };
  for (std::size_t i = 1; i < machine.tree.size(); ++i) {
    add(machine.tree[i].level, machine.tree[i].cores);
  }
  for (const machine::Domain& domain : machine.domains) add(machine.domain_level, domain.cores);
  std::ranges::sort(levels, [](const SharedLevel& a, const SharedLevel& b) {
    return std::pair(b.cores.size(), a.number) < std::pair(a.cores.size(), b.number);
  });
  return levels;
}

machine::Distances distances_of(const Machine& machine) {
  machine::Distances distances = machine.distances;
  const std::size_t size = machine.domains.size();
  if (distances.size == size && distances.values.size() == size * size) return distances;
  distances.size = size;
  distances.values.assign(size * size, elsewhere_distance);
  for (std::size_t i = 0; i < size; ++i) distances.values[i * size + i] = here_distance;
  return distances;
}

/// Of a domain: domains that share a node have equal parts of its memory.
Bytes memory_of(const Machine& machine, const machine::Domain& domain) {
  if (!domain.node.valid()) return domain.memory;
  const auto sharing = std::ranges::count(machine.domains, domain.node, &machine::Domain::node);
  return {domain.memory.count / static_cast<std::uint64_t>(sharing)};
}

}  // namespace

RunQueues::RunQueues(const Machine& machine, std::span<const CoreId> usable)
    : of_core_(machine.cores.size()),
      of_domain_(machine.domains.size()),
      distances_(distances_of(machine)) {
  assert(!machine.cores.empty());
  const std::vector<bool> is_usable = usable_cores(machine, usable);
  add_levels(machine, is_usable);
  add_cores();
  find_domains(machine, is_usable);
  for (const machine::Domain& domain : machine.domains) {
    memory_.push_back(memory_of(machine, domain));
  }
}

RunQueueId RunQueues::add(Level level, RunQueueId parent, std::vector<CoreId> cores) {
  const RunQueueId id{queues_.size()};
  queues_.push_back({level, parent, {}, std::move(cores), {}});
  if (parent.valid()) queues_[parent.index()].children.push_back(id);
  return id;
}

// Until it has a queue of its own, a core's is the narrowest around it.
void RunQueues::add_levels(const Machine& machine, const std::vector<bool>& is_usable) {
  std::vector<CoreId> all;
  for (std::size_t i = 0; i < machine.cores.size(); ++i) all.emplace_back(i);
  add(Level::machine, {}, only(std::move(all), is_usable));
  for (const CoreId core : queues_[0].cores) of_core_[core.index()] = whole();
  for (SharedLevel& shared : levels_of(machine, is_usable)) {
    const RunQueueId around = of(shared.cores.front());
    const bool is_inside = std::ranges::all_of(
        shared.cores, [&](CoreId core) { return of_core_[core.index()] == around; });
    if (!is_inside || shared.cores.size() == queues_[around.index()].cores.size()) continue;
    const RunQueueId queue = add(shared.level, around, std::move(shared.cores));
    for (const CoreId core : queues_[queue.index()].cores) of_core_[core.index()] = queue;
  }
}

void RunQueues::add_cores() {
  const std::vector<CoreId> cores = queues_[0].cores;
  if (cores.size() > 1) {
    for (const CoreId core : cores) {
      of_core_[core.index()] = add(Level::core, of_core_[core.index()], {core});
    }
  }
  // Widest first is not by place: teams are dealt to children in the order of their cores.
  for (RunQueue& queue : queues_) {
    std::ranges::sort(queue.children, {},
                      [&](RunQueueId child) { return queues_[child.index()].cores.front(); });
  }
}

void RunQueues::find_domains(const Machine& machine, const std::vector<bool>& is_usable) {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    RunQueue& queue = queues_[i];
    const DomainId domain = machine.cores[queue.cores.front().index()].domain;
    const bool is_inside = std::ranges::all_of(
        queue.cores, [&](CoreId core) { return machine.cores[core.index()].domain == domain; });
    if (!is_inside) continue;
    queue.domain = domain;
    const bool is_first = !of_domain_[domain.index()].valid();
    const std::size_t all = only(machine.domains[domain.index()].cores, is_usable).size();
    if (is_first && queue.cores.size() == all) of_domain_[domain.index()] = RunQueueId{i};
  }
}

bool RunQueues::contains(RunQueueId outer, RunQueueId inner) const noexcept {
  // Parents have smaller numbers than their children.
  while (inner.valid() && outer < inner) inner = queues_[inner.index()].parent;
  return inner == outer;
}

}  // namespace lares::policy
