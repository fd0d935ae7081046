#include "runtime/sleepers.hpp"

namespace lares::runtime {

namespace {
constexpr std::size_t words_per_line = 64 / sizeof(std::uint64_t);
}

Sleepers::Sleepers(std::size_t domains, std::size_t workers)
    : words_per_set_((workers + 63) / 64),
      stride_((words_per_set_ + words_per_line - 1) / words_per_line * words_per_line),
      words_(new std::atomic<std::uint64_t>[domains * 2 * stride_] {}) {}

void Sleepers::add(DomainId domain, Kind kind, WorkerId worker) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (worker.index() % 64);
  // seq_cst: the announcements of Sleeper (waiting.cpp).
  words_of(domain, kind)[worker.index() / 64].fetch_or(bit, std::memory_order_seq_cst);
  total_.fetch_add(1, std::memory_order_seq_cst);
}

bool Sleepers::remove(DomainId domain, Kind kind, WorkerId worker) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (worker.index() % 64);
  return clear(words_of(domain, kind)[worker.index() / 64], bit);
}

bool Sleepers::clear(std::atomic<std::uint64_t>& word, std::uint64_t bit) noexcept {
  // acq_rel: what the claimer did before, the sleeper sees when it finds itself claimed.
  if ((word.fetch_and(~bit, std::memory_order_acq_rel) & bit) == 0) return false;
  total_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

}  // namespace lares::runtime
