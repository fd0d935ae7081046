#include "policy/bubbles/data.hpp"

#include <algorithm>
#include <numeric>

namespace lares::policy {
namespace {

std::vector<double> weights_of(const Forest& forest, EntityId entity) {
  std::vector<double> weights(forest.queues().domain_count());
  for (const EntityId thread : forest.threads_of(entity)) {
    const Entity& each = forest[thread];
    for (std::size_t d = 0; d < each.attached.size(); ++d) {
      weights[d] += static_cast<double>(each.attached[d]) * each.intensity;
    }
  }
  return weights;
}

}  // namespace

DomainId served_by(const RunQueues& queues, DomainId memory) {
  DomainId nearest;
  for (std::size_t d = 0; d < queues.domain_count(); ++d) {
    const DomainId domain{d};
    if (!queues.of(domain).valid()) continue;
    if (domain == memory) return memory;
    const machine::Distances& distances = queues.distances();
    if (!nearest.valid() || distances.at(domain, memory) < distances.at(nearest, memory)) {
      nearest = domain;
    }
  }
  return nearest;
}

DomainId favourite_of(const Forest& forest, EntityId entity) {
  const std::vector<double> weights = weights_of(forest, entity);
  const auto most = std::ranges::max_element(weights);
  if (most == weights.end() || *most <= 0) return {};
  return served_by(forest.queues(), DomainId{static_cast<std::size_t>(most - weights.begin())});
}

double weight_of(const Forest& forest, EntityId entity) {
  const std::vector<double> weights = weights_of(forest, entity);
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::uint64_t bytes_outside(const Forest& forest, EntityId entity, DomainId domain) {
  const std::vector<std::uint64_t> bytes = forest.attached_to(entity);
  std::uint64_t outside = 0;
  for (std::size_t d = 0; d < bytes.size(); ++d) {
    if (bytes[d] > 0 && served_by(forest.queues(), DomainId{d}) != domain) outside += bytes[d];
  }
  return outside;
}

bool has_room(const Forest& forest, DomainId domain, std::uint64_t bytes) {
  const std::uint64_t room = forest.queues().memory(domain).count;
  if (room == 0) return true;
  std::uint64_t used = 0;
  for (const EntityId thread : forest.threads()) {
    const std::vector<std::uint64_t>& attached = forest[thread].attached;
    if (!attached.empty()) used += attached[domain.index()];
  }
  return used <= room && bytes <= room - used;
}

bool can_follow(const Forest& forest, EntityId thread, RunQueueId queue) {
  const DomainId domain = forest.queues()[queue].domain;
  if (!domain.valid() || forest[thread].intensity <= 0) return false;
  const std::uint64_t bytes = bytes_outside(forest, thread, domain);
  return bytes > 0 && has_room(forest, domain, bytes);
}

}  // namespace lares::policy
