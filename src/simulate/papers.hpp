// What the papers published beside what the simulation says, cell by cell.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace lares::simulate {

/// One published figure.
struct Cell {
  std::string table;  ///< "Broquedis 2010, Table 8"
  std::string what;   ///< "team 2, seconds"
  double published = 0;
  double simulated = 0;  ///< median over the seeds
  double low = 0;        ///< over seeds and uncertain parameters
  double high = 0;
  bool calibrated = false;  ///< the model was fitted to it: it proves nothing

  /// (simulated - published) / published.
  [[nodiscard]] double error() const noexcept { return simulated / published - 1; }
};

/// A published statement without a figure.
struct Finding {
  std::string source;
  std::string statement;  ///< in our words
  bool holds = false;
  std::string evidence;  ///< the simulated figures
};

struct Reproduction {
  std::vector<Cell> cells;
  std::vector<Finding> findings;
};

/// Finds a machine that comes with Lares by its name.
using FindMachine = std::function<Result<machine::Machine>(const std::string& name)>;

/// Teams of bound threads: the columns of ForestGOMP in Tables 1 and 5 to 10. What libgomp's
/// unbound threads did depends on the kernel's scheduler and is not simulated.
Result<Reproduction> reproduce_forestgomp(const FindMachine& find);
/// The load-balancing benchmark, chapter 4.
Result<Reproduction> reproduce_schmidl(const FindMachine& find, std::uint32_t seeds);
/// The findings on locality queues.
Result<Reproduction> reproduce_wittmann(const FindMachine& find, std::uint32_t seeds);
/// Findings on the factorisations for matrices of `sizes`.
Result<Reproduction> reproduce_virouleau(const FindMachine& find, std::uint32_t seeds,
                                         const std::vector<std::size_t>& sizes);

/// The mean of the absolute errors of the cells that were not calibrated; 0 if there is none.
double mean_error(const std::vector<Cell>& cells);

}  // namespace lares::simulate
