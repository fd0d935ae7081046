// A machine and what was measured on it, as the model wants it.
#pragma once

#include "cli/machine_options.hpp"
#include "model/figures.hpp"

namespace lares::cli {

struct MeasuredMachine {
  machine::Machine machine;
  model::Figures figures;
};

/// UserMistake if there is no such machine, or nothing was measured on it.
MeasuredMachine load_measured_machine(const MachineOptions& options);

}  // namespace lares::cli
