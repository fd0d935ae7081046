#include "model/roofs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "model/memory_time.hpp"

namespace lares::model {
namespace {

using machine::Machine;

struct Class {
  bool local = true;
  std::uint32_t least = 10;
  std::uint32_t most = 10;

  [[nodiscard]] bool has(const Machine& machine, DomainId from, DomainId to) const {
    if (local || from == to) return local && from == to;
    const std::uint32_t distance = machine.distances.at(from, to);
    return least <= distance && distance <= most;
  }
};

std::vector<Class> classes_of(const Machine& machine, const Team& team) {
  std::set<std::uint32_t> distances;
  for (std::size_t from = 0; from < machine.domains.size(); ++from) {
    if (team.of_domain[from] == 0) continue;
    for (std::size_t to = 0; to < machine.domains.size(); ++to) {
      if (from != to) distances.insert(machine.distances.at(DomainId{from}, DomainId{to}));
    }
  }
  std::vector<Class> classes{{}};
  for (const std::uint32_t distance : distances) {
    Class& last = classes.back();
    if (!last.local && 10 * distance <= 11 * last.least) {
      last.most = distance;
    } else {
      classes.push_back({false, distance, distance});
    }
  }
  return classes;
}

/// Each domain with such a pair reads a byte a thread, from all homes of the class in equal parts.
MemoryRoof roof_of(const Machine& machine, const Figures& figures, const Team& team,
                   const Class& wanted) {
  const std::size_t domains = figures.domains();
  Stream stream{Access::read, figures.memory_footprint(), std::vector<double>(domains * domains, 0),
                false};
  double all = 0;
  for (std::size_t from = 0; from < domains; ++from) {
    std::vector<std::size_t> homes;
    for (std::size_t to = 0; to < domains; ++to) {
      if (wanted.has(machine, DomainId{from}, DomainId{to})) homes.push_back(to);
    }
    if (homes.empty()) continue;
    const double bytes = team.of_domain[from];
    all += bytes;
    for (const std::size_t to : homes) {
      stream.bytes[from * domains + to] = bytes / static_cast<double>(homes.size());
    }
  }
  const Seconds time = memory_time(figures, team, {stream}).time;
  return {wanted.local, wanted.least, wanted.most, {all / time.count / 1e6}};
}

}  // namespace

std::vector<MemoryRoof> memory_roofs(const Machine& machine, const Figures& figures,
                                     const Team& team) {
  std::vector<MemoryRoof> roofs;
  for (const Class& each : classes_of(machine, team)) {
    roofs.push_back(roof_of(machine, figures, team, each));
  }
  return roofs;
}

std::vector<PeakRoof> peak_roofs(const Figures& figures, const Team& team,
                                 const std::optional<Peak>& core_peak) {
  if (core_peak) return {{Flops::fma, {core_peak->gflops * team.size}}};
  std::vector<PeakRoof> roofs;
  for (std::size_t i = 0; i < flops_words.size(); ++i) {
    const auto kind = static_cast<Flops>(i);
    if (const auto peak = figures.peak(kind, team.size)) roofs.push_back({kind, *peak});
  }
  std::sort(roofs.begin(), roofs.end(), [](const PeakRoof& a, const PeakRoof& b) {
    return std::pair(b.peak, a.kind) < std::pair(a.peak, b.kind);
  });
  return roofs;
}

}  // namespace lares::model
