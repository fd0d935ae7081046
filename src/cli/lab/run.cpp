// `lares lab run`: runs a program in a guest as if it had run here.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/lab/count_options.hpp"
#include "cli/lab/guest_run.hpp"
#include "cli/lab/lab.hpp"
#include "cli/launch/environment.hpp"
#include "cli/launch/process.hpp"
#include "cli/launch/words.hpp"
#include "cli/output.hpp"

namespace lares::cli {
namespace {

struct LabRunOptions {
  GuestRunOptions guest_run;
  CountOptions count;
  std::vector<std::string> program;
};

void check_together(const CLI::App& command, const CountOptions& count) {
  for (const char* option : {"--json", "--compare", "--cache"}) {
    if (!count.count && command.count(option) > 0) {
      throw UserMistake{
          {fmt::format("{} cannot stand without --count, which it is about", option)}};
    }
  }
}

void run(const LabRunOptions& options) {
  std::vector<OutputFile> files{{"--json", options.count.json}};
  for (const std::string& path : options.guest_run.carry.outputs) {
    files.push_back({"--output", path});
  }
  check_distinct(files);
  std::vector<std::string> words = unprotect_program(options.program);
  if (words.empty()) {
    throw UserMistake{
        {"lab run: no program was named; write lares lab run [options] -- ./app arguments"}};
  }
  guard_standard_streams();
  GuestRun guest_run(options.guest_run, words, Environment::current());
  CountedRun counted(options.count, guest_run.settings.guest, std::move(words));
  guest_run.settings.counting = counted.hook();
  const lab::Outcome outcome = guest_run();
  const bool shown = counted.show();
  const bool succeeded = outcome.kind == lab::Outcome::Kind::program_ended && outcome.number == 0;
  if (succeeded && !shown) throw ExitStatus{status_lab_failed};
  end_as(outcome);
}

}  // namespace

void add_lab_run(CLI::App& lab) {
  auto options = std::make_shared<LabRunOptions>();
  CLI::App* command =
      lab.add_subcommand("run", "Run a program on a NUMA machine that QEMU emulates");
  add_guest_run_options(*command, options->guest_run);
  add_cache_option(*command, options->guest_run.guest);
  add_count_options(*command, options->count);
  command->add_option("PROGRAM", options->program, "The program and its arguments")
      ->type_name("ARGUMENTS")
      ->expected(-1);
  command->footer(
      "The program's input, output, exit status, arguments, environment and working folder are as "
      "they\nwould be here; of files it has itself, its shared libraries, and what --file names.\n"
      "Status 124: --timeout was over. 125: the guest failed. 126, 127: the program cannot be "
      "run.\n"
      "Example: lares lab run --nodes 4 --cpus-per-node 2 -- lares run ./app 4096");
  command->callback([options, command] {
    check_together(*command, options->count);
    run(*options);
  });
}

}  // namespace lares::cli
