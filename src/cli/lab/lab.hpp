// The commands of `lares lab`: one file each, one line each in lab.cpp.
#pragma once

#include <CLI/CLI.hpp>

namespace lares::cli {

/// Each adds one subcommand to `lab`, as the functions in commands.hpp do to the whole command.
void add_lab_run(CLI::App& lab);
void add_lab_shell(CLI::App& lab);
void add_lab_list(CLI::App& lab);
void add_lab_compare(CLI::App& lab);

}  // namespace lares::cli
