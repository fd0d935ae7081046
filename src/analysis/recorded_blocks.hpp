// The pieces of data that a recorded program named: how long each is, and where it was at first.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/record_file.hpp"
#include "runtime/record_format.hpp"

namespace lares::analysis {

/// A block is what starts at one address, as dependences tell data apart.
struct RecordedBlock {
  std::uint64_t bytes = 0;
  std::int64_t home = -1;  ///< domain, or -1: no page was there yet, or nobody knows
};

/// By address.
using RecordedBlocks = std::unordered_map<std::uint64_t, RecordedBlock>;

/// What has been seen of one process's blocks so far.
/// Thread safety: none.
class BlockSightings {
 public:
  /// `at`: when it was named. Amortised O(1).
  void see(const RecordedAccess& access, std::uint64_t at);
  /// Adds what another has seen of the same process.
  void merge(const BlockSightings& other);
  /// Bytes are the most that the program told of an address. Where it told none, as GCC's programs
  /// do: up to the next address in the same mapping, at most as far as from the one before for the
  /// last; 0 where that is not known either. Homes are those of the first time. O(n log n).
  [[nodiscard]] RecordedBlocks blocks() const;

 private:
  struct Sighting {
    std::uint64_t address = 0;
    std::uint64_t told = 0;
    std::uint64_t mapping_end = 0;
    std::uint64_t home = runtime::record_home_not_asked;
    std::uint64_t home_at = ~std::uint64_t{0};
  };
  void add(const Sighting& sighting);
  static void complete_mappings(std::vector<Sighting>& sorted);
  static std::uint64_t estimate(const std::vector<Sighting>& sorted, std::size_t i);

  std::unordered_map<std::uint64_t, Sighting> by_address_;
};

/// The blocks of one process, whose streams these are.
RecordedBlocks find_blocks(std::span<const RecordedStream> streams);

}  // namespace lares::analysis
