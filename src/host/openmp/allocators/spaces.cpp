#include "host/openmp/allocators/spaces.hpp"

#include <algorithm>
#include <string_view>

namespace lares::omp {
namespace {

constexpr const char* high_bandwidth_kinds[] = {"HBM"};
constexpr const char* large_capacity_kinds[] = {"CXL", "NVM"};

/// A machine of nothing but the nodes that a space is made of.
memory::Nodes view_of(std::span<const OsNode> targets, std::span<const machine::Domain> others) {
  machine::Machine view;
  for (const OsNode node : targets) {
    machine::Domain domain;
    domain.node = node;
    view.domains.push_back(domain);
  }
  view.domains.insert(view.domains.end(), others.begin(), others.end());
  return memory::Nodes(view);
}

}  // namespace

Space::Space(const machine::Machine& machine) : nodes_(machine::Machine{}) {
  for (const machine::Domain& domain : machine.domains) {
    if (!domain.cores.empty()) add(machine, domain.node, domain.memory);
  }
  finish(machine);
}

Space::Space(const machine::Machine& machine, std::span<const char* const> kinds)
    : nodes_(machine::Machine{}) {
  for (const machine::MemoryNode& memory : machine.memory) {
    const bool wanted = std::any_of(kinds.begin(), kinds.end(),
                                    [&](std::string_view kind) { return memory.kind == kind; });
    if (wanted) add(machine, memory.node, memory.total);
  }
  special_ = !os_.empty();
  if (!special_) *this = Space(machine);
  finish(machine);
}

void Space::add(const machine::Machine& machine, OsNode node, Bytes bytes) {
  const DomainId home = machine.domain_of(node);
  const bool known = std::find(os_.begin(), os_.end(), node) != os_.end();
  if (!node.valid() || !home.valid() || known) return;
  os_.push_back(node);
  homes_.push_back(home);
  total_ += bytes;
}

void Space::finish(const machine::Machine& machine) {
  nodes_ = view_of(os_, special_ ? machine.domains : std::span<const machine::Domain>{});
  nearest_.clear();
  for (std::size_t from = 0; from < machine.domains.size() && size() > 0; ++from) {
    const auto distance = [&](DomainId home) { return machine.distances.at(DomainId{from}, home); };
    // A domain's own memory is its nearest, whatever noise a measured matrix holds.
    const auto own = std::find(os_.begin(), os_.end(), machine.domains[from].node);
    const auto least = std::min_element(homes_.begin(), homes_.end(), [&](DomainId a, DomainId b) {
      return distance(a) < distance(b);
    });
    nearest_.emplace_back(
        static_cast<std::size_t>(own != os_.end() ? own - os_.begin() : least - homes_.begin()));
  }
}

DomainId Space::nearest_to(DomainId domain) const noexcept {
  if (!domain.valid() || domain.index() >= nearest_.size()) return DomainId{0};
  return nearest_[domain.index()];
}

std::vector<DomainId> Space::of_team(std::span<const DomainId> team) const {
  std::vector<DomainId> targets;
  for (const DomainId domain : team) targets.push_back(nearest_to(domain));
  for (std::size_t t = 0; team.empty() && t < size(); ++t) targets.emplace_back(t);
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

Spaces::Spaces(const machine::Machine& machine)
    : default_(machine),
      high_bandwidth_(machine, high_bandwidth_kinds),
      large_capacity_(machine, large_capacity_kinds) {}

const Space& Spaces::of(MemorySpace space) const noexcept {
  if (space == high_bw_mem_space) return high_bandwidth_;
  return space == large_cap_mem_space ? large_capacity_ : default_;
}

}  // namespace lares::omp
