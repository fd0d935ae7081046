#include <fmt/format.h>
#include <hwloc.h>

#include "cli/doctor/checks.hpp"
#include "machine/discover.hpp"

namespace lares::cli::doctor {
namespace {

using machine::Level;

/// hwloc writes its version into every topology that it loads; its header tells the interface only.
Check hwloc_version() {
  std::string version = "unknown";
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) {
    return {"hwloc", Verdict::broken, "hwloc could not start", "free some memory"};
  }
  if (hwloc_topology_set_synthetic(topology, "pu:1") == 0 && hwloc_topology_load(topology) == 0) {
    const char* text = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "hwlocVersion");
    if (text != nullptr) version = text;
  }
  hwloc_topology_destroy(topology);
  return {"hwloc", Verdict::ok, "version " + version, ""};
}

Check domains(const machine::Machine& best) {
  std::string levels;
  for (const Level level : {Level::numa, Level::package, Level::l3, Level::l2, Level::group}) {
    const auto machine = machine::discover({}, level);
    if (!machine) continue;
    if (!levels.empty()) levels += ", ";
    levels += fmt::format("{} {}", level_name(level), machine.value().domains_with_cores());
  }
  const std::size_t count = best.domains_with_cores();
  const std::string finding = fmt::format("{} at level {} (domains by level: {})", count,
                                          level_name(best.domain_level), levels);
  if (count > 1) return {"domains", Verdict::ok, finding, ""};
  return {"domains", Verdict::note, finding,
          "with one domain all data is local: Lares can only save overhead here"};
}

}  // namespace

void check_topology(std::vector<Check>& checks) {
  checks.push_back(hwloc_version());
  const auto machine = machine::discover({});
  if (!machine) {
    checks.push_back({"topology", Verdict::broken, machine.error().sentence,
                      "mount /sys, or describe the machine with --machine FILE"});
    return;
  }
  checks.push_back({"topology", Verdict::ok,
                    fmt::format("{}: {} cores, {} memory nodes", machine.value().name,
                                machine.value().cores.size(), machine.value().memory.size()),
                    ""});
  checks.push_back(domains(machine.value()));
}

}  // namespace lares::cli::doctor
