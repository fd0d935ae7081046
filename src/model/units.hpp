// What the model counts in: times far below and above a nanosecond, and rates.
#pragma once

#include <compare>

namespace lares::model {

/// A span of time, at least 0.
struct Seconds {
  double count = 0;
  friend constexpr auto operator<=>(Seconds, Seconds) noexcept = default;
  friend constexpr Seconds operator+(Seconds a, Seconds b) noexcept { return {a.count + b.count}; }
  friend constexpr Seconds operator*(Seconds a, double times) noexcept { return {a.count * times}; }
  constexpr Seconds& operator+=(Seconds other) noexcept {
    count += other.count;
    return *this;
  }
};

/// 10^6 bytes a second; above 0.
struct Bandwidth {
  double mb_s = 0;
  friend constexpr auto operator<=>(Bandwidth, Bandwidth) noexcept = default;
};

/// 10^9 operations a second; above 0.
struct Peak {
  double gflops = 0;
  friend constexpr auto operator<=>(Peak, Peak) noexcept = default;
};

/// Bytes are a part of a thread's, and need not be whole.
constexpr Seconds time_to_move(double bytes, Bandwidth rate) noexcept {
  return {bytes / (rate.mb_s * 1e6)};
}

constexpr Seconds time_to_compute(double operations, Peak rate) noexcept {
  return {operations / (rate.gflops * 1e9)};
}

}  // namespace lares::model
