// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Which node's memory an address of QEMU's is in, and the number of its line.
//
// The host writes the map to a file before it lets the guest's program start. Text, one range a
// line: its first address, its length in bytes, and its node, as decimal numbers with blanks
// between them. Addresses are what qemu_plugin_hwaddr_phys_addr() answers, and of QEMU 7.2 that is
// not the guest's physical address. Empty lines and what follows a # are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/plugin/cache_model.hpp"
#include "lab/plugin/line.hpp"

namespace lares::lab::counting {

/// An immutable value. Thread safety: any thread.
class AddressMap {
 public:
  /// A map of no address.
  AddressMap() = default;
  /// Reads the file's text. On a mistake `sentence` says which, and there is no map.
  /// Nodes are below `nodes`; ranges are of whole pages, not empty, and do not overlap.
  static std::optional<AddressMap> parse(std::string_view text, Node nodes, std::string& sentence);

  /// The line that an address is in, or no_line if it is in no range.
  [[nodiscard]] Line line_of(std::uint64_t address) const noexcept;
  [[nodiscard]] Homes homes() const;

 private:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;
    Node node = 0;
    Line first_line = 0;  ///< a multiple of a chunk
  };
  static std::optional<Range> parse_line(std::string_view line);
  [[nodiscard]] std::string arrange(Node nodes);

  std::vector<Range> ranges_;  // by first
};

}  // namespace lares::lab::counting
