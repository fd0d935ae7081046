#include "memory/nodes.hpp"

#include <utility>

namespace lares::memory {
namespace {

template <class Key>
void put(std::vector<DomainId>& table, Key key, DomainId domain) {
  if (!key.valid()) return;
  if (key.index() >= table.size()) table.resize(key.index() + 1);
  if (!table[key.index()].valid()) table[key.index()] = domain;
}

}  // namespace

Nodes::Nodes(const machine::Machine& machine) {
  for (std::size_t d = 0; d < machine.domains.size(); ++d) {
    const OsNode node = machine.domains[d].node;
    node_of_.push_back(node);
    put(domain_of_, node, DomainId{d});
    if (node.valid() && node != machine.domains[0].node) several_ = true;
  }
  std::vector<DomainId> only_memory;
  // Where nothing is known of nodes (a machine file), every domain counts as one with memory.
  const auto has_memory = [&](std::size_t d) { return node_of_[d].valid() || !several_; };
  for (std::size_t d = 0; d < domains(); ++d) {
    if (has_memory(d) && !machine.domains[d].cores.empty()) usual_.emplace_back(d);
  }
  for (std::size_t d = 0; usual_.empty() && d < domains(); ++d) {
    if (has_memory(d)) only_memory.emplace_back(d);
  }
  if (usual_.empty()) usual_ = std::move(only_memory);
  for (const machine::MemoryNode& memory : machine.memory) {
    put(domain_of_, memory.node, memory.domain);
  }
  for (const machine::Core& core : machine.cores) {
    for (const OsCpu cpu : core.cpus) put(domain_of_cpu_, cpu, core.domain);
  }
}

DomainId Nodes::domain_of_cpu(unsigned cpu, unsigned node) const noexcept {
  if (cpu < domain_of_cpu_.size() && domain_of_cpu_[cpu].valid()) return domain_of_cpu_[cpu];
  const DomainId domain = domain_of(OsNode{static_cast<std::size_t>(node)});
  return domain.valid() ? domain : DomainId{0};
}

DomainId Nodes::here(const SystemCalls& calls) const noexcept {
  unsigned cpu = 0;
  unsigned node = 0;
  if (calls.here(&cpu, &node) < 0) return DomainId{0};
  return domain_of_cpu(cpu, node);
}

}  // namespace lares::memory
