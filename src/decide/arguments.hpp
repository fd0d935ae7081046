// Tasks whose arguments say where their data is: pointers, each task's to a block of its own.
//
// A construct that gives each of its tasks a pointer of its own, a page and more from the one
// before, most likely gives it its data, or a part of it. Where these pages are is where the task
// belongs, whoever has written them. It says nothing if nearly all of them are on one node, as
// after a start by one thread: all tasks would go there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"
#include "decide/votes.hpp"

namespace lares::decide {

/// The pointers among the arguments of one construct's tasks, as one creator makes them.
class PointerArguments {
 public:
  /// So many words of a task's arguments are looked at.
  static constexpr std::size_t most_words = 16;
  /// What lies nearer to each other is no block of its own.
  static constexpr std::uintptr_t smallest_block = 4096;

  /// Where the next task's data is by its arguments, or an invalid id. Where its pointers disagree
  /// `otherwise` has the last word, if one says the same, or else the last pointer: what comes in
  /// is named first most often. `home_of(address)` answers the domain of a page, an invalid id if
  /// there is no such page. O(most_words) once, then one look for each of a few pointers.
  template <class HomeOf>
  DomainId next(std::span<const std::uintptr_t> words, std::size_t domains, DomainId otherwise,
                HomeOf home_of) {
    if (tasks_ < 2) begin(words);
    ++tasks_;
    Votes votes;
    for (Pointer& each : std::span(pointers_).first(count_)) {
      if (each.word >= words.size() || !each.step_to(words[each.word])) each.is_out = true;
      if (each.is_out) continue;
      const bool tells = each.tells(domains);
      // What has said nothing so far is asked now and then.
      if (!tells && each.has_been_asked(domains) && tasks_ % seldom != 0) continue;
      const DomainId home = home_of(each.inside());
      each.found(home);
      if (tells && home.valid()) votes.add(home);
    }
    return votes.most(otherwise);
  }
  /// The same for a task that next() has seen already.
  template <class HomeOf>
  DomainId again(std::span<const std::uintptr_t> words, std::size_t domains, DomainId otherwise,
                 HomeOf home_of) const {
    Votes votes;
    for (const Pointer& each : std::span(pointers_).first(count_)) {
      if (each.is_out || each.word >= words.size() || !each.tells(domains)) continue;
      const DomainId home = home_of(each.inside(words[each.word]));
      if (home.valid()) votes.add(home);
    }
    return votes.most(otherwise);
  }
  /// The word that points to what a task works on, if nearly all of that is on one node: there it
  /// says nothing, but it is a name.
  [[nodiscard]] std::optional<std::size_t> in_one_place(std::size_t domains) const noexcept {
    std::optional<std::size_t> word;
    for (const Pointer& each : std::span(pointers_).first(count_)) {
      if (!each.is_out && each.is_in_one_place(domains)) word = each.word;
    }
    return word;
  }
  /// True if some words may be pointers.
  [[nodiscard]] bool may_tell() const noexcept {
    return tasks_ < 2 || std::any_of(
                             pointers_.begin(), pointers_.begin() + count_,
                             [](const Pointer& each) { return !each.is_out; });
  }

 private:
  static constexpr std::size_t most_pointers = 4;
  static constexpr std::size_t told_apart = 16;  ///< domains; others count as one of these
  static constexpr std::uint32_t seldom = 7;     ///< no power of two, as periods of loops are
  static constexpr std::uint32_t most_misses = 8;
  static constexpr std::uint32_t most_counted = 1U << 16U;

  static bool may_be_pointer(std::uintptr_t word) noexcept {
    return word >= 0x10000 && word < std::uintptr_t{1} << 48U;  // of a process on x86-64 or arm64
  }
  static std::uintptr_t distance(std::uintptr_t a, std::uintptr_t b) noexcept {
    return a < b ? b - a : a - b;
  }
  static bool are_blocks(std::uintptr_t a, std::uintptr_t b) noexcept {
    return may_be_pointer(a) && may_be_pointer(b) && distance(a, b) >= smallest_block;
  }

  struct Pointer {
    std::uint8_t word = 0;
    bool is_out = false;  ///< it was no pointer, or not to a block, at least once
    std::uintptr_t last = 0;
    std::uintptr_t step = 0;    ///< the shortest one between two tasks; 0: none so far
    std::uint64_t changes = 0;  ///< of `seen`
    std::uint64_t seen = 0;
    std::uint32_t known = 0;   ///< homes that were found
    std::uint32_t misses = 0;  ///< that were not, one after the other
    std::uint32_t most = 0;    ///< of `at`, whose sum is `known`
    std::array<std::uint32_t, told_apart> at{};

    bool step_to(std::uintptr_t value) noexcept {
      ++seen;
      if (value == last) return true;
      const bool is_block = are_blocks(last, value);
      const std::uintptr_t far = distance(last, value);
      step = step == 0 ? far : std::min(step, far);
      last = value;
      ++changes;
      return is_block;
    }
    // In the first page that has nothing before the block: that may be a neighbour's, or what
    // whoever allocated it has written to. Of smaller ones in the page that has most of it.
    [[nodiscard]] std::uintptr_t inside(std::uintptr_t value) const noexcept {
      return value + (step >= 2 * smallest_block ? smallest_block : smallest_block / 2);
    }
    [[nodiscard]] std::uintptr_t inside() const noexcept { return inside(last); }
    void found(DomainId home) noexcept {
      misses = home.valid() ? 0 : misses + 1;
      if (!home.valid()) return;
      ++known;
      most = std::max(most, ++at[home.index() % told_apart]);
      if (known < most_counted) return;
      known = 0;
      for (std::uint32_t& each : at) known += each /= 2;
      most = std::ranges::max(at);
    }
    [[nodiscard]] bool has_been_asked(std::size_t domains) const noexcept {
      return known >= enough(domains) || misses >= most_misses;
    }
    [[nodiscard]] bool is_known(std::size_t domains) const noexcept {
      return known >= enough(domains) && misses < most_misses && 2 * changes >= seen;
    }
    [[nodiscard]] bool tells(std::size_t domains) const noexcept {
      return is_known(domains) && lies_apart(domains);
    }
    [[nodiscard]] bool is_in_one_place(std::size_t domains) const noexcept {
      return is_known(domains) && !lies_apart(domains);
    }
    [[nodiscard]] bool lies_apart(std::size_t domains) const noexcept {
      return is_spread(most, known, std::min(domains, told_apart));
    }
    static std::uint32_t enough(std::size_t domains) noexcept {
      return static_cast<std::uint32_t>(4 * domains);
    }
  };

  // The words by which the first two tasks are told apart.
  void begin(std::span<const std::uintptr_t> words) noexcept {
    const std::size_t width = std::min(words.size(), most_words);
    if (tasks_ == 0) {
      std::copy_n(words.begin(), width, first_.begin());
      return;
    }
    for (std::size_t i = 0; i < width && count_ < most_pointers; ++i) {
      if (!are_blocks(first_[i], words[i])) continue;
      Pointer& added = pointers_[count_++];
      added.word = static_cast<std::uint8_t>(i);
      added.last = first_[i];
    }
  }

  std::uint64_t tasks_ = 0;
  std::size_t count_ = 0;
  std::array<std::uintptr_t, most_words> first_{};
  std::array<Pointer, most_pointers> pointers_{};
};

}  // namespace lares::decide
