// `lares bench stream | nested-stream | twisted-stream | imbalanced-stream`.
#pragma once

#include <CLI/CLI.hpp>

namespace lares::cli {

/// Adds the commands to `bench`.
void add_nested(CLI::App& bench);

}  // namespace lares::cli
