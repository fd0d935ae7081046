// `lares bench jacobi`.
#pragma once

#include <CLI/CLI.hpp>

namespace lares::cli {

/// Adds the command to `bench`.
void add_jacobi(CLI::App& bench);

}  // namespace lares::cli
