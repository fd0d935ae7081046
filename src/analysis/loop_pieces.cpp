#include "analysis/loop_pieces.hpp"

#include <algorithm>

namespace lares::analysis {
namespace {

constexpr std::uint64_t most_pieces = 4096;
// A chunk of a guided loop is cut into about so many: the last ones are small.
constexpr std::uint64_t most_pieces_of_chunk = 16;

std::uint64_t rounded_up(std::uint64_t count, std::uint64_t divisor) noexcept {
  return count / divisor + (count % divisor == 0 ? 0 : 1);
}

}  // namespace

LoopPieces::LoopPieces(const RecordedLoop& loop,
                       std::span<const std::pair<RecordedChunk, std::uint64_t>> chunks) {
  if (loop.iterations == 0) return;
  const std::uint64_t most =
      std::clamp<std::uint64_t>(most_pieces_of_chunk * chunks.size(), 1, most_pieces);
  iterations_ = std::max({rounded_up(loop.iterations, most), loop.chunk, std::uint64_t{1}});
  nanoseconds_.resize(rounded_up(loop.iterations, iterations_));
  for (const auto& [chunk, nanoseconds] : chunks) add(chunk, static_cast<double>(nanoseconds));
}

void LoopPieces::add(const RecordedChunk& chunk, double nanoseconds) {
  const std::uint64_t end = chunk.first + chunk.count;
  for (std::uint64_t at = chunk.first; at < end;) {
    const std::uint64_t piece = at / iterations_;
    const std::uint64_t inside = std::min(end - at, iterations_ - at % iterations_);
    nanoseconds_[piece] +=
        nanoseconds * static_cast<double>(inside) / static_cast<double>(chunk.count);
    at += inside;
  }
}

}  // namespace lares::analysis
