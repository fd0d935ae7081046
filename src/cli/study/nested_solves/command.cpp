#include "cli/study/nested_solves/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/study/bench_child.hpp"
#include "cli/study/nested_solves/child.hpp"
#include "cli/study/nested_solves/report.hpp"

namespace lares::cli::nested_solves {
namespace {

struct Options {
  BenchProgramOptions program;
  std::vector<std::string> methods;  ///< empty: all
  Work work{0, 0, 8, 48};            ///< of the teams 0: one for each domain, a thread per core
  std::size_t repeat = 5;
  std::string svg;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.emplace_back(method.variant.name);
  return names;
}

Work nested_work(const Options& options, const BenchTeam& team) {
  const TeamShape shape = shape_by_domain(team);
  Work work = options.work;
  if (work.teams == 0) work.teams = shape.domains;
  if (work.inner == 0) work.inner = shape.cores;
  return work;
}

/// Five vectors for each team, of the form with the most teams.
void check_side(const Work& nested) {
  constexpr double vectors = 5;
  const auto edge = static_cast<double>(nested.side + 2);
  check_fits("--side", vectors * sizeof(double) * edge * edge * edge *
                           static_cast<double>(nested.teams * nested.inner));
}

std::vector<Row> rows_for(const Options& options, const Work& nested) {
  std::vector<Row> rows;
  for (const Method& method : methods()) {
    const auto& chosen = options.methods;
    if (chosen.empty() ||
        std::find(chosen.begin(), chosen.end(), method.variant.name) != chosen.end()) {
      rows.push_back({method, work_of(method, nested), {}});
    }
  }
  return rows;
}

/// All rows once, and again: what else runs on the machine then meets all of them.
void run_rounds(Report& report, const std::string& program, std::size_t repeat,
                const BenchTeam& team) {
  ProgressLine line;
  const std::size_t all = report.rows.size() * repeat;
  std::size_t done = 0;
  for (std::size_t repetition = 0; repetition < repeat; ++repetition) {
    for (Row& row : report.rows) {
      line.show(row.method.variant.name, done++, all);
      auto outcome = run_once(program, row.method, row.work, team);
      if (!outcome) throw UserMistake{outcome.error(), 1};  // not the user's, and so not 2
      row.outcomes.push_back(outcome.value());
    }
  }
}

void run_command(const Options& options) {
  const std::string program = expect(find_bench_program("nested_solves", options.program.compiler));
  const machine::Machine machine = expect(load_machine(options.program.machine));
  const BenchTeam team = close_team(machine, options.program.threads);
  const Work nested = nested_work(options, team);
  check_side(nested);
  Report report{std::filesystem::path(program).filename().string(), machine.domains_with_cores(),
                std::string(machine::level_name(machine.domain_level)), rows_for(options, nested)};
  run_rounds(report, program, options.repeat, team);
  if (!options.svg.empty()) write_output("--svg", options.svg, to_svg(report));
  print_report(report, options.program.format);
}

void add_options(CLI::App& command, Options& options) {
  const auto number = [&](const char* name, std::size_t& value, std::size_t least, std::size_t most,
                          const char* about) {
    command.add_option(name, value, about)->type_name("N")->check(CLI::Range(least, most));
  };
  add_choice(command, "--methods", options.methods, "Only these of", method_names());
  number("--teams", options.work.teams, 1, 1'024, "Inner teams; default: one per domain");
  number("--inner", options.work.inner, 1, 8'192,
         "Threads of a team; default: one per core of a domain");
  number("--solves", options.work.solves, 1, 1'000'000, "Independent solves; default: 8");
  number("--side", options.work.side, 2, 2'000, "Points along each edge of the cube; default: 48");
  number("--repeat", options.repeat, 1, 1'000, "Processes of each method; default: 5");
  command.add_option("--svg", options.svg, "Also draw the picture")->type_name("FILE");
  add_bench_program_options(command, options.program);
}

}  // namespace
}  // namespace lares::cli::nested_solves

namespace lares::cli {

void add_nested_solves(CLI::App& bench) {
  const auto options = std::make_shared<nested_solves::Options>();
  CLI::App* command = bench.add_subcommand(
      "nested-solves",
      "Independent linear solves: flat, by their number, and nested (Schmidl 2016, 6.3.1)");
  nested_solves::add_options(*command, *options);
  std::string text = "Methods:\n";
  for (const nested_solves::Method& method : nested_solves::methods()) {
    text += fmt::format("  {:<12} {}\n", method.variant.name, method.variant.about);
  }
  command->footer(text + "Example: lares bench nested-solves --domain l2 --side 64");
  command->callback([options] { nested_solves::run_command(*options); });
}

}  // namespace lares::cli
