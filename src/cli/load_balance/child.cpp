#include "cli/load_balance/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/companion.hpp"
#include "cli/launch/environment.hpp"

namespace lares::cli::load_balance {
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

Environment environment_for(const Team& team) {
  Environment environment = Environment::current();
  for (const char* prefix : {"OMP_", "GOMP_", "KMP_", "LIBOMP_", "LARES_"}) {
    for (const std::string& name : environment.names_with(prefix)) environment.unset(name);
  }
  environment.set("OMP_NUM_THREADS", std::to_string(team.cpus.size()));
  environment.set("OMP_DYNAMIC", "false");
  environment.set("OMP_PLACES", places_of(team.cpus));
  environment.set("OMP_PROC_BIND", "close");
  return environment;
}

std::vector<std::string> words_for(const std::string& program, const Method& method,
                                   const Workload& workload, const Team& team) {
  std::vector<std::string> words;
  if (method.loops != nullptr) {
    words = {std::filesystem::read_symlink("/proc/self/exe").string(),
             "run",
             "--quiet",
             "--domain",
             std::string(machine::level_name(team.machine.domain_level)),
             "--loops",
             method.loops,
             "--"};
  }
  words.push_back(program);
  words.push_back(fmt::format("packages={}", workload.packages));
  words.push_back(fmt::format("gb={}", workload.gb));
  words.push_back(fmt::format("times={}", workload.times));
  words.push_back(fmt::format("method={}", method.schedule));
  words.push_back("domains=" + domain_list(team.machine));
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

/// {"0": 0.5, "2": 0.1} for each thread. Throws what the library throws.
std::vector<ByHome> times_of(const nlohmann::json& list, std::size_t domains) {
  std::vector<ByHome> all;
  for (const nlohmann::json& thread : list) {
    ByHome times(domains, 0);
    for (const auto& [home, seconds] : thread.items()) {
      times.at(std::stoul(home)) = seconds.get<double>();
    }
    all.push_back(std::move(times));
  }
  return all;
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"static", "static", nullptr, "a static loop"},
      {"dynamic", "dynamic", nullptr, "a dynamic loop"},
      {"tasks", "tasks", nullptr, "tasks that the writers of the data create"},
      {"nearest", "dynamic", "numa,steal=nearest", "the dynamic loop under Lares, stealing near"},
      {"most-loaded", "dynamic", "numa,steal=most-loaded", "from whoever has most left"},
      {"random", "dynamic", "numa,steal=random", "from anybody"},
  };
  return all;
}

Result<std::string> find_program(const std::string& compiler) {
  const std::string name = "bench/load_balance-" + compiler;
  std::string path = find_companion(own_folder(), name);
  if (!path.empty()) return path;
  return Error{fmt::format("cannot find {}; build or install Lares again where there is {}",
                           fmt::join(companion_candidates(own_folder(), name), " or "), compiler)};
}

Result<Outcome> read_line(const std::string& line, const Method& method, const Workload& workload,
                          std::size_t threads, std::size_t domains) {
  try {
    const nlohmann::json told = nlohmann::json::parse(line);
    if (const auto wrong = told.at("wrong").get<std::size_t>(); wrong != 0) {
      return Error{fmt::format("{} packages were lost, doubled or wrong", wrong)};
    }
    if (told.at("method") != method.schedule || told.at("packages") != workload.packages ||
        told.at("times") != workload.times) {
      return Error{"the program did other work than it was asked for"};
    }
    if (const auto had = told.at("threads").get<std::size_t>(); had != threads) {
      return Error{fmt::format("the program had {} threads, not {}", had, threads)};
    }
    Outcome outcome{told.at("seconds"),
                    told.at("imbalance"),
                    told.at("imbalance_elapsed"),
                    told.at("local"),
                    told.at("domains"),
                    times_of(told.at("busy"), domains),
                    times_of(told.at("elapsed"), domains)};
    for (const std::size_t domain : outcome.domains) {
      if (domain >= domains) return Error{"the program names a domain that does not exist"};
    }
    if (outcome.domains.size() == threads && outcome.busy.size() == threads &&
        outcome.elapsed.size() == threads) {
      return outcome;
    }
  } catch (const std::exception&) {
    // Not JSON, or without a field: below.
  }
  return Error{"the program printed something else than its results"};
}

Result<Outcome> run_once(const std::string& program, const Method& method, const Workload& workload,
                         const Team& team) {
  const auto failed = [&](const std::string& why) {
    return Error{fmt::format("load-balance: {}, {:g} GB: {}", method.name, workload.gb, why)};
  };
  const auto ended = run_words(words_for(program, method, workload, team), environment_for(team));
  if (!ended) return failed(ended.error().sentence);
  const int status = ended.value().status;
  if (WIFSIGNALED(status)) return failed(fmt::format("ended by signal {}", WTERMSIG(status)));
  // With status 1 there may be a line, which says more.
  if (WEXITSTATUS(status) > 1 || ended.value().output.empty()) {
    return failed(fmt::format("ended with status {}", WEXITSTATUS(status)));
  }
  auto outcome = read_line(ended.value().output, method, workload, team.cpus.size(),
                           team.machine.domains_with_cores());
  if (!outcome) return failed(outcome.error().sentence);
  return outcome;
}

}  // namespace lares::cli::load_balance
