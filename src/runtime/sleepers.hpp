// Who of a team is asleep, domain by domain, so that one of them can be chosen and woken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/disorder.hpp"
#include "base/ids.hpp"

namespace lares::runtime {

/// Sleepers of one domain that are free to run any task: one is as good as another. They share a
/// futex, so that one call wakes all of them.
///
/// Invariant: asleep + chosen = threads that have lain down and not yet got up. Who chooses one
/// moves it from the first count to the second; whoever gets up first takes that for itself, and
/// must then look for work or pass the word on.
class Dormitory {
 public:
  /// The value to sleep on. Before lie_down().
  [[nodiscard]] std::uint32_t bell() const noexcept {
    return bell_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_empty() const noexcept {
    // seq_cst: with what the caller did before; see Sleeper.
    return asleep(counts_.load(std::memory_order_seq_cst)) == 0;
  }
  void lie_down() noexcept;
  void sleep(std::uint32_t bell, Nanoseconds limit) noexcept;
  /// True if somebody has chosen a sleeper, and that is this one.
  bool get_up() noexcept;
  /// Chooses one of them and wakes it. False if none is asleep.
  bool choose() noexcept;
  /// Wakes all, choosing none.
  void ring() noexcept;

 private:
  static constexpr std::uint64_t one_asleep = 1;
  static constexpr std::uint64_t one_chosen = std::uint64_t{1} << 32U;
  static std::uint32_t asleep(std::uint64_t counts) noexcept {
    return static_cast<std::uint32_t>(counts);
  }

  // Sleepers and wakers write; a futex.
  alignas(64) std::atomic<std::uint32_t> bell_{0};
  std::atomic<std::uint64_t> counts_{0};  // asleep, and chosen above
};

/// The whole team's. Sleepers that wait inside a task may only run what descends from it, so these
/// are known one by one: a set of workers for each domain. All functions: any thread.
///
/// Invariant: a worker's bit is set by itself before it looks for work the last time, and cleared
/// by itself when it goes on, or by whoever chooses it.
class Sleepers {
 public:
  Sleepers(std::size_t domains, std::size_t workers);

  /// Those of all domains who have not been chosen, or a few more: a sleeper counts before it can
  /// be chosen, and until it cannot.
  [[nodiscard]] std::uint32_t total() const noexcept {
    return total_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t domains() const noexcept { return domains_; }
  [[nodiscard]] Dormitory& free(DomainId domain) noexcept { return free_[domain.index()]; }

  void count_in() noexcept { total_.fetch_add(1, std::memory_order_seq_cst); }
  void count_out() noexcept { total_.fetch_sub(1, std::memory_order_relaxed); }

  void add_bound(DomainId domain, WorkerId worker) noexcept;
  /// Called by the worker itself. False if it was chosen meanwhile.
  bool remove_bound(DomainId domain, WorkerId worker) noexcept;
  /// Chooses one of those for which `suits(WorkerId)` holds, or answers an invalid id. The caller
  /// wakes it.
  template <class Suits>
  WorkerId choose_bound(DomainId domain, Suits suits) noexcept {
    std::atomic<std::uint64_t>* const words = &bound_[domain.index() * stride_];
    for (std::size_t i = 0; i < words_per_set_; ++i) {
      std::uint64_t left = words[i].load(std::memory_order_relaxed);
      for (; left != 0; left &= left - 1) {
        const WorkerId worker{i * 64 + static_cast<std::size_t>(__builtin_ctzll(left))};
        if (!suits(worker)) continue;
        disorder::pause(disorder::Point::choosing);
        if (remove_bound(domain, worker)) return worker;
      }
    }
    return WorkerId{};
  }

 private:
  std::size_t domains_;
  std::size_t words_per_set_;
  std::size_t stride_;                                   // whole cache lines: domains share none
  std::unique_ptr<Dormitory[]> free_;                    // never given back: late wakers look here
  std::unique_ptr<std::atomic<std::uint64_t>[]> bound_;  // likewise
  alignas(64) std::atomic<std::uint32_t> total_{0};
};

}  // namespace lares::runtime
