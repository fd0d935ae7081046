// What `lares bench nested-solves` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/study/nested_solves/child.hpp"

namespace lares::cli::nested_solves {

/// All repetitions of one method.
struct Row {
  Method method;
  Work work;
  std::vector<Outcome> outcomes;  ///< not empty
};

struct Report {
  std::string program;
  std::size_t domains = 0;
  std::string level;
  std::vector<Row> rows;  ///< not empty
};

std::string to_text(const Report& report, const Palette& palette);
std::string to_json(const Report& report);
std::string to_csv(const Report& report);
/// Bars of the seconds.
std::string to_svg(const Report& report);

}  // namespace lares::cli::nested_solves
