#include "cli/study/model/traced.hpp"

#include "analysis/stats_file.hpp"
#include "cli/commands.hpp"

namespace lares::cli {

trace::LeastTimes times_on(const MeasuredMachine& measured, const std::string& folder,
                           const trace::Trace& trace) {
  auto times = trace::least_times(trace, measured.machine, measured.figures);
  if (!times) throw UserMistake{{"\"" + folder + "\": " + times.error().sentence}};
  return std::move(times.value());
}

std::string traced_place(const trace::Trace& trace, trace::Index construct) {
  return construct == trace::none ? "?" : analysis::printable(trace.constructs[construct].place);
}

}  // namespace lares::cli
