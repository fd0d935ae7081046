// When work repeats itself, and whether its data shall follow it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lares::decide {

/// How often pieces of work have begun, by what repeats (an address of code) and by how many
/// threads do it, and what of all that a program repeats is still to come. One user at a time. A
/// colliding one is new again.
class Repetitions {
 public:
  /// Answers how often it has begun with so many threads, this time included.
  std::uint32_t begin(std::uintptr_t cause, std::size_t threads, std::int64_t now = 0) noexcept {
    Row& row = rows_[index(cause)];
    if (begins_ == 0) start_ = now;
    now_ = now;
    if (row.in_row == 0 || row.cause != cause || row.threads != threads) {
      row = {.cause = cause, .threads = threads, .first = now};
    }
    row.gap = std::max(++begins_ - row.last, row.gap - row.gap / 256);
    row.last = begins_;
    row.in_row = std::min(row.in_row + 1, most);
    return row.in_row;
  }
  /// When it began for the first time with so many threads. Precondition: it has just begun.
  [[nodiscard]] std::int64_t first(std::uintptr_t cause) const noexcept {
    return rows_[index(cause)].first;
  }
  /// How many begins of all work there were, at most and lately, from one of its begins, or from
  /// the program's start, to the next. Precondition: it has just begun.
  [[nodiscard]] std::uint64_t gap(std::uintptr_t cause) const noexcept {
    return rows_[index(cause)].gap;
  }
  /// What has begun so far, of all work.
  [[nodiscard]] std::uint64_t begins() const noexcept { return begins_; }

  /// True if the work may come again: not if twice as much of others has begun since its last begin
  /// as lately between two of them. Of what has begun once nobody knows, for it may be the first
  /// part of a long round, or of the program: not if after that all work has gone on for four times
  /// as long as before, or has begun 64 times as often.
  [[nodiscard]] bool expects(std::uintptr_t cause) const noexcept {
    const Row& row = rows_[index(cause)];
    return row.cause == cause && is_expected(row);
  }
  /// True if nearly all work that is expected has begun after the first `since` begins: then a
  /// round of the program is over. So a loop within a time step is no round of a program whose
  /// other loops come once in each step. Work may be missing that is not known to come once in
  /// `longest` begins, if that is said. O(rows).
  [[nodiscard]] bool is_round_over(std::uint64_t since,
                                   std::uint64_t longest = UINT64_MAX) const noexcept {
    std::uint32_t expected = 0;
    std::uint32_t begun = 0;
    for (const Row& row : rows_) {
      const bool has_begun = row.last > since;
      const bool is_seldom = row.gap > longest || (row.in_row == 1 && longest != UINT64_MAX);
      expected += has_begun || (!is_seldom && is_expected(row)) ? 1 : 0;
      begun += has_begun ? 1 : 0;
    }
    return 8 * begun >= 7 * expected;
  }

 private:
  static constexpr unsigned bits = 10;
  static constexpr std::uint32_t most = 1U << 30U;
  struct Row {
    std::uintptr_t cause = 0;
    std::size_t threads = 0;
    std::int64_t first = 0;    ///< when it began for the first time
    std::uint32_t in_row = 0;  ///< 0: the row is free
    std::uint64_t last = 0;    ///< of all begins, the number of its newest one
    std::uint64_t gap = 0;  ///< the longest, lately, from one, or the program's start, to the next
  };
  static std::size_t index(std::uintptr_t cause) noexcept {
    return (static_cast<std::uint64_t>(cause) * 0x9E3779B97F4A7C15ULL) >> (64U - bits);
  }
  [[nodiscard]] bool is_expected(const Row& row) const noexcept {
    if (row.in_row != 1) return row.in_row != 0 && begins_ - row.last <= 2 * row.gap;
    return begins_ - row.last <= 64 * row.gap && now_ - row.first <= 4 * (row.first - start_);
  }
  std::array<Row, 1U << bits> rows_{};
  std::uint64_t begins_ = 0;
  std::int64_t start_ = 0;  ///< time of the first begin
  std::int64_t now_ = 0;    ///< and of the newest one
};

