// Colours for tables of counts.
#pragma once

#include <fmt/format.h>

#include <string>

namespace lares::lab {

/// `text` between the terminal's escape for `code` ("1" bold, "31" red, ...) and its end; the text
/// itself if `colour` is false or `code` is empty.
inline std::string painted(std::string text, const char* code, bool colour) {
  if (!colour || *code == '\0') return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace lares::lab
