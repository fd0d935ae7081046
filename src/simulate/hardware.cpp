#include "simulate/hardware.hpp"

#include <algorithm>

namespace lares::simulate {
namespace {

std::string pair_name(const std::string& name, std::size_t from, std::size_t to) {
  return name + " " + std::to_string(from) + ">" + std::to_string(to);
}

}  // namespace

Hardware::Hardware(const machine::Machine& machine, const Parameters& parameters)
    : parameters_(parameters), domains_(machine.domains.size()) {
  inward_.resize(domains_ * domains_);
  outward_.resize(domains_ * domains_);
  add_controllers(machine);
  if (parameters.probe_mb_s > 0) add_probes(machine);
  if (parameters.pair_links) add_pair_links(machine);
  for (const Fabric& fabric : parameters.fabrics) add_fabric(fabric);
}

std::uint32_t Hardware::add(const std::string& name, double mb_s, Collapse collapse) {
  names_.push_back(name);
  return sharing.add_resource(mb_s * megabyte, collapse);
}

// Nothing for the own memory.
const RemoteClass* Hardware::class_of(std::uint32_t distance) const {
  for (const RemoteClass& entry : parameters_.remote) {
    if (distance <= entry.up_to_distance) return &entry;
  }
  return parameters_.remote.empty() ? nullptr : &parameters_.remote.back();
}

void Hardware::add_controllers(const machine::Machine& machine) {
  for (std::size_t to = 0; to < domains_; ++to) {
    const std::uint32_t controller =
        add("memory " + std::to_string(to), parameters_.controllers[to]);
    for (std::size_t from = 0; from < domains_; ++from) {
      inward_[from * domains_ + to].push_back({controller, 1});
      outward_[from * domains_ + to].push_back({controller, 1});
    }
  }
  core_rates_.resize(domains_ * domains_);
  for (std::size_t from = 0; from < domains_; ++from) {
    for (std::size_t to = 0; to < domains_; ++to) {
      const std::uint32_t distance = machine.distances.at(DomainId{from}, DomainId{to});
      const RemoteClass* remote = class_of(distance);
      double factor = 1;
      if (from != to) {
        factor = remote != nullptr ? remote->core_factor
                                   : std::min(1.0, 10.0 / static_cast<double>(distance));
      }
      core_rates_[from * domains_ + to] = parameters_.core_mb_s * megabyte * factor;
    }
  }
}

void Hardware::add_probes(const machine::Machine& machine) {
  const std::uint32_t probes = add("probes", parameters_.probe_mb_s);
  for (std::size_t from = 0; from < domains_; ++from) {
    for (std::size_t to = 0; to < domains_; ++to) {
      const RemoteClass* remote = class_of(machine.distances.at(DomainId{from}, DomainId{to}));
      const double weight = from == to || remote == nullptr ? 1 : remote->probe_weight;
      inward_[from * domains_ + to].push_back({probes, weight});
      outward_[from * domains_ + to].push_back({probes, weight});
    }
  }
}

// The bandwidth of all cores of one domain on the memory of another, where it is known.
void Hardware::add_pair_links(const machine::Machine& machine) {
  for (std::size_t from = 0; from < domains_; ++from) {
    for (std::size_t to = 0; to < domains_; ++to) {
      const std::size_t at = from * domains_ + to;
      const auto& known = machine.performance.bandwidth_mb_s;
      if (from == to || known.empty() || known[at] == 0) continue;
      const std::uint32_t link = add(pair_name("link", to, from), known[at]);
      inward_[at].push_back({link, 1});
      outward_[at].push_back({link, 1});
    }
  }
}

void Hardware::add_fabric(const Fabric& fabric) {
  std::vector<std::size_t> group_of(domains_, 0);
  for (std::size_t g = 0; g < fabric.groups.size(); ++g) {
    for (const DomainId domain : fabric.groups[g]) group_of[domain.index()] = g;
  }
  const Collapse collapse =
      fabric.free_flows > 0 ? Collapse{fabric.free_flows, fabric.collapse} : Collapse{};
  const std::size_t groups = fabric.groups.size();
  std::vector<std::uint32_t> numbers;  // machine: one; group: in, out; pair: source x target
  if (fabric.scope == Fabric::Scope::machine) {
    numbers.push_back(add(fabric.name, fabric.mb_s, collapse));
  } else if (fabric.scope == Fabric::Scope::group) {
    for (std::size_t g = 0; g < groups; ++g) {
      numbers.push_back(add(fabric.name + " into " + std::to_string(g), fabric.mb_s, collapse));
      numbers.push_back(add(fabric.name + " out of " + std::to_string(g), fabric.mb_s, collapse));
    }
  } else {
    for (std::size_t i = 0; i < groups * groups; ++i) {
      numbers.push_back(add(pair_name(fabric.name, i / groups, i % groups), fabric.mb_s, collapse));
    }
  }
  const auto cross = [&](std::vector<Crossing>& path, std::size_t source, std::size_t target) {
    if (fabric.scope == Fabric::Scope::machine) {
      path.push_back({numbers[0], 1});
    } else if (fabric.scope == Fabric::Scope::group) {
      path.push_back({numbers[2 * target], 1});
      path.push_back({numbers[2 * source + 1], 1});
    } else {
      path.push_back({numbers[source * groups + target], 1});
    }
  };
  for (std::size_t from = 0; from < domains_; ++from) {
    for (std::size_t to = 0; to < domains_; ++to) {
      if (group_of[from] == group_of[to]) continue;
      cross(inward_[from * domains_ + to], group_of[to], group_of[from]);
      cross(outward_[from * domains_ + to], group_of[from], group_of[to]);
    }
  }
}

void Hardware::uses_of(DomainId from, const std::vector<Traffic>& traffic,
                       std::vector<Use>& uses) const {
  uses.clear();
  const double total = bytes_of(traffic);
  const auto take = [&uses](const std::vector<Crossing>& path, double share) {
    for (const Crossing& crossing : path) {
      const auto known = std::find_if(uses.begin(), uses.end(), [&](const Use& use) {
        return use.resource == crossing.resource;
      });
      if (known != uses.end()) {
        known->weight += crossing.weight * share;
      } else {
        uses.push_back({crossing.resource, crossing.weight * share});
      }
    }
  };
  for (const Traffic& part : traffic) {
    const std::size_t at = from.index() * domains_ + part.home.index();
    if (part.read > 0) take(inward_[at], part.read / total);
    if (part.written > 0) take(outward_[at], part.written / total);
  }
}

double Hardware::core_rate(DomainId from, const std::vector<Traffic>& traffic) const {
  double seconds = 0;
  for (const Traffic& part : traffic) {
    seconds += (part.read + part.written) / core_rate(from, part.home);
  }
  return bytes_of(traffic) / seconds;
}

}  // namespace lares::simulate
