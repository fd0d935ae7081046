// What goes into the guest: the programs that a command line starts, and what the user adds.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/launch/environment.hpp"
#include "lab/image/initramfs.hpp"

namespace lares::cli {

/// --with, --file and --output. Must outlive the parse.
struct CarryOptions {
  std::vector<std::string> with;
  std::vector<std::string> files;
  std::vector<std::string> outputs;
};

void add_carry_options(CLI::App& command, CarryOptions& options);

/// The programs that start when `words` is executed: the file `program` itself, executables among
/// its arguments that are written as a path (`env ./app`), and for `lares run` the program that it
/// runs and the library that it preloads.
std::vector<std::string> programs_of(const std::string& program,
                                     const std::vector<std::string>& words,
                                     const Environment& environment);

/// The image's contents for these programs. Throws UserMistake for an option that names nothing.
lab::ImageContents contents_for(std::vector<std::string> programs, const CarryOptions& options,
                                const Environment& environment);

/// The output files as absolute paths. Throws UserMistake for one that cannot be written here.
std::vector<std::string> output_paths(const CarryOptions& options);

}  // namespace lares::cli
