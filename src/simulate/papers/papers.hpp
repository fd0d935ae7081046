// What the papers published beside what the simulation says, figure by figure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "simulate/papers/judge.hpp"
#include "simulate/papers/published.hpp"
#include "simulate/papers/values.hpp"

namespace lares::simulate::papers {

/// How much a simulated figure, or a statement about some, can show.
enum class Basis : std::uint8_t {
  input,     ///< it stands in the machine file as it was published
  fitted,    ///< a parameter was chosen so that it comes out
  follows,   ///< from such figures, by the machine's model or by arithmetic: no policy is asked
  predicted  ///< policy objects made the decisions
};
inline constexpr std::size_t bases = 4;
/// "input", "fitted", "follows from inputs", "predicted by a policy".
const char* name_of(Basis basis) noexcept;

/// One published figure and its counterpart.
struct Cell {
  const Published* published = nullptr;
  Basis basis = Basis::follows;
  Values simulated{0};
  /// Cells of a paper that are one number in the model name the same one, and count once.
  std::string quantity{};
  Baseline baseline{};
  std::string how{};  ///< where one figure has two cells: what they differ in
  std::string why{};  ///< what of the model keeps it from coming out, as far as it is known

  [[nodiscard]] Judgement judgement() const {
    return judge_figure(*published, simulated, baseline);
  }
};

/// A published statement without a figure.
struct Finding {
  std::string paper{};
  std::string place{};
  std::string statement{};  ///< in our words
  Basis basis = Basis::follows;
  std::vector<Answers> claims{};  ///< all must hold
  std::string evidence{};         ///< the simulated figures
  std::string why{};

  [[nodiscard]] Judgement judgement() const { return judge_all(claims); }
};

struct Reproduction {
  std::vector<Cell> cells;
  std::vector<Finding> findings;
  std::vector<const Published*> inputs;  ///< figures that something was computed from
};

/// How many quantities or statements of a basis have which verdict.
struct Count {
  std::size_t figures = 0;  ///< published ones; for statements the same as the sum of the others
  std::size_t by_verdict[4] = {};

  [[nodiscard]] std::size_t all() const noexcept {
    return by_verdict[0] + by_verdict[1] + by_verdict[2] + by_verdict[3];
  }
};
/// By basis. A quantity with several cells has the worst of their verdicts.
std::vector<Count> count_cells(const std::vector<Cell>& cells);
std::vector<Count> count_findings(const std::vector<Finding>& findings);

/// Finds a machine that comes with Lares by its name.
using FindMachine = std::function<Result<machine::Machine>(const std::string& name)>;

/// Teams of bound threads: the columns of ForestGOMP in Tables 1 and 5 to 10, and the findings of
/// Figures 7 and 8.
Result<Reproduction> reproduce_forestgomp(const FindMachine& find, std::uint32_t seeds);
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
/// Findings on the factorisations; those on single sizes for all of `sizes`, the others for the
/// last, but not beyond the paper's own. Precondition: there is one.
Result<Reproduction> reproduce_virouleau(const FindMachine& find, std::uint32_t seeds,
                                         const std::vector<std::size_t>& sizes);

}  // namespace lares::simulate::papers
