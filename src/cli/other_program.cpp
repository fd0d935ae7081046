#include "cli/other_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/commands.hpp"
#include "cli/companion.hpp"

namespace lares::cli {

bool is_of_other_program(std::string_view command) {
  const auto& all = this_program.commands;
  return std::any_of(all.begin(), all.end(), [command](const Command& one) {
    return one.add == nullptr && one.name == command;
  });
}

std::string become_other_program(char** argv) {
  const std::string path = find_companion(own_folder(), study_name);
  if (path.empty()) {
    return fmt::format("{}: cannot find {}, the program that has it; build or install all of Lares",
                       argv[1], fmt::join(companion_candidates(own_folder(), study_name), " or "));
  }
  execv(path.c_str(), argv);
  return fmt::format("{}: cannot start {}: {}", argv[1], path, std::strerror(errno));
}

std::string lares_file() { return own_folder() + "/lares"; }

}  // namespace lares::cli
