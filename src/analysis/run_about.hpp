// What is known of a traced run besides its events: the file `trace.json` of a trace folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace lares::analysis {

/// Where code of a file stands in its source.
struct SourcePlace {
  std::string file;
  std::uint64_t offset = 0;
  std::string place;  ///< "solver.c:42 sweep"
};

struct RunAbout {
  std::vector<std::string> command;
  std::string policy;
  std::string loops;
  std::string placement;
  std::string binding;
  std::string machine;  ///< its name
  std::string level;    ///< that makes its domains: "numa", "l3", ...
  std::string openmp;   ///< "libgomp.so.1", "libomp.so.5" or ""
  std::string lares_version;
  std::string started;  ///< "2026-11-25 10:12:03 UTC", or ""
  std::vector<std::pair<std::string, std::string>> environment;  ///< OMP_*, GOMP_*, KMP_*, LARES_*
  std::vector<std::vector<std::uint32_t>> distances;             ///< of the domains; may be empty
  std::vector<std::uint32_t> cores_of_domain;
  std::uint32_t cpus = 0;
  std::uint32_t runtimes = 1;   ///< OpenMP runtimes in the process
  bool numa_balancing = false;  ///< the kernel moves pages by itself
  bool pages = false;           ///< it was asked who touches which pages first
  std::string pages_refused;    ///< why nobody knows; "" if nothing was refused
  double processor_wait = 0;    ///< share of the time in which threads could run; 0: not known
  bool finished = false;        ///< the program came to its end; false: killed, or still running
  int exit_status = 0;
  int signal = 0;
  std::vector<SourcePlace> places;  ///< of the constructs
  std::vector<std::string> notes;   ///< what Lares told the user
};

/// The file's name in a trace folder.
inline constexpr const char* run_about_file = "trace.json";

/// One JSON object, indented, with a line end. Bytes that are no UTF-8 are replaced.
std::string to_json(const RunAbout& about);

/// Any text is allowed; an error says in one sentence what is wrong. Fields that are missing keep
/// their defaults; others are ignored.
Result<RunAbout> parse_run_about(std::string_view text);

}  // namespace lares::analysis
