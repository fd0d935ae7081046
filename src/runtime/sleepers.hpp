// Who of a team is asleep, domain by domain, so that one of them can be chosen and woken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/ids.hpp"

namespace lares::runtime {

/// A set of workers for each domain, and one for those among them that wait inside a task: these
/// may only run what descends from it.
///
/// Invariant: a worker's bit is set by itself before it looks for work the last time, and cleared
/// by itself when it goes on, or by whoever claims it; a claimer must then wake it, and it in turn
/// must look for work or wake somebody else for what it was woken for. All functions: any thread.
class Sleepers {
 public:
  enum class Kind : std::uint8_t { free, bound };

  Sleepers(std::size_t domains, std::size_t workers);

  /// All of the team. A claimed one is none any more.
  [[nodiscard]] std::uint32_t total() const noexcept {
    return total_.load(std::memory_order_relaxed);
  }

  void add(DomainId domain, Kind kind, WorkerId worker) noexcept;
  /// Called by the worker itself. False if it was claimed meanwhile.
  bool remove(DomainId domain, Kind kind, WorkerId worker) noexcept;

  /// Claims one of them for which `suits(WorkerId)` holds, or answers an invalid id.
  template <class Suits>
  WorkerId claim(DomainId domain, Kind kind, Suits suits) noexcept {
    std::atomic<std::uint64_t>* const words = words_of(domain, kind);
    for (std::size_t i = 0; i < words_per_set_; ++i) {
      std::uint64_t left = words[i].load(std::memory_order_relaxed);
      for (; left != 0; left &= left - 1) {
        const std::uint64_t bit = left & (~left + 1);
        const WorkerId worker{i * 64 + static_cast<std::size_t>(__builtin_ctzll(left))};
        if (suits(worker) && clear(words[i], bit)) return worker;
      }
    }
    return WorkerId{};
  }

 private:
  [[nodiscard]] std::atomic<std::uint64_t>* words_of(DomainId domain, Kind kind) const noexcept {
    return &words_[(domain.index() * 2 + static_cast<std::size_t>(kind)) * stride_];
  }
  bool clear(std::atomic<std::uint64_t>& word, std::uint64_t bit) noexcept;

  std::size_t words_per_set_;
  std::size_t stride_;                                   // whole cache lines: domains share none
  std::unique_ptr<std::atomic<std::uint64_t>[]> words_;  // never given back: late wakers look here
  alignas(64) std::atomic<std::uint32_t> total_{0};
};

}  // namespace lares::runtime
