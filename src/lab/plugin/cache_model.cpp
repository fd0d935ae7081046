// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "lab/plugin/cache_model.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace lares::lab::counting {
namespace {

unsigned shared_caches(const Layout& layout) {
  if (layout.l3_bytes == 0 || layout.l3_of_node.empty()) return 0;
  return *std::max_element(layout.l3_of_node.begin(), layout.l3_of_node.end()) + 1;
}

std::size_t sets_of(std::uint64_t bytes, unsigned ways) { return bytes / (line_bytes * ways); }

}  // namespace

CacheModel::Private::Private(Vcpu vcpu, const Layout& layout)
    : agent(vcpu),
      node(layout.node_of_vcpu[vcpu]),
      copy(Directory::copy_of(agent)),
      shared(agent),
      sets(sets_of(layout.l2_bytes, l2_ways), l2_ways),
      counts(std::make_unique<std::atomic<std::uint64_t>[]>(kinds * layout.nodes)) {
  if (shared_caches(layout) == 0) return;
  const auto vcpus = static_cast<Vcpu>(layout.node_of_vcpu.size());
  const unsigned own = layout.l3_of_node[node];
  shared = vcpus + own;
  domain.resize((vcpus + shared_caches(layout)) / Directory::agents_per_word + 1);
  const auto add = [this](Agent member) {
    const auto other = Directory::copy_of(member);
    domain[other.word] |= other.held;
  };
  add(shared);
  for (Vcpu other = 0; other < vcpus; ++other) {
    if (layout.l3_of_node[layout.node_of_vcpu[other]] == own) add(other);
  }
}

CacheModel::Shared::Shared(Node first_node, const Layout& layout)
    : node(first_node),
      sets(sets_of(layout.l3_bytes, l3_ways), l3_ways),
      locks(sets_of(layout.l3_bytes, l3_ways)) {}

CacheModel::CacheModel(Layout layout, Homes homes)
    : layout_(std::move(layout)),
      homes_(std::move(homes)),
      directory_(homes_.lines(),
                 static_cast<unsigned>(layout_.node_of_vcpu.size()) + shared_caches(layout_)) {
  privates_.reserve(layout_.node_of_vcpu.size());
  for (Vcpu vcpu = 0; vcpu < layout_.node_of_vcpu.size(); ++vcpu) {
    privates_.emplace_back(vcpu, layout_);
  }
  for (unsigned cache = 0; cache < shared_caches(layout_); ++cache) {
    const auto& caches = layout_.l3_of_node;
    const auto first = std::find(caches.begin(), caches.end(), cache) - caches.begin();
    shared_.emplace_back(static_cast<Node>(first), layout_);
  }
}

void CacheModel::access(Vcpu vcpu, Line line, bool store) noexcept {
  Private& cpu = privates_[vcpu];
  const bool known = cpu.sets.touch(line);
  if (known) {
    const std::uint64_t word = Directory::peek(directory_.word(line, cpu.copy.word));
    const std::uint64_t needed = store ? cpu.copy.writable : cpu.copy.held;
    if ((word & needed) == needed) return;
  }
  obtain(cpu, line, store);
  if (known) return;
  const Line out = cpu.sets.insert(line);
  if (out != no_line) evict(cpu, out);
}

void CacheModel::obtain(Private& cpu, Line line, bool store) noexcept {
  bool in_shared = false;
  {
    LockedLine entry(directory_, line);
    in_shared = has_shared() && entry.held_by(cpu.shared);
    if (!entry.held_by(cpu.agent)) {
      count_source(cpu, entry, line, store);
    } else if (store && entry.held_by_others(cpu.agent, cpu.shared)) {
      count(cpu, Kind::upgrade, homes_.of(line));
    }
    if (store) {
      entry.take_alone(cpu.agent);
    } else if (!entry.held_by(cpu.agent)) {
      entry.add(cpu.agent);
    }
  }
  if (in_shared && !store) {
    Shared& cache = shared_of(cpu);
    const std::lock_guard guard(cache.locks[cache.sets.set_of(line)]);
    cache.sets.touch(line);
  }
}

void CacheModel::count_source(Private& cpu, const LockedLine& entry, Line line,
                              bool store) noexcept {
  const bool near = has_shared() && entry.held_by_any(cpu.domain.data());
  const bool newest_in_neighbour = entry.dirty() && near && is_near(cpu, entry.owner());
  if (near && (entry.held_by(cpu.shared) || !newest_in_neighbour)) {
    count(cpu, Kind::l3_hit, homes_.of(line));
  } else if (entry.dirty()) {
    count(cpu, Kind::transfer, node_of(entry.owner()));
  } else {
    count(cpu, store ? Kind::written : Kind::read, homes_.of(line));
  }
}

bool CacheModel::is_near(const Private& cpu, Agent agent) noexcept {
  const auto copy = Directory::copy_of(agent);
  return (cpu.domain[copy.word] & copy.held) != 0;
}

void CacheModel::evict(Private& cpu, Line line) noexcept {
  if (!has_shared()) {
    leave(cpu, cpu.agent, line);
    return;
  }
  {
    LockedLine entry(directory_, line);
    if (!entry.held_by(cpu.agent)) return;  // invalidated earlier: there was only an empty way
    entry.hand_over(cpu.agent, cpu.shared);
  }
  enter_shared(cpu, line);
}

// Between the directory's entry and the set, others may find the line, take it, or drop it: its
// entry says what is true, and whoever takes a line out of a set clears its entry afterwards.
void CacheModel::enter_shared(Private& cpu, Line line) noexcept {
  Line out = no_line;
  {
    Shared& cache = shared_of(cpu);
    const std::lock_guard guard(cache.locks[cache.sets.set_of(line)]);
    if (!cache.sets.touch(line)) out = cache.sets.insert(line);
  }
  if (out != no_line) leave(cpu, cpu.shared, out);
}

void CacheModel::leave(Private& cpu, Agent agent, Line line) noexcept {
  LockedLine entry(directory_, line);
  if (entry.held_by(agent) && entry.drop(agent)) count(cpu, Kind::write_back, homes_.of(line));
}

void CacheModel::count(Private& cpu, Kind kind, Node column) noexcept {
  auto& cell = cpu.counts[static_cast<std::size_t>(kind) * layout_.nodes + column];
  // Only this thread writes it, so this is no race; relaxed, for a counter orders nothing.
  cell.store(cell.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

Node CacheModel::node_of(Agent agent) const noexcept {
  return agent < vcpus() ? privates_[agent].node : shared_[agent - vcpus()].node;
}

Traffic CacheModel::traffic() const {
  Traffic sum(layout_.nodes);
  for (const Private& cpu : privates_) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for (Node column = 0; column < layout_.nodes; ++column) {
        sum.at(static_cast<Kind>(kind), cpu.node, column) +=
            cpu.counts[kind * layout_.nodes + column].load(std::memory_order_relaxed);
      }
    }
  }
  return sum;
}

CacheModel::LineState CacheModel::state_of(Line line) {
  LineState state;
  const LockedLine entry(directory_, line);
  for (Agent agent = 0; agent < agents(); ++agent) {
    if (entry.held_by(agent)) state.holders.push_back(agent);
  }
  if (entry.dirty()) state.owner = entry.owner();
  return state;
}

const std::vector<Line>& CacheModel::lines_of(Agent agent) const noexcept {
  return agent < vcpus() ? privates_[agent].sets.lines() : shared_[agent - vcpus()].sets.lines();
}

}  // namespace lares::lab::counting
