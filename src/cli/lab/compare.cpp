// `lares lab compare`: the counts of two runs beside each other.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/lab/count_options.hpp"
#include "cli/lab/lab.hpp"
#include "cli/output.hpp"
#include "lab/counts/compare.hpp"

namespace lares::cli {
namespace {

struct CompareOptions {
  std::string first;
  std::string second;
  Format format = Format::text;
};

void compare_runs(const CompareOptions& options) {
  const auto first = load_counts(options.first);
  const auto second = load_counts(options.second);
  if (options.format == Format::json) {
    fmt::print("{}", lab::comparison_json(first, second));
  } else {
    fmt::print("{}", lab::comparison_text(first, second, wants_colour(stdout)));
  }
}

}  // namespace

void add_lab_compare(CLI::App& lab) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      lab.add_subcommand("compare", "Compare the counts of two runs with lares lab run --count");
  command->add_option("FIRST", options->first, "What --json wrote in the one run")
      ->type_name("FILE")
      ->required();
  command->add_option("SECOND", options->second, "What --json wrote in the other")
      ->type_name("FILE")
      ->required();
  add_format_option(*command, options->format, {Format::text, Format::json});
  command->footer(
      "Ratios are of the second to the first.\n"
      "Example: lares lab compare stock.json lares.json");
  command->callback([options] { compare_runs(*options); });
}

}  // namespace lares::cli
