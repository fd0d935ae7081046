// Words of a trace, as other tools can read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/trace.hpp"

namespace lares::trace {

/// `text` as UTF-8 (RFC 3629) without control characters but tab and line feed: each byte that is
/// none, and each control character, becomes U+FFFD. A terminal that shows it obeys nothing in it.
std::string clean_text(std::string_view text);

/// A string of JSON (RFC 8259) with its quotes, of clean_text(text). What ends a script in HTML is
/// escaped, too.
std::string json_string(std::string_view text);

/// A field of a CSV file, quoted where it must be (RFC 4180), of clean_text(text).
std::string csv_text(std::string_view text);

/// A construct's place in its parts: "solver.c:42 sweep" is line 42 of solver.c, and `name` is all
/// of it. Without a line, `file` is "" and `line` 0.
struct SourcePlace {
  std::string name;  ///< clean_text
  std::string file;
  std::uint32_t line = 0;
};
SourcePlace source_place(const Construct& construct);

/// The name of a grain's construct; "unknown construct" where none is known. Not cleaned.
std::string_view construct_name(const Trace& trace, Index construct) noexcept;

/// "unknown", "data", "name", "series", "loop", "argument".
const char* to_words(runtime::Located located) noexcept;

/// The command as one line: its words with blanks between. Not cleaned.
std::string command_line(const About& about);

}  // namespace lares::trace
