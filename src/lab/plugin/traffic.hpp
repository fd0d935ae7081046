// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// What is counted: kinds of events, and matrices of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/plugin/line.hpp"

namespace lares::lab::counting {

/// What a vCPU's access made a cache line do. Its row is always the node of that vCPU.
enum class Kind : std::uint8_t {
  read,        ///< fetched from memory for a load; column: the memory's node
  written,     ///< fetched from memory for a store (read for ownership); column: the memory's node
  write_back,  ///< written to memory, when a dirty line had to go; column: the memory's node
  transfer,  ///< fetched from the cache that owns it, newer than memory; column: that cache's node
  l3_hit,    ///< found within the vCPU's own shared cache; column: the memory's node
  upgrade,   ///< held, and other caches' copies made invalid to write; column: the memory's node
};
inline constexpr std::size_t kinds = 6;
/// As the result's file names them.
inline constexpr std::array<const char*, kinds> kind_names = {"read",     "written", "write_back",
                                                              "transfer", "l3_hit",  "upgrade"};

/// A matrix of each kind, [row: node of the vCPU][column: see Kind].
class Traffic {
 public:
  explicit Traffic(Node nodes) : nodes_(nodes), cells_(kinds * nodes * nodes) {}

  [[nodiscard]] Node nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint64_t& at(Kind kind, Node row, Node column) noexcept {
    return cells_[index(kind, row, column)];
  }
  [[nodiscard]] std::uint64_t at(Kind kind, Node row, Node column) const noexcept {
    return cells_[index(kind, row, column)];
  }
  /// Of all cells of a kind.
  [[nodiscard]] std::uint64_t sum(Kind kind) const noexcept {
    std::uint64_t total = 0;
    for (Node row = 0; row < nodes_; ++row) {
      for (Node column = 0; column < nodes_; ++column) total += at(kind, row, column);
    }
    return total;
  }
  /// Cell by cell. Precondition: as many nodes.
  Traffic& operator+=(const Traffic& other) noexcept {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += other.cells_[i];
    return *this;
  }
  Traffic& operator-=(const Traffic& other) noexcept {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] -= other.cells_[i];
    return *this;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;

 private:
  [[nodiscard]] std::size_t index(Kind kind, Node row, Node column) const noexcept {
    return (static_cast<std::size_t>(kind) * nodes_ + row) * nodes_ + column;
  }

  Node nodes_;
  std::vector<std::uint64_t> cells_;
};

}  // namespace lares::lab::counting
