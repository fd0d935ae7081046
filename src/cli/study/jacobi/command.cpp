#include "cli/study/jacobi/command.hpp"

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
#include "cli/study/jacobi/report.hpp"
#include "cli/study/jacobi/sample.hpp"

namespace lares::cli::jacobi {
namespace {

struct Options {
  BenchProgramOptions program;
  std::vector<std::string> sizes{"60x600x600"};
  std::vector<std::string> methods;
  std::vector<std::string> inits{"static", "static1"};
  std::vector<std::string> orders{"ijk", "kji"};
  Work work;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.emplace_back(method.name);
  return names;
}

/// All that was chosen of the methods, initialisations and, where blocks are submitted, orders.
std::vector<Variant> variants_of(const Options& options) {
  std::vector<Variant> variants;
  for (const Method& method : methods()) {
    const auto& chosen = options.methods;
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), method.name) == chosen.end()) {
      continue;
    }
    for (const std::string& init : options.inits) {
      for (const std::string& order :
           has_order(method, init) ? options.orders : std::vector<std::string>{"ijk"}) {
        variants.push_back({&method, init, order});
      }
    }
  }
  return variants;
}

std::vector<Size> sizes_of(const Options& options) {
  std::vector<Size> sizes;
  for (const std::string& text : options.sizes) {
    const auto size = parse_size(text);
    if (!size) throw UserMistake{{"--sizes: " + size.error().sentence}};
    sizes.push_back(size.value());
    const Size& s = sizes.back();
    constexpr double line = 8;  // doubles before and behind a row
    check_fits("--sizes", 2 * sizeof(double) * static_cast<double>(s.ni + 2) *
                              static_cast<double>(s.nj + 2) *
                              (static_cast<double>(s.nk) + 2 * line));
  }
  return sizes;
}

void run_command(const Options& options) {
  const std::vector<Size> sizes = sizes_of(options);
  const std::vector<Variant> variants = variants_of(options);
  const std::string program = expect(find_bench_program("jacobi_blocks", options.program.compiler));
  const machine::Machine machine = expect(load_machine(options.program.machine));
  const BenchTeam team = close_team(machine, options.program.threads);
  Report report{std::filesystem::path(program).filename().string(),
                options.work,
                team.cpus.size(),
                machine.domains_with_cores(),
                std::string(machine::level_name(machine.domain_level)),
                {}};
  {
    ProgressLine line;
    for (const Size& size : sizes) {
      Work work = options.work;
      work.size = size;
      for (const Variant& variant : variants) {
        line.show(fmt::format("{}, {}, {}", variant.method->name, variant.init, variant.order),
                  report.rows.size(), sizes.size() * variants.size());
        auto sample = run_once(program, variant, work, team);
        if (!sample) throw UserMistake{sample.error(), 1};  // not the user's, and so not 2
        report.rows.push_back({size, variant, sample.value()});
      }
    }
  }
  print_report(report, options.program.format);
}

void add_options(CLI::App& command, Options& options) {
  const auto number = [&](const char* name, std::size_t& value, std::size_t most,
                          const char* about) {
    command.add_option(name, value, about)->type_name("N")->check(CLI::Range(std::size_t{1}, most));
  };
  command
      .add_option("--sizes", options.sizes,
                  "Sites as NIxNJxNK, k the inner index; several with commas between; default: "
                  "60x600x600, a fortieth of the paper's")
      ->delimiter(',')
      ->type_name("LIST");
  add_choice(command, "--methods", options.methods, "Only these of", method_names());
  add_choice(command, "--init", options.inits, "Who writes first (default: static,static1)",
             {inits.begin(), inits.end()});
  add_choice(command, "--order", options.orders, "Order of submission (default: both)",
             {orders.begin(), orders.end()});
  number("--sweeps", options.work.sweeps, 100'000, "Samples of each row; default: 100");
  number("--block-i", options.work.bi, 100'000, "Extent of a block along i; default: 10");
  number("--block-j", options.work.bj, 100'000, "Extent of a block along j; default: 10");
  add_bench_program_options(command, options.program);
}

}  // namespace
}  // namespace lares::cli::jacobi

namespace lares::cli {

void add_jacobi(CLI::App& bench) {
  const auto options = std::make_shared<jacobi::Options>();
  CLI::App* command = bench.add_subcommand(
      "jacobi", "Blocks of a stencil, by loops, tasks and locality queues (Wittmann & Hager 2010)");
  jacobi::add_options(*command, *options);
  std::string text = "Methods:\n";
  for (const jacobi::Method& method : jacobi::methods()) {
    text += fmt::format("  {:<14} {}\n", method.name, method.about);
  }
  command->footer(text + "Example: lares bench jacobi --domain l2 --init static1 --order kji");
  command->callback([options] { jacobi::run_command(*options); });
}

}  // namespace lares::cli
