#include "lab/counts/counts.hpp"

#include <algorithm>

namespace lares::lab {

std::uint64_t Matrix::sum() const noexcept {
  std::uint64_t total = 0;
  for (const std::uint64_t cell : cells_) total += cell;
  return total;
}

std::uint64_t Matrix::local() const noexcept {
  std::uint64_t total = 0;
  for (std::size_t node = 0; node < nodes_; ++node) total += at(node, node);
  return total;
}

std::uint64_t Matrix::row_sum(std::size_t row) const noexcept {
  std::uint64_t total = 0;
  for (std::size_t column = 0; column < nodes_; ++column) total += at(row, column);
  return total;
}

Matrix& Matrix::operator+=(const Matrix& other) noexcept {
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += other.cells_[i];
  return *this;
}

double RegionSummary::local_share() const noexcept {
  if (fetched == 0) return 1;
  return static_cast<double>(fetched - fetched_remote) / static_cast<double>(fetched);
}

Matrix from_memory(const RegionCounts& region) {
  Matrix sum = region.read;
  sum += region.written;
  return sum;
}

RegionSummary summarize(const RegionCounts& region) {
  Matrix fetched = from_memory(region);
  fetched += region.transfer;
  Matrix moved = fetched;
  moved += region.write_back;
  RegionSummary summary;
  summary.fetched = fetched.sum();
  summary.fetched_remote = fetched.remote();
  summary.written_back = region.write_back.sum();
  summary.written_back_remote = region.write_back.remote();
  summary.crossed = moved.remote();
  for (std::size_t row = 0; row < moved.nodes(); ++row) {
    for (std::size_t column = 0; column < moved.nodes(); ++column) {
      const Link link{row, column, moved.at(row, column)};
      if (row == column || link.lines == 0) continue;
      if (!summary.heaviest || link.lines > summary.heaviest->lines) summary.heaviest = link;
    }
  }
  return summary;
}

const RegionCounts* find_region(const Counts& counts, std::string_view name) {
  const auto at = std::find_if(counts.regions.begin(), counts.regions.end(),
                               [name](const RegionCounts& region) { return region.name == name; });
  return at == counts.regions.end() ? nullptr : &*at;
}

}  // namespace lares::lab
