// Which thread of a team shall run where, by whose memory each of them uses.
//
// Programs that share work out by the numbers of their threads leave a runtime nothing to send: the
// pages can go to the threads, or the threads to their pages. To exchange threads costs some
// microseconds once, to move pages microseconds each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace lares::decide {

/// What samples say of a team: how many pages each of its threads has used twice, by whose memory
/// they lie in. One user at a time.
class Uses {
 public:
  Uses(std::size_t threads, std::size_t domains)
      : threads_(threads), domains_(domains), pages_(threads * domains) {}

  void add(std::size_t thread, DomainId home) noexcept {
    ++pages_[thread * domains_ + home.index()];
    ++all_;
  }
  [[nodiscard]] std::int64_t of(std::size_t thread, std::size_t domain) const noexcept {
    return pages_[thread * domains_ + domain];
  }
  [[nodiscard]] std::int64_t all() const noexcept { return all_; }
  [[nodiscard]] std::size_t threads() const noexcept { return threads_; }
  [[nodiscard]] std::size_t domains() const noexcept { return domains_; }
  /// Who was not met uses, most likely, what lies beside the share of the nearest number that was.
  void fill_gaps();

 private:
  std::span<std::int64_t> row(std::size_t thread) noexcept {
    return std::span(pages_).subspan(thread * domains_, domains_);
  }
  [[nodiscard]] bool was_met(std::size_t thread) const noexcept {
    for (std::size_t d = 0; d < domains_; ++d) {
      if (of(thread, d) != 0) return true;
    }
    return false;
  }
  std::size_t threads_;
  std::size_t domains_;
  std::vector<std::int64_t> pages_;
  std::int64_t all_ = 0;
};

inline void Uses::fill_gaps() {
  std::vector<std::size_t> met;
  for (std::size_t t = 0; t < threads_; ++t) {
    if (was_met(t)) met.push_back(t);
  }
  if (met.empty() || met.size() == threads_) return;
  for (std::size_t t = 0; t < threads_; ++t) {
    const auto nearest =
        std::min_element(met.begin(), met.end(), [t](std::size_t a, std::size_t b) {
          return std::max(a, t) - std::min(a, t) < std::max(b, t) - std::min(b, t);
        });
    if (*nearest == t) continue;
    std::copy_n(row(*nearest).begin(), domains_, row(t).begin());
    for (std::size_t d = 0; d < domains_; ++d) all_ += of(t, d);
  }
}

/// Exchanges threads until as many pages as possible lie where their user runs. Exact: while there
/// is a circle of domains of each of which one thread can go on to the next with a gain in sum, all
/// of its threads go (the cancelling of cycles for flows of least cost; Klein 1967).
class Exchange {
 public:
  /// `at`: the domain of each thread.
  Exchange(const Uses& uses, std::vector<std::size_t> at) : uses_(uses), at_(std::move(at)) {
    while (turn_a_circle()) {
    }
  }
  [[nodiscard]] std::size_t domain_of(std::size_t thread) const noexcept { return at_[thread]; }

 private:
  struct Step {
    std::int64_t gain = std::numeric_limits<std::int64_t>::min();  ///< the least: there is none
    std::size_t thread = 0;
  };
  [[nodiscard]] bool exists(const Step& step) const noexcept {
    return step.gain != std::numeric_limits<std::int64_t>::min();
  }
  Step& step(std::size_t from, std::size_t to) noexcept {
    return steps_[from * uses_.domains() + to];
  }
  /// The best thread to go from each domain to each other one.
  void find_steps() {
    steps_.assign(uses_.domains() * uses_.domains(), {});
    for (std::size_t t = 0; t < at_.size(); ++t) {
      for (std::size_t to = 0; to < uses_.domains(); ++to) {
        const std::int64_t gain = uses_.of(t, to) - uses_.of(t, at_[t]);
        Step& best = step(at_[t], to);
        if (to != at_[t] && gain > best.gain) best = {gain, t};
      }
    }
  }
  /// A domain of a circle with a gain, found as by Bellman and Ford, or none.
  std::size_t find_circle(std::vector<std::size_t>& before) {
    const std::size_t domains = uses_.domains();
    std::vector<std::int64_t> gained(domains, 0);
    std::size_t last = domains;
    for (std::size_t round = 0; round < domains; ++round) {
      last = domains;
      for (std::size_t from = 0; from < domains; ++from) {
        for (std::size_t to = 0; to < domains; ++to) {
          const Step& by = step(from, to);
          if (!exists(by) || gained[from] + by.gain <= gained[to]) continue;
          gained[to] = gained[from] + by.gain;
          before[to] = from;
          last = to;
        }
      }
      if (last == domains) return domains;
    }
    for (std::size_t i = 0; i < domains; ++i) last = before[last];  // now surely in the circle
    return last;
  }
  bool turn_a_circle() {
    find_steps();
    std::vector<std::size_t> before(uses_.domains(), 0);
    const std::size_t start = find_circle(before);
    if (start == uses_.domains()) return false;
    std::size_t to = start;
    do {
      at_[step(before[to], to).thread] = to;
      to = before[to];
    } while (to != start);
    return true;
  }

  const Uses& uses_;
  std::vector<std::size_t> at_;
  std::vector<Step> steps_;
};

/// A team after an exchange, if that is good for anything.
struct Rebinding {
  std::vector<std::uint16_t> places;  ///< by thread; empty: all stay
  std::int64_t pages = 0;             ///< that were used twice by one thread
  std::int64_t at_home_before = 0;
  std::int64_t at_home_after = 0;
};

/// Where the threads of a team that now has `places` shall run: on the same places, and who stays
/// in its domain keeps its own. All stay if that is less than a quarter of the pages better.
/// `domain_of(place)`. O(pages · domains³) at most, and mostly domains³.
template <class DomainOf>
Rebinding rebind(const Uses& uses, std::span<const std::uint16_t> places, DomainOf domain_of) {
  std::vector<std::size_t> before;
  for (const std::uint16_t place : places) before.push_back(domain_of(place));
  const Exchange exchange(uses, before);
  Rebinding result;
  result.pages = uses.all();
  for (std::size_t t = 0; t < places.size(); ++t) {
    result.at_home_before += uses.of(t, before[t]);
    result.at_home_after += uses.of(t, exchange.domain_of(t));
  }
  if (4 * (result.at_home_after - result.at_home_before) < std::max<std::int64_t>(uses.all(), 1)) {
    return result;
  }
  result.places.assign(places.begin(), places.end());
  std::vector<std::vector<std::uint16_t>> left(uses.domains());
  for (std::size_t t = places.size(); t-- > 0;) {
    if (exchange.domain_of(t) != before[t]) left[before[t]].push_back(places[t]);
  }
  for (std::size_t t = 0; t < places.size(); ++t) {
    const std::size_t domain = exchange.domain_of(t);
    if (domain == before[t]) continue;
    result.places[t] = left[domain].back();
    left[domain].pop_back();
  }
  return result;
}

}  // namespace lares::decide
