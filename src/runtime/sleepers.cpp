#include "runtime/sleepers.hpp"

#include <climits>

#include "base/disorder.hpp"
#include "runtime/futex.hpp"

namespace lares::runtime {

void Dormitory::lie_down() noexcept {
  disorder::pause(disorder::Point::lying_down);
  // seq_cst: the announcement of Sleeper.
  counts_.fetch_add(one_asleep, std::memory_order_seq_cst);
}

void Dormitory::sleep(std::uint32_t bell, Nanoseconds limit) noexcept {
  futex_wait(bell_, bell, limit);
}

bool Dormitory::get_up() noexcept {
  std::uint64_t counts = counts_.load(std::memory_order_relaxed);
  for (;;) {
    const bool chosen = counts >= one_chosen;
    disorder::pause(disorder::Point::woken);
    // acq_rel: who is chosen sees what the chooser did before.
    if (counts_.compare_exchange_weak(counts, counts - (chosen ? one_chosen : one_asleep),
                                      std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return chosen;
    }
  }
}

bool Dormitory::choose() noexcept {
  std::uint64_t counts = counts_.load(std::memory_order_relaxed);
  while (asleep(counts) != 0) {
    disorder::pause(disorder::Point::choosing);
    if (!counts_.compare_exchange_weak(counts, counts - one_asleep + one_chosen,
                                       std::memory_order_acq_rel, std::memory_order_relaxed)) {
      continue;
    }
    disorder::late(disorder::Point::claimed);
    bell_.fetch_add(1, std::memory_order_release);
    disorder::late(disorder::Point::unparking);
    futex_wake(bell_, 1);
    return true;
  }
  return false;
}

void Dormitory::ring() noexcept {
  disorder::late(disorder::Point::unparking);
  bell_.fetch_add(1, std::memory_order_release);
  disorder::late(disorder::Point::unparking);
  futex_wake(bell_, INT_MAX);
}

namespace {
constexpr std::size_t words_per_line = 64 / sizeof(std::uint64_t);
}

Sleepers::Sleepers(std::size_t domains, std::size_t workers)
    : domains_(domains),
      words_per_set_((workers + 63) / 64),
      stride_((words_per_set_ + words_per_line - 1) / words_per_line * words_per_line),
      free_(new Dormitory[domains]),
      bound_(new std::atomic<std::uint64_t>[domains * stride_] {}) {}

void Sleepers::add_bound(DomainId domain, WorkerId worker) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (worker.index() % 64);
  // seq_cst: the announcement of Sleeper.
  bound_[domain.index() * stride_ + worker.index() / 64].fetch_or(bit, std::memory_order_seq_cst);
}

bool Sleepers::remove_bound(DomainId domain, WorkerId worker) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (worker.index() % 64);
  // acq_rel: what the chooser did before, the sleeper sees when it finds itself chosen.
  return (bound_[domain.index() * stride_ + worker.index() / 64].fetch_and(
              ~bit, std::memory_order_acq_rel) &
          bit) != 0;
}

}  // namespace lares::runtime
