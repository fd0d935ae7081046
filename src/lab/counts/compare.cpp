#include "lab/counts/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "lab/counts/paint.hpp"

namespace lares::lab {
namespace {

using Json = nlohmann::ordered_json;

/// A number of each run that is worth a row.
struct Row {
  const char* name;  ///< in JSON
  const char* words;
  std::uint64_t RegionSummary::* field;
};
constexpr std::array<Row, 5> rows = {{
    {"fetched", "lines fetched", &RegionSummary::fetched},
    {"fetched_remote", "  from other nodes", &RegionSummary::fetched_remote},
    {"written_back", "lines written back", &RegionSummary::written_back},
    {"written_back_remote", "  to other nodes", &RegionSummary::written_back_remote},
    {"crossed", "lines between nodes", &RegionSummary::crossed},
}};

RegionComparison compare_region(const std::string& name, const RegionCounts* first,
                                const RegionCounts* second) {
  RegionComparison comparison;
  comparison.name = name;
  if (first != nullptr) comparison.first = summarize(*first);
  if (second != nullptr) comparison.second = summarize(*second);
  if (first != nullptr && second != nullptr && first->read.nodes() == second->read.nodes()) {
    comparison.first_memory = from_memory(*first);
    comparison.second_memory = from_memory(*second);
  }
  return comparison;
}

// --- text ---

/// "x 0.33", or nothing to divide by.
std::string ratio_text(std::uint64_t first, std::uint64_t second) {
  if (first == 0) return second == 0 ? "=" : "new";
  return fmt::format("x {:.3g}", static_cast<double>(second) / static_cast<double>(first));
}

/// Less is green, more is red; a change of less than a hundredth is neither.
std::string painted_change(const std::string& text, double first, double second, bool colour) {
  constexpr double noticeable = 0.01;
  const double slack = noticeable * std::max(first, second);
  if (second < first - slack) return painted(text, "32", colour);
  if (second > first + slack) return painted(text, "31", colour);
  return text;
}

std::string number_row(const Row& row, const RegionSummary& first, const RegionSummary& second,
                       bool colour) {
  const std::uint64_t before = first.*row.field;
  const std::uint64_t after = second.*row.field;
  return fmt::format("  {:<22}{:>16}{:>16}  {}\n", row.words, before, after,
                     painted_change(ratio_text(before, after), static_cast<double>(before),
                                    static_cast<double>(after), colour));
}

std::string share_row(const RegionSummary& first, const RegionSummary& second, bool colour) {
  const double before = 100 * first.local_share();
  const double after = 100 * second.local_share();
  const std::string change = fmt::format("{:+.1f} points", after - before);
  return fmt::format("  {:<22}{:>14.1f} %{:>14.1f} %  {}\n", "local share", before, after,
                     painted_change(change, after, before, colour));  // here more is better
}

std::string link_text(const RegionSummary& summary) {
  if (!summary.heaviest) return "none";
  return fmt::format("{} with {}: {}", summary.heaviest->cpus, summary.heaviest->memory,
                     short_count(summary.heaviest->lines));
}

/// How many lines more or less, with a sign.
std::string difference_text(std::uint64_t first, std::uint64_t second) {
  if (first == second) return "0";
  return second > first ? "+" + short_count(second - first) : "-" + short_count(first - second);
}

std::string matrix_difference(const Matrix& first, const Matrix& second, bool colour) {
  constexpr int width = 7;
  std::string text = "  change of the lines from memory, rows: node of the cpu\n          ";
  for (std::size_t node = 0; node < first.nodes(); ++node)
    text += fmt::format("{:>{}}", node, width);
  text += '\n';
  for (std::size_t row = 0; row < first.nodes(); ++row) {
    text += fmt::format("  {:>8}", fmt::format("node {}", row));
    for (std::size_t column = 0; column < first.nodes(); ++column) {
      const std::uint64_t before = first.at(row, column);
      const std::uint64_t after = second.at(row, column);
      text += painted_change(fmt::format("{:>{}}", difference_text(before, after), width),
                             static_cast<double>(before), static_cast<double>(after),
                             colour && row != column);
    }
    text += '\n';
  }
  return text;
}

std::string region_text(const RegionComparison& region, const NamedCounts& first,
                        const NamedCounts& second, bool colour) {
  std::string text = painted(region.name, "1", colour);
  if (!region.first || !region.second) {
    return text + fmt::format(": only in {}\n", region.first ? first.name : second.name);
  }
  text += "\n";
  for (const Row& row : rows) text += number_row(row, *region.first, *region.second, colour);
  text += share_row(*region.first, *region.second, colour);
  text += fmt::format("  {:<22}{:>16}{:>16}\n", "heaviest link", link_text(*region.first),
                      link_text(*region.second));
  if (!region.first_memory) return text;
  return text + matrix_difference(*region.first_memory, *region.second_memory, colour);
}

// --- JSON ---

Json ratio_json(std::uint64_t first, std::uint64_t second) {
  if (first == 0) return nullptr;
  return static_cast<double>(second) / static_cast<double>(first);
}

Json region_json(const RegionComparison& region) {
  Json json = {{"name", region.name}};
  const auto add = [&json](const char* name, Json first, Json second, Json ratio) {
    json[name] = {{"first", std::move(first)}, {"second", std::move(second)}};
    if (!ratio.is_null()) json[name]["ratio"] = std::move(ratio);
  };
  for (const Row& row : rows) {
    const Json before = region.first ? Json((*region.first).*row.field) : Json(nullptr);
    const Json after = region.second ? Json((*region.second).*row.field) : Json(nullptr);
    const bool both = region.first && region.second;
    add(row.name, before, after,
        both ? ratio_json((*region.first).*row.field, (*region.second).*row.field) : Json(nullptr));
  }
  add("local_share", region.first ? Json(region.first->local_share()) : Json(nullptr),
      region.second ? Json(region.second->local_share()) : Json(nullptr), nullptr);
  return json;
}

}  // namespace

std::vector<RegionComparison> compare(const Counts& first, const Counts& second) {
  std::vector<RegionComparison> comparisons;
  for (const RegionCounts& region : first.regions) {
    comparisons.push_back(compare_region(region.name, &region, find_region(second, region.name)));
  }
  for (const RegionCounts& region : second.regions) {
    if (find_region(first, region.name) != nullptr) continue;
    comparisons.push_back(compare_region(region.name, nullptr, &region));
  }
  return comparisons;
}

std::string comparison_text(const NamedCounts& first, const NamedCounts& second, bool colour) {
  std::string text = fmt::format("first: {}\nsecond: {}\n", first.name, second.name);
  if (first.counts.cpus != second.counts.cpus) text += "the runs were in different guests\n";
  const auto caches = [](const Counts& counts) {
    return std::tuple(counts.line, counts.l2, counts.l3, counts.l3_per_package);
  };
  if (caches(first.counts) != caches(second.counts)) text += "the runs had different caches\n";
  for (const RegionComparison& region : compare(first.counts, second.counts)) {
    text += region_text(region, first, second, colour);
  }
  return text;
}

std::string comparison_json(const NamedCounts& first, const NamedCounts& second) {
  Json json = {{"format", "lares-lab-comparison"},
               {"version", 1},
               {"first", first.name},
               {"second", second.name},
               {"regions", Json::array()}};
  for (const RegionComparison& region : compare(first.counts, second.counts)) {
    json["regions"].push_back(region_json(region));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lares::lab
