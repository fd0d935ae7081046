#include "cli/study/load_balance/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/study/bench_child.hpp"
#include "cli/study/load_balance/child.hpp"
#include "cli/study/load_balance/report.hpp"

namespace lares::cli::load_balance {
namespace {

struct Options {
  BenchProgramOptions program;
  std::vector<double> sizes{0.5};
  std::vector<std::string> methods;  ///< empty: all
  Workload workload;
  std::size_t repeat = 5;
};

std::vector<const Method*> chosen_methods(const Options& options) {
  std::vector<const Method*> chosen;
  std::string names;
  for (const Method& method : methods()) {
    names += (names.empty() ? "" : ", ") + std::string(method.name);
  }
  for (const std::string& word : options.methods) {
    const auto& all = methods();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Method& m) { return m.name == word; });
    if (found == all.end()) {
      throw UserMistake{{fmt::format("--methods: \"{}\" is none of {}", word, names)}};
    }
    chosen.push_back(&*found);
  }
  for (const Method& method : methods()) {
    if (options.methods.empty()) chosen.push_back(&method);
  }
  return chosen;
}

void check_sizes(const Options& options) {
  constexpr double page = 4096;  // packages are rounded up to these
  for (const double gb : options.sizes) {
    check_fits("--sizes", gb * 1e9 + page * static_cast<double>(options.workload.packages));
  }
}

/// All methods once, and again: what else runs on the machine then meets all of them.
void run_all(Report& report, const std::string& program, const Options& options,
             const BenchTeam& team) {
  ProgressLine line;
  const std::size_t all = report.rows.size() * options.repeat;
  std::size_t done = 0;
  for (std::size_t repetition = 0; repetition < options.repeat; ++repetition) {
    for (Row& row : report.rows) {
      line.show(fmt::format("{}, {:g} GB", row.method->name, row.gb), done++, all);
      Workload workload = options.workload;
      workload.gb = row.gb;
      auto outcome = run_once(program, *row.method, workload, team);
      if (!outcome) throw UserMistake{outcome.error(), 1};  // not the user's, and so not 2
      row.outcomes.push_back(std::move(outcome.value()));
    }
  }
}

void run_command(const Options& options) {
  const std::vector<const Method*> chosen = chosen_methods(options);
  const std::string program = expect(find_bench_program("load_balance", options.program.compiler));
  check_sizes(options);
  const machine::Machine machine = expect(load_machine(options.program.machine));
  const BenchTeam team = close_team(machine, options.program.threads);
  Report report{std::filesystem::path(program).filename().string(),
                options.workload.packages,
                options.workload.times,
                team.cpus.size(),
                machine.domains_with_cores(),
                std::string(machine::level_name(machine.domain_level)),
                {}};
  for (const double gb : options.sizes) {
    for (const Method* method : chosen) report.rows.push_back({method, gb, {}});
  }
  run_all(report, program, options, team);
  print_report(report, options.program.format);
}

void add_options(CLI::App& command, Options& options) {
  const auto from_one_to = [](std::size_t most) { return CLI::Range(std::size_t{1}, most); };
  command.add_option("--methods", options.methods, "Only these, with commas between; default: all")
      ->delimiter(',')
      ->type_name("LIST");
  command
      .add_option("--sizes", options.sizes,
                  "All packages together, in 10^9 bytes; several with commas between; default: 0.5")
      ->delimiter(',')
      ->type_name("GB")
      ->check(CLI::Range(1e-6, 1e6));
  command.add_option("--packages", options.workload.packages, "How many packages; default: 3840")
      ->type_name("N")
      ->check(from_one_to(50'000'000));
  command
      .add_option("--times", options.workload.times,
                  "How often each process works through all packages; default: 3")
      ->type_name("N")
      ->check(from_one_to(1'000'000));
  command.add_option("--repeat", options.repeat, "Processes of each method; default: 5")
      ->type_name("N")
      ->check(from_one_to(1'000));
  add_bench_program_options(command, options.program);
}

}  // namespace
}  // namespace lares::cli::load_balance

namespace lares::cli {

void add_load_balance(CLI::App& bench) {
  const auto options = std::make_shared<load_balance::Options>();
  CLI::App* command = bench.add_subcommand(
      "load-balance", "Packages that grow linearly, by loops, tasks and Lares (Schmidl 2016, 4.1)");
  load_balance::add_options(*command, *options);
  std::string text = "Methods:\n";
  for (const load_balance::Method& method : load_balance::methods()) {
    text += fmt::format("  {:<12} {}\n", method.name, method.about);
  }
  command->footer(text + "Example: lares bench load-balance --domain l2 --methods dynamic,nearest");
  command->callback([options] { load_balance::run_command(*options); });
}

}  // namespace lares::cli
