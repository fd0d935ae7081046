#include "runtime/explain.hpp"

#include <algorithm>
#include <bit>

#include "runtime/code_place.hpp"

namespace lares::runtime::explain {

std::atomic<ExplainFile*> g_file{nullptr};

namespace {

CodeOf g_code_of = nullptr;  // before g_file, which publishes it

void name_code(ConstructRow& row, std::uintptr_t code) noexcept {
  row.offset = place_of_code(code, row.file);
  row.ready.store(1, std::memory_order_release);
}

// The construct's row, taken if need be; null if there are too many.
ConstructRow* row_of(ExplainFile& file, std::uintptr_t code) noexcept {
  constexpr std::size_t most_looks = 32;
  const std::size_t first = (code * 0x9E3779B97F4A7C15ULL) >> 56U;
  static_assert(ExplainFile::most_rows == 256);
  for (std::size_t i = 0; i < most_looks; ++i) {
    ConstructRow& row = file.rows[(first + i) % ExplainFile::most_rows];
    std::uint64_t taken = row.taken.load(std::memory_order_relaxed);
    if (taken == code) return &row;
    if (taken != 0) continue;
    if (row.taken.compare_exchange_strong(taken, code, std::memory_order_relaxed)) {
      name_code(row, code);
      return &row;
    }
    if (taken == code) return &row;
  }
  return nullptr;
}

}  // namespace

void begin(ExplainFile& file, CodeOf code_of) noexcept {
  g_code_of = code_of;
  g_file.store(&file, std::memory_order_release);
}

void ran(const Task& task, DomainId domain) noexcept {
  ExplainFile* const file = g_file.load(std::memory_order_acquire);
  if (file == nullptr) return;
  ConstructRow* const row = row_of(*file, g_code_of(task));
  if (row == nullptr) {
    file->left_out.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::uint64_t number = row->tasks.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool is_known = task.home.valid();
  const Located located = is_known ? task.located : Located::unknown;
  row->located[static_cast<std::size_t>(located)].fetch_add(1, std::memory_order_relaxed);
  if (!is_known) return;
  const std::size_t window =
      std::min(static_cast<std::size_t>(std::bit_width(number)) - 1, ConstructRow::windows - 1);
  row->known[window].fetch_add(1, std::memory_order_relaxed);
  if (task.home == domain) row->at_home[window].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace lares::runtime::explain
