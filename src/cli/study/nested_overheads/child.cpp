#include "cli/study/nested_overheads/child.hpp"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>

namespace lares::cli::nested_overheads {

const std::vector<std::string>& constructs() {
  static const std::vector<std::string> all{"parallel", "parallel-for", "for",
                                            "barrier",  "single",       "reduction"};
  return all;
}

Result<std::vector<Cost>> read_line(const std::string& line, Shape shape) {
  try {
    const nlohmann::json told = nlohmann::json::parse(line);
    if (const auto wrong = told.at("wrong").get<std::size_t>(); wrong != 0) {
      return Error{fmt::format("{} times a construct ran its body too often or too rarely", wrong)};
    }
    if (told.value("kind", "") != "overheads" || told.at("outer") != shape.outer ||
        told.at("inner") != shape.inner) {
      return Error{"the program did other work than it was asked for"};
    }
    std::vector<Cost> costs;
    for (const auto& row : told.at("rows")) {
      costs.push_back({row.at("name"), row.at("us"), row.at("overhead").at("median")});
    }
    for (std::size_t i = 0; i < constructs().size(); ++i) {
      if (costs.size() != constructs().size() || costs[i].construct != constructs()[i]) {
        return Error{"the program tells of other constructs"};
      }
    }
    return costs;
  } catch (const std::exception&) {
    return Error{"the program printed something else than its results"};
  }
}

Result<std::vector<Cost>> run_once(const std::string& program, const nested::Variant& variant,
                                   Shape shape, const BenchTeam& team) {
  const BenchRun run{program,
                     {fmt::format("outer={}", shape.outer), fmt::format("inner={}", shape.inner)},
                     nested::run_words(variant),
                     variant.bound};
  const auto output = run_bench_program(run, team);
  auto costs =
      output ? read_line(output.value(), shape) : Result<std::vector<Cost>>(output.error());
  if (costs) return costs;
  return Error{fmt::format("nested-overheads: {}, {} x {} threads: {}", variant.name, shape.outer,
                           shape.inner, costs.error().sentence)};
}

}  // namespace lares::cli::nested_overheads
