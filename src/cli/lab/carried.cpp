#include "cli/lab/carried.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/commands.hpp"
#include "cli/companion.hpp"
#include "cli/launch/program.hpp"
#include "cli/launch/words.hpp"
#include "cli/other_program.hpp"
#include "cli/preload_library.hpp"
#include "lab/image/closure.hpp"

namespace lares::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* init_name = "lares-lab-init";

bool is_program_file(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

/// The word after the options of `lares run`, if `words` are such a command.
std::optional<std::string> program_of_lares_run(const std::vector<std::string>& words) {
  if (words.size() < 3 || words[1] != "run") return std::nullopt;
  CLI::App parser;
  add_run(parser);
  const std::vector<std::string> plain(words.begin() + 1, words.end());
  const auto guarded = protect_program(*parser.get_subcommand("run"), plain);
  for (std::size_t i = 0; i + 1 < guarded.size(); ++i) {
    if (guarded[i] == "--") return unprotect_program({guarded[i + 1]}).front();
  }
  return std::nullopt;
}

/// What `lares run` needs besides itself.
void add_for_lares_run(std::vector<std::string>& programs, const std::string& lares,
                       const std::vector<std::string>& words, const Environment& environment) {
  const auto word = program_of_lares_run(words);
  if (!word) return;
  std::error_code failure;
  const fs::path real = fs::canonical(lares, failure);
  for (const char* name : preload_library_names) {
    const std::string library = find_companion(real.parent_path().string(), name);
    if (!library.empty()) programs.push_back(library);
  }
  if (const auto path = find_program(*word, environment)) programs.push_back(path.value());
}

/// What the command `lares` becomes for these words, if it does.
void add_other_program(std::vector<std::string>& programs, const std::string& lares,
                       const std::vector<std::string>& words) {
  if (words.size() < 2 || !is_of_other_program(words[1])) return;
  std::error_code failure;
  const std::string folder = fs::canonical(lares, failure).parent_path().string();
  const std::string path = find_companion(folder, study_name);
  if (!path.empty()) programs.push_back(path);
}

UserMistake mistake(const std::string& sentence) { return UserMistake{{sentence}}; }

std::string find_init() {
  std::string path = find_companion(own_folder(), init_name);
  if (!path.empty()) return path;
  throw mistake(fmt::format("lab: cannot find {}; build or install Lares again",
                            fmt::join(companion_candidates(own_folder(), init_name), " or ")));
}

void check_output(const std::string& word, const std::string& path) {
  const auto refuse = [&](const char* why) {
    return mistake(fmt::format("--output: cannot write \"{}\": {}", word, why));
  };
  struct stat status{};
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw refuse("it is a folder");
    if (access(path.c_str(), W_OK) != 0) throw refuse(std::strerror(errno));
    return;
  }
  const std::string folder = fs::path(path).parent_path().string();
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw refuse(std::strerror(errno));
}

}  // namespace

void add_carry_options(CLI::App& command, CarryOptions& options) {
  // One value per option: the words after it are the program's.
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* type,
                       const char* text) {
    command.add_option(name, values, text)->type_name(type)->expected(1)->take_all();
  };
  add("--with", options.with, "PROGRAM",
      "Another program that the guest shall have, such as one that a script calls; may be "
      "repeated");
  add("--file", options.files, "PATH",
      "A file or folder that the guest shall have under the same path; may be repeated");
  add("--output", options.outputs, "PATH",
      "A file that the program writes and that shall come back; may be repeated");
}

std::vector<std::string> programs_of(const std::string& program,
                                     const std::vector<std::string>& words,
                                     const Environment& environment) {
  std::vector<std::string> programs{program};
  if (fs::path(program).filename() == "lares") {
    add_for_lares_run(programs, program, words, environment);
    add_other_program(programs, program, words);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.find('/') == std::string::npos || !is_program_file(word)) continue;
    // It may as well be a data file with wrong permissions: then it stays here.
    if (lab::closure_of(word, environment.entries())) programs.push_back(word);
  }
  return programs;
}

lab::ImageContents contents_for(std::vector<std::string> programs, const CarryOptions& options,
                                const Environment& environment) {
  lab::ImageContents contents;
  contents.init = find_init();
  contents.programs = std::move(programs);
  for (const std::string& word : options.with) {
    const auto path = find_program(word, environment);
    if (!path) throw mistake("--with: " + path.error().sentence);
    contents.programs.push_back(path.value());
  }
  for (const std::string& word : options.files) {
    if (access(word.c_str(), R_OK) != 0) {
      throw mistake(fmt::format("--file: cannot read \"{}\": {}", word, std::strerror(errno)));
    }
    contents.files.push_back(word);
  }
  std::error_code failure;
  contents.folders.push_back(fs::current_path(failure).string());
  contents.environment = environment.entries();
  return contents;
}

std::vector<std::string> output_paths(const CarryOptions& options) {
  std::vector<std::string> paths;
  for (const std::string& word : options.outputs) {
    std::error_code failure;
    paths.push_back(fs::absolute(word, failure).string());
    check_output(word, paths.back());
  }
  return paths;
}

}  // namespace lares::cli
