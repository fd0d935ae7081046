// The flows of bytes by which simulated workers run tasks: how fast each is, and when it will end.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simulate/hardware.hpp"

namespace lares::simulate {

/// At most one flow for each worker. Times are seconds since the start of the simulation.
class Flows {
 public:
  /// `hardware` must outlive it.
  Flows(Hardware& hardware, std::size_t workers)
      : hardware_(hardware), flows_(workers), used_(hardware.sharing.resource_count(), 0) {}

  /// How fast a flow may be at most, in bytes a second, and its part of a core.
  struct Limit {
    double cap = 0;
    double portion = 1;
  };
  /// The worker begins to move `traffic` times `factor`. When it will end is known after settle().
  /// Precondition: the worker has no flow.
  void begin(std::uint32_t worker, DomainId domain, const std::vector<Traffic>& traffic,
             double factor, Limit limit, double now);
  /// With `counts`, it is part of what used() tells.
  void end(std::uint32_t worker, bool counts);
  /// Ends it before all has been moved. Answers which part is left.
  double interrupt(std::uint32_t worker, bool counts, double now);

  /// Brings rates up to date: calls ends(worker, time) for each flow whose end has changed, in a
  /// fixed order. O(flows at the resources that changed).
  template <class Ends>
  void settle(double now, Ends ends) {
    if (!unsettled_) return;
    unsettled_ = false;
    for (const std::uint32_t number : hardware_.sharing.settle()) {
      const std::uint32_t worker = owner_[number];
      Flow& flow = flows_[worker];
      flow.left = flow.left - flow.rate * (now - flow.since);
      if (flow.left < 0) flow.left = 0;
      flow.rate = hardware_.sharing.rate(number);
      flow.since = now;
      ends(worker, now + flow.left / flow.rate);
    }
  }

  /// By resource: how much the flows that counted took of it, in its unit times seconds.
  [[nodiscard]] const std::vector<double>& used() const noexcept { return used_; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Flow {
    std::uint32_t number = none;  // in the hardware's sharing
    double bytes = 0;
    double left = 0;  // of the bytes, at `since`
    double rate = 0;
    double since = 0;
  };

  Hardware& hardware_;
  std::vector<Flow> flows_;           // by worker
  std::vector<std::uint32_t> owner_;  // by number: the worker
  std::vector<double> used_;          // by resource
  std::vector<Use> uses_;             // scratch
  bool unsettled_ = false;            // rates have changed since the last settle()
};

}  // namespace lares::simulate
