#include "cli/machine_options.hpp"

#include "cli/commands.hpp"
#include "cli/machine_presets.hpp"
#include "machine/discover.hpp"

namespace lares::cli {

void add_machine_options(CLI::App& command, MachineOptions& options) {
  command
      .add_option("--machine", options.machine,
                  "A machine to use in place of this one: a Lares machine file, an hwloc XML file, "
                  "synthetic:DESCRIPTION, or a preset that `lares lab list` shows")
      ->type_name("FILE");
  add_domain_option(command, options);
}

void add_domain_option(CLI::App& command, MachineOptions& options) {
  command
      .add_option_function<std::string>(
          "--domain",
          [&options](const std::string& name) {
            auto level = machine::parse_level(name);
            if (!level) throw UserMistake{{"--domain: " + level.error().sentence}};
            options.level = level.value();
          },
          "The level whose parts are the domains: numa, package, l3, l2 or group")
      ->type_name("LEVEL");
}

Result<machine::Machine> load_machine(const MachineOptions& options) {
  const auto source = resolve_machine(options.machine);
  if (!source) return source.error();
  return machine::discover(machine::parse_source(source.value()), options.level);
}

Result<machine::Measurements> load_measurements(const MachineOptions& options) {
  const auto source = resolve_machine(options.machine);
  if (!source) return source.error();
  return machine::measurements_of(machine::parse_source(source.value()));
}

}  // namespace lares::cli
