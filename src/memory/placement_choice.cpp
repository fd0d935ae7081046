#include "memory/placement_choice.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace lares::memory {
namespace {

constexpr std::uint64_t least_block = 4096;
constexpr std::uint64_t most_sweeps = 1'000'000'000;

std::optional<std::uint64_t> number(std::string_view text, std::string_view& rest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<std::uint64_t> size_of(std::string_view text) {
  std::string_view unit;
  const auto value = number(text, unit);
  if (!value || unit.size() > 1) return std::nullopt;
  constexpr std::string_view units = "KMG";
  const std::size_t at = unit.empty() ? 0 : units.find(unit[0]) + 1;
  if (!unit.empty() && at == 0) return std::nullopt;  // npos + 1
  const unsigned shift = 10 * static_cast<unsigned>(at);
  if (*value > UINT64_MAX >> shift) return std::nullopt;
  return *value << shift;
}

PlacementChoice of(PlacementKind kind) {
  PlacementChoice choice;
  choice.kind = kind;
  return choice;
}

Result<PlacementChoice> cyclic(std::string_view size) {
  const auto block = size_of(size);
  if (block && *block >= least_block) {
    PlacementChoice choice = of(PlacementKind::cyclic);
    choice.block = Bytes{*block};
    return choice;
  }
  return Error{"unknown size \"" + std::string(size) +
               "\" of cyclic, accepted are 4K and more, such as cyclic:64K or cyclic:2M"};
}

/// How often something comes, of a kind that is told so.
Result<double> times(std::string_view text, const char* what, const char* kind) {
  std::string_view rest;
  const auto count = number(text, rest);
  if (count && rest.empty() && *count >= 1 && *count <= most_sweeps) {
    return static_cast<double>(*count);
  }
  return Error{"unknown number of " + std::string(what) + " \"" + std::string(text) + "\" of " +
               kind + ", accepted are 1 to 1000000000"};
}

Result<PlacementChoice> repair(std::string_view text) {
  const auto sweeps = times(text, "sweeps", "repair");
  if (!sweeps) return sweeps.error();
  PlacementChoice choice = of(PlacementKind::repair);
  choice.sweeps = sweeps.value();
  return choice;
}

Result<PlacementChoice> follow(std::string_view text) {
  const auto turns = times(text, "turns", "follow");
  if (!turns) return turns.error();
  PlacementChoice choice = of(PlacementKind::follow);
  choice.turns = turns.value();
  return choice;
}

}  // namespace

Result<PlacementChoice> parse_placement(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const bool has_value = colon < text.size();
  const std::string_view value = has_value ? text.substr(colon + 1) : std::string_view();
  if (name == "cyclic") return cyclic(value);
  if (name == "repair" && has_value) return repair(value);
  if (name == "follow" && has_value) return follow(value);
  if (!has_value) {
    if (name == "first-touch") return PlacementChoice{};
    if (name == "bring") return of(PlacementKind::bring);
    if (name == "interleave") return of(PlacementKind::interleave);
    if (name == "blocked") return of(PlacementKind::blocked);
    if (name == "repair") return of(PlacementKind::repair);
    if (name == "follow") return of(PlacementKind::follow);
  }
  return Error{"unknown placement \"" + std::string(text) +
               "\", accepted are bring, first-touch, interleave, cyclic:SIZE, blocked, "
               "repair, repair:SWEEPS, follow and follow:TURNS"};
}

}  // namespace lares::memory
