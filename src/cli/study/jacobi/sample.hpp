// What a process of `lares bench jacobi` is asked for, and what it tells.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "bench/quantile_lines.hpp"
#include "cli/study/bench_child.hpp"

namespace lares::cli::jacobi {

/// Who sweeps the blocks.
struct Method {
  const char* name;
  const char* method;  ///< the program's
  const char* loops;   ///< for `lares run --loops`; null: the stock runtime
  bool submits;        ///< one thread submits the blocks, in some order
  const char* about;
};

/// In the order of the table.
const std::vector<Method>& methods();

/// Who writes the blocks first; the program's words.
inline constexpr std::array<const char*, 4> inits = {"static", "static1", "serial", "submitted"};
/// In which order blocks are submitted; the program's words.
inline constexpr std::array<const char*, 2> orders = {"ijk", "kji"};

/// Whether an order matters: `submitted` is about it even where the sweeps are not.
bool has_order(const Method& method, std::string_view init) noexcept;

/// Sites in the three directions, k the inner one.
struct Size {
  std::size_t ni = 60;
  std::size_t nj = 600;
  std::size_t nk = 600;
};

/// "60x600x600". An error says what is accepted.
Result<Size> parse_size(const std::string& text);
std::string to_string(const Size& size);

struct Work {
  Size size;
  std::size_t bi = 10;
  std::size_t bj = 10;
  std::size_t sweeps = 100;
};

/// One row of the table.
struct Variant {
  const Method* method = nullptr;
  std::string init;
  std::string order;
};

struct Sample {
  bench::Quantiles mlups;  ///< million site updates a second, over the sweeps
  double local = 0;        ///< share of the blocks
};

/// Reads the program's line and checks that it is about this work, and right.
Result<Sample> read_line(const std::string& line, const Variant& variant, const Work& work,
                         std::size_t threads);

Result<Sample> run_once(const std::string& program, const Variant& variant, const Work& work,
                        const BenchTeam& team);

}  // namespace lares::cli::jacobi
