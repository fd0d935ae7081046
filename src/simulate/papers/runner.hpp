// What the papers' files share: loading a machine, running a workload at every point, writing down
// what came out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/papers/papers.hpp"
#include "simulate/parameters.hpp"
#include "simulate/simulation.hpp"
#include "simulate/workloads/teams.hpp"

namespace lares::simulate::papers {

/// Three digits, from 100 on four, and a unit: "4.87 s". Of values, their median.
std::string number(double value, const char* unit = "");
std::string number(const Values& values, const char* unit = "");

/// A machine and what the simulation knows of it.
struct Loaded {
  machine::Machine machine;
  MachineModel model;
};

Result<Loaded> load(const FindMachine& find, const std::string& name);

/// What needs no chance: at the best parameters and at both ends of every range.
Values over_ranges(const MachineModel& model,
                   const std::function<double(const Parameters&)>& quantity);

/// One workload under one schedule at all points.
struct Runs {
  std::vector<Outcome> at;
  std::size_t seeds = 1;
  double amount = 0;  ///< of the workload, in the units of its rate

  [[nodiscard]] Values of(const std::function<double(const Outcome&)>& quantity) const;
  [[nodiscard]] Values seconds() const;
  [[nodiscard]] Values rate() const;
  /// Of the bytes between cores and memories, those that leave their domain.
  [[nodiscard]] Values remote_share() const;
};

/// Runs workloads on one machine.
class Runner {
 public:
  /// Precondition: `loaded` outlives this; at least one seed.
  Runner(const Loaded& loaded, std::uint32_t seeds) : loaded_(loaded), seeds_(seeds) {}

  /// On the first `cores` (0: all): with every seed, at both ends of each uncertain parameter, and
  /// where tasks fetch their data before they compute also as if they did both at once. After an
  /// error, one empty outcome, and `error` says what it was.
  Runs run(const std::string& workload, const std::string& schedule, std::size_t cores = 0);
  /// The same of bound threads.
  Runs run(const BoundThreads& threads);
  Values seconds(const std::string& workload, const std::string& schedule, std::size_t cores = 0) {
    return run(workload, schedule, cores).seconds();
  }

  std::optional<Error> error;

 private:
  Result<Runs> run_named(const std::string& workload, const std::string& schedule,
                         std::size_t cores) const;
  Result<Runs> run_all(const Workload& workload, const Schedule& schedule,
                       const std::vector<CoreId>& cores) const;
  Runs note_error(Result<Runs> runs);

  const Loaded& loaded_;
  std::uint32_t seeds_;
};

/// What Sheet::add is told of a published figure; the fields of a Cell. Texts need only live as
/// long as the call.
struct Simulated {
  Basis basis = Basis::follows;
  Values simulated;
  std::string_view quantity{};  ///< empty: one of its own
  const Baseline* baseline = nullptr;
  std::string_view how{};
  std::string_view why{};
};

/// Writes down what came out of one paper.
class Sheet {
 public:
  explicit Sheet(std::string paper) : paper_(std::move(paper)) {}

  /// A figure that something is computed from.
  double input(std::string_view place, std::string_view what);
  /// A published figure and its counterpart; answers with both, as a baseline for others.
  Baseline add(std::string_view place, std::string_view what, const Simulated& row);
  void state(Finding finding);

  [[nodiscard]] Reproduction take() { return std::move(found_); }

 private:
  const Published& figure(std::string_view place, std::string_view what) const;

  std::string paper_;
  Reproduction found_;
};

}  // namespace lares::simulate::papers
