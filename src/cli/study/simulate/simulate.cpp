// `lares simulate`: what a policy would do on a machine that is not here.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/file_stream.hpp"
#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/study/simulate/report.hpp"
#include "cli/study/simulate/show.hpp"
#include "cli/study/simulate/trace_graph.hpp"
#include "simulate/experiment.hpp"
#include "simulate/workloads/workloads.hpp"

namespace lares::cli {
namespace {

struct SimulateOptions {
  std::string workload;
  MachineOptions machine;
  std::vector<std::string> policies;
  std::string loops;
  std::string sweep;
  std::size_t cores = 0;
  std::uint32_t seeds = 5;
  std::uint32_t first_seed = 1;
  bool no_ranges = false;
  std::string svg;
  std::string report;
  Format format = Format::text;
};

[[noreturn]] void mistake(const std::string& sentence) { throw UserMistake{{sentence}}; }

std::vector<std::size_t> numbers(const std::string& list, std::size_t most,
                                 const std::string& what) {
  std::vector<std::size_t> found;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    std::size_t number = 0;
    const auto [next, status] = std::from_chars(at, end, number);
    const bool good = status == std::errc{} && (next == end || *next == ',') && next + 1 != end;
    if (!good || number == 0 || number > most) {
      mistake(fmt::format("--sweep: \"{}\" is not a list of {} from 1 to {} with commas between",
                          list, what, most));
    }
    found.push_back(number);
    at = next == end ? end : next + 1;
  }
  if (found.empty()) mistake("--sweep: the list of " + what + " is empty");
  return found;
}

/// The sizes of the team that the user asks for.
std::vector<std::size_t> team_sizes(const SimulateOptions& options,
                                    const machine::Machine& machine) {
  const std::size_t all = machine.cores.size();
  if (options.sweep.empty()) {
    if (options.cores > all) {
      mistake(fmt::format("--cores: {} is more than the {} cores of machine \"{}\"", options.cores,
                          all, machine.name));
    }
    return {options.cores == 0 ? all : options.cores};
  }
  const std::size_t equals = options.sweep.find('=');
  const std::string key = options.sweep.substr(0, equals);
  const std::string list = equals == std::string::npos ? "" : options.sweep.substr(equals + 1);
  if (key == "cores") return numbers(list, all, "cores");
  if (key != "domains") {
    mistake(fmt::format("--sweep: \"{}\" is not domains=N,N or cores=N,N", options.sweep));
  }
  std::vector<std::size_t> sizes;
  for (const std::size_t domains : numbers(list, machine.domains_with_cores(), "domains")) {
    std::size_t cores = 0;
    for (std::size_t d = 0; d < domains; ++d) cores += machine.domains[d].cores.size();
    sizes.push_back(cores);
  }
  return sizes;
}

void schedule_loops(const SimulateOptions& options, const std::string& policy,
                    const machine::Machine& machine, simulate::Schedule& schedule) {
  if (options.loops.empty()) return;
  if (!options.workload.starts_with("file:")) {
    mistake(
        "--loops is for the loops of a recorded program, file:GRAPH; --policy says how workload "
        "\"" +
        options.workload + "\" is scheduled");
  }
  if (schedule.kind != simulate::Schedule::Kind::policy) {
    mistake("--loops cannot stand beside --policy " + policy + ", which is for loops itself");
  }
  const auto problem =
      simulate::parse_recorded_loops(options.loops, machine.domains_with_cores(), schedule);
  if (problem) mistake("--loops: " + problem->sentence);
}

std::vector<simulate::NamedSchedule> schedules(const SimulateOptions& options,
                                               const machine::Machine& machine) {
  std::vector<std::string> texts = options.policies;
  if (texts.empty()) texts = {"auto", "stock-like"};
  std::vector<simulate::NamedSchedule> list;
  for (const std::string& text : texts) {
    auto schedule = simulate::parse_schedule(text, machine.domains_with_cores());
    if (!schedule) mistake("--policy: " + schedule.error().sentence);
    schedule_loops(options, text, machine, schedule.value());
    list.push_back({text, schedule.value()});
  }
  return list;
}

void simulate_all(const SimulateOptions& options) {
  if (options.seeds == 0 || options.seeds > 1000) mistake("--seeds: accepted are 1 to 1000");
  if (options.first_seed == 0) mistake("--first-seed: accepted are numbers from 1 on");
  if (!options.report.empty()) {
    const auto lab_counts =
        std::filesystem::path(options.report).parent_path() / "lab-policies.json";
    const CountedLines counted(read_text(lab_counts.string()));
    write_output("--report", options.report, papers_report(options.seeds, counted));
    return;
  }
  if (options.workload.empty())
    mistake("a workload is missing; `lares simulate --help` lists them");
  const auto machine = expect(load_machine(options.machine));
  const auto model = simulate::read_model(machine, machine.simulation);
  if (!model) mistake("machine \"" + machine.name + "\": " + model.error().sentence);
  const TraceGraph graph(options.workload);
  const simulate::Experiment experiment{machine,
                                        model.value(),
                                        graph.workload(),
                                        schedules(options, machine),
                                        team_sizes(options, machine),
                                        options.seeds,
                                        !options.no_ranges,
                                        options.first_seed};
  const auto found = expect([&] {
    ProgressLine line;
    return simulate::run_experiment(
        experiment, [&](std::size_t done, std::size_t all) { line.show("runs", done, all); });
  }());
  const SimulationHead head{options.workload, machine, model.value(), options.seeds};
  if (!options.svg.empty()) write_output("--svg", options.svg, simulation_svg(head, found));
  switch (options.format) {
    case Format::json:
      fmt::print("{}", simulation_json(head, found));
      return;
    case Format::csv:
      fmt::print("{}", simulation_csv(found));
      return;
    default:
      fmt::print("{}", simulation_text(head, found, Palette(wants_colour(stdout))));
  }
}

/// A page about the papers has its own workloads, machines and policies, and a team one size or
/// several.
void check_together(const CLI::App& command) {
  const auto given = [&](const char* name) { return command.count(name) > 0; };
  if (given("--report")) {
    for (const char* other : {"WORKLOAD", "--machine", "--domain", "--policy", "--loops", "--cores",
                              "--sweep", "--no-ranges", "--first-seed", "--svg", "--format"}) {
      if (given(other)) {
        mistake(fmt::format("{} cannot stand beside --report, which simulates what the papers did",
                            other));
      }
    }
  }
  if (given("--cores") && given("--sweep")) {
    mistake("--cores cannot stand beside --sweep, which says how large the teams are");
  }
}

std::string list_of_workloads() {
  std::string text = "Workloads, with their settings and usual values:\n";
  for (const simulate::WorkloadEntry& entry : simulate::workloads()) {
    text += fmt::format("  {:<9} {}\n            {}\n", entry.name, entry.summary, entry.settings);
  }
  return text;
}

}  // namespace

