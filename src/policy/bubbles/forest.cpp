#include "policy/bubbles/forest.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace lares::policy {

namespace {
bool is_busy(const Entity& entity) noexcept {
  return !entity.is_bubble && entity.load > 0 && entity.queue.valid();
}
}  // namespace

// --- what the executor says

EntityId Forest::add(bool is_bubble, EntityId parent) {
  EntityId id{entities_.size()};
  if (free_.empty()) {
    entities_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    entities_[id.index()] = {};
  }
  Entity& entity = entities_[id.index()];
  entity.alive = true;
  entity.is_bubble = is_bubble;
  entity.parent = parent;
  return id;
}

EntityId Forest::add_bubble(EntityId parent) {
  const EntityId bubble = add(true, parent);
  siblings(parent).push_back(bubble);
  return bubble;
}

EntityId Forest::add_thread(EntityId bubble) {
  assert(bubble.valid() && (*this)[bubble].is_bubble);
  const EntityId thread = add(false, bubble);
  siblings(bubble).push_back(thread);
  return thread;
}

EntityId Forest::enclose(EntityId thread) {
  const EntityId parent = (*this)[thread].parent;
  const EntityId bubble = add(true, parent);
  std::ranges::replace(siblings(parent), thread, bubble);
  entities_[thread.index()].parent = bubble;
  siblings(bubble).push_back(thread);
  return bubble;
}

void Forest::open(EntityId bubble) {
  const std::vector<EntityId> members = (*this)[bubble].members;
  for (std::size_t i = 1; i < members.size(); ++i) remove(members[i]);
  const EntityId parent = (*this)[bubble].parent;
  assert(!members.empty() && parent.valid());
  std::ranges::replace(siblings(parent), bubble, members.front());
  entities_[members.front().index()].parent = parent;
  release(bubble);
}

void Forest::remove(EntityId entity) {
  while (!(*this)[entity].members.empty()) remove((*this)[entity].members.back());
  std::erase(siblings((*this)[entity].parent), entity);
  std::erase_if(moves_, [&](const ThreadMove& move) { return move.thread == entity; });
  release(entity);
}

void Forest::release(EntityId entity) {
  uncount((*this)[entity]);
  entities_[entity.index()] = {};
  free_.push_back(entity);
}

void Forest::count(const Entity& entity) noexcept {
  if (is_busy(entity)) busy_.add(entity.queue);
}

void Forest::uncount(const Entity& entity) noexcept {
  if (is_busy(entity)) busy_.remove(entity.queue);
}

void Forest::expect_load(EntityId thread, double load) {
  Entity& entity = entities_[thread.index()];
  uncount(entity);
  entity.load = load;
  count(entity);
}

void Forest::set_load(EntityId thread, double load) {
  expect_load(thread, load);
  Entity& entity = entities_[thread.index()];
  entity.most_load = std::max(entity.most_load, load);
}

void Forest::rest(EntityId thread) {
  expect_load(thread, 0);
  entities_[thread.index()].rests = true;
}

void Forest::resume(EntityId thread, double load) {
  expect_load(thread, load);
  entities_[thread.index()].rests = false;
}

void Forest::set_intensity(EntityId thread, double intensity) {
  entities_[thread.index()].intensity = intensity;
}

void Forest::attach(EntityId thread, DomainId domain, std::uint64_t bytes) {
  std::vector<std::uint64_t>& attached = entities_[thread.index()].attached;
  attached.resize(queues_.domain_count());
  attached[domain.index()] += bytes;
}

void Forest::detach(EntityId thread) { entities_[thread.index()].attached.clear(); }

void Forest::set_last(EntityId thread, CoreId core) { entities_[thread.index()].last = core; }

// --- what a scheduler says

void Forest::put(EntityId id, RunQueueId queue, bool with_data) {
  Entity& entity = entities_[id.index()];
  uncount(entity);
  const RunQueueId before = std::exchange(entity.queue, queue);
  count(entity);
  if (entity.is_bubble) return;
  if (queues_.is_core(queue)) entity.last = queues_[queue].cores.front();
  if (with_data) bring_data(entity);
  if (!with_data && (!before.valid() || before == queue)) return;
  const auto known = std::ranges::find(moves_, id, &ThreadMove::thread);
  if (known == moves_.end()) {
    moves_.push_back({id, queue, with_data});
  } else {
    *known = {id, queue, with_data || known->with_data};
  }
}

void Forest::bring_data(Entity& thread) {
  const DomainId domain = queues_[thread.queue].domain;
  if (!domain.valid() || thread.attached.empty()) return;
  const std::uint64_t bytes =
      std::accumulate(thread.attached.begin(), thread.attached.end(), std::uint64_t{0});
  std::ranges::fill(thread.attached, std::uint64_t{0});
  thread.attached[domain.index()] = bytes;
}

// --- what both ask

RunQueueId Forest::where(EntityId entity) const noexcept {
  for (; entity.valid(); entity = (*this)[entity].parent) {
    if ((*this)[entity].queue.valid()) return (*this)[entity].queue;
  }
  return queues_.whole();
}

double Forest::load_of(EntityId entity) const {
  double load = 0;
  for (const EntityId thread : threads_of(entity)) load += (*this)[thread].load;
  return load;
}

std::vector<std::uint64_t> Forest::attached_to(EntityId entity) const {
  std::vector<std::uint64_t> bytes(queues_.domain_count());
  for (const EntityId thread : threads_of(entity)) {
    const std::vector<std::uint64_t>& own = (*this)[thread].attached;
    for (std::size_t d = 0; d < own.size(); ++d) bytes[d] += own[d];
  }
  return bytes;
}

std::uint64_t Forest::bytes_of(EntityId entity) const {
  const std::vector<std::uint64_t> bytes = attached_to(entity);
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

void Forest::collect(EntityId entity, std::vector<EntityId>& threads) const {
  if (!(*this)[entity].is_bubble) threads.push_back(entity);
  for (const EntityId member : (*this)[entity].members) collect(member, threads);
}

std::vector<EntityId> Forest::threads_of(EntityId entity) const {
  std::vector<EntityId> threads;
  collect(entity, threads);
  return threads;
}

std::vector<EntityId> Forest::threads() const {
  std::vector<EntityId> threads;
  for (const EntityId bubble : outermost_) collect(bubble, threads);
  return threads;
}

std::vector<EntityId> Forest::threads_on(CoreId core) const {
  std::vector<EntityId> there = threads();
  const RunQueueId queue = queues_.of(core);
  std::erase_if(there, [&](EntityId thread) {
    return !queue.valid() || !queues_.contains(where(thread), queue);
  });
  return there;
}

std::vector<ThreadMove> Forest::take_moves() noexcept { return std::exchange(moves_, {}); }

std::vector<EntityId>& Forest::siblings(EntityId parent) noexcept {
  return parent.valid() ? entities_[parent.index()].members : outermost_;
}

}  // namespace lares::policy
