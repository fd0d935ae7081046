// The options that say what the guest of `lares lab` looks like, the same for `run` and `shell`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "lab/guest_request.hpp"

namespace lares::cli {

/// What the user wrote. Must outlive the parse.
struct GuestOptions {
  std::string machine;          ///< --machine: a file, a description or a preset; empty: none
  std::string nodes;            ///< --nodes
  std::string cpuless;          ///< --cpuless
  std::string cpus_per_node;    ///< --cpus-per-node: one number, or one per node
  std::string memory_per_node;  ///< --memory-per-node: one size, or one per node
  std::string distances;        ///< --distances: a file or a preset
  std::string cache;            ///< --cache
};

/// Adds --machine, --nodes, --cpus-per-node, --memory-per-node, --distances and --cpuless.
void add_guest_options(CLI::App& command, GuestOptions& options);
/// --cache, for the command that counts.
void add_cache_option(CLI::App& command, GuestOptions& options);

/// The guest that the options describe on a host with `host_memory` left, or a sentence for the
/// user. The plan's notes are for standard error. Reads the files that the options name.
Result<lab::GuestPlan> load_guest(const GuestOptions& options, Bytes host_memory);

}  // namespace lares::cli
