#include "cli/study/nested_overheads/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/study/bench_child.hpp"
#include "cli/study/nested/variants.hpp"
#include "cli/study/nested_overheads/child.hpp"
#include "cli/study/nested_overheads/report.hpp"

namespace lares::cli::nested_overheads {
namespace {

struct Options {
  BenchProgramOptions program;
  std::vector<std::size_t> outer{1, 2};
  std::vector<std::size_t> inner{1, 2};
  std::vector<std::string> methods;  ///< empty: all
  std::size_t repeat = 5;
  std::string svg;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const nested::Variant& variant : nested::variants_without_data()) {
    names.emplace_back(variant.name);
  }
  return names;
}

std::vector<Row> rows_for(const Options& options) {
  std::vector<Row> rows;
  for (const std::size_t outer : options.outer) {
    for (const std::size_t inner : options.inner) {
      for (const nested::Variant& variant : nested::variants_without_data()) {
        const auto& chosen = options.methods;
        if (chosen.empty() || std::find(chosen.begin(), chosen.end(), variant.name) != chosen.end())
          rows.push_back({{outer, inner}, variant, {}});
      }
    }
  }
  return rows;
}

/// The methods of a shape follow each other, in another order each time, so that none has always
/// the same one before it.
std::vector<std::size_t> order_of_a_round(const std::vector<Row>& rows, std::minstd_rand& random) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (auto first = order.begin(); first != order.end();) {
    const auto end = std::find_if(first, order.end(), [&](std::size_t row) {
      return !same_shape(rows[row].shape, rows[*first].shape);
    });
    std::shuffle(first, end, random);
    first = end;
  }
  return order;
}

/// All rows once, and again: what else runs on the machine then meets all of them.
void run_rounds(Report& report, const std::string& program, std::size_t repeat,
                const BenchTeam& team) {
  ProgressLine line;
  const std::size_t all = report.rows.size() * repeat;
  std::size_t done = 0;
  std::minstd_rand random;  // the same orders in each run of the command
  for (std::size_t repetition = 0; repetition < repeat; ++repetition) {
    for (const std::size_t place : order_of_a_round(report.rows, random)) {
      Row& row = report.rows[place];
      line.show(fmt::format("{}, {} x {}", row.variant.name, row.shape.outer, row.shape.inner),
                done++, all);
      auto costs = run_once(program, row.variant, row.shape, team);
      if (!costs) throw UserMistake{costs.error(), 1};  // not the user's, and so not 2
      row.runs.push_back(std::move(costs.value()));
    }
  }
}

/// The picture has no other figures.
void check_picture(const Options& options) {
  const auto& chosen = options.methods;
  if (options.svg.empty() || chosen.empty()) return;
  const auto alone = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), "alone"));
  if (alone > 0 && alone < chosen.size()) return;
  throw UserMistake{
      {"--svg: the picture is of ratios to \"alone\"; --methods must name it and another one"}};
}

void run_command(const Options& options) {
  check_picture(options);
  const std::string program =
      expect(find_bench_program("nested_overhead", options.program.compiler));
  const machine::Machine machine = expect(load_machine(options.program.machine));
  const BenchTeam team = close_team(machine, options.program.threads);
  Report report{std::filesystem::path(program).filename().string(), team.cpus.size(),
                rows_for(options)};
  run_rounds(report, program, options.repeat, team);
  if (!options.svg.empty()) write_output("--svg", options.svg, to_svg(report));
  print_report(report, options.program.format);
}

void add_options(CLI::App& command, Options& options) {
  const auto threads = [&](const char* name, std::vector<std::size_t>& list, std::size_t most,
                           const char* about) {
    command.add_option(name, list, about)
        ->delimiter(',')
        ->type_name("LIST")
        ->check(CLI::Range(std::size_t{1}, most));
  };
  threads("--outer", options.outer, 1'024, "Threads of the outer team; default: 1,2");
  threads("--inner", options.inner, 8'192, "Threads of each inner team; default: 1,2");
  add_choice(command, "--methods", options.methods, "Only these of", method_names());
  command.add_option("--repeat", options.repeat, "Processes of each method; default: 5")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000}));
  command.add_option("--svg", options.svg, "Also draw the picture")->type_name("FILE");
  add_bench_program_options(command, options.program);
}

}  // namespace
}  // namespace lares::cli::nested_overheads

namespace lares::cli {

void add_nested_overheads(CLI::App& bench) {
  const auto options = std::make_shared<nested_overheads::Options>();
  CLI::App* command = bench.add_subcommand(
      "nested-overheads",
      "What OpenMP constructs cost inside of nested regions (Schmidl 2016, 2.2.2)");
  nested_overheads::add_options(*command, *options);
  std::string text = "Methods:\n";
  for (const nested::Variant& variant : nested::variants_without_data()) {
    text += fmt::format("  {:<12} {}\n", variant.name, variant.about);
  }
  command->footer(text + "Example: lares bench nested-overheads --outer 1,2,4 --inner 2");
  command->callback([options] { nested_overheads::run_command(*options); });
}

}  // namespace lares::cli
