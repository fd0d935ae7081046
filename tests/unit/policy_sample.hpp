// Machines and teams for the tests of policies: small enough to know every answer beforehand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/machine.hpp"
#include "policy/places.hpp"
#include "policy/policy.hpp"
#include "policy/registry.hpp"

namespace lares::policy::sample {

using machine::Level;
using machine::Machine;

constexpr DomainId domain(std::size_t number) { return DomainId{number}; }
constexpr WorkerId worker(std::size_t number) { return WorkerId{number}; }

/// One domain per number, with that many cores; zeros (memory only) must come last. All domains
/// hang below the root; distances are 10 and 20.
inline Machine machine_of(const std::vector<std::size_t>& cores_per_domain) {
  Machine m;
  m.name = "sample";
  m.domain_level = Level::numa;
  m.tree.push_back({.level = Level::machine, .parent = -1, .domain = {}, .cores = {}});
  for (std::size_t d = 0; d < cores_per_domain.size(); ++d) {
    machine::Domain dom;
    dom.node = OsNode{d};
    dom.memory = Bytes{1U << 30U};
    dom.name = std::string("numa ").append(std::to_string(d));
    for (std::size_t c = 0; c < cores_per_domain[d]; ++c) {
      dom.cores.emplace_back(m.cores.size());
      m.cores.push_back({.cpus = {OsCpu{m.cores.size()}}, .domain = domain(d)});
    }
    if (!dom.cores.empty()) {
      m.tree[0].cores.insert(m.tree[0].cores.end(), dom.cores.begin(), dom.cores.end());
      m.tree.push_back(
          {.level = Level::numa, .parent = 0, .domain = domain(d), .cores = dom.cores});
    }
    machine::MemoryNode memory;
    memory.node = OsNode{d};
    memory.total = dom.memory;
    memory.kind = "DRAM";
    memory.has_cores = !dom.cores.empty();
    m.memory.push_back(std::move(memory));
    m.domains.push_back(std::move(dom));
  }
  const std::size_t n = m.domains.size();
  m.distances.size = n;
  m.distances.source = "file";
  for (std::size_t i = 0; i < n * n; ++i) m.distances.values.push_back(i % (n + 1) == 0 ? 10 : 20);
  return m;
}

inline void set_distance(Machine& m, std::size_t from, std::size_t to, std::uint32_t value) {
  m.distances.values[from * m.distances.size + to] = value;
}

inline std::vector<CoreId> one_worker_per_core(const Machine& m) {
  std::vector<CoreId> cores;
  for (std::size_t c = 0; c < m.cores.size(); ++c) cores.emplace_back(c);
  return cores;
}

/// Queue lengths that a test sets.
class Lengths final : public QueueLengths {
 public:
  explicit Lengths(std::size_t places) : values(places, 0) {}
  [[nodiscard]] std::uint32_t length(PlaceId place) const noexcept override {
    return values[place.index()];
  }
  std::vector<std::uint32_t> values;
};

/// A team on a machine: everything that a policy may see.
class Team {
 public:
  explicit Team(const Machine& m) : Team(m, one_worker_per_core(m)) {}
  Team(const Machine& m, const std::vector<CoreId>& cores)
      : places(m, cores), lengths(places.size()), random(42) {
    const auto problem = machine::validate(m);
    EXPECT_FALSE(problem.has_value()) << problem->sentence;
  }

  [[nodiscard]] View view(std::size_t self) {
    return {.places = places, .lengths = lengths, .self = worker(self), .random = random};
  }
  [[nodiscard]] PlaceId of_worker(std::size_t number) const { return places.of(worker(number)); }
  [[nodiscard]] PlaceId of_domain(std::size_t number) const { return places.of(domain(number)); }

  Places places;
  Lengths lengths;
  Random random;
};

template <class Policy>
const Entry<Policy>& entry(std::span<const Entry<Policy>> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Entry<Policy>::name);
  if (found == rows.end()) {
    ADD_FAILURE() << "no policy " << name;
    return rows.front();
  }
  return *found;
}
inline std::unique_ptr<Distribution> make_distribution(std::string_view name) {
  return entry(distributions(), name).make();
}
inline std::unique_ptr<Push> make_push(std::string_view name) {
  return entry(pushes(), name).make();
}
inline std::unique_ptr<Steal> make_steal(std::string_view name) {
  return entry(steals(), name).make();
}

/// A letter and a number.
template <class Number>
std::string tag(char kind, Number number) {
  return std::string(1, kind).append(std::to_string(number));
}

/// A place as text that says what it is: "w3" a worker's, "d1" a domain's, "root", else "n" and its
/// id.
inline std::string name_of(const Places& places, PlaceId place) {
  if (place == places.root()) return "root";
  const Place& p = places[place];
  if (p.worker.valid()) return tag('w', p.worker.value());
  if (p.domain.valid() && places.of(p.domain) == place) return tag('d', p.domain.value());
  return tag('n', place.value());
}

inline std::vector<std::string> ask(Steal& steal, Team& team, std::size_t self) {
  std::vector<PlaceId> storage(steal.max_victims(team.places));
  Victims victims(storage);
  steal.on_idle(team.view(self), victims);
  std::vector<std::string> result;
  for (const PlaceId place : victims.list()) result.push_back(name_of(team.places, place));
  return result;
}

inline std::string ask(Push& push, Team& team, std::size_t self,
                       const std::vector<DataHome>& data = {}) {
  return name_of(team.places, push.on_ready(team.view(self), ReadyTask{data}));
}

inline DataHome datum(AccessMode mode, std::size_t home, std::uint64_t bytes = 4096) {
  return {.home = domain(home), .bytes = {bytes}, .mode = mode};
}
inline DataHome homeless(AccessMode mode) {
  return {.home = {}, .bytes = {4096}, .mode = mode, .unplaced = true};
}

/// A machine of up to 8 domains with up to 6 cores, random distances, sometimes an l3 level below
/// or a package level above the domains, and sometimes domains without cores.
inline Machine random_machine(Random& random) {
  std::vector<std::size_t> cores(1 + random.below(8));
  for (auto& count : cores) count = 1 + random.below(6);
  const std::size_t with_cores = cores.size();
  for (std::uint32_t i = random.below(3); i > 0; --i) cores.push_back(0);
  Machine m = machine_of(cores);
  for (std::size_t i = 0; i < cores.size(); ++i) {
    for (std::size_t j = 0; j < cores.size(); ++j) {
      if (i != j) set_distance(m, i, j, 11 + random.below(30));
    }
  }
  if (random.below(2) == 0) {  // halves of the domains as l3 nodes
    for (std::size_t d = 0; d < with_cores; ++d) {
      const auto& all = m.domains[d].cores;
      const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
      if (half == all.begin()) continue;
      const auto parent = static_cast<std::int32_t>(d + 1);
      m.tree.push_back(
          {.level = Level::l3, .parent = parent, .domain = {}, .cores = {all.begin(), half}});
      m.tree.push_back(
          {.level = Level::l3, .parent = parent, .domain = {}, .cores = {half, all.end()}});
    }
  }
  return m;
}

/// A team of up to 12 workers on random cores of `m`, some of them not bound.
inline std::vector<CoreId> random_team(const Machine& m, Random& random) {
  std::vector<CoreId> cores(1 + random.below(12));
  for (CoreId& core : cores) {
    const bool bound = random.below(4) != 0;
    if (bound) core = CoreId{std::size_t{random.below(static_cast<std::uint32_t>(m.cores.size()))}};
  }
  return cores;
}

}  // namespace lares::policy::sample
