// The same for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/study/model/show.hpp"
#include "cli/study/model/traced.hpp"
#include "model/least_words.hpp"

namespace lares::cli {
namespace {

using ModelJson = nlohmann::ordered_json;
using model::Prediction;
using model::RegionTime;

constexpr int model_version = 1;

ModelJson or_null(const std::optional<double>& value) {
  return value ? ModelJson(*value) : ModelJson(nullptr);
}

ModelJson or_null(const std::optional<model::Seconds>& time) {
  return time ? ModelJson(time->count) : ModelJson(nullptr);
}

ModelJson domain_or_null(DomainId domain) {
  return domain.valid() ? ModelJson(domain.value()) : ModelJson(nullptr);
}

ModelJson slowest_json(const model::MemoryTime& slowest) {
  return {{"what", model::bottleneck_word(slowest.bottleneck)},
          {"from", domain_or_null(slowest.from)},
          {"to", domain_or_null(slowest.to)}};
}

std::optional<double> error_if_measured(model::Seconds predicted,
                                        const std::optional<model::Seconds>& measured) {
  if (!measured) return std::nullopt;
  return model::error_of(predicted, *measured);
}

ModelJson region_json(const RegionTime& region) {
  return {{"name", region.name},
          {"repeat", region.repeat},
          {"threads", region.threads},
          {"memory_s", region.memory.count},
          {"computing_s", region.computing.count},
          {"waiting_s", region.waiting.count},
          {"once_s", region.once.count},
          {"total_s", region.total.count},
          {"bound", bound_word(region.bound)},
          {"slowest", slowest_json(region.slowest)},
          {"flops", region.flops},
          {"bytes", region.bytes},
          {"intensity", or_null(region.intensity())},
          {"roof_gflops", or_null(region.roof())},
          {"gflops", or_null(region.rate())},
          {"measured_s", or_null(region.measured)},
          {"error", or_null(error_if_measured(region.total, region.measured))}};
}

ModelJson prediction_json(const Prediction& prediction) {
  ModelJson regions = ModelJson::array();
  for (const RegionTime& region : prediction.regions) regions.push_back(region_json(region));
  return {{"threads", prediction.threads},
          {"threads_of_domain", prediction.team.of_domain},
          {"total_s", prediction.total.count},
          {"without_overlap_s", prediction.apart.count},
          {"measured_s", or_null(prediction.measured)},
          {"error", or_null(error_if_measured(prediction.total, prediction.measured))},
          {"regions", std::move(regions)}};
}

std::string text_of(const ModelJson& json) {
  return json.dump(2, ' ', false, ModelJson::error_handler_t::replace) + "\n";
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.9g}", *value) : "";
}

std::optional<double> count_of(const std::optional<model::Seconds>& time) {
  return time ? std::optional(time->count) : std::nullopt;
}

}  // namespace

std::string model_json(const PredictedRun& run) {
  ModelJson json = {{"version", model_version},
                    {"name", run.name},
                    {"machine", run.machine.name},
                    {"runtime", run.choice.runtime},
                    {"notes", run.figures.notes()}};
  json["predictions"] = ModelJson::array();
  for (const Prediction& one : run.predictions) json["predictions"].push_back(prediction_json(one));
  return text_of(json);
}

std::string model_csv(const PredictedRun& run) {
  std::string text =
      "threads,region,repeat,memory_s,computing_s,waiting_s,once_s,total_s,bound,slowest,from,to,"
      "flops,bytes,intensity,roof_gflops,gflops,measured_s,error\n";
  const auto domain = [](DomainId id) { return id.valid() ? std::to_string(id.value()) : ""; };
  for (const Prediction& prediction : run.predictions) {
    for (const RegionTime& r : prediction.regions) {
      text += fmt::format(
          "{},{},{:g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{},{},{:g},{:g},{},{},{},{},{}\n",
          prediction.threads, csv_field(r.name), r.repeat, r.memory.count, r.computing.count,
          r.waiting.count, r.once.count, r.total.count, bound_word(r.bound),
          model::bottleneck_word(r.slowest.bottleneck), domain(r.slowest.from),
          domain(r.slowest.to), r.flops, r.bytes, csv_number(r.intensity()), csv_number(r.roof()),
          csv_number(r.rate()), csv_number(count_of(r.measured)),
          csv_number(error_if_measured(r.total, r.measured)));
    }
    text += fmt::format("{},total,,,,,,{:.9g},,,,,,,,,,{},{}\n", prediction.threads,
                        prediction.total.count, csv_number(count_of(prediction.measured)),
                        csv_number(error_if_measured(prediction.total, prediction.measured)));
  }
  return text;
}

nlohmann::ordered_json traced_row_json(const trace::LeastRow& row) {
  const auto if_known = [&row](double value) {
    return row.is_known() ? ModelJson(value) : ModelJson(nullptr);
  };
  return {{"bytes", row.bytes},
          {"bytes_without_home", row.homeless},
          {"measured_s", row.least.measured.count},
          {"least_s", if_known(row.least.memory.time.count)},
          {"slowest", slowest_json(row.least.memory)},
          {"efficiency", if_known(row.least.efficiency)},
          {"all_local_s", if_known(row.least.if_local.count)},
          {"verdict", model::verdict_word(row.least.verdict)}};
}

std::string traced_json(const TracedRun& run) {
  ModelJson json = {{"version", model_version},
                    {"name", run.name},
                    {"machine", run.times.machine},
                    {"notes", run.times.notes}};
  json["constructs"] = ModelJson::array();
  for (const trace::LeastRow& row : run.times.rows) {
    ModelJson construct = {{"place", traced_place(run.trace, row.construct)}};
    construct.update(traced_row_json(row));
    json["constructs"].push_back(std::move(construct));
  }
  return text_of(json);
}

std::string traced_row_csv(const trace::LeastRow& row) {
  const auto if_known = [&row](double value) {
    return csv_number(row.is_known() ? std::optional(value) : std::nullopt);
  };
  return fmt::format("{},{},{},{}", if_known(row.least.memory.time.count),
                     if_known(row.least.efficiency), if_known(row.least.if_local.count),
                     model::verdict_word(row.least.verdict));
}

std::string traced_csv(const TracedRun& run) {
  std::string text =
      "construct,bytes,bytes_without_home,measured_s,least_s,efficiency,all_local_s,verdict\n";
  for (const trace::LeastRow& row : run.times.rows) {
    text += fmt::format("{},{:.0f},{:.0f},{:.9g},{}\n",
                        csv_field(traced_place(run.trace, row.construct)), row.bytes, row.homeless,
                        row.least.measured.count, traced_row_csv(row));
  }
  return text;
}

}  // namespace lares::cli
