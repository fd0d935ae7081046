// What `lares bench load-balance` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/study/load_balance/child.hpp"

namespace lares::cli::load_balance {

/// All repetitions of one method at one size.
struct Row {
  const Method* method = nullptr;
  double gb = 0;
  std::vector<Outcome> outcomes;  ///< not empty
};

struct Report {
  std::string program;
  std::size_t packages = 0;
  std::size_t times = 0;
  std::size_t threads = 0;
  std::size_t domains = 0;
  std::string level;
  std::vector<Row> rows;
};

std::string to_text(const Report& report, const Palette& palette);
std::string to_json(const Report& report);
std::string to_csv(const Report& report);

}  // namespace lares::cli::load_balance
