#include <elf.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "cli/doctor/checks.hpp"
#include "cli/doctor/openmp_runtimes.hpp"
#include "cli/preload_library.hpp"

namespace lares::cli::doctor {
namespace {

/// The part of an ELF header that says for which machine a file is; empty if it is no ELF file.
std::string elf_identity(const std::string& path) {
  std::array<char, sizeof(Elf64_Ehdr)> bytes{};
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  if (!in || std::string(bytes.data(), SELFMAG) != ELFMAG) return "";
  constexpr std::size_t machine = offsetof(Elf64_Ehdr, e_machine);
  return std::string(bytes.data() + EI_CLASS, 2) + std::string(bytes.data() + machine, 2);
}

Check preload_library() {
  const std::string path = find_preload_library(preload_library_name);
  if (path.empty()) {
    std::string places;
    for (const std::string& candidate : preload_library_candidates(preload_library_name)) {
      places += (places.empty() ? "" : ", ") + candidate;
    }
    return {"preload-library", Verdict::broken, "not found in " + places,
            "build or install Lares again; keep the command and its library together"};
  }
  if (elf_identity(path) != elf_identity("/proc/self/exe")) {
    return {"preload-library", Verdict::broken,
            path + " is not a library for the processor of this command",
            "build or install Lares again"};
  }
  return {"preload-library", Verdict::ok, path, ""};
}

/// True if a folder can be made in `parent`; it is removed at once.
bool can_make_folder(const std::string& parent) {
  std::string name = parent + "/lares-doctor-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) return false;
  rmdir(name.c_str());
  return true;
}

Check session_folder() {
  std::vector<std::string> parents;
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') parents.emplace_back(value);
  }
  parents.insert(parents.end(), {"/dev/shm", "/tmp"});
  for (const std::string& parent : parents) {
    if (can_make_folder(parent)) return {"session-folder", Verdict::ok, parent, ""};
  }
  return {"session-folder", Verdict::broken, "no folder can be made for a run's counters",
          "set TMPDIR to a folder that you may write to"};
}

void check_runtimes(std::vector<Check>& checks) {
  const auto runtimes = find_openmp_runtimes();
  for (const OpenMPRuntime& runtime : runtimes) {
    const std::string version = runtime.version.empty() ? "unknown version" : runtime.version;
    checks.push_back({"openmp-runtime", Verdict::ok,
                      fmt::format("{} ({}): {}", runtime.kind, version, runtime.path), ""});
  }
  if (!runtimes.empty()) return;
  checks.push_back({"openmp-runtime", Verdict::warning, "none of libgomp, libomp, libiomp5 found",
                    "install libgomp1 or libomp5, or set LD_LIBRARY_PATH to the one you use"});
}

Check other_preloads() {
  const char* value = std::getenv("LD_PRELOAD");
  if (value == nullptr || *value == '\0') return {"other-preloads", Verdict::ok, "none", ""};
  return {"other-preloads", Verdict::note, fmt::format("LD_PRELOAD={}", value),
          "kept, after Lares' own; leave it out if a program misbehaves only under lares run"};
}

}  // namespace

void check_installation(std::vector<Check>& checks) {
  checks.push_back(preload_library());
  checks.push_back(session_folder());
  checks.push_back(other_preloads());
  check_runtimes(checks);
}

}  // namespace lares::cli::doctor
