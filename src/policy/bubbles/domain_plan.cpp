#include "policy/bubbles/domain_plan.hpp"

#include <algorithm>
#include <utility>

#include "policy/bubbles/data.hpp"
#include "policy/bubbles/distribution.hpp"

namespace lares::policy {
namespace {

// Sums of loads in another order differ by less.
constexpr double load_rounding = 1e-9;

DomainId domain_at(const Forest& forest, EntityId thread) {
  const Entity& entity = forest[thread];
  if (entity.queue.valid()) return forest.queues()[entity.queue].domain;
  const RunQueueId last = entity.last.valid() ? forest.queues().of(entity.last) : RunQueueId{};
  return last.valid() ? forest.queues()[last].domain : DomainId{};
}

}  // namespace

bool is_of_one_mind(const Forest& forest, EntityId entity) {
  const DomainId wish = favourite_of(forest, entity);
  return std::ranges::all_of(forest.threads_of(entity), [&](EntityId thread) {
    const DomainId own = favourite_of(forest, thread);
    return !own.valid() || own == wish;
  });
}

DomainPlan::DomainPlan(Forest& forest, std::span<const EntityId> entities, RunQueueId room,
                       Others others)
    : forest_(forest), room_(room), entities_(entities.begin(), entities.end()) {
  const RunQueues& queues = forest.queues();
  for (std::size_t d = 0; d < queues.domain_count(); ++d) {
    const RunQueueId queue = queues.of(DomainId{d});
    if (!queue.valid() || !queues.contains(room, queue)) continue;
    const auto cores = static_cast<double>(queues[queue].cores.size());
    domains_.push_back({DomainId{d}, {cores, 0, 0}, 0});
  }
  for (const EntityId entity : entities_) gather(entity);
  add_others(others);
}

DomainPlan::Drawn DomainPlan::drawn(EntityId entity) const {
  const auto threads = static_cast<double>(forest_.threads_of(entity).size());
  return {.entity = entity,
          .wish = favourite_of(forest_, entity),
          .to = {},
          .load = forest_.load_of(entity),
          .threads = threads,
          .weight = weight_of(forest_, entity)};
}

// A bubble is drawn as one if its data is.
void DomainPlan::gather(EntityId entity) {
  if (forest_.threads_of(entity).empty()) return;
  if (!forest_[entity].is_bubble || is_of_one_mind(forest_, entity)) {
    drawn_.push_back(drawn(entity));
    return;
  }
  forest_.put(entity, room_);
  for (const EntityId member : forest_[entity].members) gather(member);
}

void DomainPlan::add_others(Others others) {
  const EntitySet planned(forest_, entities_);
  for (const EntityId thread : forest_.threads()) {
    const Entity& entity = forest_[thread];
    if (planned.has(thread) || !entity.queue.valid() || entity.load <= 0) continue;
    const DomainId wish = favourite_of(forest_, thread);
    const bool goes = others == Others::where_their_data_is && wish.valid();
    Filled* domain = filled(goes ? wish : domain_at(forest_, thread));
    if (domain == nullptr) continue;
    domain->part.load += entity.load;
    domain->part.threads += 1;
  }
}

void DomainPlan::carry_out(std::span<const RunQueueId> share) {
  draw_by_data();
  deal_the_rest();
  relieve_all();
  const RunQueues& queues = forest_.queues();
  BubbleDistribution distribution(forest_, entities_);
  for (const Filled& each : domains_) {
    std::vector<EntityId> there;
    for (const Drawn& one : drawn_) {
      if (one.to == each.domain) there.push_back(one.entity);
    }
    if (there.empty()) continue;
    const RunQueueId queue = queues.of(each.domain);
    const bool is_enough = !share.empty() && std::ranges::all_of(share, [&](RunQueueId part) {
      return queues.contains(queue, part);
    });
    const RunQueueId all[] = {queue};
    distribution.place(std::move(there), is_enough ? share : all, true);
  }
}

// ------------------------------------------------------------------------------------------------
// Drawing

void DomainPlan::draw_by_data() {
  for (Drawn& each : drawn_) {
    if (each.wish.valid()) enter(each, *filled(nearest_in_room(each.wish)));
  }
}

void DomainPlan::deal_the_rest() {
  std::vector<DealPiece> pieces;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    const Drawn& each = drawn_[i];
    if (each.wish.valid()) continue;
    DealPiece piece{.entity = each.entity,
                    .parent = forest_[each.entity].parent,
                    .load = each.load,
                    .threads = each.threads};
    const DomainId at = domain_at(forest_, forest_.threads_of(each.entity).front());
    const Filled* home = at.valid() ? filled(at) : nullptr;
    if (home != nullptr) piece.home = static_cast<std::size_t>(home - domains_.data());
    pieces.push_back(piece);
    index.push_back(i);
  }
  if (pieces.empty()) return;
  std::vector<DealPart> parts;
  for (const Filled& each : domains_) parts.push_back(each.part);
  deal(pieces, parts, Neighbours::together);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    enter(drawn_[index[i]], domains_[pieces[i].part]);
  }
}

