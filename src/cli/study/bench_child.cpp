#include "cli/study/bench_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "bench/threads.hpp"
#include "cli/commands.hpp"
#include "cli/companion.hpp"
#include "cli/launch/environment.hpp"
#include "cli/other_program.hpp"
#include "cli/study/tour_order.hpp"
#include "lab/host_memory.hpp"

namespace lares::cli {
namespace {

/// "0,0,1,1": the domain of CPU 0, 1, ...; of CPUs that nobody runs on, 0.
std::string domain_list(const machine::Machine& machine) {
  std::vector<std::size_t> domain_of;
  for (const machine::Core& core : machine.cores) {
    for (const OsCpu cpu : core.cpus) {
      if (cpu.index() >= domain_of.size()) domain_of.resize(cpu.index() + 1, 0);
      domain_of[cpu.index()] = core.domain.index();
    }
  }
  return fmt::format("{}", fmt::join(domain_of, ","));
}

std::string places_of(const std::vector<OsCpu>& cpus) {
  std::string text;
  for (const OsCpu cpu : cpus) {
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ",", cpu.value());
  }
  return text;
}

Environment environment_for(const BenchTeam& team, Bound bound) {
  Environment environment = Environment::current();
  for (const char* prefix : {"OMP_", "GOMP_", "KMP_", "LIBOMP_", "LARES_"}) {
    for (const std::string& name : environment.names_with(prefix)) environment.unset(name);
  }
  environment.set("OMP_NUM_THREADS", std::to_string(team.cpus.size()));
  environment.set("OMP_DYNAMIC", "false");
  if (bound == Bound::no) return environment;
  environment.set("OMP_PLACES", places_of(team.cpus));
  environment.set("OMP_PROC_BIND", bound == Bound::close ? "close" : "spread,close");
  return environment;
}

std::vector<std::string> words_for(const BenchRun& run, const machine::Machine& machine) {
  std::vector<std::string> words;
  if (!run.run_words.empty()) {
    words = {lares_file(), "run", "--quiet", "--domain",
             std::string(machine::level_name(machine.domain_level))};
    words.insert(words.end(), run.run_words.begin(), run.run_words.end());
    words.emplace_back("--");
  }
  words.push_back(run.program);
  words.insert(words.end(), run.settings.begin(), run.settings.end());
  words.push_back("domains=" + domain_list(machine));
  return words;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::string all_of(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return text;
    }
  }
}

struct Ended {
  std::string output;
  int status = 0;  ///< as waitpid tells it
};

/// Starts `words` with their output in a pipe. The standard error stays ours.
Result<Ended> run_words(std::vector<std::string> words, const Environment& environment) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{std::string("cannot make a pipe: ") + std::strerror(errno)};
  }
  std::vector<std::string> entries = environment.entries();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failure = posix_spawn(&child, words.front().c_str(), &actions, nullptr,
                                  pointers(words).data(), pointers(entries).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Ended ended;
  if (failure == 0) ended.output = all_of(ends[0]);
  close(ends[0]);
  if (failure != 0) {
    return Error{fmt::format("cannot start {}: {}", words.front(), std::strerror(failure))};
  }
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

}  // namespace

void add_bench_program_options(CLI::App& command, BenchProgramOptions& options) {
  add_domain_option(command, options.machine);
  command
      .add_option("--threads", options.threads, "At most so many threads; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{65'536}));
  command
      .add_option("--compiler", options.compiler,
                  "gcc or clang: whose program, and so whose OpenMP runtime; default: gcc")
      ->type_name("NAME")
      ->check(CLI::IsMember({"gcc", "clang"}));
  add_format_option(command, options.format, {Format::text, Format::json, Format::csv});
}

void add_choice(CLI::App& command, const char* name, std::vector<std::string>& chosen,
                const char* about, const std::vector<std::string>& words) {
  command.add_option(name, chosen, fmt::format("{}: {}", about, fmt::join(words, ", ")))
      ->delimiter(',')
      ->type_name("LIST")
      ->check([name, words](const std::string& word) {
        if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
        throw UserMistake{
            {fmt::format("{}: \"{}\" is none of {}", name, word, fmt::join(words, ", "))}};
      });
}

BenchTeam close_team(const machine::Machine& machine, std::size_t threads) {
  const bench::Setting setting{machine, along_the_tour(machine), {}, threads, {}, false, {}};
  return {machine, bench::close_cpus(setting)};
}

TeamShape shape_by_domain(const BenchTeam& team) {
  std::vector<std::size_t> cores(team.machine.domains.size(), 0);
  for (const OsCpu cpu : team.cpus) {
    ++cores[team.machine.cores[team.machine.core_of(cpu).index()].domain.index()];
  }
  const auto empty = std::count(cores.begin(), cores.end(), std::size_t{0});
  return {cores.size() - static_cast<std::size_t>(empty),
          *std::max_element(cores.begin(), cores.end())};
}

Result<std::string> find_bench_program(const std::string& name, const std::string& compiler) {
  const std::string gcc_or_given = compiler.empty() ? "gcc" : compiler;
  const std::string file = fmt::format("bench/{}-{}", name, gcc_or_given);
  std::string path = find_companion(own_folder(), file);
  if (path.empty() && compiler.empty()) {
    path = find_companion(own_folder(), fmt::format("bench/{}-clang", name));
  }
  if (!path.empty()) return path;
  return Error{fmt::format("cannot find {}; build or install Lares again where there is {}",
                           fmt::join(companion_candidates(own_folder(), file), " or "),
                           compiler.empty() ? "gcc or clang" : compiler)};
}

std::vector<std::string> with_loops(const char* loops) {
  if (loops == nullptr) return {};
  return {"--loops", loops};
}

Result<std::string> run_bench_program(const BenchRun& run, const BenchTeam& team) {
  auto ended = run_words(words_for(run, team.machine), environment_for(team, run.bound));
  if (!ended) return ended.error();
  const int status = ended.value().status;
  if (WIFSIGNALED(status)) return Error{fmt::format("ended by signal {}", WTERMSIG(status))};
  // With status 1 there may be a line, which says more.
  if (WEXITSTATUS(status) > 1 || ended.value().output.empty()) {
    return Error{fmt::format("ended with status {}", WEXITSTATUS(status))};
  }
  return std::move(ended.value().output);
}

void check_fits(const char* option, double bytes) {
  const auto available = static_cast<double>(lab::available_host_memory().count);
  if (available == 0 || bytes <= available) return;
  throw UserMistake{{fmt::format("{}: {:.3g} GB are more than the {:.3g} GB that are free here",
                                 option, bytes / 1e9, available / 1e9)}};
}

}  // namespace lares::cli
