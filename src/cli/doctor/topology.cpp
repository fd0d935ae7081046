#include <fmt/format.h>
#include <hwloc.h>

#include "cli/doctor/checks.hpp"
#include "machine/discover.hpp"

namespace lares::cli::doctor {
namespace {

using machine::Level;

Check hwloc_version() {
  const unsigned version = hwloc_get_api_version();
  return {"hwloc", Verdict::ok,
          fmt::format("version {}.{}.{}", version >> 16U, (version >> 8U) & 0xFFU, version & 0xFFU),
          ""};
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
