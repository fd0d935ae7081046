#include "cli/launch/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/disorder.hpp"
#include "cli/launch/stall.hpp"
#include "lab/sizes.hpp"
#include "memory/nodes.hpp"
#include "memory/placement_choice.hpp"
#include "policy/bubbles/scheduler.hpp"

namespace lares::cli {
namespace {

/// A value and the words that tell the user where it came from.
struct Sourced {
  std::string text;
  std::string_view source;
};

/// The option if it was given, else the variable, else nothing.
std::optional<Sourced> choose(const std::string& option, std::string_view option_name,
                              const Environment& environment, std::string_view variable) {
  if (!option.empty()) return Sourced{option, option_name};
  if (auto value = environment.get(variable)) return Sourced{*value, variable};
  return std::nullopt;
}

Error from(std::string_view source, const Error& error) {
  return {fmt::format("{}: {}", source, error.sentence)};
}

Result<machine::Machine> settle_machine(MachineOptions options, const Environment& environment) {
  const bool from_variable = options.machine.empty() && environment.get("LARES_MACHINE");
  if (from_variable) options.machine = *environment.get("LARES_MACHINE");
  const auto domain = environment.get("LARES_DOMAIN");
  if (!options.level && domain) {
    const auto level = machine::parse_level(*domain);
    if (!level) return from("LARES_DOMAIN", level.error());
    options.level = level.value();
  }
  auto machine = load_machine(options);
  if (!machine && from_variable) return from("LARES_MACHINE", machine.error());
  return machine;
}

Result<policy::Choice> settle_policy(const RunOptions& options, const Environment& environment,
                                     const machine::Machine& machine) {
  const auto chosen = choose(options.policy, "--policy", environment, "LARES_POLICY");
  auto choice = policy::parse_choice(chosen ? chosen->text : "auto", machine.domains_with_cores());
  if (!choice && chosen) return from(chosen->source, choice.error());
  return choice;
}

Result<policy::LoopChoice> settle_loops(const RunOptions& options, const Environment& environment,
                                        const machine::Machine& machine) {
  const auto chosen = choose(options.loops, "--loops", environment, "LARES_LOOPS");
  auto loops = policy::parse_loops(chosen ? chosen->text : "stock", machine.domains_with_cores());
  if (!loops && chosen) return from(chosen->source, loops.error());
  return loops;
}

/// The scheduler's name; empty for "off".
Result<std::string> settle_bubbles(const RunOptions& options, const Environment& environment) {
  const auto chosen = choose(options.bubbles, "--bubbles", environment, "LARES_BUBBLES");
  if (!chosen || chosen->text == "off") return std::string();
  if (policy::find_bubble_scheduler(chosen->text) != nullptr) return chosen->text;
  std::string names;
  for (const auto& entry : policy::bubble_schedulers()) names += std::string(entry.name) + ", ";
  return from(chosen->source,
              Error{fmt::format("unknown bubble scheduler \"{}\", accepted are {}off", chosen->text,
                                names)});
}

/// A bubble scheduler places threads by binding them.
std::optional<Error> contradiction(const std::string& bubbles, BindChoice bind) {
  if (bubbles.empty() || bind == BindChoice::automatic) return std::nullopt;
  if (bind == BindChoice::close || bind == BindChoice::spread) return std::nullopt;
  const std::string_view word = bind == BindChoice::none      ? "none"
                                : bind == BindChoice::by_data ? "by-data"
                                                              : "as-is";
  return Error{
      fmt::format("--bubbles {} places threads, which --bind {} {}: leave one of the two out",
                  bubbles, word, bind == BindChoice::by_data ? "does as well" : "forbids")};
}

Result<BindChoice> settle_bind(const RunOptions& options, const Environment& environment) {
  const auto chosen = choose(options.bind, "--bind", environment, "LARES_BIND");
  if (!chosen) return BindChoice::automatic;
  auto bind = parse_bind(chosen->text);
  if (!bind) return from(chosen->source, bind.error());
  return bind;
}

Result<std::string> settle_placement(const RunOptions& options, const Environment& environment) {
  const auto chosen = choose(options.placement, "--placement", environment, "LARES_PLACEMENT");
  if (!chosen) return std::string();
  const auto choice = memory::parse_placement(chosen->text);
  if (!choice) return from(chosen->source, choice.error());
  return choice.value().kind == memory::PlacementKind::bring ? std::string() : chosen->text;
}

Result<std::chrono::milliseconds> settle_stall(const RunOptions& options,
                                               const Environment& environment) {
  const auto chosen = choose(options.stall, "--stall", environment, "LARES_STALL");
  if (!chosen) return std::chrono::milliseconds(0);
  auto limit = parse_stall(chosen->text);
  if (!limit) return from(chosen->source, limit.error());
  return limit;
}

/// A record takes memory twice: its files' (in /dev/shm) while the program runs, and six times as
/// much in this process when the graph is made.
constexpr std::string_view default_record_limit = "128M";

Result<Bytes> settle_record_limit(const RunOptions& options) {
  const bool given = !options.record_limit.empty();
  const auto limit = lab::parse_size(given ? options.record_limit : default_record_limit);
  if (!limit) return from("--record-limit", limit.error());
  return limit.value();
}

Result<SummaryTarget> parse_summary(std::string_view source, const std::string& format,
                                    const std::string& file) {
  if (format != "text" && format != "json") {
    return Error{fmt::format(
        "{}: unknown format \"{}\", accepted are text and json, followed by a file name or -",
        source, format)};
  }
  if (file.empty()) {
    return Error{
        fmt::format("{}: {} is not followed by a file name (- is standard error)", source, format)};
  }
  return SummaryTarget{format == "json", file == "-" ? "" : file};
}

/// The option takes two words; the variable has both, with a blank between them.
std::optional<Result<SummaryTarget>> settle_summary(const RunOptions& options,
                                                    const Environment& environment) {
  if (!options.summary.empty()) {
    const std::string file = options.summary.size() > 1 ? options.summary[1] : "";
    return parse_summary("--summary", options.summary[0], file);
  }
  const auto value = environment.get("LARES_SUMMARY");
  if (!value) return std::nullopt;
  const std::size_t blank = std::min(value->find(' '), value->size());
  const std::size_t file = std::min(value->find_first_not_of(' ', blank), value->size());
  return parse_summary("LARES_SUMMARY", value->substr(0, blank), value->substr(file));
}

/// An option without a value: given, or its variable is 1.
Result<bool> settle_flag(bool given, const Environment& environment, std::string_view variable) {
  const std::string word = environment.get(std::string(variable)).value_or("0");
  if (word == "0" || word == "1") return given || word == "1";
  return Error{fmt::format("{}: unknown value \"{}\", accepted are 0 and 1", variable, word)};
}

/// `--learn` chooses what the user has not chosen, where there is anything to choose.
void learn(RunSettings& settings, const RunOptions& options, const Environment& environment) {
  settings.nothing_to_learn = !memory::Nodes(settings.machine).several();
  if (settings.nothing_to_learn) return;
  const bool may_rebind = settings.bind == BindChoice::automatic && settings.bubbles.empty();
  if (may_rebind && !user_binds(environment)) settings.bind = BindChoice::by_data;
  const bool placed = choose(options.placement, "", environment, "LARES_PLACEMENT").has_value();
  if (!placed) settings.placement = "follow";
}

/// Those that the commands read, and those that `lares run` sets for the library. LARES_LAB_KERNEL
/// is read by `lares lab`, which may be what runs, or is run.
constexpr std::array<std::string_view, 16> known_here = {
    "LARES_BIND",       "LARES_BOUND",  "LARES_BUBBLES", "LARES_DOMAIN",
    "LARES_LAB_KERNEL", "LARES_LEARN",  "LARES_LOOPS",   "LARES_MACHINE",
    "LARES_PLACEMENT",  "LARES_POLICY", "LARES_QUIET",   "LARES_RECORD",
    "LARES_SESSION",    "LARES_STALL",  "LARES_SUMMARY", "LARES_TRACE"};

bool is_known(const std::string& name) {
  // Elsewhere the warning tells the user that nothing is disturbed.
  if (disorder::built_in && name == "LARES_DISORDER") return true;
  return std::find(known_here.begin(), known_here.end(), name) != known_here.end();
}

}  // namespace

Result<RunSettings> settle(const RunOptions& options, const Environment& environment) {
  const auto bind = settle_bind(options, environment);
  if (!bind) return bind.error();
  const auto bubbles = settle_bubbles(options, environment);
  if (!bubbles) return bubbles.error();
  if (const auto wrong = contradiction(bubbles.value(), bind.value())) return *wrong;
  const auto placement = settle_placement(options, environment);
  if (!placement) return placement.error();
  const auto summary = settle_summary(options, environment);
  if (summary && !*summary) return summary->error();
  const auto stall = settle_stall(options, environment);
  if (!stall) return stall.error();
  const auto quiet = settle_flag(options.quiet, environment, "LARES_QUIET");
  if (!quiet) return quiet.error();
  const auto learns = settle_flag(options.learn, environment, "LARES_LEARN");
  if (!learns) return learns.error();
  const auto record_limit = settle_record_limit(options);
  if (!record_limit) return record_limit.error();
  auto machine = settle_machine(options.machine, environment);
  if (!machine) return machine.error();
  const auto policy = settle_policy(options, environment, machine.value());
  if (!policy) return policy.error();
  const auto loops = settle_loops(options, environment, machine.value());
  if (!loops) return loops.error();

  RunSettings settings;
  settings.machine = std::move(machine.value());
  settings.policy = policy.value();
  settings.loops = loops.value();
  settings.bind = bind.value();
  settings.bubbles = bubbles.value();
  settings.placement = placement.value();
  if (summary) settings.summary = summary->value();
  if (const auto record = choose(options.record, "--record", environment, "LARES_RECORD")) {
    settings.record = record->text;
  }
  if (const auto trace = choose(options.trace, "--trace", environment, "LARES_TRACE")) {
    settings.trace = trace->text;
  }
  if (options.pages && settings.trace.empty()) {
    return Error{"--pages goes into a trace: name its folder with --trace DIR"};
  }
  settings.pages = options.pages;
  settings.stall = stall.value();
  settings.record_limit = record_limit.value();
  settings.explain = options.explain;
  settings.quiet = quiet.value();
  if (learns.value()) learn(settings, options, environment);
  return settings;
}

std::optional<std::string> unknown_variables(const Environment& environment) {
  std::vector<std::string> unknown = environment.names_with("LARES_");
  std::erase_if(unknown, is_known);
  if (unknown.empty()) return std::nullopt;
  return fmt::format("ignored {}, which {} no variable{} of Lares; known are {}",
                     fmt::join(unknown, ", "), unknown.size() == 1 ? "is" : "are",
                     unknown.size() == 1 ? "" : "s", fmt::join(known_here, ", "));
}

}  // namespace lares::cli
