#include "policy/places.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace lares::policy {

using machine::Level;
using machine::Machine;
using machine::TreeNode;

namespace {

// The SLIT's values for "here" and for "somewhere else, nothing more is known".
constexpr std::uint32_t local_distance = 10;
constexpr std::uint32_t unknown_distance = 20;

}  // namespace

struct Places::Roster {
  Roster(const Machine& machine, std::span<const CoreId> core_of_worker)
      : core_of(core_of_worker.begin(), core_of_worker.end()),
        occupied(machine.cores.size(), false),
        innermost(machine.cores.size()) {
    for (CoreId& core : core_of) {
      if (core.valid() && core.index() >= machine.cores.size()) core = CoreId{};
      if (core.valid()) occupied[core.index()] = true;
    }
  }

  [[nodiscard]] bool any_worker(const TreeNode& node) const {
    return std::ranges::any_of(node.cores, [&](CoreId core) { return occupied[core.index()]; });
  }

  std::vector<CoreId> core_of;     // by worker; invalid if not bound to one core of this machine
  std::vector<bool> occupied;      // by core
  std::vector<PlaceId> innermost;  // by core: the deepest place of the tree that holds it
};

Places::Places(const Machine& machine, std::span<const CoreId> core_of_worker) {
  of_domain_.resize(machine.domains_with_cores());
  assert(!of_domain_.empty());
  Roster roster(machine, core_of_worker);
  add_tree(machine, roster);
  add_missing_domains(machine.domain_level);
  add_workers(machine, roster);
  set_distances(machine);
  least_distance_ = *std::ranges::min_element(distances_.values);
  sort_by_distance();
  find_substitutes(machine.domains.size());
}

PlaceId Places::add(Place place) {
  const PlaceId id{places_.size()};
  if (place.parent.valid() && !place.domain.valid())
    place.domain = places_[place.parent.index()].domain;
  places_.push_back(std::move(place));
  return id;
}

void Places::add_tree(const Machine& machine, Roster& roster) {
  add({.level = Level::machine, .parent = {}, .domain = {}, .worker = {}, .workers = {}});
  // By tree node: its place, or that of the nearest ancestor that was kept.
  std::vector<PlaceId> place_of(machine.tree.size(), root());
  for (std::size_t i = 1; i < machine.tree.size(); ++i) {
    const TreeNode& node = machine.tree[i];
    const PlaceId parent = place_of[static_cast<std::size_t>(node.parent)];
    place_of[i] = parent;
    const bool is_domain = node.domain.valid() && node.domain.index() < domain_count();
    // A node of one core would only repeat the places of that core's workers.
    const bool is_between = !node.domain.valid() && node.cores.size() > 1 &&
                            node.level != Level::core && roster.any_worker(node);
    if (!is_domain && !is_between) continue;
    place_of[i] = add({.level = node.level,
                       .parent = parent,
                       .domain = node.domain,
                       .worker = {},
                       .workers = {}});
    if (is_domain) of_domain_[node.domain.index()] = place_of[i];
    for (const CoreId core : node.cores) roster.innermost[core.index()] = place_of[i];
  }
}

// A domain that is the whole machine may have no tree node but the root; its place is still a
// queue of its own, so that the central queue and the domain's queue are never the same.
void Places::add_missing_domains(Level level) {
  for (std::size_t i = 0; i < of_domain_.size(); ++i) {
    if (of_domain_[i].valid()) continue;
    of_domain_[i] =
        add({.level = level, .parent = root(), .domain = DomainId{i}, .worker = {}, .workers = {}});
  }
}

void Places::add_workers(const Machine& machine, const Roster& roster) {
  of_worker_.reserve(roster.core_of.size());
  std::size_t dealt = 0;
  for (std::size_t i = 0; i < roster.core_of.size(); ++i) {
    const CoreId core = roster.core_of[i];
    const DomainId domain =
        core.valid() ? machine.cores[core.index()].domain : DomainId{dealt++ % domain_count()};
    PlaceId parent = of(domain);
    if (core.valid()) {
      const PlaceId innermost = roster.innermost[core.index()];
      if (innermost.valid() && (*this)[innermost].domain == domain) parent = innermost;
    }
    const WorkerId worker{i};
    of_worker_.push_back(add({.level = Level::core,
                              .parent = parent,
                              .domain = domain,
                              .worker = worker,
                              .workers = {worker}}));
    for (PlaceId place = parent; place.valid(); place = places_[place.index()].parent) {
      places_[place.index()].workers.push_back(worker);
    }
  }
}

void Places::set_distances(const Machine& machine) {
  const std::size_t size = machine.domains.size();
  distances_ = machine.distances;
  if (distances_.size == size && distances_.values.size() == size * size) return;
  distances_.size = size;
  distances_.values.assign(size * size, unknown_distance);
  for (std::size_t i = 0; i < size; ++i) distances_.values[i * size + i] = local_distance;
}

void Places::sort_by_distance() {
  const std::size_t count = domain_count();
  nearest_.resize(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    const DomainId from{i};
    const auto row = std::span(nearest_).subspan(i * count, count);
    for (std::size_t j = 0; j < count; ++j) row[j] = DomainId{j};
    std::swap(row[0], row[i]);
    std::ranges::sort(row.subspan(1), [&](DomainId a, DomainId b) {
      return std::pair(distance(from, a), a) < std::pair(distance(from, b), b);
    });
  }
}

DomainId Places::nearest_of(std::span<const DomainId> candidates, DomainId to) const noexcept {
  // The cores that will work are the candidate's, the memory they reach for is `to`.
  return *std::ranges::min_element(
      candidates, [&](DomainId a, DomainId b) { return distance(a, to) < distance(b, to); });
}

void Places::find_substitutes(std::size_t all_domains) {
  std::vector<DomainId> with_cores;
  for (std::size_t i = 0; i < domain_count(); ++i) {
    const DomainId domain{i};
    with_cores.push_back(domain);
    if (!workers_in(domain).empty()) with_workers_.push_back(domain);
  }
  for (std::size_t i = 0; i < all_domains; ++i) {
    const DomainId domain{i};
    const bool has_cores = i < domain_count();
    with_cores_.push_back(has_cores ? domain : nearest_of(with_cores, domain));
    if (with_workers_.empty() || (has_cores && !workers_in(domain).empty())) {
      nearest_with_workers_.push_back(with_cores_[i]);
    } else {
      nearest_with_workers_.push_back(nearest_of(with_workers_, domain));
    }
  }
}

}  // namespace lares::policy
