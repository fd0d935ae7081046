// Tasks that name no data, told apart by their place among those that one thread makes.
//
// A program that works through its data again and again makes its tasks in the same order each
// time: the k-th of n tasks of a construct works on what the k-th worked on before, and what a
// static loop or a taskloop initialised lies where that place in the order is at home
// (pieces.hpp). So a task's home is its place in the *series*: the tasks of one construct that its
// creator makes between two of its waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "decide/arguments.hpp"
#include "decide/by_code.hpp"
#include "decide/dealt_pieces.hpp"
#include "decide/limits.hpp"
#include "decide/weave.hpp"

namespace lares::decide {

/// The worker in whose part of a team's work the middle of part `position` of `count` lies. As a
/// static loop deals iterations, but fewer parts than workers are spread over all of them.
/// `position` < `count` < 2^32.
inline WorkerId worker_of_part(std::uint64_t position, std::uint64_t count,
                               std::size_t workers) noexcept {
  return WorkerId{static_cast<std::size_t>((2 * position + 1) * workers / (2 * count))};
}

/// One construct's tasks, as one creator makes them.
class Series {
 public:
  enum class Answer : std::uint8_t {
    none,   ///< nothing is known of where the task belongs
    hold,   ///< it belongs to a part of a whole whose size is not known yet
    place,  ///< it is `position` of `count`
  };

  /// The next task; `round` tells the creator's waits apart.
  Answer next(std::uint32_t round) noexcept {
    if (round != round_) begin(round);
    ++made_;
    if (is_tiny_) return Answer::none;
    if (rounds_ == 0) return is_hurried_ ? Answer::none : Answer::hold;
    return is_steady_ && made_ <= count_ ? Answer::place : Answer::none;
  }
  /// Of the last task, if the answer was `place`.
  [[nodiscard]] std::uint64_t position() const noexcept { return made_ - 1; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Where it lies, in the order of memory: in the whole, or in what was dealt together at first.
  [[nodiscard]] Rank rank() const noexcept {
    const Rank as_made = pieces_.place(position(), count_);
    return weave_.count == as_made.of ? Rank{weave_.rank(as_made.rank), as_made.of} : as_made;
  }
  /// Complete rounds before this one, as long as they were alike.
  [[nodiscard]] std::uint32_t rounds() const noexcept { return rounds_; }

  [[nodiscard]] bool has_tiny_tasks() const noexcept { return is_tiny_; }
  /// What its tasks' arguments say, if nothing else is named.
  [[nodiscard]] PointerArguments& arguments() noexcept { return arguments_; }

  /// Its creator is too slow to be waited for.
  void hurry() noexcept { is_hurried_ = true; }
  /// Its tasks are over sooner than it takes to send them anywhere.
  void is_tiny() noexcept { is_tiny_ = true; }
  void is_woven(const Weave& weave) noexcept { weave_ = weave; }
  /// Its tasks so far have been dealt out, and came to new memory or not: matters in its first
  /// round.
  void was_dealt(bool is_new) noexcept {
    if (rounds_ == 0) pieces_.add(made_, is_new);
  }

 private:
  void begin(std::uint32_t round) noexcept {
    round_ = round;
    if (made_ != 0) {
      if (rounds_ != 0 && made_ != count_) pieces_.forget();  // another one than at its start
      // The first count is believed at once; later ones if they repeat.
      is_steady_ = rounds_ == 0 || made_ == count_;
      rounds_ = is_steady_ ? rounds_ + 1 : 1;
      count_ = made_;
    }
    made_ = 0;
    is_hurried_ = false;
  }

  std::uint64_t made_ = 0;    ///< in this round
  std::uint64_t count_ = 0;   ///< in the round before
  std::uint32_t round_ = 0;   ///< of the creator
  std::uint32_t rounds_ = 0;  ///< see rounds()
  DealtPieces pieces_;
  Weave weave_;
  PointerArguments arguments_;
  bool is_steady_ = false;
  bool is_hurried_ = false;  ///< in this round
  bool is_tiny_ = false;
};

/// The series of one creator.
using SeriesBook = ByCode<Series, 5>;

}  // namespace lares::decide
