// `lares distances`: the firmware's distances beside measured ones, and what the former hide.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/machine_presets.hpp"
#include "cli/output.hpp"
#include "machine/distance_findings.hpp"
#include "machine/hwloc_distances.hpp"

namespace lares::cli {
namespace {

using Json = nlohmann::ordered_json;
using machine::DistanceFindings;
using machine::DistanceKinds;
using machine::Machine;

constexpr std::size_t most_lines = 5;

struct DistancesOptions {
  MachineOptions machine;
  std::string hwloc_file;
  Format format = Format::text;
};

std::string matrices_text(const Machine& machine, const DistanceKinds& kinds,
                          const Palette& palette) {
  const std::size_t size = machine.domains.size();
  std::string text;
  if (!kinds.slit.empty()) {
    text += palette.bold("Firmware's distances (SLIT)") + "\n" +
            domain_matrix(kinds.slit, size, palette) + "\n";
  }
  if (!kinds.measured.empty()) {
    text += palette.bold("Measured distances (10 x own bandwidth of domain 0 / bandwidth)") + "\n" +
            domain_matrix(kinds.measured, size, palette) + "\n";
  }
  if (kinds.slit.empty() && kinds.measured.empty()) {
    text +=
        fmt::format("{} (source: {})\n{}\n", palette.bold("Distances"), machine.distances.source,
                    domain_matrix(machine.distances.values, size, palette));
  }
  return text;
}

std::string times(std::uint32_t more, std::uint32_t less) {
  return fmt::format("{:.2f} times", static_cast<double>(more) / static_cast<double>(less));
}

std::string hidden_sentence(const machine::HiddenSpread& spread) {
  return fmt::format(
      "the SLIT says {} for {} pairs that measure {} ({} to {}) to {} ({} to {}): {}", spread.slit,
      spread.pairs, spread.least, spread.least_from.value(), spread.least_to.value(), spread.most,
      spread.most_from.value(), spread.most_to.value(), times(spread.most, spread.least));
}

std::string asymmetry_sentence(const machine::Asymmetry& pair) {
  return fmt::format("from {0} to {1} is {2}, from {1} to {0} is {3}: {4}", pair.from.value(),
                     pair.to.value(), pair.there, pair.back, times(pair.there, pair.back));
}

std::string stranger_sentence(const machine::NearerStranger& found) {
  return fmt::format("domain {} reaches the memory of {} ({}) faster than its own ({})",
                     found.domain.value(), found.stranger.value(), found.other, found.own);
}

std::string groups_sentence(const machine::DistanceGroups& groups, bool has_slit) {
  std::string text;
  for (const auto& group : groups.groups) {
    text += fmt::format("{}{{{}}}", text.empty() ? "" : " ", id_list(group));
  }
  const char* slit = !has_slit        ? ""
                     : groups.in_slit ? "; the SLIT shows them"
                                      : "; the SLIT does not show them";
  return fmt::format("groups {}: joined by steps up to {:.4g}, {:.4g} at least between them{}",
                     text, groups.inside, groups.between, slit);
}

/// At most a few sentences of a kind; the rest is counted.
template <class Item, class Say>
void add_sentences(std::vector<std::string>& sentences, const std::vector<Item>& items, Say say,
                   const char* what) {
  for (std::size_t i = 0; i < items.size() && i < most_lines; ++i)
    sentences.push_back(say(items[i]));
  if (items.size() > most_lines) {
    sentences.push_back(fmt::format("and {} more {}", items.size() - most_lines, what));
  }
}

std::vector<std::string> sentences_of(const DistanceFindings& findings, bool has_slit) {
  std::vector<std::string> sentences;
  add_sentences(sentences, findings.hidden, hidden_sentence, "such values");
  if (!findings.groups.groups.empty()) {
    sentences.push_back(groups_sentence(findings.groups, has_slit));
  }
  add_sentences(sentences, findings.asymmetric, asymmetry_sentence, "asymmetric pairs");
  add_sentences(sentences, findings.strangers, stranger_sentence, "such domains");
  return sentences;
}

std::string findings_text(const DistanceFindings& findings, const DistanceKinds& kinds,
                          const Palette& palette) {
  if (kinds.measured.empty()) {
    return "Nothing is measured: lares measure --output FILE measures this machine, and\n"
           "lares distances --machine FILE compares.\n";
  }
  std::string text = palette.bold("What was found") + "\n";
  const auto sentences = sentences_of(findings, !kinds.slit.empty());
  for (const std::string& sentence : sentences) text += "  " + sentence + "\n";
  if (sentences.empty()) text += "  nothing: no difference reaches a tenth\n";
  return text;
}

Json matrix_json(const std::vector<std::uint32_t>& values, std::size_t size) {
  if (values.empty()) return nullptr;
  Json rows = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % size == 0) rows.push_back(Json::array());
    rows.back().push_back(values[i] == 0 ? Json(nullptr) : Json(values[i]));
  }
  return rows;
}

