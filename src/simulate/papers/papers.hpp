// What the papers published beside what the simulation says, cell by cell.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace lares::simulate::papers {

/// Where the figure beside a published one comes from.
enum class Basis : std::uint8_t {
  predicted,  ///< simulated, from other figures
  fitted,     ///< the model was made so that it comes out: it proves nothing
  computed    ///< by Lares' library, from what the paper printed; nothing is simulated
};

/// One published figure.
struct Cell {
  std::string source;  ///< "Broquedis 2010, Table 8"
  std::string what;    ///< "team 2, s"
  double published = 0;
  double simulated = 0;  ///< median over the seeds
  double low = 0;        ///< over seeds and uncertain parameters
  double high = 0;
  Basis basis = Basis::predicted;
  bool ranked = false;  ///< the published order that it belongs to came out
  std::string why{};    ///< what keeps it from coming out, as far as it is known

  /// (simulated - published) / published.
  [[nodiscard]] double error() const noexcept { return simulated / published - 1; }
};

/// A published statement without a figure.
struct Finding {
  std::string source;
  std::string statement;  ///< in our words
  bool holds = false;
  std::string evidence;   ///< the simulated figures
  std::string why{};      ///< what keeps it from holding, as far as it is known
  std::string counted{};  ///< the program of bench/lab_policies.py that shows it in the lab
  std::string policy{};   ///< and the policy
};

struct Reproduction {
  std::vector<Cell> cells;
  std::vector<Finding> findings;
};

/// A table or figure that is not in the report.
struct LeftOut {
  std::string_view what;
  std::string_view reason;
};

/// Finds a machine that comes with Lares by its name.
using FindMachine = std::function<Result<machine::Machine>(const std::string& name)>;

/// Teams of bound threads: the columns of ForestGOMP in Tables 1 and 5 to 10, and the findings of
/// Figures 7 and 8.
Result<Reproduction> reproduce_forestgomp(const FindMachine& find);
/// Bandwidth and distances of the machines, chapter 2 of Schmidl's thesis.
Result<Reproduction> reproduce_bandwidth(const FindMachine& find);
/// Tours over the sockets and when moving pages pays, chapter 3.
Result<Reproduction> reproduce_placement(const FindMachine& find, std::uint32_t seeds);
/// The load-balancing benchmark, chapter 4 and Table 5.3.
Result<Reproduction> reproduce_balance(const FindMachine& find, std::uint32_t seeds);
/// Conjugate gradients, chapter 6.
Result<Reproduction> reproduce_gradients(const FindMachine& find, std::uint32_t seeds);
/// Table 1 and the findings on locality queues.
Result<Reproduction> reproduce_wittmann(const FindMachine& find, std::uint32_t seeds);
/// Findings on the factorisations; those on single sizes for matrices of `sizes`.
Result<Reproduction> reproduce_virouleau(const FindMachine& find, std::uint32_t seeds,
                                         const std::vector<std::size_t>& sizes);

/// What is not in the report, in the order of the paper.
std::span<const LeftOut> left_out_of_forestgomp() noexcept;
std::span<const LeftOut> left_out_of_schmidl() noexcept;
std::span<const LeftOut> left_out_of_wittmann() noexcept;
std::span<const LeftOut> left_out_of_virouleau() noexcept;

/// The mean of the absolute errors of the predicted cells; 0 if there is none.
double mean_error(const std::vector<Cell>& cells);

}  // namespace lares::simulate::papers
