// Keeps the words of the program that `lares run` starts away from the option parser.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lares::cli {

/// The command line's words with those of the program (from its name on) made opaque: CLI11 would
/// take `--help` after the program's name for ours, split `[a,b]`, and swallow a second `--`.
/// The program starts after the first `--`, or at the first word that is neither an option of
/// `run` nor such an option's value. Words of other commands come back as they are.
std::vector<std::string> protect_program(const CLI::App& run, std::vector<std::string> words);

/// The same for the whole command line of `app`, whose commands `run` and `lab run`, if it has
/// them, start programs.
std::vector<std::string> protect_programs(const CLI::App& app, std::vector<std::string> words);

/// The words as the user wrote them.
std::vector<std::string> unprotect_program(std::vector<std::string> words);

}  // namespace lares::cli
