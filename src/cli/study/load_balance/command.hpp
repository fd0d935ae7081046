// `lares bench load-balance`.
#pragma once

#include <CLI/CLI.hpp>

namespace lares::cli {

/// Adds the command to `bench`.
void add_load_balance(CLI::App& bench);

}  // namespace lares::cli
