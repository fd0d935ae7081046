// `lares lab list`: the machines that come with Lares.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/lab/lab.hpp"
#include "cli/machine_presets.hpp"
#include "cli/output.hpp"
#include "machine/discover.hpp"

namespace lares::cli {
namespace {

using machine::Machine;
using nlohmann::ordered_json;

struct Row {
  std::string preset;
  Machine machine;
  std::size_t cpus = 0;
  std::size_t packages = 0;
  std::vector<std::string> kinds;  // each once, in the order of the nodes
};

/// A tree without packages is one package.
std::size_t packages_of(const Machine& machine) {
  const auto count = std::count_if(
      machine.tree.begin(), machine.tree.end(),
      [](const machine::TreeNode& node) { return node.level == machine::Level::package; });
  return std::max<std::size_t>(1, static_cast<std::size_t>(count));
}

Row row_of(const MachinePreset& preset) {
  auto machine = machine::discover(machine::parse_source(preset.path));
  if (!machine) throw UserMistake{machine.error()};
  Row row{preset.name, std::move(machine.value()), 0, 0, {}};
  row.packages = packages_of(row.machine);
  for (const machine::Core& core : row.machine.cores) row.cpus += core.cpus.size();
  for (const machine::MemoryNode& memory : row.machine.memory) {
    if (std::find(row.kinds.begin(), row.kinds.end(), memory.kind) == row.kinds.end()) {
      row.kinds.push_back(memory.kind);
    }
  }
  return row;
}

std::vector<Row> rows() {
  const auto presets = machine_presets();
  if (presets.empty()) {
    std::string folders;
    for (const std::string& folder : machine_preset_folders()) {
      folders += (folders.empty() ? "" : " or ") + folder;
    }
    throw UserMistake{{"there are no machine presets: nothing is installed in " + folders}};
  }
  std::vector<Row> list;
  for (const MachinePreset& preset : presets) list.push_back(row_of(preset));
  return list;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// A file may hold any text, and a terminal must not be steered by it.
std::string printable(std::string text) {
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return text;
}

/// `text` in lines of at most `width` characters, each with `indent` before it.
std::string wrapped(const std::string& text, std::size_t width, const char* indent) {
  std::string lines;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines += indent + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return line.empty() ? lines : lines + indent + line + '\n';
}

std::string to_text(const std::vector<Row>& list, const Palette& palette) {
  using Align = Table::Align;
  Table table({Align::left, Align::right, Align::right, Align::right, Align::left, Align::left,
               Align::left});
  table.add({"preset", "nodes", "cpus", "packages", "memory", "grade", "machine"});
  for (const Row& row : list) {
    table.add({palette.green(row.preset), std::to_string(row.machine.memory.size()),
               std::to_string(row.cpus), std::to_string(row.packages), joined(row.kinds, ", "),
               row.machine.grade, row.machine.name});
  }
  std::string text = table.text() + "\n" + palette.bold("Sources") + "\n";
  for (const Row& row : list) {
    text += fmt::format("{}\n{}", palette.green(row.preset),
                        wrapped(printable(row.machine.about), 96, "  "));
  }
  return text;
}

std::string to_csv(const std::vector<Row>& list) {
  std::string text = "preset,machine,nodes,cpus,packages,memory_kinds,grade,source\n";
  for (const Row& row : list) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(row.preset),
                        csv_field(row.machine.name), row.machine.memory.size(), row.cpus,
                        row.packages, csv_field(joined(row.kinds, " ")),
                        csv_field(row.machine.grade), csv_field(row.machine.about));
  }
  return text;
}

std::string to_json(const std::vector<Row>& list) {
  ordered_json presets = ordered_json::array();
  for (const Row& row : list) {
    presets.push_back({{"preset", row.preset},
                       {"machine", row.machine.name},
                       {"nodes", row.machine.memory.size()},
                       {"cpus", row.cpus},
                       {"packages", row.packages},
                       {"memory_kinds", row.kinds},
                       {"grade", row.machine.grade},
                       {"source", row.machine.about}});
  }
  const ordered_json root = {{"version", 1}, {"presets", presets}};
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

void print(Format format) {
  const std::vector<Row> list = rows();
  switch (format) {
    case Format::json:
      fmt::print("{}", to_json(list));
      break;
    case Format::csv:
      fmt::print("{}", to_csv(list));
      break;
    case Format::text:
      fmt::print("{}", to_text(list, Palette(wants_colour(stdout))));
      break;
  }
}

}  // namespace

void add_lab_list(CLI::App& lab) {
  const auto format = std::make_shared<Format>(Format::text);
  CLI::App* command =
      lab.add_subcommand("list", "List the machines that come with Lares, and where they are from");
  add_format_option(*command, *format, {Format::text, Format::json, Format::csv});
  command->footer(
      "Examples:\n  lares lab list\n"
      "  lares lab run --machine sgi-uv2000-24s -- ./app\n"
      "  lares topo --machine opteron-4s-square");
  command->callback([format] { print(*format); });
}

}  // namespace lares::cli
