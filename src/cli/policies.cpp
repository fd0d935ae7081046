// `lares policies`: what `--policy` and LARES_POLICY accept, one line each.
#include "policy/bubbles/scheduler.hpp"
#include "policy/registry.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace lares::cli {
namespace {

using nlohmann::ordered_json;
using policy::BubbleSchedulerEntry;
using policy::Entry;
using policy::Preset;
using policy::Reach;

struct PoliciesOptions {
  Format format = Format::text;
};

// --- text ---

struct Line {
  std::string name;
  std::string paper;
  std::string summary;
  std::string source;
};

struct Group {
  const char* name;
  const char* title;
  std::vector<Line> lines;
};

template <class Policy>
std::vector<Line> lines_of(std::span<const Entry<Policy>> entries) {
  std::vector<Line> lines;
  for (const auto& entry : entries) {
    lines.push_back({std::string(entry.name), std::string(entry.paper), std::string(entry.summary),
                     std::string(entry.source)});
  }
  return lines;
}

/// Of rows that have no name of a paper.
template <class Row>
std::vector<Line> plain_lines_of(std::span<const Row> rows) {
  std::vector<Line> lines;
  for (const Row& row : rows) {
    lines.push_back({std::string(row.name), "", std::string(row.summary), std::string(row.source)});
  }
  return lines;
}

std::vector<Group> groups() {
  return {
      {"distribution", "where data without a home goes", lines_of(policy::distributions())},
      {"push", "which place a ready task enters", lines_of(policy::pushes())},
      {"steal", "which places an idle worker visits", lines_of(policy::steals())},
      {"preset", "one of each", plain_lines_of(policy::presets())},
      {"bubbles", "where teams go, each as one", plain_lines_of(policy::bubble_schedulers())},
  };
}

std::string as_text(const Palette& palette) {
  using Align = Table::Align;
  // One table for all groups, so that its columns stand below each other.
  Table table({Align::left, Align::left, Align::left, Align::left});
  std::vector<std::size_t> sizes;
  const auto all = groups();
  for (const Group& group : all) {
    for (const Line& line : group.lines) {
      table.add({palette.green(line.name), line.paper, line.summary, palette.dim(line.source)});
    }
  }
  const std::string rows = table.text("  ");
  std::string text;
  std::size_t at = 0;
  for (const Group& group : all) {
    text +=
        fmt::format("{}{} ({})\n", text.empty() ? "" : "\n", palette.bold(group.name), group.title);
    for (std::size_t i = 0; i < group.lines.size(); ++i) {
      const std::size_t end = rows.find('\n', at) + 1;
      text += rows.substr(at, end - at);
      at = end;
    }
  }
  return text;
}

// --- csv ---

std::string as_csv() {
  std::string text = "group,name,paper,summary,source\n";
  for (const Group& group : groups()) {
    for (const Line& line : group.lines) {
      text += fmt::format("{},{},{},{},{}\n", group.name, csv_field(line.name),
                          csv_field(line.paper), csv_field(line.summary), csv_field(line.source));
    }
  }
  return text;
}

// --- json ---

const char* reach_name(Reach reach) {
  switch (reach) {
    case Reach::all:
      return "all";
    case Reach::own:
      return "own";
    case Reach::none:
      break;
  }
  return "none";
}

template <class Policy>
ordered_json common(const Entry<Policy>& entry) {
  return {{"name", entry.name},
          {"paper", entry.paper},
          {"summary", entry.summary},
          {"source", entry.source}};
}

ordered_json to_json(const Entry<policy::Distribution>& entry) { return common(entry); }

ordered_json to_json(const Entry<policy::Push>& entry) {
  ordered_json json = common(entry);
  json["fills"] = {{"workers", entry.places.workers},
                   {"domains", entry.places.domains},
                   {"root", entry.places.root}};
  return json;
}

ordered_json to_json(const Entry<policy::Steal>& entry) {
  ordered_json json = common(entry);
  json["visits"] = {{"workers", reach_name(entry.places.workers)},
                    {"domains", reach_name(entry.places.domains)},
                    {"root", reach_name(entry.places.root)}};
  return json;
}

ordered_json to_json(const Preset& preset) {
  return {{"name", preset.name},     {"summary", preset.summary},
          {"source", preset.source}, {"distribution", preset.distribution},
          {"push", preset.push},     {"steal", preset.steal}};
}

ordered_json to_json(const BubbleSchedulerEntry& entry) {
  return {{"name", entry.name}, {"summary", entry.summary}, {"source", entry.source}};
}

template <class Row>
ordered_json list(std::span<const Row> rows) {
  ordered_json json = ordered_json::array();
  for (const Row& row : rows) json.push_back(to_json(row));
  return json;
}

ordered_json pairs() {
  ordered_json json = ordered_json::array();
  for (const auto& push : policy::pushes()) {
    for (const auto& steal : policy::steals()) {
      json.push_back({{"push", push.name},
                      {"steal", steal.name},
                      {"fit", policy::to_string(policy::fit(push, steal))}});
    }
  }
  return json;
}

std::string as_json() {
  const ordered_json json = {{"version", 1},
                             {"distribution", list(policy::distributions())},
                             {"push", list(policy::pushes())},
                             {"steal", list(policy::steals())},
                             {"preset", list(policy::presets())},
                             {"bubbles", list(policy::bubble_schedulers())},
                             {"pairs", pairs()}};
  return json.dump(2) + '\n';
}

void print(Format format) {
  switch (format) {
    case Format::json:
      fmt::print("{}", as_json());
      break;
    case Format::csv:
      fmt::print("{}", as_csv());
      break;
    case Format::text:
      fmt::print("{}", as_text(Palette(wants_colour(stdout))));
      break;
  }
}

}  // namespace

void add_policies(CLI::App& app) {
  auto options = std::make_shared<PoliciesOptions>();
  CLI::App* command = app.add_subcommand("policies", "List what --policy accepts, one line each");
  add_format_option(*command, options->format, {Format::text, Format::json, Format::csv});
  command->footer(
      "A push and a steal go together unless tasks would enter a place that nobody visits; the\n"
      "json lists every pair as balanced, unbalanced or excluded.\n"
      "Example: lares run --policy push=most-bytes,steal=nearest -- ./app");
  command->callback([options] { print(options->format); });
}

}  // namespace lares::cli
