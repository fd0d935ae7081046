// A bound master opens an inner region that is left to the stock runtime and whose other threads
// are bound nowhere: it would be in their way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/tick_rate.hpp"
#include "host/openmp/binding.hpp"
#include "host/openmp/stock.hpp"

namespace lares::omp {

/// That a master is about to open.
struct InnerTeam {
  std::size_t depth = 0;  ///< regions around it; 0: nothing depends on it
  std::size_t size = 0;   ///< 0: not known
};

/// While it lives, the master is let go if threads of its team may need its core: who meets a
/// master that may not give way waits for it, up to milliseconds. It stays so if no region around
/// has bound it, or if such regions follow each other soon: where threads share cores, to be bound
/// again has taken as long as the rest of a region. Not under a bubble scheduler, which places all
/// of them.
class FreeMaster {
 public:
  explicit FreeMaster(InnerTeam team) noexcept {
    if (!is_in_the_way(team)) return;
    const std::uint64_t soon = 1'000 * ticks_per_microsecond();
    const bool follows = t_ended != 0 && ticks() - t_ended < soon;
    if (!follows && !is_bound_between_regions()) place_ = t_place;
    let_go();
  }
  FreeMaster(const FreeMaster&) = delete;
  FreeMaster& operator=(const FreeMaster&) = delete;
  ~FreeMaster() {
    if (place_ >= 0) [[unlikely]] {
      t_ended = ticks() | 1U;
      bind_again(place_);
    }
  }

  /// The same for good.
  static void free(InnerTeam team) noexcept {
    if (is_in_the_way(team)) let_go();
  }

 private:
  static bool is_in_the_way(InnerTeam team) noexcept {
    return team.depth > 0 && t_place >= 0 && !bubbles::on() &&
           !is_inner_team_bound(team.depth, team.size);
  }

  /// When the calling thread came back the last time; 0: never.
  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local std::uint64_t t_ended = 0;
  int place_ = -1;  ///< where it comes back to
};

}  // namespace lares::omp
