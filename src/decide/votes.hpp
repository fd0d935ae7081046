// What several pieces of evidence say together of where a task belongs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"

namespace lares::decide {

/// What the pointers of one task say. At most `most_votes`; more are not counted.
class Votes {
 public:
  static constexpr std::size_t most_votes = 16;

  void add(DomainId home) noexcept {
    if (count_ < most_votes) homes_[count_++] = home;
  }
  /// The domain of most of them; among equals `otherwise`, or else the last one. Invalid if there
  /// are none.
  [[nodiscard]] DomainId most(DomainId otherwise) const noexcept {
    DomainId best;
    std::ptrdiff_t most = 0;
    for (std::size_t i = count_; i-- > 0;) {
      const std::ptrdiff_t votes = of(homes_[i]);
      if (votes > most || (votes == most && homes_[i] == otherwise)) {
        best = homes_[i];
        most = votes;
      }
    }
    return best;
  }

 private:
  [[nodiscard]] std::ptrdiff_t of(DomainId home) const noexcept {
    return std::count(homes_.begin(), homes_.begin() + count_, home);
  }
  std::array<DomainId, most_votes> homes_{};
  std::size_t count_ = 0;
};

/// Whether counts by domain, or by part, are spread over `apart` of them: the largest is at most
/// halfway between an even share and all.
inline bool is_spread(std::uint64_t most, std::uint64_t all, std::uint64_t apart) noexcept {
  return 2 * apart * most <= (apart + 1) * all;
}
inline bool is_spread(std::span<const std::uint32_t> counts, std::size_t domains) noexcept {
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  for (const std::uint32_t each : counts) {
    all += each;
    most = std::max<std::uint64_t>(most, each);
  }
  return is_spread(most, all, std::min(domains, counts.size()));
}

}  // namespace lares::decide
