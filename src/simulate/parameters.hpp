// What the simulation knows of a machine beyond its topology: rates, capacities, costs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"

namespace lares::simulate {

inline constexpr double megabyte = 1e6;

/// How accesses slow down with distance. Applies to distances above those of the entry before.
struct RemoteClass {
  std::uint32_t up_to_distance = 0;
  double core_factor = 1;   ///< one core's rate, of its rate on its own memory
  double probe_weight = 1;  ///< what a byte takes of the machine's probe capacity
};

/// Something that accesses between groups of domains share.
struct Fabric {
  enum class Scope {
    machine,  ///< one for all accesses that leave their group
    group,    ///< one into and one out of each group
    pair      ///< one for each ordered pair of groups
  };
  std::string name;
  Scope scope = Scope::machine;
  std::vector<std::vector<DomainId>> groups;
  double mb_s = 0;
  double free_flows = 0;  ///< flows up to which nothing is lost; 0: any number
  double collapse = 0;    ///< slope of the loss beyond that
};

/// Costs of the runtime, in nanoseconds. The defaults are assumptions, not measurements.
struct Costs {
  double create = 200;    ///< to make one task and link its dependences
  double dispatch = 300;  ///< from finding a task to its first instruction
  double probe = 100;     ///< one look into another's place
  double queue = 60;      ///< one operation on a shared queue, under its lock
  double loop = 150;      ///< one fetch from the counter of a dynamic loop
  double park = 50000;    ///< how long an idle worker looks around before it sleeps
  double wake = 5000;     ///< from the notice to the first look of a worker that slept
  double barrier = 2000;  ///< from the last arrival to the next phase
};

/// All rates in 10^6 bytes a second.
struct Parameters {
  std::string source;               ///< where the figures come from
  double core_mb_s = 0;             ///< one core alone on its own memory
  std::vector<double> controllers;  ///< by domain
  std::vector<RemoteClass> remote;  ///< ascending; none: distances alone (10 / distance)
  double probe_mb_s = 0;            ///< of the machine; 0: no such limit
  std::vector<Fabric> fabrics;
  bool pair_links = false;    ///< use the machine file's bandwidths between domains as limits
  double cache_bytes = 0;     ///< of one domain; 0: nothing is ever reused
  double core_gflops = 4;     ///< of one core, in a kernel that needs no memory
  double migrate_mb_s = 500;  ///< of one thread that moves pages
  double write_factor = 1;    ///< traffic of a written byte: 2 with write-allocate
  double noise = 0.05;        ///< relative standard deviation of task times
  Costs costs;
};

/// A parameter of which the source gives a range.
struct Uncertain {
  std::string name;
  Parameters low;  ///< all others at their best value
  Parameters high;
};

/// The parameters of a machine: those of its description, with what the description leaves out
/// filled by assumptions that `assumed` names.
struct MachineModel {
  Parameters best;
  std::vector<Uncertain> uncertain;
  std::vector<std::string> assumed;
};

/// `text` is the JSON text of the machine file's "simulation" object, or empty if there is none.
/// Errors name the field. Every number may be a list [low, best, high].
Result<MachineModel> read_model(const machine::Machine& machine, std::string_view text);

}  // namespace lares::simulate
