// How many workers of a domain may be away at once, running tasks that are at home in another one.
//
// Who comes from afar takes his part of the way and of the memory at its end for longer than the
// domain's own workers do. When all idle workers of a large machine go where the first tasks lie,
// the way is full, and nobody is at home when their own domain's tasks come. So only a few go
// ahead. More may go once it is seen that there is nothing to spare: tasks compute more than they
// move, or take those who fetched them hardly longer than those who are at home.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/ids.hpp"
#include "policy/places.hpp"

namespace lares::decide {

/// One domain's, of one team; any of the team's workers calls. All are hints: relaxed, and of two
/// changes at the same time but those of the count one may be lost.
class alignas(64) Away {
 public:
  /// For tests.
  struct State {
    std::uint32_t away = 0;
    std::uint32_t most = 0;
    std::uint64_t pace = 0;
    std::uint64_t time = 0;
    bool operator==(const State&) const = default;
  };

  /// True if one more of its workers may go; as long as nothing is learnt, `at_once` may be away.
  [[nodiscard]] bool may_go(std::uint32_t at_once) const noexcept {
    return away_.load(std::memory_order_relaxed) <
           std::max(at_once, most_.load(std::memory_order_relaxed));
  }
  void goes() noexcept { away_.fetch_add(1, std::memory_order_relaxed); }
  /// One of its workers has run a task that is at home in `there`, and so many of its bytes, as far
  /// as the program has told.
  void comes_back(std::uint32_t at_once, const Away& there, std::uint64_t duration,
                  Bytes bytes) noexcept {
    away_.fetch_sub(1, std::memory_order_relaxed);
    const bool is_known = tells(bytes);
    const std::uint64_t at_home =
        (is_known ? there.pace_ : there.time_).load(std::memory_order_relaxed);
    const std::uint64_t fetched = is_known ? pace(duration, bytes) : time(duration);
    const std::uint32_t most = std::max(at_once, most_.load(std::memory_order_relaxed));
    // If nobody has had time at home yet, help is welcome.
    if (at_home == 0 || fetched < at_home + at_home / 2) {
      most_.store(std::min(2 * most, any_number), std::memory_order_relaxed);
    } else if (fetched / 2 > at_home) {
      most_.store(most / 2, std::memory_order_relaxed);
    }
  }

  /// One of its workers has run a task that is at home here.
  void ran_at_home(std::uint64_t duration, Bytes bytes) noexcept {
    tells(bytes) ? learn(pace_, pace(duration, bytes)) : learn(time_, time(duration));
  }
  /// True if its tasks are known to move so little that it does not matter from where: less than a
  /// byte a nanosecond, which every core gets from every memory.
  [[nodiscard]] bool computes(std::uint64_t ticks_per_microsecond) const noexcept {
    return pace_.load(std::memory_order_relaxed) / ticks_per_microsecond > slow;
  }

  [[nodiscard]] State state() const noexcept {
    return {away_.load(std::memory_order_relaxed), most_.load(std::memory_order_relaxed),
            pace_.load(std::memory_order_relaxed), time_.load(std::memory_order_relaxed)};
  }
  void set(const State& state) noexcept {
    away_.store(state.away, std::memory_order_relaxed);
    most_.store(state.most, std::memory_order_relaxed);
    pace_.store(state.pace, std::memory_order_relaxed);
    time_.store(state.time, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t any_number = 1U << 20U;
  static constexpr std::uint64_t slow = (1U << 20U) / 1000;  // microseconds for a mebibyte

  static constexpr std::uint64_t longest = std::numeric_limits<std::uint64_t>::max() >> 21U;

  /// Less than a page is a name most often, of data that nobody has told of.
  static bool tells(Bytes bytes) noexcept { return bytes.count >= 4096; }
  /// Ticks for a mebibyte, above 0.
  static std::uint64_t pace(std::uint64_t duration, Bytes bytes) noexcept {
    return (std::min(duration, longest) << 20U) / bytes.count + 1;
  }
  /// Ticks for a task, above 0.
  static std::uint64_t time(std::uint64_t duration) noexcept {
    return std::min(duration, longest) + 1;
  }
  static void learn(std::atomic<std::uint64_t>& mean, std::uint64_t now) noexcept {
    const std::uint64_t before = mean.load(std::memory_order_relaxed);
    mean.store(before == 0 ? now : before - before / 4 + now / 4, std::memory_order_relaxed);
  }

  std::atomic<std::uint32_t> away_{0};
  std::atomic<std::uint32_t> most_{0};  ///< what was learnt; matters if above the policy's number
  std::atomic<std::uint64_t> pace_{0};  ///< of tasks that ran at home; 0: none was timed
  std::atomic<std::uint64_t> time_{0};  ///< that tasks of unknown bytes took at home; 0 likewise
};

/// How many workers of a domain may be away at once for what is at home in `there`, before anything
/// is learnt: those of all domains together as many as there are at home, but `least` of each; 0:
/// any number.
inline std::uint32_t away_at_once(const policy::Places& places, DomainId there,
                                  std::uint32_t least) noexcept {
  const std::size_t others = places.domains_with_workers().size() - 1;
  if (least == 0 || others == 0) return 0;
  return std::max(least, static_cast<std::uint32_t>(places.workers_in(there).size() / others));
}

/// True if one more worker of `own` may go for what is at home in `there`: of a policy that lets
/// `at_once` be away; 0: any number.
inline bool may_leave(const Away& own, const Away& there, std::uint32_t at_once,
                      std::uint64_t ticks_per_microsecond) noexcept {
  return at_once == 0 || own.may_go(at_once) || there.computes(ticks_per_microsecond);
}

}  // namespace lares::decide
