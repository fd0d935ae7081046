// The roofline chart of a prediction.
#include <fmt/format.h>

#include "bench/roofline.hpp"
#include "cli/study/model/show.hpp"
#include "model/roofs.hpp"

namespace lares::cli {
namespace {

bench::Spot spot_of(const model::RegionTime& region) {
  bench::Spot spot{region.name, *region.intensity(), *region.rate(), *region.roof(), 0};
  if (region.measured) spot.measured = region.flops * region.repeat / region.measured->count / 1e9;
  return spot;
}

std::string name_of(const model::MemoryRoof& roof) {
  if (roof.local) return "own memory";
  if (roof.least_distance == roof.most_distance) {
    return fmt::format("distance {}", roof.least_distance);
  }
  return fmt::format("distance {} to {}", roof.least_distance, roof.most_distance);
}

}  // namespace

std::string model_svg(const PredictedRun& run) {
  const model::Prediction& prediction = run.predictions.back();
  bench::Roofline roofline;
  roofline.title = fmt::format("{} on {}, {} {}", run.name, run.machine.name, prediction.threads,
                               prediction.threads == 1 ? "thread" : "threads");
  for (const auto& roof : model::memory_roofs(run.machine, run.figures, prediction.team)) {
    roofline.slopes.push_back({name_of(roof), roof.rate.mb_s / 1e3});
  }
  const auto peaks = model::peak_roofs(run.figures, prediction.team, run.choice.core_peak);
  for (const auto& peak : peaks) {
    const std::string name = run.choice.core_peak ? "peak" : std::string(model::word_of(peak.kind));
    roofline.ceilings.push_back({name, peak.peak.gflops});
  }
  for (const model::RegionTime& region : prediction.regions) {
    if (region.intensity()) roofline.spots.push_back(spot_of(region));
  }
  return bench::to_svg(roofline);
}

}  // namespace lares::cli
