// Simulated workers that look for tasks and find none, and who of them is woken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "simulate/executor.hpp"

namespace lares::simulate {

/// By domain. Who is idle for long is asleep; before, it looks around and notices what is queued
/// near it.
///
/// Invariant: an idle worker is in exactly one of `looking` and `asleep` of its domain. Who was
/// woken, or has noticed something, is idle no more, but counts as coming until it has looked.
class IdleWorkers {
 public:
  /// `domain_of` by worker; `cores`: how many workers can run at the same time; `park`: after so
  /// many seconds a worker sleeps.
  IdleWorkers(std::size_t domains, std::vector<DomainId> domain_of, std::size_t cores, double park);

  void clear();
  /// The worker has looked in vain, since `since`. `free`: it may run any task.
  void add(std::uint32_t worker, double since, double clock, bool free);
  /// It goes on for a reason of its own. Precondition: it is idle.
  void remove(std::uint32_t worker);
  /// It has looked: it is not on its way any more.
  void has_looked(std::uint32_t worker);
  [[nodiscard]] bool is_idle(std::uint32_t worker) const {
    return state_[worker] == State::looking || state_[worker] == State::asleep;
  }
  [[nodiscard]] bool is_asleep(std::uint32_t worker) const {
    return state_[worker] == State::asleep;
  }
  /// It may run any task, as far as it has told.
  [[nodiscard]] bool is_free(std::uint32_t worker) const { return free_[worker]; }
  [[nodiscard]] bool any() const { return idle_ != 0; }
  [[nodiscard]] std::size_t count() const { return idle_; }

  /// Brings up to date who has fallen asleep; calls `slept(worker)` for each.
  template <class Slept>
  void pass_time(double clock, Slept slept) {
    while (!falling_.empty() && falling_.front().at < clock) {
      const Falling next = falling_.front();
      falling_.pop_front();
      if (state_[next.worker] != State::looking || turn_[next.worker] != next.turn) continue;
      take_out(next.worker);
      put_in(next.worker, State::asleep);
      slept(next.worker);
    }
  }
  /// One that looks around notices something in the first of `domains` in which anybody does for
  /// whom `suits(worker)`.
  template <class Suits>
  std::optional<std::uint32_t> choose_looking(std::span<const DomainId> domains, Suits suits) {
    if (idle_ == asleep_) return std::nullopt;
    for (const DomainId domain : domains) {
      const auto chosen = first(domains_[domain.index()].looking, suits);
      if (!chosen) continue;
      take_out(*chosen);
      state_[*chosen] = State::noticing;
      if (free_[*chosen]) ++domains_[domain.index()].free;
      return chosen;
    }
    return std::nullopt;
  }
  /// One that sleeps in the domain, and suits: rather one that is free to run any task.
  template <class Suits>
  std::optional<std::uint32_t> choose_asleep(DomainId domain, Suits suits) {
    const auto& list = domains_[domain.index()].asleep;
    auto chosen = first(list, [this](std::uint32_t worker) { return free_[worker]; });
    if (!chosen) chosen = first(list, suits);
    if (!chosen) return std::nullopt;
    take_out(*chosen);
    state_[*chosen] = State::woken;
    ++woken_;
    return chosen;
  }

  [[nodiscard]] std::optional<std::uint32_t> first_asleep(DomainId domain) const {
    const auto& list = domains_[domain.index()].asleep;
    return list.empty() ? std::nullopt : std::optional(list.front());
  }

  [[nodiscard]] std::size_t workers() const { return state_.size(); }
  [[nodiscard]] std::size_t cores() const { return cores_; }
  [[nodiscard]] std::uint32_t asleep() const { return asleep_; }
  [[nodiscard]] std::int32_t on_their_way() const { return woken_; }
  /// Those that may run any task.
  [[nodiscard]] std::uint32_t looking(DomainId domain) const {
    return domains_[domain.index()].free;
  }

 private:
  enum class State : std::uint8_t { busy, looking, noticing, asleep, woken };
  struct Domain {
    std::deque<std::uint32_t> looking;  // those that do for longest first
    std::deque<std::uint32_t> asleep;
    std::uint32_t free = 0;  // that look or notice
  };
  struct Falling {
    double at;
    std::uint32_t worker;
    std::uint32_t turn;
  };

  template <class Suits>
  static std::optional<std::uint32_t> first(const std::deque<std::uint32_t>& list, Suits suits) {
    for (const std::uint32_t worker : list) {
      if (suits(worker)) return worker;
    }
    return std::nullopt;
  }
  void put_in(std::uint32_t worker, State state);
  void take_out(std::uint32_t worker);

  const std::vector<DomainId> domain_of_;
  const std::size_t cores_;
  const double park_;
  std::vector<Domain> domains_;
  std::vector<State> state_;         // by worker
  std::vector<bool> free_;           // by worker: may run any task
  std::vector<std::uint32_t> turn_;  // by worker: how often it has become idle
  std::deque<Falling> falling_;      // who falls asleep when
  std::uint32_t idle_ = 0;
  std::uint32_t asleep_ = 0;
  std::int32_t woken_ = 0;
};

}  // namespace lares::simulate
