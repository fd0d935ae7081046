// Tasks, or names, that were dealt out in several pieces, since there was no room to wait for all.
//
// What the tasks of a piece touched first lies where a task's place in the piece has put it: there
// it stays at home. If they touched nothing new, the pieces say nothing, and the whole counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace lares::decide {

/// Where something lies in a whole of `of`.
struct Rank {
  std::uint64_t rank = 0;
  std::uint64_t of = 0;
};

/// One round's.
class DealtPieces {
 public:
  /// What was made since the last time, up to `end` of the round, is dealt. The first piece says
  /// for all of them whether its tasks came to new memory.
  void add(std::uint64_t end, bool is_new) noexcept {
    if (count_ == 0 && !is_new) is_whole_ = true;
    const bool is_more = count_ == 0 || end > ends_[count_ - 1];
    if (!is_whole_ && is_more && count_ < most) ends_[count_++] = end;
  }
  void forget() noexcept { *this = {}; }
  [[nodiscard]] bool are_several() const noexcept { return count_ > 1; }

  /// Where `position` of `all` lies: in its piece, if there are several. `position` < `all`.
  [[nodiscard]] Rank place(std::uint64_t position, std::uint64_t all) const noexcept {
    if (!are_several()) return {position, all};
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (position < ends_[i]) return {position - begin, ends_[i] - begin};
      begin = ends_[i];
    }
    const std::uint64_t length = begin - ends_[count_ - 2];
    begin += (position - begin) / length * length;
    return {position - begin, std::min(length, all - begin)};
  }

 private:
  /// Further ones are taken to be as long as the last that is known.
  static constexpr std::size_t most = 16;
  std::array<std::uint64_t, most> ends_{};
  std::size_t count_ = 0;
  bool is_whole_ = false;
};

}  // namespace lares::decide
