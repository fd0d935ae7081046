// Several runs of one workload: schedules beside each other, seeds, sizes, uncertain parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "simulate/parameters.hpp"
#include "simulate/simulation.hpp"

namespace lares::simulate {

struct NamedSchedule {
  std::string name;  ///< as the user wrote it
  Schedule schedule;
};

struct Experiment {
  const machine::Machine& machine;
  const MachineModel& model;
  std::string workload;  ///< as make_workload takes it
  std::vector<NamedSchedule> schedules;
  std::vector<std::size_t> workers;  ///< sizes of the team; at least one
  std::uint32_t seeds = 5;
  bool vary = true;  ///< also run with each uncertain parameter at its low and its high end
  std::uint32_t first_seed = 1;
};

/// A quantity over the seeds.
struct Spread {
  double least = 0;
  double median = 0;
  double most = 0;
};

/// One schedule on one size of team.
struct Measured {
  std::string schedule;
  std::size_t workers = 0;
  Spread seconds;     ///< over the seeds
  double lowest = 0;  ///< over seeds and uncertain parameters
  double highest = 0;
  double rate = 0;        ///< of the median, in the workload's unit; 0: none
  Spread fetched_remote;  ///< share, over the seeds, of the bytes that memories gave
  Outcome typical;        ///< of the run with the median time
};

struct Measurements {
  std::string workload;  ///< its name
  std::string unit;
  std::size_t tasks = 0;
  std::vector<Measured> rows;  ///< sizes in the order given; within a size the schedules
};

/// Runs everything in one thread; the same experiment gives the same result. `progress` is called
/// before each run with the number of runs done and of all. Errors are users' mistakes.
Result<Measurements> run_experiment(
    const Experiment& experiment,
    const std::function<void(std::size_t done, std::size_t all)>& progress = {});

/// The least, the middle and the greatest. Precondition: not empty.
Spread spread_of(std::vector<double> values);

}  // namespace lares::simulate
