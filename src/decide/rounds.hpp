// When several teams side by side have all begun the same work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lares::decide {

/// Teams that run the same code again and again, each at its own pace. A round is over when each
/// of them has begun it since the last round. Pure; one user at a time. O(rows) for each begin.
class Rounds {
 public:
  /// The team begins the work. True if that ends a round. Who does not come for `most_alone` begins
  /// of another is no part of it any more, until it comes again.
  bool begin(std::uintptr_t cause, std::uintptr_t team) noexcept {
    Row* const row = find(cause, team);
    if (row == nullptr) return true;
    ++row->begins;
    if (row->begins < most_alone && !have_all_begun(cause)) return false;
    end(cause);
    return true;
  }

  static constexpr std::uint32_t most_alone = 64;
  /// Of what finds no row, each begin is a round.
  static constexpr std::size_t rows = 1024;

 private:
  struct Row {
    std::uintptr_t cause = 0;
    std::uintptr_t team = 0;  ///< with `cause` 0: the row is free
    std::uint32_t begins = 0;
  };

  Row* find(std::uintptr_t cause, std::uintptr_t team) noexcept {
    Row* free = nullptr;
    for (std::size_t i = 0; i < used_; ++i) {
      Row& row = rows_[i];
      if (row.cause == cause && row.team == team) return &row;
      if (row.cause == 0 && free == nullptr) free = &row;
    }
    if (cause == 0) return nullptr;
    if (free == nullptr && used_ < rows) free = &rows_[used_++];
    if (free != nullptr) *free = {cause, team, 0};
    return free;
  }
  [[nodiscard]] bool have_all_begun(std::uintptr_t cause) const noexcept {
    for (std::size_t i = 0; i < used_; ++i) {
      if (rows_[i].cause == cause && rows_[i].begins == 0) return false;
    }
    return true;
  }
  void end(std::uintptr_t cause) noexcept {
    for (std::size_t i = 0; i < used_; ++i) {
      Row& row = rows_[i];
      if (row.cause != cause) continue;
      if (row.begins == 0) row.cause = 0;
      row.begins = 0;
    }
  }

  std::array<Row, rows> rows_{};
  std::size_t used_ = 0;  ///< rows that were ever used
};

}  // namespace lares::decide
