// What `lares doctor` looks at. Each check tries something harmless and says what it found.
#pragma once

#include <string>
#include <vector>

namespace lares::cli::doctor {

enum class Verdict {
  ok,
  note,     ///< works; worth knowing
  warning,  ///< `lares run` works, but not as well as it could
  broken    ///< `lares run` cannot work
};

/// The outcome of one check.
struct Check {
  std::string name;  ///< stable, for scripts: "mbind"
  Verdict verdict = Verdict::ok;
  std::string finding;  ///< what is the case
  std::string remedy;   ///< how to mend it; empty if there is nothing to mend
};

// Each of these appends its checks. They leave this process as it was: what changes a process is
// tried in a child.

/// hwloc, the topology, how many domains each level makes.
void check_topology(std::vector<Check>& checks);
/// sched_setaffinity, set_mempolicy, mbind, move_pages, membarrier.
void check_system_calls(std::vector<Check>& checks);
/// userfaultfd, and what it can do here.
void check_next_touch(std::vector<Check>& checks);
/// cpuset, affinity, NUMA balancing, huge pages, memory limits.
void check_surroundings(std::vector<Check>& checks);
/// The preloaded library, a folder for the session, OpenMP runtimes.
void check_installation(std::vector<Check>& checks);

}  // namespace lares::cli::doctor
