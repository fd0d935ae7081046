// The program that `lares bench nested-overheads` starts, once per shape, method and repetition.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/study/bench_child.hpp"
#include "cli/study/nested/variants.hpp"

namespace lares::cli::nested_overheads {

/// How many threads the outer and each inner team has.
struct Shape {
  std::size_t outer = 1;
  std::size_t inner = 1;
};

constexpr bool same_shape(Shape a, Shape b) { return a.outer == b.outer && a.inner == b.inner; }

/// Of one construct in one process, in microseconds for one repetition.
struct Cost {
  std::string construct;
  double whole = 0;     ///< with the delay that is inside; the median of the samples
  double overhead = 0;  ///< without; the same
};

/// The constructs, in the program's order.
const std::vector<std::string>& constructs();

/// Reads the program's line and checks that it is about this work. An error says what is wrong.
Result<std::vector<Cost>> read_line(const std::string& line, Shape shape);

/// Runs the program once and waits for it. A cost for each construct.
Result<std::vector<Cost>> run_once(const std::string& program, const nested::Variant& variant,
                                   Shape shape, const BenchTeam& team);

}  // namespace lares::cli::nested_overheads
