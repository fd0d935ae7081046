#include "simulate/sharing.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lares::simulate {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
// A change that is passed on by ever less ends at the tolerance; this bounds the rest.
constexpr std::size_t most_updates_per_resource = 64;

}  // namespace

std::uint32_t Sharing::add_resource(double capacity, Collapse collapse) {
  assert(capacity > 0);
  Resource resource;
  resource.full_capacity = capacity;
  resource.capacity = capacity;
  resource.collapse = collapse;
  resources_.push_back(std::move(resource));
  return static_cast<std::uint32_t>(resources_.size() - 1);
}

double Sharing::capacity(std::uint32_t resource) const noexcept {
  return resources_[resource].capacity;
}

double Sharing::load(std::uint32_t resource) const noexcept { return resources_[resource].load; }

void Sharing::wait_for(std::uint32_t resource) {
  Resource& r = resources_[resource];
  if (r.waiting) return;
  r.waiting = true;
  queue_.push_back(resource);
}

void Sharing::change_portions(Resource& resource, double by) noexcept {
  resource.portions += by;
  const double over = std::max(0.0, resource.portions / resource.collapse.free_flows - 1);
  resource.capacity = resource.full_capacity / (1 + resource.collapse.slope * over);
}

std::uint32_t Sharing::add(std::span<const Use> uses, double cap, double portion) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[index];
  flow.uses.clear();
  flow.slots.clear();
  flow.cap = cap * portion;
  flow.portion = portion;
  flow.rate = 0;
  flow.alive = true;
  flow.reported = false;
  for (const Use& use : uses) {
    if (use.weight <= 0) continue;
    Resource& resource = resources_[use.resource];
    flow.slots.push_back(static_cast<std::uint32_t>(resource.members.size()));
    resource.members.push_back({index, static_cast<std::uint32_t>(flow.uses.size()), 0});
    flow.uses.push_back(use);
    change_portions(resource, portion);
    wait_for(use.resource);
  }
  // Where there is room the flow starts at its cap; full resources take back what is too much.
  set_rate(index, other_limit(flow, static_cast<std::uint32_t>(flow.uses.size())), 0);
  return index;
}

void Sharing::remove(std::uint32_t index) {
  Flow& flow = flows_[index];
  for (std::size_t k = 0; k < flow.uses.size(); ++k) {
    const Use& use = flow.uses[k];
    Resource& resource = resources_[use.resource];
    resource.load -= flow.rate * use.weight;
    const Member last = resource.members.back();
    resource.members[flow.slots[k]] = last;
    flows_[last.flow].slots[last.use] = flow.slots[k];
    resource.members.pop_back();
    change_portions(resource, -flow.portion);
    if (resource.members.empty()) {
      resource.load = 0;  // no rounding is carried on
      resource.portions = 0;
      resource.capacity = resource.full_capacity;
    }
    wait_for(use.resource);
  }
  flow.alive = false;
  free_.push_back(index);
}

double Sharing::other_limit(const Flow& flow, std::uint32_t except) const noexcept {
  double limit = flow.cap;
  for (std::size_t k = 0; k < flow.uses.size(); ++k) {
    if (k == except) continue;
    limit = std::min(limit,
                     flow.portion * resources_[flow.uses[k].resource].share / flow.uses[k].weight);
  }
  return limit;
}

void Sharing::set_rate(std::uint32_t index, double rate, std::uint32_t from) {
  Flow& flow = flows_[index];
  const double before = flow.rate;
  if (rate == before) return;
  const bool much = std::abs(rate - before) > tolerance_ * std::max(rate, before);
  flow.rate = rate;
  for (std::size_t k = 0; k < flow.uses.size(); ++k) {
    const Use& use = flow.uses[k];
    Resource& resource = resources_[use.resource];
    resource.load += (rate - before) * use.weight;
    if (!much || use.resource == from) continue;
    const bool has_room = resource.share == unlimited && resource.load <= resource.capacity;
    if (!has_room) wait_for(use.resource);
  }
  if (!flow.reported) {
    flow.reported = true;
    changed_.push_back(index);
  }
}

// The level at which the members take exactly the capacity, each at most its need; infinite if
// all needs fit. Notes the needs.
double Sharing::level_of(Resource& resource) const noexcept {
  double wanted = 0;
  double portions = 0;
  for (Member& member : resource.members) {
    const Flow& flow = flows_[member.flow];
    member.need = other_limit(flow, member.use) * flow.uses[member.use].weight / flow.portion;
    wanted += member.need * flow.portion;
    portions += flow.portion;
  }
  if (wanted <= resource.capacity) return unlimited;
  // Rises: whoever is satisfied leaves its rest to the others.
  double level = resource.capacity / portions;
  for (;;) {
    double satisfied = 0;
    double rest = 0;
    for (const Member& member : resource.members) {
      const double portion = flows_[member.flow].portion;
      (member.need <= level ? satisfied : rest) +=
          member.need <= level ? member.need * portion : portion;
    }
    if (rest <= 0) return level;
    const double next = (resource.capacity - satisfied) / rest;
    if (next <= level * (1 + 1e-12)) return level;
    level = next;
  }
}

void Sharing::update(std::uint32_t index) {
  Resource& resource = resources_[index];
  const bool had_room = resource.share == unlimited;
  if (had_room && resource.load <= resource.capacity) return;
  const double share = level_of(resource);
  resource.share = share;
  for (std::size_t i = 0; i < resource.members.size(); ++i) {
    const Member member = resource.members[i];
    const Flow& flow = flows_[member.flow];
    const double level = std::min(member.need, share);
    set_rate(member.flow, level * flow.portion / flow.uses[member.use].weight, index);
  }
  double load = 0;
  for (const Member& member : resource.members) {
    const Flow& flow = flows_[member.flow];
    load += flow.rate * flow.uses[member.use].weight;
  }
  resource.load = load;
}

std::span<const std::uint32_t> Sharing::settle() {
  const std::size_t most = most_updates_per_resource * (resources_.size() + 1);
  for (std::size_t at = 0; at < queue_.size(); ++at) {
    const std::uint32_t index = queue_[at];
    resources_[index].waiting = false;
    if (at < most) update(index);
  }
  queue_.clear();
  settled_.clear();
  for (const std::uint32_t flow : changed_) {
    flows_[flow].reported = false;
    if (flows_[flow].alive) settled_.push_back(flow);
  }
  changed_.clear();
  return settled_;
}

}  // namespace lares::simulate
