// What `lares bench nested-overheads` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/study/nested_overheads/child.hpp"

namespace lares::cli::nested_overheads {

/// All repetitions of one method with one shape of the teams.
struct Row {
  Shape shape;
  nested::Variant variant;
  std::vector<std::vector<Cost>> runs;  ///< not empty; a cost for each construct
};

struct Report {
  std::string program;
  std::size_t cores = 0;
  std::vector<Row> rows;  ///< not empty
};

std::string to_text(const Report& report, const Palette& palette);
std::string to_json(const Report& report);
std::string to_csv(const Report& report);
/// Dots of the ratios to the method `alone`, which must be among the rows.
std::string to_svg(const Report& report);

}  // namespace lares::cli::nested_overheads