/// What samples of some data say, pages each.
struct Evidence {
  std::uint32_t touched = 0;  ///< by somebody in each of two turns of the work
  std::uint32_t steady = 0;   ///< of those, both times by the same domain
  std::uint32_t away = 0;     ///< of those, at first in the memory of another domain
  std::uint32_t pairs = 0;    ///< of neighbours that were both touched
  std::uint32_t joined = 0;   ///< of those, by the same domain

  /// From fewer samples nothing is concluded.
  static constexpr std::uint32_t enough = 8;
  [[nodiscard]] bool is_enough() const noexcept { return touched >= enough; }
  /// The same domains use it again and again, and a good part of it is not theirs.
  [[nodiscard]] bool shall_follow() const noexcept {
    return is_enough() && 4 * steady >= 3 * touched && 4 * away >= touched;
  }
  /// What lies side by side is used by one domain, so that it can go in larger pieces.
  [[nodiscard]] bool is_coarse() const noexcept { return pairs > 0 && 16 * joined >= 15 * pairs; }
  [[nodiscard]] double away_share() const noexcept {
    return touched == 0 ? 0 : static_cast<double>(away) / touched;
  }
};

/// After how many turns a move has paid that takes `cost` and of whose data `away_share` is remote.
/// Remote memory is `ratio` times as slow as local memory, and half of a turn's time is assumed to
/// be spent waiting for memory. Times in one unit. Infinite if it never does.
inline double turns_to_pay(double cost, double turn, double away_share, double ratio) noexcept {
  constexpr double part_of_memory = 0.5;
  const double gain = ratio > 1 ? turn * part_of_memory * away_share * (1 - 1 / ratio) : 0;
  return gain > 0 ? cost / gain : std::numeric_limits<double>::infinity();
}

/// After how many rounds of work it has paid to move data that lies on one node to those who use
/// it: each domain its part, at the same time. A page takes two microseconds to move, and a round
/// spends its time on memory, of which a node gives 10 GB/s: that of one before, of all afterwards.
inline std::uint32_t rounds_to_pay(std::size_t domains) noexcept {
  constexpr double move = 2000;
  constexpr double use = 4096 / 10.0;  // nanoseconds, as above
  if (domains < 2) return std::numeric_limits<std::uint32_t>::max();
  const auto all = static_cast<double>(domains);
  return static_cast<std::uint32_t>(move / all / (use * (1 - 1 / all))) + 1;
}

/// The course of things for one process: two looks at samples of its data, a turn of the work each,
/// and if both agree, a move. One user at a time; pure: times are the executor's, in nanoseconds.
///
///  phase    | work begins that ...                    | ->
///  ---------+-----------------------------------------+----------------------------------------
///  resting  | has begun before, after the rest        | looking: first_look
///  looking  | is the same, its samples were touched   | shifting; checking if a turn has no middle
///  shifting | comes in each turn, half a turn later   | checking: second_look, at that work
///  checking | is the same, its samples were touched   | judging: judge; then what judged() says
///  saving   | is the same, and has paid for the move  | resting: move
///  any      | is the same by fewer or more threads,   | resting
///           | or did not come for long                |
///
/// What a move costs is spent only when the work has been repeated so often that the move would
/// have paid by then: so all is at most twice as dear as with a knowledge of the future. A program
/// that alternates between two ways to share out its data is followed `most_moves` times at most.
class Follow {
 public:
  enum class Step : std::uint8_t { none, first_look, second_look, judge, move };

  /// `turns_told`: how often the user says that the work comes; 0: nothing said.
  explicit Follow(double turns_told = 0) noexcept : turns_told_(turns_told) {}

  /// Several teams do such work side by side, and each is asked about: a turn lasts until nearly
  /// all samples have been touched, those of the slowest team as well.
  void expect_several_teams() noexcept { whole_turn_ = nearly_all; }

