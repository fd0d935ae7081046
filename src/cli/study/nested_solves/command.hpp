// `lares bench nested-solves`.
#pragma once

#include <CLI/CLI.hpp>

namespace lares::cli {

/// Adds the command to `bench`.
void add_nested_solves(CLI::App& bench);

}  // namespace lares::cli