void add_simulate(CLI::App& app) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App* const command = app.add_subcommand("simulate", simulate_summary);
  command->add_option(
      "WORKLOAD", options->workload,
      "NAME or NAME:KEY=VALUE,KEY=VALUE as listed below, or file:GRAPH, or file:DIR of a trace");
  add_machine_options(*command, options->machine);
  command
      ->add_option(
          "--policy", options->policies,
          "A policy as `lares policies` lists them, or for loops static, dynamic, or numa with "
          ",steal=NAME and ,chunk=N as in `lares run --loops`; a policy with ,opinions=off does "
          "not guess where data is that the program does not name; repeat the option to "
          "compare several")
      ->type_name("POLICY")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--loops", options->loops,
          "How the worksharing loops of a recorded program are scheduled beside its tasks: "
          "static, dynamic (if not given), or numa as for --policy")
      ->type_name("LOOPS");
  command->add_option("--cores", options->cores, "How many cores the team has; all if not given")
      ->type_name("N");
  command
      ->add_option("--sweep", options->sweep, "Teams of several sizes: domains=1,2,4 or cores=8,16")
      ->type_name("KEY=LIST");
  command->add_option("--seeds", options->seeds, "Runs with different chance, 5 if not given")
      ->type_name("N");
  command
      ->add_option("--first-seed", options->first_seed,
                   "Number of the first of them, 1 if not given: other numbers, other chance")
      ->type_name("N");
  command->add_flag("--no-ranges", options->no_ranges,
                    "Leave out the runs at both ends of each uncertain parameter");
  command->add_option("--svg", options->svg, "Also draw a chart into this file")->type_name("FILE");
  command
      ->add_option("--report", options->report,
                   "Instead: simulate what the papers published and write a page about it "
                   "(minutes); what was "
                   "counted in the lab is taken from lab-policies.json beside it")
      ->type_name("FILE");
  add_format_option(*command, options->format, {Format::text, Format::json, Format::csv});
  command->footer(
      list_of_workloads() +
      "\nExamples:\n"
      "  lares simulate cholesky:n=8192 --machine sgi-uv2000-24s --policy auto --policy "
      "stock-like\n"
      "  lares simulate jacobi:limit=0,sweeps=10,tells=nothing --machine opteron-4s-square "
      "--policy auto --policy auto,opinions=off\n"
      "  lares simulate balance --machine bull-bcs-16s --policy static --policy steal=most-loaded\n"
      "  lares simulate jacobi --machine opteron-4s-square --sweep domains=1,2,4 --svg jacobi.svg\n"
      "  lares run --loops numa --record app.graph -- ./app\n"
      "  lares simulate file:app.graph --machine sgi-uv2000-24s --policy dynamic --policy numa");
  command->callback([options, command] {
    check_together(*command);
    simulate_all(*options);
  });
}

}  // namespace lares::cli
