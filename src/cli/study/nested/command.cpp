#include "cli/study/nested/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/study/bench_child.hpp"
#include "cli/study/nested/child.hpp"
#include "cli/study/nested/report.hpp"
#include "cli/study/nested/variants.hpp"

namespace lares::cli::nested {
namespace {

struct Options {
  BenchProgramOptions program;
  std::vector<double> sizes{32};
  std::vector<std::string> methods;  ///< empty: all
  std::vector<std::string> data{"remote", "mixed"};
  std::vector<std::size_t> passes{10};
  std::vector<std::size_t> loads{15, 15, 30, 1};
  std::size_t times = 10;
  std::size_t teams = 0;  ///< 0: one for each domain
  std::size_t inner = 0;  ///< 0: one for each core of a domain, of imbalanced two
  std::size_t repeat = 5;
  std::string svg;
};

std::vector<std::string> names_of(Kind kind) {
  std::vector<std::string> names;
  for (const char* data : {"remote", "mixed"}) {
    for (const Variant& variant : variants_of(kind, data)) {
      if (std::find(names.begin(), names.end(), variant.name) == names.end()) {
        names.emplace_back(variant.name);
      }
    }
  }
  return names;
}

/// How many teams there are and how large they are.
struct Shape {
  std::size_t teams = 1;
  std::size_t inner = 1;
};

/// By the domains of the cores that may be used. The largest domain tells the size of a team.
Shape shape_for(Kind kind, const Options& options, const BenchTeam& team) {
  const TeamShape domains = shape_by_domain(team);
  Shape shape{domains.domains, domains.cores};
  if (kind == Kind::stream) shape = {1, team.cpus.size()};
  if (kind == Kind::imbalanced) shape.inner *= 2;
  if (options.teams != 0) shape.teams = options.teams;
  if (options.inner != 0) shape.inner = options.inner;
  return shape;
}

/// One for each team: of more loads than teams the last ones, of fewer the same again.
std::vector<std::size_t> loads_for(const Options& options, std::size_t teams) {
  const auto& all = options.loads;
  const std::size_t skipped = all.size() > teams ? all.size() - teams : 0;
  std::vector<std::size_t> loads;
  for (std::size_t team = 0; team < teams; ++team)
    loads.push_back(all[(skipped + team) % all.size()]);
  return loads;
}

void add_rows(Report& report, const Options& options, const Work& work) {
  for (const Variant& variant : variants_of(work.kind, work.data)) {
    const auto& chosen = options.methods;
    if (chosen.empty() || std::find(chosen.begin(), chosen.end(), variant.name) != chosen.end()) {
      report.rows.push_back({variant, work, {}});
    }
  }
}

/// All that was chosen of the sizes and, of twisted, the data and the passes of phase 2.
void add_all_rows(Report& report, const Options& options, const Shape& shape) {
  Work work{report.study.kind,
            report.study.program,
            shape.teams,
            shape.inner,
            0,
            options.times,
            10,
            "remote",
            loads_for(options, shape.teams)};
  for (const double mb : options.sizes) {
    work.mb = mb;
    if (work.kind != Kind::twisted) {
      add_rows(report, options, work);
      continue;
    }
    for (const std::string& data : options.data) {
      work.data = data;
      for (const std::size_t passes : options.passes) {
        work.passes = passes;
        add_rows(report, options, work);
      }
    }
  }
}

/// All rows once, and again: what else runs on the machine then meets all of them.
void run_all(Report& report, const std::string& program, std::size_t repeat,
             const BenchTeam& team) {
  ProgressLine line;
  const std::size_t all = report.rows.size() * repeat;
  std::size_t done = 0;
  for (std::size_t repetition = 0; repetition < repeat; ++repetition) {
    for (Row& row : report.rows) {
      line.show(fmt::format("{}, {:g} MB", row.variant.name, row.work.mb), done++, all);
      auto outcome = run_once(program, row.variant, row.work, team);
      if (!outcome) throw UserMistake{outcome.error(), 1};  // not the user's, and so not 2
      row.outcomes.push_back(std::move(outcome.value()));
    }
  }
}

void check_sizes(const Options& options, const Shape& shape) {
  constexpr double vectors = 3;
  for (const double mb : options.sizes) {
    check_fits("--sizes", vectors * mb * 1e6 * static_cast<double>(shape.teams));
  }
}

void run_command(const Study& study, const Options& options) {
  const std::string program = expect(find_bench_program("nested_stream", options.program.compiler));
  const machine::Machine machine = expect(load_machine(options.program.machine));
  const BenchTeam team = close_team(machine, options.program.threads);
  const Shape shape = shape_for(study.kind, options, team);
  check_sizes(options, shape);
  Report report{study,
                std::filesystem::path(program).filename().string(),
                machine.domains_with_cores(),
                std::string(machine::level_name(machine.domain_level)),
                {}};
  add_all_rows(report, options, shape);
  if (report.rows.empty()) {
    throw UserMistake{{"--methods: none of these is there for this --data"}};
  }
  run_all(report, program, options.repeat, team);
  if (!options.svg.empty()) write_output("--svg", options.svg, to_svg(report));
  print_report(report, options.program.format);
}

template <class Value>
CLI::Option* add_number(CLI::App& command, const char* name, Value& value, std::size_t most,
                        const char* about) {
  return command.add_option(name, value, about)
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, most));
}

