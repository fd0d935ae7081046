#include "runtime/branches.hpp"

namespace lares::runtime {

namespace {

constexpr std::size_t neighbours = 8;  // of a row that are looked at for the same code

Branches g_branches;

}  // namespace

Branches& Branches::instance() noexcept { return g_branches; }

Branches::Kind Branches::kind_of(std::uintptr_t code) noexcept {
  const std::size_t rows = rows_.size() - 1;
  const std::size_t first = static_cast<std::size_t>(code * 0x9E3779B97F4A7C15ULL >> 32U) % rows;
  for (std::size_t i = 0; i < neighbours; ++i) {
    const std::size_t at = 1 + (first + i) % rows;
    std::uintptr_t there = rows_[at].code.load(std::memory_order_relaxed);
    if (there == 0 &&
        rows_[at].code.compare_exchange_strong(there, code, std::memory_order_relaxed)) {
      there = code;
    }
    if (there == code) return static_cast<Kind>(at);
  }
  return 0;
}

}  // namespace lares::runtime
