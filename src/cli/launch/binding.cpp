#include "cli/launch/binding.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/allowed_cpus.hpp"

namespace lares::cli {
namespace {

constexpr std::array<std::pair<std::string_view, BindChoice>, 5> words = {{
    {"close", BindChoice::close},
    {"spread", BindChoice::spread},
    {"by-data", BindChoice::by_data},
    {"none", BindChoice::none},
    {"as-is", BindChoice::as_is},
}};

constexpr std::array<std::string_view, 4> binding_variables = {"OMP_PLACES", "OMP_PROC_BIND",
                                                               "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};

/// OMP_PROC_BIND=false wins over all others in both runtimes.
bool user_refuses(const Environment& environment) {
  std::string word = environment.get("OMP_PROC_BIND").value_or("");
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word == "false" || environment.get("KMP_AFFINITY").value_or("") == "none" ||
         environment.get("KMP_AFFINITY").value_or("") == "disabled";
}

Binding as_the_user_says(const Environment& environment) {
  const bool bound = user_binds(environment) && !user_refuses(environment);
  return {user_binds(environment) ? "user" : "none", bound, std::nullopt};
}

/// False for a machine from a file that has hardware threads which this process may not use.
bool can_bind_to(const machine::Machine& machine) {
  const AllowedCpus allowed;
  return std::all_of(machine.cores.begin(), machine.cores.end(), [&](const machine::Core& core) {
    return std::all_of(core.cpus.begin(), core.cpus.end(),
                       [&](OsCpu cpu) { return allowed.contains(cpu); });
  });
}

/// False where a sandbox refuses it: a runtime that tried would end the program.
bool may_bind() { return AllowedCpus().may_be_set(); }

Binding bind(Environment& environment, const machine::Machine& machine, std::string_view how) {
  if (!environment.get("OMP_PLACES")) {
    if (!can_bind_to(machine)) {
      return {"none", false,
              "threads are not bound, because the machine description has CPUs that this process "
              "may not use"};
    }
    if (!may_bind()) {
      return {"none", false, "threads are not bound, because the system refuses sched_setaffinity"};
    }
    environment.set("LARES_BOUND", how);  // the library binds, inside of regions only
    environment.unset("OMP_PROC_BIND");
  } else {
    environment.set("OMP_PROC_BIND", how);  // to the user's places, by the program's own runtime
  }
  environment.unset("GOMP_CPU_AFFINITY");
  environment.unset("KMP_AFFINITY");
  return {std::string(how), true, std::nullopt};
}

Binding bind_nothing(Environment& environment) {
  environment.unset("GOMP_CPU_AFFINITY");
  environment.unset("KMP_AFFINITY");
  environment.set("OMP_PROC_BIND", "false");
  return {"none", false, std::nullopt};
}

}  // namespace

bool user_binds(const Environment& environment) {
  return std::any_of(binding_variables.begin(), binding_variables.end(),
                     [&](std::string_view name) { return environment.get(name).has_value(); });
}

Result<BindChoice> parse_bind(std::string_view word) {
  const auto* found =
      std::find_if(words.begin(), words.end(), [&](const auto& row) { return row.first == word; });
  if (found != words.end()) return found->second;
  return Error{"unknown binding \"" + std::string(word) +
               "\", accepted are close, spread, by-data, none, as-is"};
}

Binding bind_threads(Environment& environment, const machine::Machine& machine, BindChoice choice) {
  environment.unset("LARES_BOUND");
  switch (choice) {
    case BindChoice::automatic:
      if (user_binds(environment)) return as_the_user_says(environment);
      return bind(environment, machine, "spread");
    case BindChoice::by_data:
      if (!user_binds(environment)) return bind(environment, machine, "by-data");
      return {"user", as_the_user_says(environment).bound,
              "threads stay where OMP_PLACES, OMP_PROC_BIND or a variable like them has put them: "
              "--bind by-data moves none of those"};
    case BindChoice::close:
      return bind(environment, machine, "close");
    case BindChoice::spread:
      return bind(environment, machine, "spread");
    case BindChoice::none:
      return bind_nothing(environment);
    case BindChoice::as_is:
      break;
  }
  return as_the_user_says(environment);
}

}  // namespace lares::cli
