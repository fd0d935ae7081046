// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "lab/plugin/address_map.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace lares::lab::counting {
namespace {

constexpr std::uint64_t chunk_bytes = line_bytes << Homes::chunk_shift;
/// The most lines that a Line can number: 256 GiB of memory, less one chunk.
constexpr std::uint64_t max_chunks = (std::uint64_t{1} << (32 - Homes::chunk_shift)) - 1;

std::uint64_t chunks_of(std::uint64_t bytes) {
  return bytes / chunk_bytes + (bytes % chunk_bytes == 0 ? 0 : 1);
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace

std::optional<AddressMap::Range> AddressMap::parse_line(std::string_view line) {
  std::array<std::uint64_t, 3> numbers{};
  for (std::uint64_t& number : numbers) {
    line = without_blanks(line);
    const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (failure != std::errc{}) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (!line.empty() && line.front() != ' ' && line.front() != '\t') return std::nullopt;
  }
  if (!without_blanks(line).empty() || numbers[2] > UINT32_MAX) return std::nullopt;
  return Range{numbers[0], numbers[1], static_cast<Node>(numbers[2]), 0};
}

std::optional<AddressMap> AddressMap::parse(std::string_view text, Node nodes,
                                            std::string& sentence) {
  AddressMap map;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = without_blanks(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto range = parse_line(line);
    if (!range) {
      sentence = "line " + std::to_string(number) +
                 " of the address map is not \"START LENGTH NODE\" in decimal numbers";
      return std::nullopt;
    }
    map.ranges_.push_back(*range);
  }
  sentence = map.arrange(nodes);
  if (!sentence.empty()) return std::nullopt;
  return map;
}

std::string AddressMap::arrange(Node nodes) {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  std::uint64_t chunks = 0;
  std::uint64_t end = 0;
  for (Range& range : ranges_) {
    const std::string where = "the address map's range at " + std::to_string(range.first) + " (" +
                              std::to_string(range.bytes) + " bytes, node " +
                              std::to_string(range.node) + ") ";
    if (range.node >= nodes) {
      return where + "names a node that is not below " + std::to_string(nodes);
    }
    if (range.bytes == 0 || range.bytes % page_bytes != 0 || range.first % page_bytes != 0) {
      return where + "is not of whole pages";
    }
    if (range.first < end) return where + "overlaps another";
    if (range.bytes > UINT64_MAX - range.first) return where + "ends beyond all addresses";
    end = range.first + range.bytes;
    if (chunks_of(range.bytes) > max_chunks - chunks) {
      return "the address map has more than 256 GiB of memory, which is more than can be counted";
    }
    range.first_line = static_cast<Line>(chunks << Homes::chunk_shift);
    chunks += chunks_of(range.bytes);
  }
  return ranges_.empty() ? "the address map is empty" : "";
}

Line AddressMap::line_of(std::uint64_t address) const noexcept {
  for (const Range& range : ranges_) {
    if (address - range.first < range.bytes) {
      return range.first_line + static_cast<Line>((address - range.first) / line_bytes);
    }
  }
  return no_line;
}

Homes AddressMap::homes() const {
  Homes homes;
  for (const Range& range : ranges_) {
    homes.node_of_chunk.insert(homes.node_of_chunk.end(), chunks_of(range.bytes), range.node);
  }
  return homes;
}

}  // namespace lares::lab::counting
