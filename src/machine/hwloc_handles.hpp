// hwloc's objects, given back at the end of their scope.
#pragma once

#include <hwloc.h>

#include <memory>

namespace lares::machine {

/// Gives back what hwloc handed out.
struct DestroyHwloc {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyHwloc>;

}  // namespace lares::machine
