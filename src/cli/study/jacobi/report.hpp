// What `lares bench jacobi` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/study/jacobi/sample.hpp"

namespace lares::cli::jacobi {

struct Row {
  Size size;
  Variant variant;
  Sample sample;
};

struct Report {
  std::string program;
  Work work;  ///< its size is that of each row
  std::size_t threads = 0;
  std::size_t domains = 0;
  std::string level;
  std::vector<Row> rows;
};

std::string to_text(const Report& report, const Palette& palette);
std::string to_json(const Report& report);
std::string to_csv(const Report& report);

}  // namespace lares::cli::jacobi