Json findings_json(const DistanceFindings& findings) {
  Json hidden = Json::array();
  for (const auto& h : findings.hidden) {
    hidden.push_back({{"slit", h.slit}, {"pairs", h.pairs}, {"least", h.least}, {"most", h.most}});
  }
  Json asymmetric = Json::array();
  for (const auto& a : findings.asymmetric) {
    asymmetric.push_back(
        {{"from", a.from.value()}, {"to", a.to.value()}, {"there", a.there}, {"back", a.back}});
  }
  Json strangers = Json::array();
  for (const auto& s : findings.strangers) {
    strangers.push_back({{"domain", s.domain.value()},
                         {"nearer", s.stranger.value()},
                         {"own", s.own},
                         {"other", s.other}});
  }
  Json groups = Json::array();
  for (const auto& group : findings.groups.groups) {
    Json list = Json::array();
    for (const DomainId domain : group) list.push_back(domain.value());
    groups.push_back(std::move(list));
  }
  return {{"hidden", std::move(hidden)},
          {"asymmetric", std::move(asymmetric)},
          {"nearer_than_own", std::move(strangers)},
          {"groups", std::move(groups)},
          {"groups_in_slit", findings.groups.in_slit}};
}

std::string cell(const std::vector<std::uint32_t>& values, std::size_t i) {
  return values.empty() || values[i] == 0 ? "" : std::to_string(values[i]);
}

void print_csv(const Machine& machine, const DistanceKinds& kinds) {
  const std::size_t size = machine.domains.size();
  fmt::print("from,to,used,slit,measured\n");
  for (std::size_t i = 0; i < size * size; ++i) {
    fmt::print("{},{},{},{},{}\n", i / size, i % size, machine.distances.values[i],
               cell(kinds.slit, i), cell(kinds.measured, i));
  }
}

void print_json(const Machine& machine, const DistanceKinds& kinds,
                const DistanceFindings& findings) {
  const std::size_t size = machine.domains.size();
  const Json all = {{"machine", machine.name},
                    {"domain_level", level_name(machine.domain_level)},
                    {"source", machine.distances.source},
                    {"used", matrix_json(machine.distances.values, size)},
                    {"slit", matrix_json(kinds.slit, size)},
                    {"measured", matrix_json(kinds.measured, size)},
                    {"findings", findings_json(findings)}};
  fmt::print("{}\n", all.dump());
}

void write_hwloc(const Machine& machine, const DistanceKinds& kinds,
                 const DistancesOptions& options) {
  const auto source = expect(resolve_machine(options.machine.machine));
  const auto& values = kinds.measured.empty() ? machine.distances.values : kinds.measured;
  expect(machine::write_hwloc_distances(machine, values, machine::parse_source(source),
                                        options.hwloc_file));
}

void distances(const DistancesOptions& options) {
  const Machine machine = expect(load_machine(options.machine));
  const DistanceKinds kinds =
      machine::distance_kinds(machine, expect(load_measurements(options.machine)));
  const DistanceFindings findings =
      machine::find_in_distances(kinds, machine.domains.size(), machine.domains_with_cores());
  if (!options.hwloc_file.empty()) write_hwloc(machine, kinds, options);
  if (options.format == Format::csv) return print_csv(machine, kinds);
  if (options.format == Format::json) return print_json(machine, kinds, findings);
  const Palette palette(wants_colour(stdout));
  fmt::print("{}: {} domains at level {}\n\n{}{}", palette.bold(machine.name),
             machine.domains.size(), level_name(machine.domain_level),
             matrices_text(machine, kinds, palette), findings_text(findings, kinds, palette));
}

}  // namespace

void add_distances(CLI::App& app) {
  const auto options = std::make_shared<DistancesOptions>();
  CLI::App* command = app.add_subcommand(
      "distances", "Show the firmware's distances beside measured ones, and what the former hide");
  add_machine_options(*command, options->machine);
  command
      ->add_option("--hwloc", options->hwloc_file,
                   "Also write an hwloc XML file with the distances (measured ones if there are "
                   "any) between NUMA nodes")
      ->type_name("FILE");
  add_format_option(*command, options->format, {Format::text, Format::json, Format::csv});
  command->footer(
      "Examples:\n  lares measure --output here.json && lares distances --machine here.json\n"
      "  lares distances --machine fujitsu-8s\n"
      "  lares distances --machine here.json --hwloc here.xml");
  command->callback([options] { distances(*options); });
}

}  // namespace lares::cli