  /// Work begins. `touched()`: the share of the last look's samples that have been touched.
  template <class Touched>
  Step begin(std::uintptr_t cause, std::size_t threads, std::int64_t now,
             Touched touched) noexcept {
    const std::uint32_t times = repetitions_.begin(cause, threads, now);
    if (phase_ == Phase::resting) return look(cause, times, now);
    const bool is_same = cause == cause_;
    if (!is_same && times >= 2 && !repetitions_.expects(cause_)) return replace(cause, times, now);
    if (is_same && times < 2) rest(now);
    if (phase_ == Phase::shifting) return shift(cause, times, now, touched);
    if (!is_same || phase_ == Phase::resting || phase_ == Phase::judging) return Step::none;
    newest_ = now;
    times_ = times;
    ++starts_;
    if (phase_ == Phase::saving) return spend(now);
    if (!is_turn_over(touched())) return Step::none;
    return phase_ == Phase::looking ? end_first_turn(now) : judge(now);
  }
  /// The samples wait for their touch from `now` on; to prepare that took `took`.
  void looked(std::int64_t now, std::int64_t took) noexcept {
    since_ = now;
    begins_ = repetitions_.begins();
    look_ += took;
    touched_ = 0;
  }
  /// What came of the step `judge`. True if the data shall move now.
  bool judged(double turns_needed, std::int64_t now) noexcept {
    const double turns = turns_so_far();
    needed_ = turns_needed;
    if (needed_ <= std::max(turns, turns_told_)) {
      move(now);
      return true;
    }
    phase_ = Phase::saving;
    if (needed_ > 2 * turns) rest(now);
    return false;
  }
  /// Nothing waits any more.
  void give_up(std::int64_t now) noexcept { rest(now); }

  /// How long a turn takes, the shorter of two.
  [[nodiscard]] std::int64_t turn() const noexcept { return turn_; }
  /// As often as the work has begun so far, or as many as would have been in the time since it
  /// began: a turn that was looked at may be a short one.
  [[nodiscard]] double turns_so_far() const noexcept {
    const double begun = static_cast<double>(times_) / std::max(starts_in_turn_, 1U);
    const auto turn = static_cast<double>(std::max<std::int64_t>(turn_, 1));
    return std::max(begun, static_cast<double>(newest_ - first_) / turn);
  }
  /// Whether the last look was the second one.
  [[nodiscard]] bool is_checking() const noexcept { return phase_ == Phase::checking; }
  [[nodiscard]] std::uint32_t moves() const noexcept { return moves_; }
  /// True if no samples wait.
  [[nodiscard]] bool rests() const noexcept {
    return phase_ == Phase::resting || phase_ == Phase::saving;
  }
  /// True once nothing can come any more.
  [[nodiscard]] bool is_over() const noexcept {
    return phase_ == Phase::resting && (moves_ == most_moves || looks_ == most_looks);
  }

  static constexpr std::uint32_t most_moves = 3;
  static constexpr std::uint32_t most_looks = 12;

 private:
  enum class Phase : std::uint8_t { resting, looking, shifting, checking, judging, saving };

