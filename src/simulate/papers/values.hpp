// A simulated quantity at every point at which it is judged: with several seeds, and at both ends
// of what is assumed.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace lares::simulate::papers {

struct Values {
  std::vector<double> at;  ///< by seed with the best parameters, then one for each end of a range
  std::size_t seeds = 1;

  Values(double one) : at{one} {}
  Values(std::vector<double> values, std::size_t seed_count)
      : at(std::move(values)), seeds(seed_count) {}

  /// Over the seeds.
  [[nodiscard]] double median() const {
    std::vector<double> best(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(seeds));
    std::sort(best.begin(), best.end());
    return best[best.size() / 2];
  }
  /// Over all points.
  [[nodiscard]] double low() const { return *std::min_element(at.begin(), at.end()); }
  [[nodiscard]] double high() const { return *std::max_element(at.begin(), at.end()); }
  /// A single value is the same at every point.
  [[nodiscard]] double point(std::size_t i) const { return at.size() == 1 ? at[0] : at[i]; }
};

/// `f` of both at each point. Precondition: the points are the same, or one is a single value.
template <typename Function>
Values pointwise(const Values& a, const Values& b, Function f) {
  assert(a.at.size() == b.at.size() || a.at.size() == 1 || b.at.size() == 1);
  Values result = a.at.size() < b.at.size() ? b : a;
  for (std::size_t i = 0; i < result.at.size(); ++i) result.at[i] = f(a.point(i), b.point(i));
  return result;
}

inline Values operator/(const Values& a, const Values& b) {
  return pointwise(a, b, [](double x, double y) { return x / y; });
}
inline Values operator*(const Values& a, const Values& b) {
  return pointwise(a, b, [](double x, double y) { return x * y; });
}
inline Values operator+(const Values& a, const Values& b) {
  return pointwise(a, b, [](double x, double y) { return x + y; });
}
/// The smaller one at each point.
inline Values least(const Values& a, const Values& b) {
  return pointwise(a, b, [](double x, double y) { return std::min(x, y); });
}

/// Every point of one beside every point of the other: for quantities of two machines.
inline std::pair<Values, Values> crossed(const Values& a, const Values& b) {
  std::pair<Values, Values> both{Values({}, a.at.size() * b.at.size()), Values({}, 1)};
  for (const double x : a.at) {
    for (const double y : b.at) {
      both.first.at.push_back(x);
      both.second.at.push_back(y);
    }
  }
  both.second.seeds = both.first.seeds;
  return both;
}

}  // namespace lares::simulate::papers
