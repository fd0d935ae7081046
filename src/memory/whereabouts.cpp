#include "memory/whereabouts.hpp"

#include <array>
#include <cstddef>

namespace lares::memory {
namespace {

constexpr std::size_t rows = 4096;
constexpr std::size_t looked_at = 8;  ///< from where a number falls
constinit std::array<Whereabouts, rows> g_rows{};

Whereabouts& row_of(std::int32_t thread, std::size_t i) noexcept {
  return g_rows[(static_cast<std::size_t>(thread) + i) % rows];
}

}  // namespace

Whereabouts* claim_whereabouts(std::int32_t thread) noexcept {
  for (std::size_t i = 0; i < looked_at; ++i) {
    Whereabouts& row = row_of(thread, i);
    std::int32_t nobody = 0;
    if (!row.thread.compare_exchange_strong(nobody, thread, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
      continue;
    }
    return &row;
  }
  return nullptr;
}

void release_whereabouts(Whereabouts* row) noexcept {
  if (row == nullptr) return;
  row->cpu.store(-1, std::memory_order_relaxed);
  row->home.store(-1, std::memory_order_relaxed);
  // release: whoever claims it next finds it empty.
  row->thread.store(0, std::memory_order_release);
}

const Whereabouts* find_whereabouts(std::int32_t thread) noexcept {
  for (std::size_t i = 0; i < looked_at; ++i) {
    const Whereabouts& row = row_of(thread, i);
    if (row.thread.load(std::memory_order_relaxed) == thread) return &row;
  }
  return nullptr;
}

void forget_whereabouts() noexcept {
  for (Whereabouts& row : g_rows) {
    if (row.thread.load(std::memory_order_relaxed) != 0) release_whereabouts(&row);
  }
}

}  // namespace lares::memory
