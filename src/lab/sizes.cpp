#include "lab/sizes.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace lares::lab {
namespace {

constexpr std::string_view letters = "KMGT";

Error refuse(std::string_view text, const char* why) {
  return {fmt::format("\"{}\" {}", text, why)};
}

/// The power of two that a unit stands for, or -1 if it is none.
int shift_of(std::string_view unit) {
  if (unit.empty() || unit == "B") return 0;
  const auto upper = static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front())));
  const std::size_t at = letters.find(upper);
  const std::string_view rest = unit.substr(1);
  const bool known = rest.empty() || rest == "B" || rest == "iB" || rest == "b" || rest == "ib";
  return at == std::string_view::npos || !known ? -1 : 10 * (static_cast<int>(at) + 1);
}

}  // namespace

Result<Bytes> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  const int shift = shift_of({stop, static_cast<std::size_t>(end - stop)});
  if (failure == std::errc::result_out_of_range ||
      (shift > 0 && number > (UINT64_MAX >> static_cast<unsigned>(shift)))) {
    return refuse(text, "is too large a size");
  }
  if (failure != std::errc{} || shift < 0) {
    return refuse(text, "is not a size, accepted is a number with K, M or G such as 256M");
  }
  return Bytes{number << static_cast<unsigned>(shift)};
}

std::string size_text(Bytes size) {
  std::uint64_t number = size.count;
  std::size_t unit = 0;
  while (number != 0 && number % 1024 == 0 && unit < letters.size()) {
    number /= 1024;
    ++unit;
  }
  return unit == 0 ? std::to_string(number) : std::to_string(number) + letters[unit - 1];
}

}  // namespace lares::lab
