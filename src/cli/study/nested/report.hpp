// What the commands on STREAM print.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/study/nested/child.hpp"

namespace lares::cli::nested {

/// All repetitions of one variant at one size.
struct Row {
  Variant variant;
  Work work;
  std::vector<Outcome> outcomes;  ///< not empty
};

struct Report {
  Study study;
  std::string program;
  std::size_t domains = 0;
  std::string level;
  std::vector<Row> rows;  ///< not empty
};

std::string to_text(const Report& report, const Palette& palette);
std::string to_json(const Report& report);
std::string to_csv(const Report& report);
/// Bars of the rates; of twisted of those in phase 2, of imbalanced of the times.
std::string to_svg(const Report& report);

}  // namespace lares::cli::nested
