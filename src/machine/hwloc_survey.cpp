#include "machine/hwloc_survey.hpp"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <hwloc/memattrs.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

#include "machine/hwloc_handles.hpp"

namespace lares::machine {
namespace {

using Bitmap = std::unique_ptr<hwloc_bitmap_s, DestroyHwloc>;

/// Kernel names for a node's directory; both files may be absent.
std::string node_path(OsNode node, const char* file) {
  return "/sys/devices/system/node/node" + std::to_string(node.value()) + "/" + file;
}

Bytes free_memory(OsNode node) {
  std::ifstream in(node_path(node, "meminfo"));
  for (std::string line; std::getline(in, line);) {
    const std::size_t key = line.find("MemFree:");
    if (key == std::string::npos) continue;
    std::uint64_t kilobytes = 0;
    std::istringstream(line.substr(key + 8)) >> kilobytes;
    return {kilobytes * 1024};
  }
  return {};
}

/// True unless the kernel says that the node has no cpu.
bool lists_cpus(OsNode node) {
  std::ifstream in(node_path(node, "cpulist"));
  std::string line;
  return !std::getline(in, line) || !line.empty();
}

/// hwloc's words for kinds of memory differ between versions; these parts of them do not.
std::string memory_kind(hwloc_obj_t node) {
  std::string words = node->subtype != nullptr ? node->subtype : "";
  for (const char* key : {"MemoryTier", "DAXType", "CXLDevice"}) {
    const char* value = hwloc_obj_get_info_by_name(node, key);
    if (value != nullptr) words += std::string(" ") + key + " " + value;
  }
  static constexpr std::pair<std::string_view, const char*> kinds[] = {
      {"HBM", "HBM"}, {"MCDRAM", "HBM"}, {"CXL", "CXL"},
      {"NVM", "NVM"}, {"GPU", "GPU"},    {"DRAM", "DRAM"}};
  for (const auto& [part, kind] : kinds) {
    if (words.find(part) != std::string::npos) return kind;
  }
  return "unknown";
}

/// Turns a loaded topology into a survey.
class Extraction {
 public:
  /// `allowed`: the cpus to keep.
  Extraction(hwloc_topology_t topology, hwloc_const_cpuset_t allowed, bool here)
      : topology_(topology), allowed_(allowed), here_(here) {}

  Survey run(std::string name) {
    survey_.name = std::move(name);
    take_cores();
    take_sets(HWLOC_OBJ_PACKAGE, Level::package);
    take_sets(HWLOC_OBJ_L3CACHE, Level::l3);
    take_sets(HWLOC_OBJ_L2CACHE, Level::l2);
    take_groups();
    take_nodes();
    take_slit();
    return std::move(survey_);
  }

 private:
  void take_cores() {
    std::map<unsigned, CoreId> numbers;  // by logical index of the object that stands for a core
    hwloc_obj_t pu = nullptr;
    while ((pu = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PU, pu)) != nullptr) {
      if (hwloc_bitmap_isset(allowed_, pu->os_index) == 0) continue;
      const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_CORE, pu);
      const unsigned key = core != nullptr ? core->logical_index : pu->logical_index;
      const auto entry = numbers.try_emplace(key, survey_.cores.size()).first;
      if (entry->second.index() == survey_.cores.size()) survey_.cores.emplace_back();
      survey_.cores[entry->second.index()].emplace_back(static_cast<std::int32_t>(pu->os_index));
      core_of_cpu_[pu->os_index] = entry->second;
    }
    for (auto& cpus : survey_.cores) std::sort(cpus.begin(), cpus.end());
  }

  /// Ascending, each core once.
  [[nodiscard]] std::vector<CoreId> cores_in(hwloc_const_cpuset_t set) const {
    std::vector<CoreId> cores;
    for (const auto& [cpu, core] : core_of_cpu_) {
      if (hwloc_bitmap_isset(set, cpu) != 0) cores.push_back(core);
    }
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    return cores;
  }

  void take_set(hwloc_obj_t object, Level level) {
    auto cores = cores_in(object->cpuset);
    if (!cores.empty()) survey_.sets.push_back({level, object->depth, std::move(cores)});
  }