  /// Where other work comes again, and the one that is looked at does not.
  Step replace(std::uintptr_t cause, std::uint32_t times, std::int64_t now) noexcept {
    phase_ = Phase::resting;
    rest_until_ = now;
    return look(cause, times, now);
  }
  Step look(std::uintptr_t cause, std::uint32_t times, std::int64_t now) noexcept {
    if (is_over() || times < 2 || now < rest_until_) return Step::none;
    phase_ = Phase::looking;
    cause_ = cause;
    first_ = repetitions_.first(cause);
    newest_ = now;
    times_ = times;
    starts_ = 0;
    look_ = 0;
    ++looks_;
    return Step::first_look;
  }
  /// Nearly all data has been used. Or all work has come again, and most of the data has been used,
  /// or all that is used at all; where it is most, nobody waits for what comes very seldom.
  bool is_turn_over(double touched) noexcept {
    const bool no_more = touched > 0 && touched == touched_;
    touched_ = touched;
    if (touched >= nearly_all) return true;
    if (touched >= whole_turn_)
      return repetitions_.is_round_over(begins_, 8 * (repetitions_.begins() - begins_));
    return (no_more || starts_ >= most_starts) && repetitions_.is_round_over(begins_);
  }
  /// A page that several domains use in one turn shows the first of them in each look that begins
  /// at the same work. So the second one begins at another, where a turn has several.
  Step end_first_turn(std::int64_t now) noexcept {
    turn_ = now - since_;
    starts_in_turn_ = starts_;
    const std::uint64_t begins = repetitions_.begins() - begins_;
    if (begins < several) return check();
    phase_ = Phase::shifting;
    begins_in_turn_ = begins;
    shifted_ = repetitions_.begins() + begins / 2;
    return Step::none;
  }
  template <class Touched>
  Step shift(std::uintptr_t cause, std::uint32_t times, std::int64_t now,
             Touched touched) noexcept {
    if (times < 2 || repetitions_.begins() < shifted_) return Step::none;
    const bool comes_each_turn = cause == cause_ || repetitions_.gap(cause) <= 2 * begins_in_turn_;
    if (!comes_each_turn) return Step::none;
    touched();  // what the first look's last samples tell is of the first look
    if (cause != cause_) starts_in_turn_ = std::numeric_limits<std::uint32_t>::max();
    cause_ = cause;
    times_ = times;
    newest_ = now;
    return check();
  }
  Step check() noexcept {
    phase_ = Phase::checking;
    starts_ = 0;
    return Step::second_look;
  }
  Step judge(std::int64_t now) noexcept {
    phase_ = Phase::judging;
    turn_ = std::min(turn_, now - since_);
    starts_in_turn_ = std::min(starts_in_turn_, starts_);
    return Step::judge;
  }
  Step spend(std::int64_t now) noexcept {
    if (turns_so_far() < needed_) return Step::none;
    move(now);
    return Step::move;
  }
  void move(std::int64_t now) noexcept {
    ++moves_;
    rest(now);
  }
  /// Looks take a hundredth of the time at most, and are ever rarer.
  void rest(std::int64_t now) noexcept {
    phase_ = Phase::resting;
    rest_until_ = now + std::max(100 * look_, 4 * turn_ << std::min(looks_, 16U));
  }

  /// Starts after which a turn is over although some samples were not touched.
  static constexpr std::uint32_t most_starts = 16;
  static constexpr double nearly_all = 0.9;  ///< share of the samples
  /// Pieces of work in a turn, from which on it has a middle. A region alone has two, with its end.
  static constexpr std::uint64_t several = 4;

  Repetitions repetitions_;
  double turns_told_;
  double whole_turn_ = 0.5;  ///< share of the samples that are touched when a turn is over
  Phase phase_ = Phase::resting;
  std::uintptr_t cause_ = 0;  ///< of what is looked at
  std::int64_t first_ = 0;    ///< when it began for the first time
  std::int64_t newest_ = 0;   ///< and when for the last time
  std::uint32_t times_ = 0;   ///< that it has begun
  std::uint32_t starts_ = 0;  ///< of those, since the last step
  std::uint32_t starts_in_turn_ = 1;
  std::uint32_t looks_ = 0;
  std::uint32_t moves_ = 0;
  double needed_ = 0;                 ///< turns
  double touched_ = 0;                ///< share of the samples, at the last start
  std::int64_t since_ = 0;            ///< when the last look was ready
  std::uint64_t begins_ = 0;          ///< of all work, until then
  std::uint64_t begins_in_turn_ = 0;  ///< of all work, in the first look's; while shifting
  std::uint64_t shifted_ = 0;         ///< while shifting: with how many the second look begins
  std::int64_t turn_ = 0;
  std::int64_t look_ = 0;  ///< time that the present look took of the program
  std::int64_t rest_until_ = INT64_MIN;
};

}  // namespace lares::decide
