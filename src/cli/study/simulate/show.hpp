// How the results of `lares simulate` are printed and drawn.
#pragma once

#include <string>

#include "cli/output.hpp"
#include "simulate/experiment.hpp"

namespace lares::cli {

/// What stands above the results.
struct SimulationHead {
  std::string workload;  ///< as the user wrote it
  const machine::Machine& machine;
  const simulate::MachineModel& model;
  std::uint32_t seeds = 0;
};

std::string simulation_text(const SimulationHead& head, const simulate::Measurements& found,
                            const Palette& palette);
std::string simulation_json(const SimulationHead& head, const simulate::Measurements& found);
std::string simulation_csv(const simulate::Measurements& found);

/// Bars of time for one size of team, lines of speed-up over several: a whole SVG document.
std::string simulation_svg(const SimulationHead& head, const simulate::Measurements& found);

}  // namespace lares::cli
