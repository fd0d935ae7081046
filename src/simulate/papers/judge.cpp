#include "simulate/papers/judge.hpp"

#include <algorithm>
#include <cmath>

namespace lares::simulate::papers {
namespace {

/// 1, 0 or -1: whether `ratio` is an effect, and of which sign.
int sign_of(double ratio) {
  if (ratio > limits::tie) return 1;
  return ratio < 1 / limits::tie ? -1 : 0;
}

template <typename Function>
Answers answers(const Values& a, const Values& b, Function of_ratio) {
  const Values ratio = a / b;
  Answers found;
  for (const double each : ratio.at) found.push_back(of_ratio(each));
  return found;
}

Answer is_share(const Published& figure, double share) {
  const bool near = share >= figure.low - limits::points && share <= figure.high + limits::points;
  return near ? Answer::yes : Answer::no;
}

/// `low` and `high` are of the published figure, or of its effect.
Answer is_close(double low, double high, double value) {
  return value * limits::close >= low && value <= high * limits::close ? Answer::yes : Answer::no;
}

Answer is_effect(const Published& figure, double base, double effect) {
  const int expected = sign_of(figure.middle() / base);
  const int found = sign_of(effect);
  if (expected * found < 0) return Answer::opposite;
  if (expected != found) return Answer::no;
  return is_close(figure.low / base, figure.high / base, effect);
}

}  // namespace

Judgement judge(const std::vector<Answer>& answers) { return judge_all({answers}); }

Judgement judge_all(const std::vector<std::vector<Answer>>& claims) {
  // The part that holds at the fewest points speaks for all of them.
  Judgement worst;
  bool any_yes = false;
  bool any_opposite = false;
  for (const auto& claim : claims) {
    const auto count = [&](Answer answer) {
      return static_cast<std::size_t>(std::count(claim.begin(), claim.end(), answer));
    };
    const std::size_t held = count(Answer::yes);
    any_yes = any_yes || held > 0;
    any_opposite = any_opposite || count(Answer::opposite) > 0;
    if (worst.points == 0 || held * worst.points < worst.held * claim.size()) {
      worst = {Verdict::yes, held, claim.size()};
    }
  }
  if (worst.held == worst.points) return worst;
  worst.verdict = worst.held > 0             ? Verdict::depends
                  : any_opposite && !any_yes ? Verdict::opposite
                                             : Verdict::no;
  return worst;
}

Judgement judge_figure(const Published& figure, const Values& simulated, const Baseline& baseline) {
  Answers found;
  for (std::size_t i = 0; i < simulated.at.size(); ++i) {
    const double value = simulated.at[i];
    if (figure.unit == "share") {
      found.push_back(is_share(figure, value));
    } else if (baseline.published != nullptr) {
      found.push_back(
          is_effect(figure, baseline.published->middle(), value / baseline.simulated.point(i)));
    } else {
      found.push_back(is_close(figure.low, figure.high, value));
    }
  }
  return judge(found);
}

Answers below(const Values& a, const Values& b, double factor) {
  return answers(a, b, [factor](double ratio) {
    if (ratio < 1 / factor) return Answer::yes;
    return ratio > factor ? Answer::opposite : Answer::no;
  });
}

Answers at_most(const Values& a, const Values& b) {
  return answers(
      a, b, [](double ratio) { return ratio <= limits::tie ? Answer::yes : Answer::opposite; });
}

Answers about(const Values& a, const Values& b, double factor) {
  return answers(a, b, [factor](double ratio) {
    return ratio <= factor && ratio >= 1 / factor ? Answer::yes : Answer::no;
  });
}

Answers fact(bool holds) { return {holds ? Answer::yes : Answer::no}; }

}  // namespace lares::simulate::papers
