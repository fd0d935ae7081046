// The table of policies by name, and the words that users write to choose among them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "policy/policy.hpp"

namespace lares::policy {

/// One row of the table: what `lares policies` prints and how an object is made.
template <class Policy>
struct Entry {
  std::string_view name;     ///< as users write it: "writer-domain"
  std::string_view paper;    ///< the paper's name for it, or "" if ours: "pNumaW"
  std::string_view source;   ///< "Virouleau 2016, 3.3" or "Lares"
  std::string_view summary;  ///< one line for people
  std::unique_ptr<Policy> (*make)();
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

/// Reads `PRESET`, or `key=value` pairs with keys distribution, push, steal, or a preset followed by
/// pairs that change parts of it ("virouleau,steal=nearest"); commas between. Parts not named come
/// from `auto`, which depends on the number of domains. An error names the wrong word and lists
/// the accepted ones.
Result<Choice> parse_choice(std::string_view text, std::size_t domain_count);

/// The canonical text of a choice; parse_choice of it gives an equal choice.
std::string to_string(const Choice& choice);

}  // namespace lares::policy
