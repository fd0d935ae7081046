// Pieces of text files.
#pragma once

#include <string_view>

namespace lares::lab {

/// The text without spaces and tabs at its ends.
inline std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace lares::lab
