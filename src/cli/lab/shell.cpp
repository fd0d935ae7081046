// `lares lab shell`: a shell in a guest, for a look inside.
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/lab/guest_run.hpp"
#include "cli/lab/lab.hpp"
#include "cli/launch/environment.hpp"
#include "cli/launch/process.hpp"
#include "cli/launch/program.hpp"

namespace lares::cli {
namespace {

/// What people want in a shell on a NUMA machine. Those that the host has come along.
constexpr const char* tools[] = {
    "cat",          "ls",      "cp",    "mv",      "rm",       "mkdir",      "ln",
    "chmod",        "stat",    "head",  "tail",    "less",     "grep",       "sed",
    "awk",          "sort",    "uniq",  "wc",      "cut",      "tr",         "find",
    "xargs",        "seq",     "echo",  "sleep",   "time",     "date",       "env",
    "id",           "uname",   "nproc", "ps",      "top",      "free",       "kill",
    "taskset",      "lscpu",   "lsmem", "dmesg",   "mount",    "df",         "du",
    "vi",           "stty",    "clear", "numactl", "numastat", "hwloc-info", "lstopo-no-graphics",
    "migratepages", "hostname"};

std::string find_shell() {
  for (const char* shell : {"/bin/bash", "/bin/sh"}) {
    if (access(shell, X_OK) == 0) return shell;
  }
  throw UserMistake{{"lab shell: there is neither /bin/bash nor /bin/sh"}};
}

void add_tools(lab::ImageContents& contents, const Environment& environment) {
  for (const char* tool : tools) {
    if (const auto path = find_program(tool, environment)) {
      contents.programs.push_back(path.value());
    }
  }
}

void run(const GuestRunOptions& options) {
  guard_standard_streams();
  Environment environment = Environment::current();
  environment.set("PS1", "lab:\\w\\$ ");
  GuestRun guest_run(options, {find_shell()}, environment);
  guest_run.settings.hint_at_escape = false;
  add_tools(guest_run.contents, environment);
  if (guest_run.settings.job.terminal) say("exit, or Ctrl-] three times, ends the guest");
  end_as(guest_run());
}

}  // namespace

void add_lab_shell(CLI::App& lab) {
  auto options = std::make_shared<GuestRunOptions>();
  CLI::App* command = lab.add_subcommand("shell", "Look around in a guest, as its root");
  add_guest_run_options(*command, *options);
  command->footer(
      "The guest has the usual small tools that are installed here; --with brings more.\n"
      "Example: lares lab shell --machine synthetic:\"package:2 numa:2 core:2 pu:1\" --with ./app");
  command->callback([options] { run(*options); });
}

}  // namespace lares::cli
