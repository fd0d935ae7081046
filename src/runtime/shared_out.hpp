// Large memory that tasks share out by pointers into it (decide/shares.hpp): where a task belongs
// whose arguments point there, and which part each domain shall have.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "decide/shares.hpp"
#include "memory/repair/large_area.hpp"

namespace lares::runtime {

/// Of the process. Workers ask and count, one *keeper* at a time tells what memory there is and
/// when a round of the program's work is over.
///
/// What one reads of the others here are hints: what is old, or of two areas at once, sends a task
/// elsewhere or moves other pages, and does nothing else. So all orders are relaxed.
class SharedOut {
 public:
  static constexpr std::size_t most_areas = 32;

  static SharedOut& instance() noexcept;
  /// False until the keeper has told of memory, and while none of it is shared out or looked at.
  [[nodiscard]] static bool is_on() noexcept { return is_on_.load(std::memory_order_relaxed); }
  /// Whether tasks are at home where their part of it is.
  [[nodiscard]] static bool gives_homes() noexcept {
    return gives_homes_.load(std::memory_order_relaxed);
  }

  /// Of the tasks that one worker makes in a round: whether the next one's words are looked at. All
  /// are once some have homes; before, the first ones and some of the rest, since what they show is
  /// shown by them, and most programs share nothing out.
  class Looks {
   public:
    [[nodiscard]] bool next() noexcept {
      if (gives_homes()) return true;
      const std::uint32_t round = round_.load(std::memory_order_relaxed);
      if (round_here_ != round) {
        round_here_ = round;
        tasks_ = 0;
      }
      constexpr std::uint32_t first = 256;
      constexpr std::uint32_t step = 16;
      const std::uint32_t task = tasks_++;
      return task < first || task % step == 0;
    }

   private:
    std::uint32_t round_here_ = 0;
    std::uint32_t tasks_ = 0;  ///< of it, that this worker has made
  };

  /// Where a task with these words among its arguments is at home, of a team that works in
  /// `domains`: an invalid id if nothing is known. The task counts as a use of what its words point
  /// to. Any worker. O(words), and areas for each that is near to one.
  DomainId home_of(std::span<const std::uintptr_t> words,
                   std::span<const DomainId> domains) noexcept;

  /// The same as if what may be shared out had been, and without counting as a use.
  DomainId future_home_of(std::span<const std::uintptr_t> words,
                          std::span<const DomainId> domains) noexcept;
  /// A hash of those of the words that point to such memory, in their order. Any worker.
  [[nodiscard]] std::uint32_t pointers_among(std::span<const std::uintptr_t> words) noexcept;

  /// Large memory that there is now: at most `most_areas` of it, the largest, are looked at, each
  /// until it was shared out or some rounds have gone by in which it was not. Keeper.
  void know(std::span<memory::LargeArea> areas) noexcept;
  /// A round of work is over. Answers what shall go to the domains now: the parts, by domains, of
  /// what has been shared out in `rounds(parts)` of them. Each area's once. Keeper.
  template <class Rounds>
  decide::PartsByHome end_round(Rounds rounds) {
    decide::PartsByHome wanted;
    const std::size_t parts = parts_.load(std::memory_order_relaxed);
    if (parts < 2) return wanted;
    const std::uint32_t wanted_after = rounds(parts);
    bool is_counted = false;
    bool gives_homes = false;
    for (Area& area : areas_) {
      if (end_round_of(area, parts, wanted_after)) add_parts(area, parts, wanted);
      is_counted = is_counted || area.is_counted.load(std::memory_order_relaxed);
      gives_homes = gives_homes || area.is_shared_out.load(std::memory_order_relaxed);
    }
    is_on_.store(is_counted || gives_homes, std::memory_order_relaxed);
    gives_homes_.store(gives_homes, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_relaxed);
    return wanted;
  }

  /// What end_round() answered cannot go there: tasks have no homes by it. Keeper.
  void give_up() noexcept;

  /// Whether tasks have shared that memory out. Keeper.
  [[nodiscard]] bool has(const memory::LargeArea& area) const noexcept;

 private:
  // The first unit of `unit` bytes, and how many: of areas beyond a tebibyte so much is looked at.
  static constexpr std::uint64_t unit = 4096;
  static constexpr unsigned count_bits = 28;
  static std::uint64_t packed(const memory::LargeArea& area) noexcept {
    const std::uint64_t first = area.begin / unit;
    const std::uint64_t count = (area.end + unit - 1) / unit - first;
    constexpr std::uint64_t most = (std::uint64_t{1} << count_bits) - 1;
    return first << count_bits | (count < most ? count : most);
  }
  static decide::Part unpacked(std::uint64_t extent) noexcept {
    const std::uint64_t first = extent >> count_bits;
    const std::uint64_t count = extent & ((std::uint64_t{1} << count_bits) - 1);
    return {first * unit, (first + count) * unit};
  }

  struct Area {
    std::atomic<std::uint64_t> extent{0};  ///< in one word, so that nobody sees half of it; keeper
    std::atomic<bool> is_shared_out{false};  ///< and asked for, so tasks have homes there; keeper
    std::atomic<bool> is_counted{false};     ///< uses are, for want of an answer; keeper
    std::array<std::atomic<std::uint32_t>, decide::most_shares> uses{};  ///< of this round; anybody
    std::uint32_t rounds = 0;   ///< in which it was shared out; keeper
    std::uint32_t in_vain = 0;  ///< in which it was not, since it is looked at; keeper
    bool is_wanted = false;     ///< its parts have been asked for; keeper
    [[nodiscard]] decide::Part whole() const noexcept {
      return unpacked(extent.load(std::memory_order_relaxed));
    }
  };

  [[nodiscard]] Area* area_of(std::uintptr_t address) noexcept;
  /// By those areas for which `says(area, part, is_begin)` holds.
  template <class Says>
  DomainId home_among(std::span<const std::uintptr_t> words, std::span<const DomainId> domains,
                      Says says) noexcept;
  void note(std::span<const DomainId> domains) noexcept;
  void forget_what_is_gone(std::span<const memory::LargeArea> areas) noexcept;
  /// Looks at it, also if it has done so before.
  void add(const memory::LargeArea& area) noexcept;
  static bool end_round_of(Area& area, std::size_t parts, std::uint32_t wanted_after) noexcept;
  void add_parts(const Area& area, std::size_t parts, decide::PartsByHome& to) const;

  static inline std::atomic<bool> is_on_{false};
  static inline std::atomic<bool> gives_homes_{false};
  static inline std::atomic<std::uint32_t> round_{0};
  std::array<Area, most_areas> areas_;
  std::atomic<std::size_t> used_{0};       ///< no area from this one on is any; keeper
  std::atomic<std::uintptr_t> lowest_{0};  ///< no area lies outside of these; keeper
  std::atomic<std::uintptr_t> highest_{0};
  // Of the team that asked last: how many domains it works in, and which.
  std::atomic<std::size_t> parts_{0};
  std::array<std::atomic<std::uint32_t>, decide::most_shares> domains_{};
};

}  // namespace lares::runtime
