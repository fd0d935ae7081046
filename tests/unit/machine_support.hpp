// Machines that several machine tests use.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "machine/discover.hpp"
#include "machine/machine.hpp"

namespace lares::machine::test {

/// Descriptions that hwloc reads; together they have every shape that matters.
inline const std::vector<std::string>& synthetic_machines() {
  static const std::vector<std::string> list = {
      "synthetic:pu:1",
      "synthetic:core:3 pu:2",
      "synthetic:pack:1 l2:2 core:1 pu:1",
      "synthetic:pack:2 [numa] l3:1 core:2 pu:1",
      "synthetic:pack:2 [numa] l3:2 core:4 pu:2",
      "synthetic:pack:2 group:2 [numa] l3:1 l2:2 core:2 pu:1",
      "synthetic:group:4 pack:4 [numa] core:8 pu:1",
      "synthetic:group:2 group:2 pack:2 [numa] l2:2 core:2 pu:1",
      "synthetic:[numa(memory=64GB)] pack:2 [numa(memory=16GB)] [numa(memory=8GB)] core:2 pu:1",
      "synthetic:pack:1 l3:1 numa:2 l2:2 core:1 pu:1",
      "synthetic:pack:24 [numa] l3:1 core:8 pu:1",
      "synthetic:pack:4 [numa] l3:4 l2:16 core:1 pu:1",
  };
  return list;
}

inline std::filesystem::path data_folder() {
  return std::filesystem::path(LARES_SOURCE_DIR) / "tests" / "data" / "machine";
}

inline std::vector<std::string> files_in(const std::filesystem::path& folder,
                                         std::string_view extension) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// All descriptions: synthetic ones, the XML files of the tests, and the examples that are shipped.
inline std::vector<std::string> all_machines() {
  std::vector<std::string> list = synthetic_machines();
  const auto examples = std::filesystem::path(LARES_SOURCE_DIR) / "machines";
  for (const auto& [folder, extension] :
       {std::pair(data_folder(), ".xml"), std::pair(examples, ".xml"),
        std::pair(examples, ".json")}) {
    const auto files = files_in(folder, extension);
    list.insert(list.end(), files.begin(), files.end());
  }
  return list;
}

/// The machine that `description` (as after --machine) stands for; fails the test if there is none.
inline Machine load(const std::string& description, std::optional<Level> level = std::nullopt) {
  auto machine = discover(parse_source(description), level);
  if (!machine) {
    ADD_FAILURE() << description << ": " << machine.error().sentence;
    return {};
  }
  return machine.value();
}

/// The sentence of a description that must not be accepted.
inline std::string refusal(const std::string& description,
                           std::optional<Level> level = std::nullopt) {
  const auto machine = discover(parse_source(description), level);
  return machine.ok() ? "(accepted)" : machine.error().sentence;
}

inline std::vector<std::int32_t> numbers(const std::vector<CoreId>& cores) {
  std::vector<std::int32_t> list;
  for (const CoreId core : cores) list.push_back(core.value());
  return list;
}

/// Every value of a machine that scheduling may ask for: what the compact form carries.
inline std::string for_scheduling(const Machine& m) {
  std::string text = to_compact(m);
  for (const Domain& domain : m.domains) {
    for (const CoreId core : domain.cores) text += std::to_string(core.value()) + ' ';
    text += '\n';
  }
  return text;
}

/// Every value of a machine, so that two machines can be compared with a readable difference.
inline std::string everything(const Machine& m) {
  std::string text = for_scheduling(m) + m.about + '\n' + m.grade + '\n';
  for (const auto* figures : {&m.performance.latency_ns, &m.performance.bandwidth_mb_s}) {
    for (const std::uint32_t value : *figures) text += std::to_string(value) + ' ';
    text += '\n';
  }
  return text;
}

/// One line of text for people: not empty, no line break, no byte that cannot be printed.
inline bool is_sentence(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(),
                                       [](unsigned char c) { return c < 0x20U || c == 0x7FU; });
}

/// `text` with a few random edits: bytes changed, removed, doubled, cut off, lines swapped.
inline std::string mutate(std::string text, Random& random) {
  static constexpr std::string_view interesting = "0123456789-,:[]{}\" \nae.";
  const std::uint32_t edits = 1 + random.below(4);
  for (std::uint32_t edit = 0; edit < edits && !text.empty(); ++edit) {
    const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
    const std::size_t length = std::min<std::size_t>(1 + random.below(12), text.size() - at);
    switch (random.below(6)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text[at] = interesting[random.below(static_cast<std::uint32_t>(interesting.size()))];
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) text.insert(at, "99999999999");
        break;
      default:
        if (random.below(8) == 0) text.resize(at);
        break;
    }
  }
  return text;
}

}  // namespace lares::machine::test
