// What `lares run --explain` tells of each construct that made tasks: how their data was located,
// and whether they met it at home, at first and later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/explain_format.hpp"

namespace lares::analysis {

/// One construct, of all processes together.
struct Construct {
  std::string file;          ///< path of the file that has its code; "" if unknown
  std::uint64_t offset = 0;  ///< of the code in that file's image
  std::string place;  ///< for people: where it is in the source, or what its function is called
  std::uint64_t tasks = 0;
  std::array<std::uint64_t, runtime::located_kinds> located{};  ///< tasks, by runtime::Located
  std::array<std::uint64_t, runtime::ConstructRow::windows> known{};    ///< see ConstructRow
  std::array<std::uint64_t, runtime::ConstructRow::windows> at_home{};  ///< likewise

  /// By what the home of most of its tasks was known.
  [[nodiscard]] runtime::Located mostly_by() const noexcept;
  /// The share of those.
  [[nodiscard]] double share_of_most() const noexcept;
  /// Of the tasks whose home was known: the share that ran there, of about the first eighth of all
  /// and of more than the last half; nothing where no home was known.
  [[nodiscard]] std::optional<double> home_share_at_first() const noexcept;
  [[nodiscard]] std::optional<double> home_share_later() const noexcept;

 private:
  [[nodiscard]] std::size_t last_window() const noexcept;
  [[nodiscard]] std::optional<double> home_share(std::size_t begin, std::size_t end) const noexcept;
};

struct Explanation {
  std::vector<Construct> constructs;  ///< those with most tasks first
  std::uint64_t left_out = 0;         ///< tasks of constructs beyond the most that are counted
};

/// Reads such a file (runtime/explain_format.hpp) from its bytes. Any bytes are allowed; paths come
/// out printable.
Result<std::vector<Construct>> parse_constructs(std::span<const std::byte> bytes,
                                                std::uint64_t* left_out);

/// Every `explain.<pid>` of a session's folder, the same construct of several processes added up.
/// What is damaged is left out.
Explanation read_explanation(const std::string& folder);

/// Words for people: "depend or affinity", ...
const char* to_words(runtime::Located located) noexcept;

/// A table, each line starting with "lares: "; empty if there is nothing to tell.
std::vector<std::string> explanation_text(const Explanation& explanation);

}  // namespace lares::analysis
