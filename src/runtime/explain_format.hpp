// What `lares run --explain` counts of each construct, in a file that the launcher reads: it
// survives any end of the program.
//
// The preloaded library maps `LARES_SESSION/explain.<pid>` shared. Rows are taken by whoever runs a
// task of a construct first, and never given back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lares::runtime {

/// By what a task's home was known.
enum class Located : std::uint8_t {
  unknown,  ///< nobody knew
  data,     ///< `affinity` or `depend` named memory, and its pages lie somewhere
  name,     ///< `depend` named a flag or a slot, which stands for a block (decide/names.hpp)
  series,   ///< its place among the tasks that one thread makes (decide/series.hpp)
  loop,     ///< its iterations of a taskloop (decide/pieces.hpp)
  argument  ///< pointers among its arguments (decide/arguments.hpp)
};
inline constexpr std::size_t located_kinds = 6;

/// One construct. Counts only grow; all orders are relaxed but that of `ready`.
struct ConstructRow {
  static constexpr std::size_t windows = 40;

  std::atomic<std::uint64_t> taken{0};  ///< the code's address in the process; 0: a free row
  std::atomic<std::uint64_t> ready{0};  ///< 1 once the two that follow are written (release)
  std::uint64_t offset = 0;             ///< of the code in its file's image
  char file[232] = {};                  ///< its path, cut to fit, ends with NUL; "" if unknown
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<std::uint64_t> located[located_kinds] = {};  ///< tasks by Located
  /// Of the tasks 2^k - 1 to 2^(k+1) - 2 in the order in which they began: those whose home was
  /// known, and of those the ones that ran in its domain.
  std::atomic<std::uint64_t> known[windows] = {};
  std::atomic<std::uint64_t> at_home[windows] = {};
};

struct ExplainFile {
  static constexpr std::uint64_t expected_magic = 0x3258454552414cULL;  // "LAREEX2"
  static constexpr std::size_t most_rows = 256;

  std::uint64_t magic = 0;
  std::uint32_t row_bytes = 0;  ///< sizeof(ConstructRow) of the writer
  std::uint32_t pid = 0;
  std::atomic<std::uint64_t> left_out{0};  ///< tasks of constructs that found no row
  ConstructRow rows[most_rows];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace lares::runtime
