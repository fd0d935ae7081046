// `lares stall`: asks a program that runs under `lares run` what its threads and tasks wait for.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/launch/stall.hpp"

namespace lares::cli {
namespace {

constexpr std::chrono::seconds patience{10};

/// The processes that are meant by a number: that one, or, of a `lares run`, those of its session.
struct Asked {
  std::string session;
  std::vector<pid_t> processes;
};

std::vector<pid_t> children_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

Asked find(pid_t process) {
  if (const auto session = session_of(process)) {
    for (const pid_t known : processes_of(*session)) {
      if (known == process) return {*session, {process}};
    }
    throw UserMistake{{fmt::format(
        "stall: process {} runs under `lares run`, but has started no parallel region yet",
        process)}};
  }
  for (const pid_t child : children_of(process)) {
    if (const auto session = session_of(child)) return {*session, processes_of(*session)};
  }
  throw UserMistake{{fmt::format(
      "stall: process {} is no process of yours that runs under `lares run`; name the program's "
      "process or that of `lares run`",
      process)}};
}

/// False if none of the process's threads has answered.
bool ask(const std::string& session, pid_t process) {
  const auto number = ask_for_page(session, process);
  if (!number) throw UserMistake{{"stall: " + number.error().sentence}};
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until) {
    if (const auto page = take_asked_page(session, process, number.value())) {
      fmt::print("{}", readable_page(*page, process, session, "", ""));
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  fmt::print(stderr,
             "lares: no thread of process {} waits in Lares, so none could answer; all of them run "
             "the program's own code, or `lares run --stall SECONDS` is needed\n",
             process);
  return false;
}

void stall(pid_t process) {
  if (process <= 0) {
    throw UserMistake{
        {fmt::format("stall: \"{}\" is no process, accepted is its number", process)}};
  }
  const Asked asked = find(process);
  if (asked.processes.empty()) {
    throw UserMistake{{fmt::format(
        "stall: no process of `lares run` {} has started a parallel region yet", process)}};
  }
  bool all = true;
  for (const pid_t one : asked.processes) all = ask(asked.session, one) && all;
  if (!all) throw ExitStatus{1};
}

}  // namespace

void add_stall(CLI::App& app) {
  auto process = std::make_shared<pid_t>(0);
  CLI::App* command = app.add_subcommand(
      "stall", "Ask a program under `lares run` what its threads and tasks wait for");
  command->add_option("PID", *process, "The program's process, or that of `lares run`")->required();
  command->footer(
      "The program goes on. One of its threads that waits for tasks answers; with\n"
      "`lares run --stall SECONDS` there is a thread that always can.\n"
      "Example: lares stall $(pgrep cholesky)");
  command->callback([process] { stall(*process); });
}

}  // namespace lares::cli
