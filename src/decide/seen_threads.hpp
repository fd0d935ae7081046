// Which threads shall go to the memory that they were seen to use (Broquedis et al. 2010, 4.1.2,
// where processor counters showed remote traffic).
//
// A thread says nothing here, it was watched: of the pages that it used in two turns of its work it
// is known where they lie. What is concluded from that is told to a bubble scheduler, which finds
// the cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.hpp"

namespace lares::decide {

/// What was seen of a thread.
struct SeenThread {
  DomainId at;                       ///< where it runs; invalid: in no single domain
  std::vector<std::uint32_t> pages;  ///< that it used in both turns, by the domain they lie in
  std::uint32_t changing = 0;        ///< pages that it used in one turn, and another in the other
  std::uint32_t spots = 0;           ///< how far apart `pages` lie: in so many runs of neighbours
  bool stays = false;  ///< whatever it uses: the program has said where its data is, or it was
                       ///< taken elsewhere for once

  [[nodiscard]] std::uint64_t all() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint32_t each : pages) sum += each;
    return sum;
  }
  [[nodiscard]] std::uint64_t in(DomainId domain) const noexcept {
    return domain.valid() && domain.index() < pages.size() ? pages[domain.index()] : 0;
  }
  /// The domain with most of its pages, its own of several; invalid if nothing was seen.
  [[nodiscard]] DomainId favourite() const noexcept {
    DomainId best = in(at) > 0 ? at : DomainId{};
    for (std::size_t d = 0; d < pages.size(); ++d) {
      if (pages[d] > in(best)) best = DomainId{d};
    }
    return best;
  }

  /// From fewer pages nothing is concluded. Of a thread with two thirds of its data in one domain
  /// and one third in another, so many pages by chance tell in one look of sixty that it shall go
  /// to the smaller part (binomial: ten of sixteen).
  static constexpr std::uint64_t enough = 16;
  /// Neighbours mostly lie together, so they are worth little more than one page. Not more than
  /// two, since all samples have some thirty runs, for all threads.
  static constexpr std::uint32_t enough_spots = 2;
  /// Enough was seen, and three quarters of that twice: it is this thread's.
  [[nodiscard]] bool is_known() const noexcept {
    return all() >= enough && spots >= enough_spots && 4 * all() >= 3 * (all() + changing);
  }
  /// Whether it shall go to its favourite: half of its pages lie there, and a quarter more than
  /// here. Half, since who uses all domains alike is nowhere better off. A quarter, so that it goes
  /// back only if a quarter of what it uses lies elsewhere than before: a thread with two equal
  /// parts stays where it is.
  [[nodiscard]] bool shall_go() const noexcept {
    if (stays || !at.valid() || !is_known()) return false;
    const std::uint64_t there = in(favourite());
    return 2 * there >= all() && 4 * (there - in(at)) >= all();
  }
  /// Whether its core is taken from nobody who wants to come: half of what it uses is here.
  [[nodiscard]] bool is_at_home() const noexcept {
    return stays || (is_known() && 2 * in(at) >= all());
  }
};

/// By thread: whether it goes. Of those that shall, as many as the domains have room for, who has
/// most pages there first: `room`, by domain, is how many threads a domain holds, those included
/// that are at home in it. Pure; O(threads · (domains + log threads)).
inline std::vector<bool> who_goes(std::span<const SeenThread> threads,
                                  std::span<const std::size_t> room) {
  std::vector<std::size_t> taken(room.size(), 0);
  std::vector<std::size_t> wish;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    const SeenThread& thread = threads[t];
    if (thread.shall_go()) {
      wish.push_back(t);
    } else if (thread.is_at_home() && thread.at.valid()) {
      ++taken[thread.at.index()];
    }
  }
  // Of several with as many the first by number.
  const auto pages_there = [&](std::size_t t) { return threads[t].in(threads[t].favourite()); };
  std::sort(wish.begin(), wish.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(pages_there(b), a) < std::pair(pages_there(a), b);
  });
  std::vector<bool> goes(threads.size(), false);
  for (const std::size_t t : wish) {
    const std::size_t to = threads[t].favourite().index();
    if (taken[to] >= room[to]) continue;
    ++taken[to];
    goes[t] = true;
  }
  return goes;
}

/// How many of `threads` a domain with `cores` of a machine's `all_cores` holds: one a core, or its
/// share if there are more threads than cores.
inline std::size_t room_of(std::size_t cores, std::size_t all_cores, std::size_t threads) noexcept {
  if (all_cores == 0) return 0;
  return std::max(cores, (threads * cores + all_cores - 1) / all_cores);
}

}  // namespace lares::decide
