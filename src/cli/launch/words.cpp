#include "cli/launch/words.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace lares::cli {
namespace {

constexpr char mark = '=';  // no option starts with it, and CLI11 gives it no meaning

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// How many of the words after `word` are its values; nothing if `run` has no such option.
std::optional<std::size_t> values_of(const CLI::App& run, const std::string& word) {
  const std::size_t equals = word.find('=');
  const CLI::Option* option = run.get_option_no_throw(word.substr(0, equals));
  if (option == nullptr) return std::nullopt;
  const auto expected = static_cast<std::size_t>(std::max(option->get_items_expected_max(), 0));
  return equals != std::string::npos && expected > 0 ? expected - 1 : expected;
}

/// Where the program starts, counting a `--` before it as its start; words.size() if nowhere.
std::size_t program_start(const CLI::App& run, const std::vector<std::string>& words) {
  std::size_t at = 1;
  while (at < words.size() && is_option(words[at]) && words[at] != "--") {
    const auto values = values_of(run, words[at]);
    if (!values) return words.size();  // the parser will name the unknown option
    ++at;
    for (std::size_t i = 0; i < *values && at < words.size() && words[at] != "--"; ++i) ++at;
  }
  return at;
}

}  // namespace

std::vector<std::string> protect_program(const CLI::App& run, std::vector<std::string> words) {
  if (words.empty() || words.front() != run.get_name()) return words;
  std::size_t at = program_start(run, words);
  if (at == words.size()) return words;
  if (words[at] != "--") words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), "--");
  for (++at; at < words.size(); ++at) words[at].insert(0, 1, mark);
  return words;
}

std::vector<std::string> protect_programs(const CLI::App& app, std::vector<std::string> words) {
  const std::string command = words.empty() ? std::string() : words.front();
  const auto found = app.get_subcommands(
      [&command](const CLI::App* known) { return known->get_name() == command; });
  if (found.empty()) return words;
  if (command == "run") return protect_program(*found.front(), std::move(words));
  if (command != "lab") return words;
  words.erase(words.begin());
  words = protect_program(*found.front()->get_subcommand("run"), std::move(words));
  words.insert(words.begin(), command);
  return words;
}

std::vector<std::string> unprotect_program(std::vector<std::string> words) {
  for (std::string& word : words) {
    if (!word.empty() && word.front() == mark) word.erase(0, 1);
  }
  return words;
}

}  // namespace lares::cli
