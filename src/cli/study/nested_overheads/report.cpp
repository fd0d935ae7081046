#include "cli/study/nested_overheads/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/study/nested_overheads/figures.hpp"

namespace lares::cli::nested_overheads {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string cell_of(const machine::Spread& s) {
  return fmt::format("{:.3g} [{:.3g}..{:.3g}]", s.median, s.least, s.most);
}

OrderedJson json_of(const machine::Spread& s) {
  return {{"median", s.median}, {"least", s.least}, {"most", s.most}};
}

std::string table(const Report& report) {
  using Align = Table::Align;
  Table table({Align::left, Align::left, Align::left, Align::right, Align::right});
  table.add({"outer x inner", "construct", "method", "overhead, us", "time / alone"});
  // Beside each other what is to be compared: the methods of one construct in one shape.
  for (std::size_t first = 0; first < report.rows.size();) {
    std::size_t end = first;
    const Shape shape = report.rows[first].shape;
    while (end < report.rows.size() && same_shape(report.rows[end].shape, shape)) ++end;
    for (std::size_t c = 0; c < constructs().size(); ++c) {
      for (std::size_t r = first; r < end; ++r) {
        const Row& row = report.rows[r];
        const auto ratio = ratio_to_alone(report, row, c);
        table.add({fmt::format("{} x {}", shape.outer, shape.inner), constructs()[c],
                   row.variant.name, cell_of(overhead_of(row, c)), ratio ? cell_of(*ratio) : ""});
      }
    }
    first = end;
  }
  return table.text("  ");
}

/// How many medians of each method are above the goal: those of `again` are so by chance.
std::string above_goal(const Report& report) {
  std::string text;
  std::vector<std::string_view> said;
  for (const Row& one : report.rows) {
    const std::string_view method = one.variant.name;
    if (method == "alone" || std::find(said.begin(), said.end(), method) != said.end()) continue;
    said.push_back(method);
    std::size_t above = 0, all = 0;
    for (const Row& row : report.rows) {
      if (row.variant.name != method) continue;
      for (std::size_t c = 0; c < constructs().size(); ++c) {
        const auto ratio = ratio_to_alone(report, row, c);
        if (!ratio) return "";
        ++all;
        above += ratio->median > goal;
      }
    }
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", method, above, all);
  }
  return text.empty() ? "" : fmt::format("Medians above {}: {}\n", goal, text);
}

OrderedJson json_of(const Report& report, const Row& row, std::size_t construct) {
  OrderedJson one{{"outer", row.shape.outer},
                  {"inner", row.shape.inner},
                  {"construct", constructs()[construct]},
                  {"method", row.variant.name},
                  {"overhead_us", json_of(overhead_of(row, construct))}};
  if (const auto ratio = ratio_to_alone(report, row, construct)) one["ratio"] = json_of(*ratio);
  one["runs"] = OrderedJson::array();
  for (const auto& costs : row.runs) {
    one["runs"].push_back(
        {{"us", costs[construct].whole}, {"overhead_us", costs[construct].overhead}});
  }
  return one;
}

}  // namespace

std::string to_text(const Report& report, const Palette& palette) {
  return fmt::format("{}, {} cores, {}, {} runs each: median [least..most]\n{}{}",
                     palette.bold("Overheads inside of nested regions"), report.cores,
                     report.program, report.rows.front().runs.size(), table(report),
                     above_goal(report));
}

std::string to_json(const Report& report) {
  OrderedJson all{{"benchmark", "nested-overheads"},
                  {"program", report.program},
                  {"cores", report.cores},
                  {"results", OrderedJson::array()}};
  for (const Row& row : report.rows) {
    for (std::size_t c = 0; c < constructs().size(); ++c) {
      all["results"].push_back(json_of(report, row, c));
    }
  }
  return all.dump(2) + "\n";
}

std::string to_csv(const Report& report) {
  std::string text = "outer,inner,construct,method,run,us,overhead_us\n";
  for (const Row& row : report.rows) {
    for (std::size_t run = 0; run < row.runs.size(); ++run) {
      for (const Cost& cost : row.runs[run]) {
        text += fmt::format("{},{},{},{},{},{},{}\n", row.shape.outer, row.shape.inner,
                            cost.construct, row.variant.name, run, cost.whole, cost.overhead);
      }
    }
  }
  return text;
}

}  // namespace lares::cli::nested_overheads
