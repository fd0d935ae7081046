// How a figure or a statement of a paper is judged. The limits are the same for all, and for what
// speaks against a statement as for what speaks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "simulate/papers/published.hpp"
#include "simulate/papers/values.hpp"

namespace lares::simulate::papers {

/// Factors, but for `points`.
namespace limits {
inline constexpr double tie = 1.02;     ///< less is no difference: seeds differ by as much
inline constexpr double clear = 1.05;   ///< "clearly"; less is "about the same"
inline constexpr double close = 1.10;   ///< a figure as published; Wittmann & Hager's own measure
inline constexpr double much = 1.5;     ///< "decisive", "significantly"
inline constexpr double several = 3;    ///< "several times"
inline constexpr double points = 0.05;  ///< a share as published: up to so much more or less of all
}  // namespace limits

/// At one point.
enum class Answer : std::uint8_t {
  yes,
  no,
  opposite  ///< a difference, but the other way round
};

enum class Verdict : std::uint8_t {
  yes,      ///< at all points
  depends,  ///< at some: on chance, or on what is assumed
  no,       ///< at none
  opposite  ///< at none, and at one or more the other way round
};

struct Judgement {
  Verdict verdict = Verdict::yes;
  std::size_t held = 0;  ///< at so many
  std::size_t points = 0;
};

Judgement judge(const std::vector<Answer>& answers);
/// Of a statement with several parts: yes if all are, opposite if all that are not yes are opposite
/// and none is yes.
Judgement judge_all(const std::vector<std::vector<Answer>>& claims);

/// What the table compares a figure with: its row without the effect.
struct Baseline {
  const Published* published = nullptr;
  Values simulated{0};
};

/// Whether `simulated` is the published figure. Shares are compared by their difference. With a
/// baseline the effect is: it must have the sign of the published one.
Judgement judge_figure(const Published& figure, const Values& simulated, const Baseline& baseline);

using Answers = std::vector<Answer>;

/// a < b by more than `factor`; opposite: a > b by more than that.
Answers below(const Values& a, const Values& b, double factor = limits::tie);
/// Not a > b by more than a tie; opposite: it is.
Answers at_most(const Values& a, const Values& b);
/// Neither exceeds the other by more than `factor`.
Answers about(const Values& a, const Values& b, double factor = limits::clear);
/// Of something that is counted, not simulated.
Answers fact(bool holds);

}  // namespace lares::simulate::papers
