#include "cli/study/model/measured_machine.hpp"

#include <utility>

#include "cli/commands.hpp"

namespace lares::cli {

MeasuredMachine load_measured_machine(const MachineOptions& options) {
  auto machine = expect(load_machine(options));
  auto figures = expect(model::Figures::of(machine, expect(load_measurements(options))));
  return {std::move(machine), std::move(figures)};
}

}  // namespace lares::cli
