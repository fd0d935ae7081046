// A trace as the model takes it.
#pragma once

#include <vector>

#include "cli/study/model/show.hpp"
#include "trace/trace.hpp"

namespace lares::cli {

/// UserMistake if the machine has other domains than the run had.
std::vector<TracedConstruct> traced_constructs(const trace::Trace& trace,
                                               const machine::Machine& machine,
                                               const model::Figures& figures);

}  // namespace lares::cli
