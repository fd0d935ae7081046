#include "memory/homes.hpp"

namespace lares::memory {
namespace {

using machine::Machine;

std::vector<DomainId> domains_by_node(const Machine& machine) {
  std::vector<DomainId> result;
  for (std::size_t i = 0; i < machine.domains.size(); ++i) {
    const OsNode node = machine.domains[i].node;
    if (!node.valid()) continue;
    if (node.index() >= result.size()) result.resize(node.index() + 1);
    if (!result[node.index()].valid()) result[node.index()] = DomainId{i};
  }
  return result;
}

std::vector<DomainId> representatives(const Machine& machine) {
  const std::vector<DomainId> first_of_node = domains_by_node(machine);
  std::vector<DomainId> result;
  for (std::size_t i = 0; i < machine.domains.size(); ++i) {
    const OsNode node = machine.domains[i].node;
    result.push_back(node.valid() ? first_of_node[node.index()] : DomainId{i});
  }
  return result;
}

/// How many different nodes the domains have.
std::size_t count_memories(const std::vector<DomainId>& by_node) noexcept {
  std::size_t count = 0;
  for (const DomainId domain : by_node) count += domain.valid() ? 1 : 0;
  return count;
}

bool each_has_its_node(const Machine& machine, std::size_t memories) noexcept {
  return memories == machine.domains.size();
}

Homes::Kind kind_of(const Machine& machine) {
  if (machine.domains.size() <= 1 || machine.domains.size() >= max_domains) {
    return Homes::Kind::single;
  }
  const std::size_t memories = count_memories(domains_by_node(machine));
  if (memories <= 1) return Homes::Kind::caches;
  return each_has_its_node(machine, memories) ? Homes::Kind::nodes : Homes::Kind::mixed;
}

}  // namespace

Homes::Homes(const Machine& machine, const Options& options, const SystemCalls& calls)
    : kind_(kind_of(machine)),
      representative_(representatives(machine)),
      given_(options.given_capacity),
      pages_(domains_by_node(machine), calls, options.pages),
      touches_(options.touch_bits) {}

policy::DataHome Homes::find(std::uintptr_t address, Bytes length,
                             policy::AccessMode mode) noexcept {
  return find_with_core(address, length, mode).home;
}

FoundHome Homes::find_with_core(std::uintptr_t address, Bytes length,
                                policy::AccessMode mode) noexcept {
  if (kind_ == Kind::single) return {{DomainId{0}, length, mode, false}, CoreId{}};
  const Touch last = touches_.find(address);
  const PageHome home = home_of(address, length, last.domain);
  return {{home.domain, length, mode, home.unplaced}, last.core};
}

inline PageHome Homes::home_of(std::uintptr_t address, Bytes length, DomainId toucher) noexcept {
  if (given_.any()) {
    if (const DomainId given = given_.find(address, length); given.valid()) return {given, false};
  }
  if (kind_ == Kind::nodes) return pages_.find(address, length);
  if (kind_ == Kind::caches) return {toucher, !toucher.valid()};
  const PageHome pages = pages_.find(address, length);
  if (pages.unplaced || !toucher.valid()) return pages;
  const bool node_agrees = !pages.domain.valid() || representative(toucher) == pages.domain;
  return node_agrees ? PageHome{toucher, false} : pages;
}

CoreId Homes::last_core(std::uintptr_t address) const noexcept {
  return kind_ == Kind::single ? CoreId{} : touches_.find(address).core;
}

void Homes::touched(std::uintptr_t address, Bytes /*length*/, policy::AccessMode mode,
                    DomainId domain, CoreId core) noexcept {
  if (kind_ == Kind::single) return;
  touches_.record(address, Touch{domain, core, policy::writes(mode)});
}

void Homes::assume(std::uintptr_t address, Bytes length, DomainId domain) noexcept {
  if (kind_ == Kind::single || !domain.valid()) return;
  if (kind_ != Kind::nodes) touches_.record(address, Touch{domain, CoreId{}, false});
  if (kind_ != Kind::caches) pages_.assume(address, length, representative(domain));
}

bool Homes::give(std::uintptr_t address, Bytes length, DomainId domain) noexcept {
  if (kind_ == Kind::single || !domain.valid()) return true;
  return given_.give(address, length, domain);
}

bool Homes::give_all(std::span<const GivenRange> ranges) noexcept {
  return kind_ == Kind::single || given_.give_all(ranges);
}

bool Homes::forget(std::uintptr_t address, Bytes length) noexcept {
  if (kind_ == Kind::single) return true;
  pages_.forget(address, length);
  touches_.forget(address, length);
  return !given_.any() || given_.forget(address, length);
}

DomainId Homes::representative(DomainId domain) const noexcept {
  return domain.index() < representative_.size() ? representative_[domain.index()] : DomainId{};
}

}  // namespace lares::memory
