#include "simulate/papers/papers.hpp"

#include <algorithm>
#include <map>

namespace lares::simulate::papers {

const char* name_of(Basis basis) noexcept {
  switch (basis) {
    case Basis::input:
      return "input";
    case Basis::fitted:
      return "fitted";
    case Basis::follows:
      return "follows from inputs";
    case Basis::predicted:
      break;
  }
  return "predicted by a policy";
}

std::vector<Count> count_cells(const std::vector<Cell>& cells) {
  struct Quantity {
    Basis basis;
    Verdict worst;
  };
  std::vector<Count> counts(bases);
  std::map<std::string, Quantity> quantities;
  for (const Cell& cell : cells) {
    ++counts[static_cast<std::size_t>(cell.basis)].figures;
    const Verdict verdict = cell.judgement().verdict;
    const auto [at, is_new] = quantities.try_emplace(cell.published->paper + ": " + cell.quantity,
                                                     Quantity{cell.basis, verdict});
    if (!is_new) at->second.worst = std::max(at->second.worst, verdict);
  }
  for (const auto& [name, quantity] : quantities) {
    ++counts[static_cast<std::size_t>(quantity.basis)]
          .by_verdict[static_cast<std::size_t>(quantity.worst)];
  }
  return counts;
}

std::vector<Count> count_findings(const std::vector<Finding>& findings) {
  std::vector<Count> counts(bases);
  for (const Finding& finding : findings) {
    Count& count = counts[static_cast<std::size_t>(finding.basis)];
    ++count.figures;
    ++count.by_verdict[static_cast<std::size_t>(finding.judgement().verdict)];
  }
  return counts;
}

}  // namespace lares::simulate::papers
