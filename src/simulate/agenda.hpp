// The next event of every worker, earliest first.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace lares::simulate {

/// A heap with one entry for each of a fixed number of workers. Of two events at the same time the
/// one of the lower worker comes first, so that a simulation never depends on chance.
class Agenda {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit Agenda(std::size_t workers) : time_(workers, never), at_(workers), heap_(workers) {
    for (std::size_t i = 0; i < workers; ++i) {
      at_[i] = static_cast<std::uint32_t>(i);
      heap_[i] = static_cast<std::uint32_t>(i);
    }
  }

  [[nodiscard]] double time(std::uint32_t worker) const noexcept { return time_[worker]; }
  /// The worker with the earliest event, and its time (never if there is none).
  [[nodiscard]] std::uint32_t first() const noexcept { return heap_.front(); }
  [[nodiscard]] double first_time() const noexcept { return time_[heap_.front()]; }

  /// O(log workers).
  void set(std::uint32_t worker, double time) noexcept {
    const double before = time_[worker];
    time_[worker] = time;
    if (time < before) {
      rise(at_[worker]);
    } else {
      sink(at_[worker]);
    }
  }

 private:
  [[nodiscard]] bool earlier(std::uint32_t a, std::uint32_t b) const noexcept {
    return time_[a] != time_[b] ? time_[a] < time_[b] : a < b;
  }
  void swap(std::size_t a, std::size_t b) noexcept {
    std::swap(heap_[a], heap_[b]);
    at_[heap_[a]] = static_cast<std::uint32_t>(a);
    at_[heap_[b]] = static_cast<std::uint32_t>(b);
  }
  void rise(std::size_t at) noexcept {
    while (at > 0 && earlier(heap_[at], heap_[(at - 1) / 2])) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }
  void sink(std::size_t at) noexcept {
    for (;;) {
      std::size_t least = 2 * at + 1;
      if (least >= heap_.size()) return;
      if (least + 1 < heap_.size() && earlier(heap_[least + 1], heap_[least])) ++least;
      if (!earlier(heap_[least], heap_[at])) return;
      swap(at, least);
      at = least;
    }
  }

  std::vector<double> time_;         // by worker
  std::vector<std::uint32_t> at_;    // by worker: its place in heap_
  std::vector<std::uint32_t> heap_;  // workers
};

}  // namespace lares::simulate
