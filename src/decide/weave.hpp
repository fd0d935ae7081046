// Series whose tasks lie woven into each other in memory.
//
// A program that goes down the columns of a matrix whose rows follow each other makes, one after
// the other, tasks that lie far apart, and after a whole column those that share pages with the
// first ones. Dealt in the order in which they are made, most pages belong to several domains. Two
// things tell such a series: words among its tasks' arguments that come again after a period, and
// where its tasks touch new memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lares::decide {

/// `count` tasks of which the ones `period` apart lie beside each other; none if `period` is 0.
struct Weave {
  std::uint64_t count = 0;
  std::uint64_t period = 0;

  bool operator==(const Weave&) const = default;
  [[nodiscard]] bool is_known() const noexcept { return period != 0; }
  /// Where in memory's order the task made at `position` lies. `position` < `count`.
  [[nodiscard]] std::uint64_t rank(std::uint64_t position) const noexcept {
    if (!is_known()) return position;
    return position % period * (count / period) + position / period;
  }
};

/// After how many of `count` tasks their arguments begin anew: one of `width` words comes again in
/// the same order, and another one is constant until then and different afterwards, as two loops
/// inside each other have them. `word(task, at)` answers a word of one from `first` on; those
/// before are not there any more. 0 if there is no such. O(count * width).
template <class Word>
std::uint64_t period_of(std::uint64_t first, std::uint64_t count, std::size_t width, Word word) {
  const auto returns_after = [&](std::size_t at) -> std::uint64_t {
    for (std::uint64_t task = first + 1; task < count; ++task) {
      if (word(task, at) == word(first, at)) return task - first;
    }
    return 0;
  };
  const auto repeats = [&](std::size_t at, std::uint64_t period) {
    for (std::uint64_t task = first + period; task < count; ++task) {
      if (word(task, at) != word(task - period, at)) return false;
    }
    return true;
  };
  const auto steps = [&](std::size_t at, std::uint64_t period) {
    for (std::uint64_t task = first + 1; task < count; ++task) {
      const bool same = word(task, at) == word(task - 1, at);
      if (same != (task % period != 0)) return false;
    }
    return true;
  };
  for (std::size_t fast = 0; fast < width; ++fast) {
    const std::uint64_t period = returns_after(fast);
    if (period < 2 || count % period != 0 || first + period >= count) continue;
    if (!repeats(fast, period)) continue;
    for (std::size_t slow = 0; slow < width; ++slow) {
      if (slow != fast && steps(slow, period)) return period;
    }
  }
  return 0;
}

/// The memory that a task came to first: its part of one array, where it touched most.
struct NewMemory {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint64_t pages = 0;  ///< new ones in [begin, end)
};

/// How a series' tasks follow each other in memory.
enum class MemoryOrder : std::uint8_t { unknown, as_made, woven };

/// By what three tasks of a series touched one after the other: one, the last one of its period,
/// and the one a period after it. It is woven if the last one has its own memory, and the next one
/// comes back to where the first one was. If the first one touched nothing new where both others
/// did, somebody was there before it: those that were made just before it and have been taken. So
/// the ones that are made one after the other lie beside each other.
inline MemoryOrder memory_order(const NewMemory& first, const NewMemory& last,
                                const NewMemory& next) noexcept {
  if (last.pages == 0) return MemoryOrder::unknown;
  if (first.pages == 0) return next.pages == 0 ? MemoryOrder::unknown : MemoryOrder::as_made;
  const bool overlap = last.begin < first.end && first.begin < last.end;
  const std::uintptr_t reach = first.end + (first.end - first.begin) / 4;
  const bool back =
      next.pages == 0 || (next.begin >= first.begin && next.begin < first.end && next.end <= reach);
  return !overlap && back ? MemoryOrder::woven : MemoryOrder::as_made;
}

/// What series have shown, the latest few. A series that touches nothing new shows
/// nothing: it is as it was before, or, if it was none before, most likely as the last other one of
/// that many tasks that has shown something.
class Weaves {
 public:
  /// The order of the series of `code`, of which its present tasks have shown `shown`.
  MemoryOrder order_of(std::uintptr_t code, const Weave& weave, MemoryOrder shown) noexcept {
    Known* const own = find(code, weave);
    const bool has_shown = shown != MemoryOrder::unknown;
    const MemoryOrder order = has_shown ? shown : own != nullptr ? own->order : last_shown(weave);
    if (order == MemoryOrder::unknown) return order;
    Known& known = own != nullptr ? *own : known_[next_++ % known_.size()];
    const std::uint64_t when = has_shown ? ++shown_ : own != nullptr ? own->when : 0;
    known = {code, weave, order, when};
    return order;
  }

 private:
  struct Known {
    std::uintptr_t code = 0;
    Weave weave;
    MemoryOrder order = MemoryOrder::unknown;
    std::uint64_t when = 0;  ///< it has shown that itself; 0: never
  };
  Known* find(std::uintptr_t code, const Weave& weave) noexcept {
    for (Known& each : known_) {
      if (each.code == code && each.weave == weave) return &each;
    }
    return nullptr;
  }
  [[nodiscard]] MemoryOrder last_shown(const Weave& weave) const noexcept {
    const Known* last = nullptr;
    for (const Known& each : known_) {
      if (each.weave != weave || each.when == 0) continue;
      if (last == nullptr || each.when > last->when) last = &each;
    }
    return last == nullptr ? MemoryOrder::unknown : last->order;
  }

  std::array<Known, 32> known_{};
  std::size_t next_ = 0;
  std::uint64_t shown_ = 0;  ///< how often anything was
};

}  // namespace lares::decide
