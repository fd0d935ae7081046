// `lares doctor`: what works here, what does not, and how to mend it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/output.hpp"

namespace lares::cli {
namespace {

using doctor::Check;
using doctor::Verdict;

std::vector<Check> run_checks() {
  std::vector<Check> checks;
  doctor::check_topology(checks);
  doctor::check_system_calls(checks);
  doctor::check_next_touch(checks);
  doctor::check_surroundings(checks);
  doctor::check_installation(checks);
  return checks;
}

bool usable(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.verdict == Verdict::broken; });
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::note:
      return "note";
    case Verdict::warning:
      return "warning";
    case Verdict::broken:
      return "broken";
    default:
      return "ok";
  }
}

std::string painted(Verdict verdict, const Palette& palette) {
  const char* name = verdict_name(verdict);
  switch (verdict) {
    case Verdict::note:
      return palette.cyan(name);
    case Verdict::warning:
      return palette.yellow(name);
    case Verdict::broken:
      return palette.red(name);
    default:
      return palette.green(name);
  }
}

std::string to_text(const std::vector<Check>& checks, const Palette& palette) {
  using Align = Table::Align;
  Table table({Align::left, Align::left, Align::left});
  for (const Check& check : checks) {
    table.add({painted(check.verdict, palette), check.name, check.finding});
    if (!check.remedy.empty()) table.add({"", "", palette.dim("-> " + check.remedy)});
  }
  return table.text() + "\n" +
         (usable(checks) ? "lares run can work here.\n"
                         : palette.bold("lares run cannot work here: mend what is broken.") + "\n");
}

std::string to_json(const std::vector<Check>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name},
                    {"verdict", verdict_name(check.verdict)},
                    {"finding", check.finding},
                    {"remedy", check.remedy}});
  }
  const nlohmann::ordered_json document{
      {"format", "lares-doctor"}, {"version", 1}, {"usable", usable(checks)}, {"checks", list}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void diagnose(Format format) {
  const auto checks = run_checks();
  fmt::print("{}", format == Format::json ? to_json(checks)
                                          : to_text(checks, Palette(wants_colour(stdout))));
  if (!usable(checks)) throw ExitStatus{1};
}

}  // namespace

void add_doctor(CLI::App& app) {
  const auto format = std::make_shared<Format>();
  CLI::App* command =
      app.add_subcommand("doctor", "Say what works on this system and how to mend what does not");
  add_format_option(*command, *format, {Format::text, Format::json});
  command->footer(
      "Ends with 0 if lares run can work, with 1 if something essential is broken.\n"
      "Example: lares doctor --format json");
  command->callback([format] { diagnose(*format); });
}

}  // namespace lares::cli