  void take_sets(hwloc_obj_type_t type, Level level) {
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology_, type, object)) != nullptr) {
      take_set(object, level);
    }
  }

  /// Groups nest, so hwloc may keep them at several depths.
  void take_groups() {
    for (int depth = 0; depth < hwloc_topology_get_depth(topology_); ++depth) {
      if (hwloc_get_depth_type(topology_, depth) != HWLOC_OBJ_GROUP) continue;
      hwloc_obj_t object = nullptr;
      while ((object = hwloc_get_next_obj_by_depth(topology_, depth, object)) != nullptr) {
        take_set(object, Level::group);
      }
    }
  }

  void take_nodes() {
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, object)) !=
           nullptr) {
      SurveyNode node;
      node.node = OsNode{static_cast<std::int32_t>(object->os_index)};
      node.total = {object->attr->numanode.local_memory};
      node.kind = memory_kind(object);
      node.near_cores = cores_in(object->cpuset);
      node.bandwidth = bandwidth_of(object);
      if (here_) {
        node.free = free_memory(node.node);
        node.own_cpus = lists_cpus(node.node);
      }
      survey_.nodes.push_back(std::move(node));
    }
    std::sort(survey_.nodes.begin(), survey_.nodes.end(),
              [](const SurveyNode& a, const SurveyNode& b) { return a.node < b.node; });
    guess_kinds(survey_);
  }

  /// In MiB/s (the firmware's HMAT); 0 if it does not tell.
  [[nodiscard]] std::uint64_t bandwidth_of(hwloc_obj_t node) const {
    hwloc_location from{};
    hwloc_uint64_t value = 0;
    const int failed = hwloc_memattr_get_best_initiator(topology_, HWLOC_MEMATTR_ID_BANDWIDTH, node,
                                                        0, &from, &value);
    return failed == 0 ? value : 0;
  }

  void take_slit() {
    unsigned count = 1;
    hwloc_distances_s* matrix = nullptr;
    const int failed = hwloc_distances_get_by_type(topology_, HWLOC_OBJ_NUMANODE, &count, &matrix,
                                                   HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
    if (failed != 0 || count == 0 || matrix == nullptr) return;
    fill_slit(*matrix);
    hwloc_distances_release(topology_, matrix);
  }

  /// Leaves the matrix empty unless it covers every node.
  void fill_slit(const hwloc_distances_s& matrix) {
    std::vector<std::size_t> column;
    for (const SurveyNode& node : survey_.nodes) {
      const auto end = matrix.objs + matrix.nbobjs;
      const auto found = std::find_if(matrix.objs, end, [&](hwloc_obj_t object) {
        return object != nullptr &&
               static_cast<std::int32_t>(object->os_index) == node.node.value();
      });
      if (found == end) return;
      column.push_back(static_cast<std::size_t>(found - matrix.objs));
    }
    for (const std::size_t from : column) {
      for (const std::size_t to : column) {
        const hwloc_uint64_t value = matrix.values[from * matrix.nbobjs + to];
        survey_.slit.push_back(static_cast<std::uint32_t>(
            std::min<hwloc_uint64_t>(value, std::numeric_limits<std::uint32_t>::max())));
      }
    }
  }

  hwloc_topology_t topology_;
  hwloc_const_cpuset_t allowed_;
  bool here_;
  Survey survey_;
  std::map<unsigned, CoreId> core_of_cpu_;
};

std::string clean(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) c = ' ';
  }
  name.erase(name.find_last_not_of(' ') + 1);
  return name;
}

/// What people would call the machine: its processor, else its product, else `fallback`.
std::string machine_name(hwloc_topology_t topology, const std::string& fallback) {
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  const hwloc_obj_t root = hwloc_get_root_obj(topology);
  for (const auto& [object, key] : {std::pair(package, "CPUModel"), std::pair(root, "CPUModel"),
                                    std::pair(root, "DMIProductName")}) {
    const char* value = object != nullptr ? hwloc_obj_get_info_by_name(object, key) : nullptr;
    if (value != nullptr && *value != '\0') return clean(value);
  }
  return clean(fallback);
}

Survey extract(hwloc_topology_t topology, const std::string& fallback_name, bool process) {
  const bool here = process && hwloc_topology_is_thissystem(topology) != 0;
  const Bitmap allowed(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  const Bitmap bound(hwloc_bitmap_alloc());
  if (here && hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) == 0) {
    hwloc_bitmap_and(allowed.get(), allowed.get(), bound.get());
  }
  return Extraction(topology, allowed.get(), here).run(machine_name(topology, fallback_name));
}

Topology make_topology() {
  hwloc_topology_t topology = nullptr;
  return Topology(hwloc_topology_init(&topology) == 0 ? topology : nullptr);
}

Error no_memory() { return {"hwloc could not start: out of memory"}; }

}  // namespace

Result<Survey> survey_process() {
  const Topology topology = make_topology();
  if (!topology) return no_memory();
  if (hwloc_topology_load(topology.get()) != 0) {
    return Error{"hwloc could not read this machine: is /sys mounted?"};
  }
  return extract(topology.get(), "this machine", true);
}

Result<Survey> survey_synthetic(const std::string& description) {
  const Topology topology = make_topology();
  if (!topology) return no_memory();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    return Error{"\"synthetic:" + description +
                 "\" is not a description that hwloc understands, an accepted one is "
                 "\"synthetic:pack:2 [numa] l3:2 core:4 pu:1\""};
  }
  return extract(topology.get(), "synthetic:" + description, false);
}

Result<Survey> survey_xml(const std::string& xml, const std::string& file) {
  const Topology topology = make_topology();
  if (!topology) return no_memory();
  // hwloc wants the length with the final NUL, as an int.
  const bool fits = xml.size() < static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (!fits ||
      hwloc_topology_set_xmlbuffer(topology.get(), xml.c_str(), static_cast<int>(xml.size() + 1)) !=
          0 ||
      hwloc_topology_load(topology.get()) != 0) {
    return Error{"machine file \"" + file +
                 "\" is not an XML file that hwloc understands; \"lstopo FILE.xml\" writes one"};
  }
  return extract(topology.get(), file, false);
}

}  // namespace lares::machine
