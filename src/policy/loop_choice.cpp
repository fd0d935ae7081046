#include "policy/loop_choice.hpp"

#include <charconv>
#include <iterator>

#include "policy/quoted.hpp"

namespace lares::policy {
namespace {

constexpr std::string_view steal_names[] = {"nearest", "most-loaded", "random"};

std::string_view take_word(std::string_view& rest) {
  const std::size_t comma = rest.find(',');
  const std::string_view word = rest.substr(0, comma);
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return word;
}

bool read_steal(std::string_view name, LoopSteal& steal) {
  for (std::size_t i = 0; i < std::size(steal_names); ++i) {
    if (name != steal_names[i]) continue;
    steal = static_cast<LoopSteal>(i);
    return true;
  }
  return false;
}

bool read_chunk(std::string_view digits, std::uint64_t& chunk) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), chunk);
  return error == std::errc{} && end == digits.data() + digits.size() && chunk > 0;
}

}  // namespace

Result<LoopChoice> parse_loops(std::string_view text, std::size_t domains) {
  std::string_view rest = text;
  const std::string_view who = take_word(rest);
  LoopChoice choice;
  if (who == "stock" && text == who) return choice;
  if (who != "numa" && who != "auto") {
    return Error{"unknown scheduler of loops " + quoted(text) +
                 ", accepted are stock, auto and numa, the latter two with "
                 ",steal=nearest|most-loaded|random, ,chunk=N and ,moldable"};
  }
  choice.numa = who == "numa" || domains > 1;
  while (text.ends_with(',') || !rest.empty()) {
    const std::string_view word = take_word(rest);
    constexpr std::string_view steal = "steal=";
    constexpr std::string_view chunk = "chunk=";
    if (word == "moldable") {
      choice.moldable = true;
      continue;
    }
    if (word.starts_with(steal)) {
      if (read_steal(word.substr(steal.size()), choice.steal)) continue;
      return Error{quoted(word) + " is no way to steal, accepted are nearest, most-loaded, random"};
    }
    if (word.starts_with(chunk)) {
      if (read_chunk(word.substr(chunk.size()), choice.chunk)) continue;
      return Error{quoted(word) + " is no size of a chunk, accepted are whole numbers from 1"};
    }
    return Error{"unknown setting of loops " + quoted(word) +
                 ", accepted are steal=nearest|most-loaded|random, chunk=N and moldable"};
  }
  return choice;
}

std::string to_string(const LoopChoice& choice) {
  if (!choice.numa) return "stock";
  std::string text = "numa,steal=";
  text += steal_names[static_cast<std::size_t>(choice.steal)];
  if (choice.moldable) text += ",moldable";
  if (choice.chunk > 0) text += ",chunk=" + std::to_string(choice.chunk);
  return text;
}

}  // namespace lares::policy
