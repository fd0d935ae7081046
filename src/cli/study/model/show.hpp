// What `lares model` prints and draws of a description.
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "machine/machine.hpp"
#include "model/figures.hpp"
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

/// "12.3 us".
std::string time_text(model::Seconds time);
/// "+4.2 %".
std::string error_text(double error);
/// "memory", "computation", "synchronisation".
std::string bound_word(model::Bound bound);

}  // namespace lares::cli
