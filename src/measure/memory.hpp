// Memory on chosen NUMA nodes, for measuring.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::measure {

/// A mapping that is given back at the end. Its pages appear where its policy says when they are
/// first written. Movable; one owner.
class Memory {
 public:
  /// On `node`, or, if that is invalid, wherever the first touch puts it. Huge pages are asked for
  /// if `huge`. Errors: out of address space, a node that does not exist or is not allowed.
  static Result<Memory> on_node(Bytes size, OsNode node, bool huge = true);
  /// Page by page over `nodes`. One node, or none, is the same as on_node.
  static Result<Memory> interleaved(Bytes size, std::span<const OsNode> nodes);

  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] Bytes size() const noexcept { return size_; }

 private:
  Memory(std::byte* data, Bytes size) : data_(data), size_(size) {}

  std::byte* data_;
  Bytes size_;
};

/// Moves the pages at `addresses` to `node` by one move_pages call. The number that arrived; an
/// error if the kernel refused the call.
Result<std::size_t> move_to(std::span<void* const> addresses, OsNode node);

/// The size of a page.
Bytes page_size();

}  // namespace lares::measure
