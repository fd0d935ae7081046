// What `lares lab run --count` counted: matrices by region, and what is worth saying about them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::lab {

/// Numbers of lines, [row: node of the cpu that asked][column: another node].
class Matrix {
 public:
  Matrix() = default;
  explicit Matrix(std::size_t nodes) : nodes_(nodes), cells_(nodes * nodes) {}

  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint64_t& at(std::size_t row, std::size_t column) noexcept {
    return cells_[row * nodes_ + column];
  }
  [[nodiscard]] std::uint64_t at(std::size_t row, std::size_t column) const noexcept {
    return cells_[row * nodes_ + column];
  }
  [[nodiscard]] std::uint64_t sum() const noexcept;
  /// The sum of the diagonal: what stayed on its node.
  [[nodiscard]] std::uint64_t local() const noexcept;
  [[nodiscard]] std::uint64_t remote() const noexcept { return sum() - local(); }
  [[nodiscard]] std::uint64_t row_sum(std::size_t row) const noexcept;
  /// Precondition: as many nodes.
  Matrix& operator+=(const Matrix& other) noexcept;
  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  std::size_t nodes_ = 0;
  std::vector<std::uint64_t> cells_;
};

/// The counts of one region. Columns are the nodes of the memory, of `transfer` those of the cache
/// that had the line.
struct RegionCounts {
  std::string name;           ///< "program": from the program's start to its end
  std::uint64_t entered = 0;  ///< how often it began
  bool left_open = false;     ///< it had not ended when the program did
  Matrix read;                ///< fetched from memory for a load
  Matrix written;             ///< fetched from memory for a store
  Matrix write_back;          ///< written to memory
  Matrix transfer;            ///< fetched from another cache, newer than memory
  Matrix l3_hit;              ///< found in the shared cache
  Matrix upgrade;             ///< written after others' copies were made invalid
};

/// How the names of a region's matrices in files map to its fields, in the order of the files.
struct MatrixField {
  const char* name;
  Matrix RegionCounts::* field;
};
inline constexpr std::array<MatrixField, 6> matrix_fields = {{
    {"read", &RegionCounts::read},
    {"written", &RegionCounts::written},
    {"write_back", &RegionCounts::write_back},
    {"transfer", &RegionCounts::transfer},
    {"l3_hit", &RegionCounts::l3_hit},
    {"upgrade", &RegionCounts::upgrade},
}};

/// What was counted in one run.
struct Counts {
  std::string guest;                 ///< the guest's name; may be empty
  std::vector<std::string> command;  ///< what ran; may be empty
  std::vector<std::uint32_t> cpus;   ///< by node
  Bytes line{64};
  Bytes l2;
  Bytes l3;  ///< 0: none
  bool l3_per_package = false;
  bool complete = false;             ///< the program's end was seen
  std::uint64_t elsewhere = 0;       ///< accesses to what is no node's memory
  std::uint64_t unmatched_ends = 0;  ///< ends of regions without a begin
  std::uint64_t regions_left_out = 0;
  std::vector<RegionCounts> regions;  ///< "program" first
};

/// A pair of nodes: cpus of one, memory or caches of the other.
struct Link {
  std::size_t cpus = 0;
  std::size_t memory = 0;
  std::uint64_t lines = 0;
};

/// What one says about a region in a line or two.
struct RegionSummary {
  std::uint64_t fetched = 0;         ///< lines from memory and from other caches
  std::uint64_t fetched_remote = 0;  ///< of these, from another node
  std::uint64_t written_back = 0;
  std::uint64_t written_back_remote = 0;
  std::uint64_t crossed = 0;     ///< lines between nodes, fetched or written back
  std::optional<Link> heaviest;  ///< the pair of nodes with the most of them, if there are any

  /// The part of the fetched lines that was on the cpu's own node; 1 if nothing was fetched.
  [[nodiscard]] double local_share() const noexcept;
};

/// Lines fetched from memory: for loads and for stores.
Matrix from_memory(const RegionCounts& region);

RegionSummary summarize(const RegionCounts& region);

/// The region `name`, or null.
const RegionCounts* find_region(const Counts& counts, std::string_view name);

/// Reads what the counter or counts_json() wrote. `source` names it in the sentence of an error: no
/// JSON, another format or version, matrices that are not of the nodes' size, or the counter's own
/// complaint.
Result<Counts> read_counts(std::string_view text, std::string_view source);

/// One JSON object, format "lares-lab-counts", version 1 (docs/lab.md), indented, with a line end:
/// what the counter wrote, and for each region a summary.
std::string counts_json(const Counts& counts);

/// For people: of each region a matrix of the lines fetched from memory, and its summary. Lines end
/// with '\n'.
std::string counts_text(const Counts& counts, bool colour);

/// "1.2M": a count in at most four characters, for columns; exact below 10,000.
std::string short_count(std::uint64_t count);

/// "24.0 MiB"
std::string bytes_text(Bytes bytes);

/// What is to be said about the counts besides themselves, one sentence each.
std::vector<std::string> counts_notes(const Counts& counts);

}  // namespace lares::lab
