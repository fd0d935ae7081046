// What all that is written of a run draws on.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/record_format.hpp"

namespace lares::runtime {

/// Takes `bytes` from the budget, or answers false and takes nothing. Thread safety: any thread of
/// any process that has the budget mapped.
inline bool take_from(RecordBudget& budget, std::uint64_t bytes) noexcept {
  std::atomic_ref<std::uint64_t> used(budget.used_bytes);
  // relaxed: a sum of numbers.
  if (used.fetch_add(bytes, std::memory_order_relaxed) + bytes <= budget.limit_bytes) return true;
  used.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

}  // namespace lares::runtime
