// `lares bench nested-overheads`.
#pragma once

#include <CLI/CLI.hpp>

namespace lares::cli {

/// Adds the command to `bench`.
void add_nested_overheads(CLI::App& bench);

}  // namespace lares::cli
