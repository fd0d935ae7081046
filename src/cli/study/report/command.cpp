// `lares report`: what a trace says.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/study/model/traced.hpp"
#include "cli/study/report/report.hpp"
#include "trace/page/page.hpp"
#include "trace/read.hpp"

namespace lares::cli {
namespace {

struct Options {
  std::string folder;
  std::string other;
  std::string page;
  std::optional<std::string> machine;
  Format format = Format::text;
};

/// `measured` may be null.
ReportedRun read(const std::string& folder, const MeasuredMachine* measured) {
  ReportedRun run{folder, expect(trace::read_trace(folder)), {}, std::nullopt};
  if (measured != nullptr) run.model = times_on(*measured, folder, run.trace);
  run.findings = trace::find(run.trace);
  return run;
}

trace::PageRun page_run(const ReportedRun& run) {
  return {run.trace, run.findings, run.model ? &*run.model : nullptr};
}

void print(const Options& options, const ReportedRun& run, const ReportedRun* after) {
  const Palette palette(wants_colour(stdout));
  switch (options.format) {
    case Format::json:
      fmt::print("{}", report_json(run, after));
      return;
    case Format::csv:
      fmt::print("{}", report_csv(run, after));
      return;
    case Format::text:
      fmt::print("{}", after == nullptr ? report_text(run, palette)
                                        : comparison_text(run, *after, palette));
  }
}

void write_page(const std::string& path, const ReportedRun& run, const ReportedRun* after) {
  std::vector<trace::PageRun> runs{page_run(run)};
  if (after != nullptr) runs.push_back(page_run(*after));
  std::ofstream file(path, std::ios::binary);
  if (file) trace::write_page(file, runs);
  file.close();
  if (!file) {
    throw UserMistake{{fmt::format("-o: cannot write \"{}\": {}", path, std::strerror(errno))}};
  }
  fmt::print(stderr, "lares: wrote {}, which any browser opens\n", path);
}

void report(const Options& options) {
  std::optional<MeasuredMachine> machine;
  if (options.machine) machine = load_measured_machine({*options.machine, std::nullopt});
  const MeasuredMachine* const measured = machine ? &*machine : nullptr;
  const ReportedRun run = read(options.folder, measured);
  std::optional<ReportedRun> after;
  if (!options.other.empty()) after = read(options.other, measured);
  const ReportedRun* const other = after ? &*after : nullptr;
  if (options.page.empty()) return print(options, run, other);
  write_page(options.page, run, other);
  // The data is asked for besides.
  if (options.format != Format::text) print(options, run, other);
}

}  // namespace

void add_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", report_summary);
  command->add_option("DIR", options->folder, "The folder that lares run --trace made")->required();
  command
      ->add_option("--compare", options->other,
                   "Another trace, of a later run: what changed from the first to it")
      ->type_name("DIR");
  command
      ->add_option("-o,--output", options->page,
                   "Write the report as one HTML page, which opens from disk and asks the network "
                   "for nothing")
      ->type_name("FILE.html");
  command
      ->add_option("--machine", options->machine,
                   "Also say what the bytes that constructs name take at least on this machine: "
                   "what lares measure wrote of the one that it ran on, with the same --domain")
      ->type_name("FILE");
  add_format_option(*command, options->format, {Format::text, Format::json, Format::csv});
  command->footer(
      "Data goes to standard output.\n"
      "Examples:\n"
      "  lares run --trace before -- ./app 4096 && lares report before -o before.html\n"
      "  lares measure --output here.json && lares report before --machine here.json");
  command->callback([options] { report(*options); });
}

}  // namespace lares::cli
