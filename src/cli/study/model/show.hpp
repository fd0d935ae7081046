// What `lares model` prints and draws.
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "machine/machine.hpp"
#include "model/figures.hpp"
#include "model/least_time.hpp"
#include "model/predict.hpp"

namespace lares::cli {

/// A description on a machine, at one or several numbers of threads.
struct PredictedRun {
  std::string name;
  const machine::Machine& machine;
  const model::Figures& figures;
  model::Choice choice;
  std::vector<model::Prediction> predictions;
};

std::string model_text(const PredictedRun& run, const Palette& palette);
/// Format version 1 (docs/model.md).
std::string model_json(const PredictedRun& run);
/// A row for each region and number of threads, and one for each total.
std::string model_csv(const PredictedRun& run);
/// The roofline chart of the last number of threads.
std::string model_svg(const PredictedRun& run);

/// A construct of a traced run.
struct TracedConstruct {
  std::string place;
  double bytes = 0;
  double homeless = 0;  ///< of these: no home is known
  model::LeastTime least;
};

struct TracedRun {
  std::string name;
  const machine::Machine& machine;
  const model::Figures& figures;
  std::vector<TracedConstruct> constructs;  ///< most time first
};

std::string traced_text(const TracedRun& run, const Palette& palette);
std::string traced_json(const TracedRun& run);
std::string traced_csv(const TracedRun& run);

// ---- words that both have
// ------------------------------------------------------------------------

/// "12.3 us".
std::string time_text(model::Seconds time);
/// "+4.2 %".
std::string error_text(double error);
/// "domain 0 with the memory of 3".
std::string bottleneck_text(const model::MemoryTime& slowest);
/// "pair", "home", "machine", "nothing": for programs.
std::string bottleneck_word(model::Bottleneck bottleneck);
/// "memory-bound", "partly", "not-memory-bound", "no-bytes".
std::string verdict_word(model::Verdict verdict);
std::string bound_word(model::Bound bound);

}  // namespace lares::cli