void add_options_of_twisted(CLI::App& command, Options& options) {
  add_choice(command, "--data", options.data,
             "What is another team's in phase 2: all vectors, or two of three (default: both)",
             {"remote", "mixed"});
  add_number(command, "--passes", options.passes, 1'000'000,
             "Passes of phase 2; several with commas between; default: 10")
      ->delimiter(',')
      ->type_name("LIST");
}

void add_options(CLI::App& command, Kind kind, Options& options) {
  add_choice(command, "--methods", options.methods, "Only these of", names_of(kind));
  command
      .add_option("--sizes", options.sizes,
                  "One vector of one team, in 10^6 bytes; several with commas between; default: 32 "
                  "(the paper's: 160)")
      ->delimiter(',')
      ->type_name("MB")
      ->check(CLI::Range(0.001, 1e9));
  add_number(command, "--repeat", options.repeat, 1'000, "Processes of each method; default: 5");
  if (kind != Kind::imbalanced) {
    add_number(command, "--times", options.times, 1'000,
               kind == Kind::twisted ? "Passes of phase 1; default: 10"
                                     : "Passes over the vectors in each process; default: 10");
  }
  if (kind != Kind::stream) {
    add_number(command, "--teams", options.teams, 1'024, "Inner teams; default: one per domain");
    add_number(command, "--inner", options.inner, 8'192,
               kind == Kind::imbalanced ? "Threads of a team; default: two per core of a domain"
                                        : "Threads of a team; default: one per core of a domain");
  }
  if (kind == Kind::twisted) add_options_of_twisted(command, options);
  if (kind == Kind::imbalanced) {
    add_number(command, "--loads", options.loads, 1'000,
               "Passes of each team's threads; of more than there are teams the last ones; "
               "default: 15,15,30,1")
        ->delimiter(',')
        ->type_name("LIST");
  }
  command.add_option("--svg", options.svg, "Also draw the picture")->type_name("FILE");
  add_bench_program_options(command, options.program);
}

std::string footer_of(const Study& study) {
  std::string text = "Methods:\n";
  std::set<std::string> seen;
  for (const char* data : {"remote", "mixed"}) {
    for (const Variant& variant : variants_of(study.kind, data)) {
      if (!seen.insert(variant.name).second) continue;
      text += fmt::format("  {:<12} {}\n", variant.name, variant.about);
    }
  }
  return text + "Example: " + study.example;
}

}  // namespace
}  // namespace lares::cli::nested

namespace lares::cli {

void add_nested(CLI::App& bench) {
  for (const nested::Study& study : nested::studies()) {
    const auto options = std::make_shared<nested::Options>();
    CLI::App* command =
        bench.add_subcommand(study.command, fmt::format("{} (ForestGOMP 2010, 5)", study.about));
    nested::add_options(*command, study.kind, *options);
    command->footer(nested::footer_of(study));
    command->callback([&study, options] { nested::run_command(study, *options); });
  }
}

}  // namespace lares::cli
