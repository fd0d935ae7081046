#include "lab/counts/counter.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <vector>

#include "lab/counts/counts.hpp"

namespace lares::lab {
namespace {

// Those of the counter's model (plugin/cache_model.hpp, which is under another licence): 8 ways for
// an L2, 16 for an L3, and sets that are a multiple of a page's 64 lines.
constexpr Bytes l2_unit{32 * kibibyte.count};
constexpr Bytes l3_unit{64 * kibibyte.count};
constexpr Bytes largest_cache{4 * gibibyte.count};

std::optional<Error> check_cache(const char* name, Bytes size, Bytes unit) {
  if (size.count % unit.count == 0 && size <= largest_cache) return std::nullopt;
  return Error{
      fmt::format("--cache: an {} of {} bytes cannot be counted; accepted are multiples of {} "
                  "KiB up to {} GiB",
                  name, size.count, unit.count >> 10U, largest_cache.count >> 30U)};
}

std::optional<Error> check_caches(const GuestCaches& caches) {
  if (caches.l2.count == 0) return Error{"--cache: counting needs an L2, so its size cannot be 0"};
  if (auto problem = check_cache("L2", caches.l2, l2_unit)) return problem;
  return check_cache("L3", caches.l3, l3_unit);
}

/// A comma ends a value in QEMU's arguments, two commas are one.
std::string doubled_commas(const std::string& text) {
  std::string result;
  for (const char c : text) result.append(c == ',' ? 2 : 1, c);
  return result;
}

template <class Field>
std::string joined(const Guest& guest, Field field) {
  std::string text;
  for (const GuestNode& node : guest.nodes) {
    text += (text.empty() ? "" : ":") + std::to_string(node.*field);
  }
  return text;
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Where a block begins, from lines like "m0 4 KiB 0x0 0x8000000 0x8000000" below a headline.
std::optional<std::uint64_t> offset_of(std::string_view ram_blocks, const std::string& name) {
  std::istringstream lines{std::string(ram_blocks)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string block;
    std::string page_size;
    std::string unit;
    std::string offset;
    words >> block >> page_size >> unit >> offset;
    if (block == name || block == "/objects/" + name) return hexadecimal(offset);
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> counter_argument(const Guest& guest, const CounterFiles& files) {
  if (auto problem = check_caches(guest.caches)) return *problem;
  return fmt::format("{},cpus={},packages={},l2={},l3={},l3-per={},map={},result={}",
                     doubled_commas(files.plugin), joined(guest, &GuestNode::cpus),
                     joined(guest, &GuestNode::package), guest.caches.l2.count,
                     guest.caches.l3.count, guest.caches.l3_per_package ? "package" : "node",
                     doubled_commas(files.map), doubled_commas(files.result));
}

// QEMU 7.2's plugins are told the sum of two places: the block's among all blocks, and the memory's
// among the nodes' memories, which follow each other.
Result<std::string> address_map(const Guest& guest, std::string_view ram_blocks) {
  std::string text;
  std::uint64_t before = 0;
  for (std::size_t node = 0; node < guest.nodes.size(); ++node) {
    const Bytes memory = guest.nodes[node].memory;
    if (memory.count == 0) continue;
    const auto offset = offset_of(ram_blocks, fmt::format("m{}", node));
    if (!offset) {
      return Error{
          fmt::format("QEMU did not say where the memory of node {} is, so accesses to it "
                      "cannot be counted",
                      node)};
    }
    text += fmt::format("{} {} {}\n", *offset + before, memory.count, node);
    before += memory.count;
  }
  return text;
}

std::optional<Error> check_version_for_counting(std::string_view version) {
  constexpr std::string_view wanted = " version 7.2";
  const auto at = version.find(wanted);
  if (at != std::string_view::npos) {
    const auto rest = version.substr(at + wanted.size());
    if (rest.empty() || rest.front() == '.' || rest.front() == ' ' || rest.front() == '\n') {
      return std::nullopt;
    }
  }
  return Error{fmt::format("--count needs QEMU 7.2, the one of Debian 12; this is \"{}\"",
                           version.substr(0, version.find('\n')))};
}

}  // namespace lares::lab
