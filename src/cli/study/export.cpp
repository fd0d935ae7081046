// `lares export`: a traced run for other people's tools.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "trace/exports/exports.hpp"
#include "trace/read.hpp"

namespace lares::cli {
namespace {

struct ExportOptions {
  std::string directory;
  std::string to;
  std::string output;
  bool force = false;
};

std::string names_of_formats() {
  std::string names;
  for (const trace::ExportKind& kind : trace::export_kinds()) {
    names += names.empty() ? "" : ", ";
    names += kind.name;
  }
  return names;
}

const trace::ExportKind& chosen_format(const std::string& word) {
  const trace::ExportKind* kind = trace::find_export(word);
  if (kind != nullptr) return *kind;
  throw UserMistake{{fmt::format("export: --to: unknown format \"{}\", accepted are {}", word,
                                 names_of_formats())}};
}

/// Beside the trace: "run.trace" for SQLite is "run.trace.sqlite".
std::string default_output(std::string directory, const trace::ExportKind& kind) {
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return directory + kind.suffix;
}

void export_trace(const ExportOptions& options) {
  const trace::ExportKind& kind = chosen_format(options.to);
  // Before a long trace is read for nothing.
  if (const std::string why = trace::why_not(kind.format); !why.empty()) {
    throw UserMistake{{"export: " + why}};
  }
  const std::string path =
      options.output.empty() ? default_output(options.directory, kind) : options.output;
  const trace::Trace trace = expect(trace::read_trace(options.directory));
  const auto existing = options.force ? trace::Existing::replace : trace::Existing::refuse;
  const Result<trace::Exported> written = trace::write_export(trace, kind.format, path, existing);
  if (!written) throw UserMistake{{"export: " + written.error().sentence}};
  if (path != "-") fmt::print("{}: {} grains\n", path, written.value().grains);
}

void add_options(CLI::App& command, ExportOptions& options) {
  command.add_option("DIR", options.directory, "A folder that a traced run left")
      ->required()
      ->type_name("");
  command.add_option("--to", options.to, "The format: " + names_of_formats())
      ->required()
      ->type_name("FORMAT");
  command
      .add_option(
          "-o,--output", options.output,
          "Where to write; - is standard output (perfetto, speedscope, csv, pages); default: DIR "
          "with the format's suffix")
      ->type_name("FILE");
  command.add_flag("--force", options.force, "Replace what is there");
}

}  // namespace

void add_export(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", export_summary);
  add_options(*command, *options);
  std::string formats = "Formats:\n";
  for (const trace::ExportKind& kind : trace::export_kinds()) {
    formats += fmt::format("  {:<12}{} ({})\n", kind.name, kind.summary, kind.suffix);
  }
  command->footer(formats +
                  "Examples:\n  lares export run.trace --to perfetto\n"
                  "  lares export run.trace --to csv -o - | head");
  command->callback([options] { export_trace(*options); });
}

}  // namespace lares::cli
