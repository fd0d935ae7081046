// What each construct of a run took, beside what its bytes take at least on a measured machine.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "model/figures.hpp"
#include "model/least_time.hpp"
#include "trace/trace.hpp"

namespace lares::trace {

struct LeastRow {
  Index construct = none;  ///< none: grains whose construct is not known
  double bytes = 0;
  double homeless = 0;  ///< of these: no home is known
  model::LeastTime least;

  /// Else the construct names no bytes: nothing but the measured time means anything.
  [[nodiscard]] bool is_known() const noexcept { return least.verdict != model::Verdict::no_bytes; }
};

struct LeastTimes {
  std::string machine;             ///< its name
  std::vector<std::string> notes;  ///< what of its figures is not measured, as sentences
  std::vector<LeastRow> rows;      ///< most time first, a construct each
};

/// Error: the run's domains are not those of the machine. Pure.
Result<LeastTimes> least_times(const Trace& trace, const machine::Machine& machine,
                               const model::Figures& figures);

/// What is not known, and what is odd: sentences for people.
std::vector<std::string> remarks_on(const LeastTimes& times);

}  // namespace lares::trace
