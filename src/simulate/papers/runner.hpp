// What the papers' files share: loading a machine, running a workload on it, writing numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulate/experiment.hpp"
#include "simulate/papers/papers.hpp"

namespace lares::simulate::papers {

/// Three digits, from 100 on four, and a unit: "4.87 s".
std::string number(double value, const char* unit = "");

/// A machine and what the simulation knows of it.
struct Loaded {
  machine::Machine machine;
  MachineModel model;
};

Result<Loaded> load(const FindMachine& find, const std::string& name);

/// Of the bytes between cores and memories, those that leave their domain.
double remote_share(const Measured& row);

/// Runs one workload under one policy.
class Runner {
 public:
  /// Precondition: `loaded` outlives this.
  Runner(const Loaded& loaded, std::uint32_t seeds) : loaded_(loaded), seeds_(seeds) {}

  /// The row of the experiment on the first `cores` (0: all); with `vary` also at both ends of the
  /// uncertain parameters. After an error, an empty row, and `error` says what it was.
  Measured run(const std::string& workload, const std::string& policy, std::size_t cores = 0,
               bool vary = false);
  double seconds(const std::string& workload, const std::string& policy, std::size_t cores = 0) {
    return run(workload, policy, cores).seconds.median;
  }

  std::optional<Error> error;

 private:
  Measured failed(const Error& why);

  const Loaded& loaded_;
  std::uint32_t seeds_;
};

}  // namespace lares::simulate::papers
