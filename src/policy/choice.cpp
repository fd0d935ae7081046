// Reads and writes the words by which users choose policies.
#include <algorithm>
#include <array>
#include <utility>

#include "policy/quoted.hpp"
#include "policy/registry.hpp"

namespace lares::policy {
namespace {

// What `auto` means where there is nothing to choose between.
constexpr Preset auto_of_one_domain{.name = "auto",
                                    .source = "Lares",
                                    .summary = "",
                                    .distribution = "first-touch",
                                    .push = "local",
                                    .steal = "nearest"};

constexpr std::string_view forms = "PRESET, or KEY=NAME pairs with commas between";

template <class Row>
const Row* find(std::span<const Row> rows, std::string_view name) noexcept {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

template <class Policy>
const Entry<Policy>* find_entry(std::span<const Entry<Policy>> rows,
                                std::string_view name) noexcept {
  if (const auto* entry = find(rows, name); entry != nullptr) return entry;
  for (const Entry<Policy>& row : rows) {
    if (!row.paper.empty() && row.paper == name) return &row;
  }
  return nullptr;
}

template <class Row>
std::string names(std::span<const Row> rows) {
  std::string list;
  for (const Row& row : rows) {
    if (!list.empty()) list += ", ";
    list += row.name;
  }
  return list;
}

template <class... Parts>
Error error(const Parts&... parts) {
  Error result;
  ((result.sentence += parts), ...);
  return result;
}

/// "; did you mean steal=nearest" if the word is the name of a policy and lacks its key.
std::string missing_key(std::string_view word) {
  std::array<std::string_view, 3> keys{};
  std::size_t count = 0;
  if (find_entry(distributions(), word) != nullptr) keys[count++] = "distribution=";
  if (find_entry(pushes(), word) != nullptr) keys[count++] = "push=";
  if (find_entry(steals(), word) != nullptr) keys[count++] = "steal=";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += i == 0 ? "; did you mean " : " or ";
    text += keys[i];
    text += word;
  }
  return text;
}

class Parser {
 public:
  explicit Parser(std::string_view text) noexcept : text_(text) {}

  Result<Choice> parse(std::size_t domain_count) {
    std::size_t begin = 0;
    while (begin <= text_.size()) {
      const std::size_t end = std::min(text_.find(',', begin), text_.size());
      if (auto problem = read(text_.substr(begin, end - begin), begin == 0)) {
        return *std::move(problem);
      }
      begin = end + 1;
    }
    fill(domain_count);
    if (auto problem = check(choice_)) return *std::move(problem);
    return choice_;
  }

 private:
  std::optional<Error> read(std::string_view word, bool first) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return read_preset(word, first);
    const std::string_view key = word.substr(0, equals);
    const std::string_view name = word.substr(equals + 1);
    if (key == "distribution") return read_part(key, name, distributions(), choice_.distribution);
    if (key == "push") return read_part(key, name, pushes(), choice_.push);
    if (key == "steal") return read_part(key, name, steals(), choice_.steal);
    return error("unknown key ", quoted(key), in_policy(),
                 ": accepted are distribution, push, steal");
  }

  std::optional<Error> read_preset(std::string_view word, bool first) {
    const Preset* preset = find(presets(), word);
    if (preset == nullptr && word.empty()) {
      return error("empty word \"\"", in_policy(), ": accepted are ", forms, "; presets are ",
                   names(presets()));
    }
    if (preset == nullptr) {
      return error("unknown preset ", quoted(word), in_policy(), ": accepted are ",
                   names(presets()), missing_key(word));
    }
    if (!first) {
      return error("preset ", quoted(word), in_policy(),
                   " must be the first word: accepted after the first are distribution=NAME, "
                   "push=NAME, steal=NAME");
    }
    preset_ = preset;
    return std::nullopt;
  }

  template <class Policy>
  std::optional<Error> read_part(std::string_view key, std::string_view name,
                                 std::span<const Entry<Policy>> rows, const Entry<Policy>*& part) {
    const Entry<Policy>* entry = find_entry(rows, name);
    if (entry == nullptr) {
      return error("unknown ", key, " ", quoted(name), in_policy(), ": accepted are ", names(rows));
    }
    if (part != nullptr) {
      return error(key, " is given twice", in_policy(), ", as ", part->name, " and as ",
                   entry->name, ": accepted is one ", key, "=NAME");
    }
    part = entry;
    return std::nullopt;
  }

  void fill(std::size_t domain_count) {
    const bool whole =
        choice_.distribution == nullptr && choice_.push == nullptr && choice_.steal == nullptr;
    const Preset& automatic = domain_count > 1 ? *find(presets(), "auto") : auto_of_one_domain;
    const bool is_auto = preset_ == nullptr || preset_->name == automatic.name;
    const Preset& base = is_auto ? automatic : *preset_;
    if (whole) choice_.preset = find(presets(), base.name)->name;
    if (choice_.push == nullptr) choice_.push = find(pushes(), base.push);
    if (choice_.distribution == nullptr) {
      // Whoever names a push that does not go by data has not asked for its data to be dealt out.
      const bool asked_for = !is_auto || choice_.push->make()->uses_data();
      choice_.distribution =
          find(distributions(), asked_for ? base.distribution : std::string_view("first-touch"));
    }
    if (choice_.steal == nullptr) choice_.steal = find(steals(), base.steal);
  }

  [[nodiscard]] std::string in_policy() const { return " in policy " + quoted(text_); }

  std::string_view text_;
  const Preset* preset_ = nullptr;
  Choice choice_;
};

std::string parts_of(const Choice& choice) {
  std::string text = "distribution=";
  text += choice.distribution->name;
  text += ",push=";
  text += choice.push->name;
  text += ",steal=";
  text += choice.steal->name;
  return text;
}

}  // namespace

Result<Choice> parse_choice(std::string_view text, std::size_t domain_count) {
  return Parser(text).parse(domain_count);
}

std::string to_string(const Choice& choice) {
  return choice.preset.empty() ? parts_of(choice) : std::string(choice.preset);
}

std::string describe(const Choice& choice) {
  if (choice.preset.empty()) return parts_of(choice);
  return std::string(choice.preset) + " (" + parts_of(choice) + ")";
}

}  // namespace lares::policy
