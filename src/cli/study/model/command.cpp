// `lares model`: what a described or a traced program takes at least on a measured machine.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/file_stream.hpp"
#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "cli/study/model/show.hpp"
#include "cli/study/model/traced.hpp"
#include "trace/read.hpp"

namespace lares::cli {
namespace {

using machine::Machine;

constexpr std::size_t longest_description = std::size_t{64} << 20U;

struct ModelOptions {
  std::string input;
  MachineOptions machine;
  std::vector<std::uint32_t> threads;
  std::vector<double> measured;
  std::string runtime;
  std::optional<double> peak;
  std::string chart;
  Format format = Format::text;
};

/// 1, 2, 4, ... and all cores.
std::vector<std::uint32_t> default_threads(const Machine& machine) {
  const auto cores = static_cast<std::uint32_t>(machine.cores.size());
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = 1; count < cores; count *= 2) counts.push_back(count);
  counts.push_back(cores);
  return counts;
}

model::Description read_description_file(const std::string& path) {
  std::string text;
  if (!read_text(path, longest_description, text)) {
    throw UserMistake{{fmt::format("model: cannot read \"{}\": {}", path, std::strerror(errno))}};
  }
  return expect(model::parse_description(text, path));
}

void add_measured(const ModelOptions& options, const std::vector<std::uint32_t>& threads,
                  model::Description& description) {
  if (options.measured.empty()) return;
  if (options.measured.size() != threads.size()) {
    throw UserMistake{
        {fmt::format("--measured has {} values, but --threads has {}: a time for each",
                     options.measured.size(), threads.size())}};
  }
  for (std::size_t i = 0; i < threads.size(); ++i) {
    description.measured[threads[i]] = {options.measured[i]};
  }
}

model::Choice choice_of(const ModelOptions& options, const model::Figures& figures) {
  model::Choice choice{options.runtime, std::nullopt};
  if (choice.runtime.empty()) choice.runtime = figures.default_runtime();
  if (options.peak) choice.core_peak = model::Peak{*options.peak};
  return choice;
}

void print_data(const ModelOptions& options, const PredictedRun& run) {
  switch (options.format) {
    case Format::json:
      fmt::print("{}", model_json(run));
      return;
    case Format::csv:
      fmt::print("{}", model_csv(run));
      return;
    case Format::text:
      fmt::print("{}", model_text(run, Palette(wants_colour(stdout))));
  }
}

void predict_description(const ModelOptions& options, const Machine& machine,
                         const model::Figures& figures) {
  model::Description description = read_description_file(options.input);
  const auto threads = options.threads.empty() ? default_threads(machine) : options.threads;
  add_measured(options, threads, description);
  PredictedRun run{description.name, machine, figures, choice_of(options, figures), {}};
  for (const std::uint32_t count : threads) {
    run.predictions.push_back(
        expect(model::predict(description, machine, figures, count, run.choice)));
  }
  if (!options.chart.empty()) write_output("-o", options.chart, model_svg(run));
  print_data(options, run);
}

void judge_trace(const ModelOptions& options, const MeasuredMachine& measured) {
  const bool described = !options.threads.empty() || !options.measured.empty() ||
                         !options.runtime.empty() || options.peak || !options.chart.empty();
  if (described) {
    throw UserMistake{
        {"model: --threads, --measured, --runtime, --peak and -o are for descriptions; a traced "
         "run has its own threads and times"}};
  }
  TracedRun run{options.input, expect(trace::read_trace(options.input)), {}};
  run.times = times_on(measured, run.name, run.trace);
  switch (options.format) {
    case Format::json:
      fmt::print("{}", traced_json(run));
      return;
    case Format::csv:
      fmt::print("{}", traced_csv(run));
      return;
    case Format::text:
      fmt::print("{}", traced_text(run, Palette(wants_colour(stdout))));
  }
}

void model_program(const ModelOptions& options) {
  const MeasuredMachine measured = load_measured_machine(options.machine);
  std::error_code ignored;
  if (std::filesystem::is_directory(options.input, ignored)) {
    judge_trace(options, measured);
  } else {
    predict_description(options, measured.machine, measured.figures);
  }
}

void add_description_options(CLI::App& command, ModelOptions& options) {
  command
      .add_option("--threads", options.threads,
                  "Predict for teams of so many threads; default: 1, 2, 4, ... and all cores")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(CLI::Range(1, 1'000'000));
  command
      .add_option("--measured", options.measured,
                  "Seconds that the program took with each of --threads: shows the model's error")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(CLI::Range(1e-12, 1e12));
  command
      .add_option(
          "--runtime", options.runtime,
          "Whose synchronisation: libgomp, libomp or lares; default: the first of these that "
          "was measured")
      ->type_name("NAME")
      ->check(CLI::IsMember({"libgomp", "libomp", "lares"}));
  command
      .add_option("--peak", options.peak,
                  "10^9 operations a second of one core, in place of what was measured")
      ->type_name("GFLOPS")
      ->check(CLI::Range(1e-6, 1e9));
  command
      .add_option("-o,--output", options.chart,
                  "Draw the roofline chart of the last number of threads")
      ->type_name("CHART.svg");
}

}  // namespace

void add_model(CLI::App& app) {
  const auto options = std::make_shared<ModelOptions>();
  CLI::App* command = app.add_subcommand("model", model_summary);
  command
      ->add_option("INPUT", options->input,
                   "A description of the program (JSON), or the folder of lares run --trace")
      ->required()
      ->type_name("");
  add_machine_options(*command, options->machine);
  add_description_options(*command, *options);
  add_format_option(*command, options->format, {Format::text, Format::json, Format::csv});
  command->footer(
      "The machine's figures are those of lares measure. Examples:\n"
      "  lares measure --output here.json\n"
      "  lares model cg.json --machine here.json --threads 1,2 -o cg.svg\n"
      "  lares run --trace run.trace -- ./app && lares model run.trace --machine here.json");
  command->callback([options] { model_program(*options); });
}

}  // namespace lares::cli
