// What the kernel, the container and the shell impose on every process started here.
#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>
#include <string_view>

#include "cli/doctor/checks.hpp"
#include "cli/output.hpp"

namespace lares::cli::doctor {
namespace {

/// The first line of a file, "" if there is none.
std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

/// What /proc/self/status says after `key`.
std::string status_field(std::string_view key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t", key.size());
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

Check restriction(const char* name, const std::string& allowed, const std::string& online,
                  const char* what) {
  if (allowed.empty() || online.empty()) {
    return {name, Verdict::note, fmt::format("unknown which {} may be used", what), ""};
  }
  if (allowed == online) return {name, Verdict::ok, fmt::format("all {} ({})", what, online), ""};
  return {name, Verdict::note, fmt::format("only {} {} of {}", what, allowed, online),
          "Lares uses these only; a cpuset, a container or taskset leaves the others out"};
}

Check numa_balancing() {
  const std::string value = first_line("/proc/sys/kernel/numa_balancing");
  const bool off = value.empty() || value == "0";
  if (off) return {"numa-balancing", Verdict::ok, "the kernel moves no pages by itself", ""};
  if (first_line("/sys/devices/system/node/online").find_first_of(",-") == std::string::npos) {
    return {"numa-balancing", Verdict::ok, "on, without effect on one node", ""};
  }
  return {"numa-balancing", Verdict::warning,
          "the kernel moves pages by itself, behind the back of placement",
          "sysctl -w kernel.numa_balancing=0 (as root)"};
}

Check huge_pages() {
  const std::string modes = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t open = modes.find('[');
  const std::size_t close = modes.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return {"huge-pages", Verdict::note, "this kernel has no transparent huge pages", ""};
  }
  const std::string mode = modes.substr(open + 1, close - open - 1);
  if (mode != "always") return {"huge-pages", Verdict::ok, "transparent huge pages: " + mode, ""};
  return {"huge-pages", Verdict::note,
          "transparent huge pages: always, so data is placed in steps of 2 MiB",
          "for blocks smaller than that: echo madvise > "
          "/sys/kernel/mm/transparent_hugepage/enabled (as root)"};
}

/// The limit of this process's own cgroup; "" if there is none to see.
std::string cgroup_limit() {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, 3, "0::") != 0) continue;
    const std::string limit = first_line("/sys/fs/cgroup" + line.substr(3) + "/memory.max");
    return limit == "max" ? "" : limit;
  }
  return "";
}

Check memory_limits() {
  std::string found;
  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY) {
    found = fmt::format("address space {} (ulimit -v)", human_bytes({address_space.rlim_cur}));
  }
  if (const std::string limit = cgroup_limit(); !limit.empty()) {
    found += fmt::format("{}{} bytes (cgroup)", found.empty() ? "" : ", ", limit);
  }
  if (found.empty()) return {"memory-limits", Verdict::ok, "none", ""};
  return {"memory-limits", Verdict::note, found,
          "tables of homes take address space: raise the limit if a program runs out of memory"};
}

}  // namespace

void check_surroundings(std::vector<Check>& checks) {
  checks.push_back(restriction("cpus", status_field("Cpus_allowed_list:"),
                               first_line("/sys/devices/system/cpu/online"), "cpus"));
  checks.push_back(restriction("memory-nodes", status_field("Mems_allowed_list:"),
                               first_line("/sys/devices/system/node/has_memory"), "nodes"));
  checks.push_back(numa_balancing());
  checks.push_back(huge_pages());
  checks.push_back(memory_limits());
}

}  // namespace lares::cli::doctor
