// The simulated machine: which resources an access loads, and how fast a core alone would be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "simulate/parameters.hpp"
#include "simulate/sharing.hpp"

namespace lares::simulate {

/// Bytes that a task moves between its core and one domain's memory.
struct Traffic {
  DomainId home;
  double read = 0;
  double written = 0;
};

inline double bytes_of(const std::vector<Traffic>& traffic) {
  double bytes = 0;
  for (const Traffic& part : traffic) bytes += part.read + part.written;
  return bytes;
}

/// Immutable but for `sharing`, which it fills with the machine's resources once.
class Hardware {
 public:
  Hardware(const machine::Machine& machine, const Parameters& parameters);

  /// Progress of 1 is one byte, spread over homes and directions as `traffic` is: the weights on
  /// all resources for a core of `from`. Clears `uses`.
  void uses_of(DomainId from, const std::vector<Traffic>& traffic, std::vector<Use>& uses) const;
  /// Bytes a second that one core of `from` reaches on this mix with nobody else on the machine.
  [[nodiscard]] double core_rate(DomainId from, const std::vector<Traffic>& traffic) const;
  [[nodiscard]] double core_rate(DomainId from, DomainId to) const {
    return core_rates_[from.index() * domains_ + to.index()];
  }

  Sharing sharing;
  /// By resource: "memory 3", "BCS", "link 0>1".
  [[nodiscard]] const std::vector<std::string>& resource_names() const { return names_; }

 private:
  struct Crossing {
    std::uint32_t resource;
    double weight;
  };
  void add_controllers(const machine::Machine& machine);
  void add_probes(const machine::Machine& machine);
  void add_pair_links(const machine::Machine& machine);
  void add_fabric(const Fabric& fabric);
  [[nodiscard]] const RemoteClass* class_of(std::uint32_t distance) const;
  std::uint32_t add(const std::string& name, double mb_s, Collapse collapse = {});

  const Parameters& parameters_;
  std::size_t domains_ = 0;
  std::vector<double> core_rates_;              // from x to, bytes a second
  std::vector<std::vector<Crossing>> inward_;   // from x to: reads of `to` by a core of `from`
  std::vector<std::vector<Crossing>> outward_;  // from x to: writes
  std::vector<std::string> names_;
};

}  // namespace lares::simulate
