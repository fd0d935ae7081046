#include "machine/hwloc_distances.hpp"

#include <hwloc.h>
#include <hwloc/distances.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "machine/hwloc_handles.hpp"

namespace lares::machine {
namespace {

constexpr const char* matrix_name = "LaresMeasured";

bool is_lares_file(const Source& source) {
  return source.kind == Source::Kind::file && source.text.ends_with(".json");
}

Result<Topology> load(const Source& source) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return Error{"hwloc could not start: out of memory"};
  Topology topology(raw);
  int failed = 0;
  if (source.kind == Source::Kind::synthetic) {
    failed = hwloc_topology_set_synthetic(raw, source.text.c_str());
  } else if (source.kind == Source::Kind::file && !is_lares_file(source)) {
    failed = hwloc_topology_set_xml(raw, source.text.c_str());
  }
  if (failed != 0 || hwloc_topology_load(raw) != 0) {
    return Error{"--hwloc: hwloc could not read the topology that the distances belong to"};
  }
  return topology;
}

Result<std::vector<hwloc_obj_t>> nodes_of(const Machine& machine, hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> nodes;
  for (const Domain& domain : machine.domains) {
    hwloc_obj_t node = domain.node.valid()
                           ? hwloc_get_numanode_obj_by_os_index(
                                 topology, static_cast<unsigned>(domain.node.value()))
                           : nullptr;
    if (node == nullptr) {
      return Error{"--hwloc: the topology has no NUMA node for domain \"" + domain.name +
                   "\"; run it on the machine that was measured"};
    }
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) {
      return Error{"--hwloc: domain \"" + domain.name +
                   "\" shares its NUMA node with another, accepted is a machine with level numa"};
    }
    nodes.push_back(node);
  }
  return nodes;
}

bool add_matrix(hwloc_topology_t topology, std::vector<hwloc_obj_t>& nodes,
                const std::vector<std::uint32_t>& values) {
  std::vector<hwloc_uint64_t> wide(values.begin(), values.end());
  const auto handle = hwloc_distances_add_create(
      topology, matrix_name, HWLOC_DISTANCES_KIND_FROM_USER | HWLOC_DISTANCES_KIND_MEANS_LATENCY,
      0);
  return handle != nullptr &&
         hwloc_distances_add_values(topology, handle, static_cast<unsigned>(nodes.size()),
                                    nodes.data(), wide.data(), 0) == 0 &&
         hwloc_distances_add_commit(topology, handle, 0) == 0;
}

}  // namespace

Result<bool> write_hwloc_distances(const Machine& machine, const std::vector<std::uint32_t>& values,
                                   const Source& source, const std::string& file) {
  if (std::find(values.begin(), values.end(), 0U) != values.end()) {
    return Error{"--hwloc: not all distances are known, and hwloc has no word for that"};
  }
  auto topology = load(source);
  if (!topology) return topology.error();
  auto nodes = nodes_of(machine, topology.value().get());
  if (!nodes) return nodes.error();
  if (nodes.value().size() < 2) {
    return Error{
        "--hwloc: there is one domain only, and hwloc keeps distances between two or more"};
  }
  if (!add_matrix(topology.value().get(), nodes.value(), values)) {
    return Error{std::string("--hwloc: hwloc refused the distances: ") + std::strerror(errno)};
  }
  if (hwloc_topology_export_xml(topology.value().get(), file.c_str(), 0) != 0) {
    return Error{"--hwloc: cannot write \"" + file + "\": " + std::strerror(errno)};
  }
  return true;
}

}  // namespace lares::machine