DomainId DomainPlan::nearest_in_room(DomainId wish) const {
  const auto nearest = std::ranges::min_element(domains_, {}, [&](const Filled& each) {
    return std::pair(each.domain != wish, forest_.queues().distances().at(each.domain, wish));
  });
  return nearest->domain;
}

DomainPlan::Filled* DomainPlan::filled(DomainId domain) {
  const auto found = std::ranges::find(domains_, domain, &Filled::domain);
  return found == domains_.end() ? nullptr : &*found;
}

void DomainPlan::enter(Drawn& drawn, Filled& domain) {
  drawn.to = domain.domain;
  domain.part.load += drawn.load;
  domain.part.threads += drawn.threads;
  domain.coming += bytes_outside(forest_, drawn.entity, domain.domain);
}

void DomainPlan::leave(const Drawn& drawn, Filled& domain) {
  domain.part.load -= drawn.load;
  domain.part.threads -= drawn.threads;
  domain.coming -= bytes_outside(forest_, drawn.entity, domain.domain);
}

// ------------------------------------------------------------------------------------------------
// Where a domain has more than its share

double DomainPlan::fair_load() const {
  double load = 0;
  double cores = 0;
  for (const Filled& each : domains_) {
    load += each.part.load;
    cores += each.part.cores;
  }
  return load / cores * (1 + load_rounding);
}

// Up to a thread for each core is never too much.
bool DomainPlan::is_overfull(const Filled& domain) const {
  return domain.part.threads > domain.part.cores && domain.part.load_with(0) > fair_load();
}

void DomainPlan::relieve_all() {
  std::vector<DomainId> left;
  for (const Filled& each : domains_) left.push_back(each.domain);
  while (!left.empty()) {
    // The fullest first: what it gives away may fill others.
    const auto most = std::ranges::max_element(
        left, {}, [&](DomainId domain) { return filled(domain)->part.load_with(0); });
    Filled& full = *filled(*most);
    if (!is_overfull(full) || !relieve(full)) left.erase(most);
  }
}

// One entity moves on, or a bubble bursts. False if nobody can.
bool DomainPlan::relieve(Filled& full) {
  std::vector<std::size_t> there;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    if (drawn_[i].to == full.domain) there.push_back(i);
  }
  // The last of those with as few bytes: the first may be a master.
  std::ranges::sort(there, [&](std::size_t a, std::size_t b) {
    return std::pair(drawn_[a].weight, b) < std::pair(drawn_[b].weight, a);
  });
  for (const std::size_t i : there) {
    if (move_on(drawn_[i], full)) return true;
    if (forest_[drawn_[i].entity].is_bubble && drawn_[i].threads > 1) {
      burst(i);
      return true;
    }
  }
  return false;
}

/// To the nearest domain that keeps its share, or else to one that has less than this.
bool DomainPlan::move_on(Drawn& drawn, Filled& full) {
  const double fair = fair_load();
  const std::vector<Filled*> others = nearest_first(full.domain);
  for (const bool is_choosy : {true, false}) {
    const double limit = is_choosy ? fair : full.part.load_with(0) * (1 - load_rounding);
    for (Filled* other : others) {
      const bool has_cores = other->part.load_with(drawn.load) < limit;
      if (!has_cores) continue;
      const std::uint64_t bytes = bytes_outside(forest_, drawn.entity, other->domain);
      if (!has_room(forest_, other->domain, other->coming + bytes)) continue;
      leave(drawn, full);
      enter(drawn, *other);
      return true;
    }
  }
  return false;
}

void DomainPlan::burst(std::size_t index) {
  const Drawn whole = drawn_[index];
  forest_.put(whole.entity, room_);
  drawn_.erase(drawn_.begin() + static_cast<std::ptrdiff_t>(index));
  Filled& domain = *filled(whole.to);
  leave(whole, domain);
  auto at = static_cast<std::ptrdiff_t>(index);
  for (const EntityId member : forest_[whole.entity].members) {
    if (forest_.threads_of(member).empty()) continue;
    Drawn one = drawn(member);
    enter(one, domain);
    drawn_.insert(drawn_.begin() + at++, one);
  }
}

std::vector<DomainPlan::Filled*> DomainPlan::nearest_first(DomainId from) {
  std::vector<Filled*> others;
  for (Filled& each : domains_) {
    if (each.domain != from) others.push_back(&each);
  }
  const machine::Distances& distances = forest_.queues().distances();
  std::ranges::sort(others, {}, [&](const Filled* each) {
    return std::pair(distances.at(each->domain, from), each->domain);
  });
  return others;
}

}  // namespace lares::policy
