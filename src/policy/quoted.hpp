// A user's word for an error message.
#pragma once

#include <string>
#include <string_view>

namespace lares::policy {

/// Never long, never with control characters.
inline std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 60;
  std::string text = "\"";
  for (const char c : word.substr(0, longest)) text += c >= ' ' && c < '\x7f' && c != '"' ? c : '?';
  if (word.size() > longest) text += "...";
  text += "\"";
  return text;
}

}  // namespace lares::policy
