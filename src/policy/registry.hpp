// The table of policies by name, and the words that users write to choose among them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "policy/policy.hpp"

namespace lares::policy {

/// How far a steal policy's rounds reach, over time, among the places of one kind: to none of
/// them, only to those that belong to the asking worker (its own, or its domain's), or to all.
enum class Reach : std::uint8_t { none, own, all };

/// What a policy has to do with the places of each kind; tells which policies fit together.
template <class Policy>
struct PlaceRole {};

/// The kinds of places that a push fills.
template <>
struct PlaceRole<Push> {
  bool workers = false;
  bool domains = false;
  bool root = false;
};

/// The places that a steal visits. Workers' places are always drained by their owners, so there
/// `own` is the least.
template <>
struct PlaceRole<Steal> {
  Reach workers = Reach::own;
  Reach domains = Reach::none;
  Reach root = Reach::none;
};

/// One row of the table: what `lares policies` prints and how an object is made.
template <class Policy>
struct Entry {
  std::string_view name;     ///< as users write it: "writer-domain"
  std::string_view paper;    ///< the paper's name for it, or "" if ours: "pNumaW"
  std::string_view source;   ///< "Virouleau 2016, 3.3" or "Lares"
  std::string_view summary;  ///< one line for people
  PlaceRole<Policy> places{};
  std::unique_ptr<Policy> (*make)() = nullptr;
};

/// A preset names one of each.
struct Preset {
  std::string_view name;
  std::string_view source;
  std::string_view summary;
  std::string_view distribution;
  std::string_view push;
  std::string_view steal;
};

std::span<const Entry<Distribution>> distributions() noexcept;
std::span<const Entry<Push>> pushes() noexcept;
std::span<const Entry<Steal>> steals() noexcept;
std::span<const Preset> presets() noexcept;

/// A complete choice. The pointers point into the tables above and live for ever.
struct Choice {
  std::string_view preset;  ///< "" if any part was named on its own
  const Entry<Distribution>* distribution = nullptr;
  const Entry<Push>* push = nullptr;
  const Entry<Steal>* steal = nullptr;
  bool operator==(const Choice&) const = default;
};

/// How well a push and a steal go together.
enum class Fit : std::uint8_t {
  balanced,    ///< any worker may get any task
  unbalanced,  ///< some tasks can only be run by one worker, or by one domain's workers
  excluded,    ///< some tasks would enter a place that nobody visits
};

/// "balanced", "unbalanced", "excluded".
std::string_view to_string(Fit fit) noexcept;
Fit fit(const Entry<Push>& push, const Entry<Steal>& steal) noexcept;

/// True if the choice asks where a task's data is: its push goes by data, or its distribution has a
/// say about data without a home. Precondition: all parts are set.
bool wants_homes(const Choice& choice);

/// Nothing if the choice can run every task and asks each of its parts; else a sentence that names
/// the parts that exclude each other and what goes with that push. Precondition: all parts are set.
std::optional<Error> check(const Choice& choice);

/// Reads `PRESET`, or `key=value` pairs with keys distribution, push, steal, or a preset followed
/// by pairs that change parts of it ("virouleau,steal=nearest"); commas between. Parts not named
/// come from `auto`, which depends on the number of domains; but a push that does not go by data
/// gets first-touch unless a distribution or a preset is named with it. The papers' names
/// ("pNumaW") are accepted too. An error names the wrong word and lists the accepted ones; choices
/// that `check` refuses are errors.
Result<Choice> parse_choice(std::string_view text, std::size_t domain_count);

/// The canonical text of a choice: the preset's name, or all three parts. parse_choice of it, for
/// the same number of domains, gives an equal choice.
std::string to_string(const Choice& choice);

/// For people: the parts of a choice, after the preset's name if there is one.
std::string describe(const Choice& choice);

}  // namespace lares::policy
