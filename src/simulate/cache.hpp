// What each domain's cache holds: whole blocks, the least recently used ones leave first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/workload.hpp"

namespace lares::simulate {

/// Coarse on purpose: enough to tell that a tile which was just used need not be fetched again.
class Caches {
 public:
  /// `bytes` for each of `domains`; 0 holds nothing.
  Caches(std::size_t domains, double bytes, const std::vector<Block>& blocks);

  /// Where a block is found.
  enum class Source : std::uint8_t {
    own_cache,    ///< it was there, in its newest version
    memory,       ///< of its home
    other_cache,  ///< of the domain that wrote it last and has not yet returned it to memory
  };

  /// `domain` uses the block. A write makes the copies of all other domains old. A block larger
  /// than the cache is never in one. O(1).
  Source use(DomainId domain, BlockIndex block, bool writes);
  /// `domain` reads a part of the block, which does not bring the rest. O(1).
  [[nodiscard]] Source read_part(DomainId domain, BlockIndex block) const;

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFU;
  struct Line {
    std::uint32_t newer = none;
    std::uint32_t older = none;
    std::uint32_t version = 0;
    bool present = false;
  };
  struct Cache {
    std::vector<Line> lines;  // by block
    std::uint32_t newest = none;
    std::uint32_t oldest = none;
    double used = 0;
  };
  static void unlink(Cache& cache, std::uint32_t block);
  static void link(Cache& cache, std::uint32_t block);
  [[nodiscard]] Source find(DomainId domain, BlockIndex block) const;
  void make_room(DomainId domain);

  double bytes_;
  const std::vector<Block>& blocks_;
  std::vector<std::uint32_t> versions_;  // by block
  std::vector<DomainId> owners_;  // by block: whose cache owes it to memory; invalid: memory has it
  std::vector<Cache> caches_;
};

}  // namespace lares::simulate
