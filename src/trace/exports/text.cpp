#include "trace/exports/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>

namespace lares::trace {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_continuation(unsigned char c) { return (c & 0xC0U) == 0x80U; }

/// The length of the character at `at`, 0 if the bytes there are none. By the table of RFC 3629,
/// section 4: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned char {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const unsigned char first = byte(0);
  const unsigned char second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return is_continuation(second) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned char least = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned char most = first == 0xED ? 0x9F : 0xBF;
    return second >= least && second <= most && is_continuation(byte(2)) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned char least = first == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xF4 ? 0x8F : 0xBF;
    const bool rest = is_continuation(byte(2)) && is_continuation(byte(3));
    return second >= least && second <= most && rest ? 4 : 0;
  }
  return 0;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1)
    return (first < 0x20 && first != '\t' && first != '\n') || first == 127;
  // C1 controls, U+0080 to U+009F: some terminals obey them.
  return character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    clean += length == 0 || is_control(character) ? replacement : character;
    at += character.size();
  }
  return clean;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : clean_text(text)) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (c == '<') {
      quoted += "\\u003c";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string csv_text(std::string_view text) {
  std::string clean = clean_text(text);
  if (clean.find_first_of(",\"\n") == std::string::npos) return clean;
  std::string quoted = "\"";
  for (const char c : clean) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

SourcePlace source_place(const Construct& construct) {
  SourcePlace place{clean_text(construct.place), "", 0};
  const std::size_t blank = place.name.find(' ');
  const std::string_view where = std::string_view(place.name).substr(0, blank);
  const std::size_t colon = where.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return place;
  const char* const end = where.data() + where.size();
  std::uint32_t line = 0;
  const auto [stop, error] = std::from_chars(where.data() + colon + 1, end, line);
  if (error != std::errc() || stop != end) return place;
  place.file = where.substr(0, colon);
  place.line = line;
  return place;
}

std::string_view construct_name(const Trace& trace, Index construct) noexcept {
  if (construct == none) return "unknown construct";
  return trace.constructs[construct].place;
}

const char* to_words(runtime::Located located) noexcept {
  switch (located) {
    case runtime::Located::data:
      return "data";
    case runtime::Located::name:
      return "name";
    case runtime::Located::series:
      return "series";
    case runtime::Located::loop:
      return "loop";
    case runtime::Located::argument:
      return "argument";
    case runtime::Located::unknown:
      break;
  }
  return "unknown";
}

std::string command_line(const About& about) {
  return fmt::format("{}", fmt::join(about.command, " "));
}

}  // namespace lares::trace
