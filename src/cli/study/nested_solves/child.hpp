// The program that `lares bench nested-solves` starts, once per method and repetition.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/study/bench_child.hpp"
#include "cli/study/nested/variants.hpp"

namespace lares::cli::nested_solves {

/// Which level of the program is parallel.
enum class Form { flat, outer, nested };

struct Method {
  Form form;
  nested::Variant variant;
};

/// In the order of the table.
const std::vector<Method>& methods();

/// What one process does.
struct Work {
  std::size_t teams = 1;
  std::size_t inner = 1;  ///< threads of each team
  std::size_t solves = 8;
  std::size_t side = 48;  ///< points of the cube along each edge
};

/// The same number of threads as `nested`, by the method's form.
Work work_of(const Method& method, const Work& nested);

/// What one process told, checked: every solution was right.
struct Outcome {
  double seconds = 0;
  double together = 0;  ///< share of the regions' threads in the domain with most of their team
  std::size_t iterations = 0;  ///< of all solves
};

/// Reads the program's line and checks that it is about this work. An error says what is wrong.
Result<Outcome> read_line(const std::string& line, const Work& work, const Method& method);

/// Runs the program once and waits for it.
Result<Outcome> run_once(const std::string& program, const Method& method, const Work& work,
                         const BenchTeam& team);

}  // namespace lares::cli::nested_solves
