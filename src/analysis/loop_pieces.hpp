// A recorded loop as pieces of equal size: what threads took at once may be of any size.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/recorded_program.hpp"

namespace lares::analysis {

class LoopPieces {
 public:
  /// Chunks and the nanoseconds that each took; a chunk may come several times. A piece is a chunk
  /// as the program asked, or more iterations: there are at most 4096 pieces, and about as many as
  /// were told apart when a guided loop was recorded. O(chunks + pieces).
  LoopPieces(const RecordedLoop& loop,
             std::span<const std::pair<RecordedChunk, std::uint64_t>> chunks);

  /// Iterations of a piece; the last one may have fewer.
  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  /// By piece. Each iteration of a chunk took as long as any other.
  [[nodiscard]] const std::vector<double>& nanoseconds() const noexcept { return nanoseconds_; }

 private:
  void add(const RecordedChunk& chunk, double nanoseconds);

  std::uint64_t iterations_ = 1;
  std::vector<double> nanoseconds_;
};

}  // namespace lares::analysis
