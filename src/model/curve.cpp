#include "model/curve.hpp"

#include <algorithm>
#include <cmath>

namespace lares::model {

void Curve::add(Bytes footprint, Bandwidth rate) {
  const auto at = std::lower_bound(points_.begin(), points_.end(), footprint,
                                   [](const Point& p, Bytes b) { return p.footprint < b; });
  if (at != points_.end() && at->footprint == footprint) {
    at->rate = rate;
  } else {
    points_.insert(at, {footprint, rate});
  }
}

Bandwidth Curve::at(Bytes footprint) const {
  if (footprint <= points_.front().footprint) return points_.front().rate;
  if (footprint >= points_.back().footprint) return points_.back().rate;
  const auto above = std::upper_bound(points_.begin(), points_.end(), footprint,
                                      [](Bytes b, const Point& p) { return b < p.footprint; });
  const Point& high = *above;
  const Point& low = *(above - 1);
  // A footprint of no byte lies as far below the next as one of a byte.
  const auto log_bytes = [](Bytes bytes) {
    return std::log(std::max(static_cast<double>(bytes.count), 1.0));
  };
  const double span = log_bytes(high.footprint) - log_bytes(low.footprint);
  const double part = span > 0 ? (log_bytes(footprint) - log_bytes(low.footprint)) / span : 1;
  return {std::exp((1 - part) * std::log(low.rate.mb_s) + part * std::log(high.rate.mb_s))};
}

double Curve::memory_share(Bytes footprint) const {
  const double fast = 1 / points_.front().rate.mb_s;
  const double slow = 1 / points_.back().rate.mb_s;
  if (points_.size() < 2 || !(slow > fast)) return 1;
  return std::clamp((1 / at(footprint).mb_s - fast) / (slow - fast), 0.0, 1.0);
}

}  // namespace lares::model
