#include "lab/distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "lab/guest.hpp"
#include "machine/machine.hpp"

namespace lares::lab {
namespace {

constexpr std::uint32_t one_hop = 16;
constexpr std::uint32_t further_hop = 6;

std::uint32_t by_hops(std::size_t hops) {
  if (hops == 0) return local_distance;
  const std::size_t distance = one_hop + further_hop * (hops - 1);
  return static_cast<std::uint32_t>(std::min<std::size_t>(distance, max_guest_distance));
}

std::size_t apart(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

template <class Between>
DistanceTable table_of(std::size_t nodes, Between between) {
  DistanceTable table{nodes, {}};
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) table.values.push_back(between(from, to));
  }
  return table;
}

DistanceTable fully_connected(std::size_t nodes) {
  return table_of(nodes, [](std::size_t a, std::size_t b) { return a == b ? 10U : 20U; });
}

DistanceTable ring(std::size_t nodes) {
  return table_of(nodes, [nodes](std::size_t a, std::size_t b) {
    return by_hops(std::min(apart(a, b), nodes - apart(a, b)));
  });
}

DistanceTable mesh(std::size_t nodes) {
  const std::size_t width = nodes / two_level_group(nodes);
  return table_of(nodes, [width](std::size_t a, std::size_t b) {
    return by_hops(apart(a / width, b / width) + apart(a % width, b % width));
  });
}

DistanceTable two_level(std::size_t nodes) {
  const std::size_t group = two_level_group(nodes);
  return table_of(nodes, [group](std::size_t a, std::size_t b) {
    if (a == b) return local_distance;
    return a / group == b / group ? 12U : 32U;
  });
}

/// Thrown inside this file only.
struct BadDistance {
  std::string sentence;
};

std::uint32_t checked(std::uint64_t value, std::size_t row, std::size_t column) {
  const bool local = row == column;
  if (local ? value == local_distance : value >= local_distance && value <= machine::max_distance) {
    return static_cast<std::uint32_t>(value);
  }
  throw BadDistance{
      fmt::format("the distance from node {} to node {} is {}, accepted {}", row, column, value,
                  local ? "is 10" : fmt::format("are 10 to {}", machine::max_distance))};
}

/// Checks rows as they come in.
class TableReader {
 public:
  void add(const std::vector<std::uint64_t>& row) {
    if (rows_ == 0) table_.size = row.size();
    if (row.size() != table_.size || table_.size == 0) {
      throw BadDistance{
          fmt::format("row {} has {} values where row 0 has {}", rows_, row.size(), table_.size)};
    }
    if (table_.size > max_guest_nodes || rows_ == table_.size) {
      throw BadDistance{
          fmt::format("there are too many {}, accepted are as many rows as columns, 1 to "
                      "{}",
                      rows_ == table_.size ? "rows" : "columns", max_guest_nodes)};
    }
    for (std::size_t column = 0; column < row.size(); ++column) {
      table_.values.push_back(checked(row[column], rows_, column));
    }
    ++rows_;
  }

  DistanceTable finish() {
    if (rows_ == 0) throw BadDistance{"there is no distance in it"};
    if (rows_ == table_.size) return std::move(table_);
    throw BadDistance{
        fmt::format("there are {} rows of {} values, accepted are as many rows as columns", rows_,
                    table_.size)};
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  DistanceTable table_;
  std::size_t rows_ = 0;
};

/// One line of text, without its comment.
class Line {
 public:
  Line(std::string_view text, std::size_t number)
      : text_(text.substr(0, text.find('#'))), number_(number) {}

  /// The next word, or an empty one at the end. Commas are as good as blanks.
  std::string_view word() {
    static constexpr std::string_view gaps = " \t\r,";
    const std::size_t start = text_.find_first_not_of(gaps);
    if (start == std::string_view::npos) return {};
    text_.remove_prefix(start);
    const std::string_view found = text_.substr(0, text_.find_first_of(gaps));
    text_.remove_prefix(found.size());
    return found;
  }

  [[nodiscard]] std::uint64_t number_of(std::string_view word) const {
    std::uint32_t value = 0;
    const auto [stop, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure == std::errc{} && stop == word.data() + word.size()) return value;
    throw BadDistance{
        fmt::format("line {} has something that is no distance, accepted are numbers", number_)};
  }

 private:
  std::string_view text_;
  std::size_t number_;
};

/// Lines of `numactl --hardware` that are not rows of its table.
bool is_heading(std::string_view first_word) {
  return first_word == "node" || first_word == "available:";
}

void read_line(Line line, TableReader& reader) {
  std::string_view word = line.word();
  if (word.empty() || is_heading(word)) return;
  if (word.back() == ':') {
    const auto label = line.number_of(word.substr(0, word.size() - 1));
    if (label != reader.rows()) {
      throw BadDistance{fmt::format("row {} is labelled {}", reader.rows(), label)};
    }
    word = line.word();
  }
  std::vector<std::uint64_t> row;
  for (; !word.empty(); word = line.word()) row.push_back(line.number_of(word));
  reader.add(row);
}

DistanceTable read_matrix(std::string_view text) {
  TableReader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    read_line(Line(text.substr(0, end), number), reader);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

DistanceTable read_json(std::string_view text) {
  const auto root = nlohmann::json::parse(text, nullptr, false);
  if (root.is_discarded()) throw BadDistance{"it starts like JSON but is no valid JSON"};
  TableReader reader;
  for (const auto& row : root) {
    std::vector<std::uint64_t> values;
    if (!row.is_array()) throw BadDistance{fmt::format("row {} is no list", reader.rows())};
    for (const auto& value : row) {
      if (!value.is_number_unsigned()) {
        throw BadDistance{fmt::format(
            "row {} has something that is no distance, accepted are numbers", reader.rows())};
      }
      values.push_back(value.get<std::uint64_t>());
    }
    reader.add(values);
  }
  return reader.finish();
}

}  // namespace

const std::vector<DistancePreset>& distance_presets() {
  static const std::vector<DistancePreset> presets = {
      {"fully-connected", "every other node is 20 away"},
      {"ring", "16 to a neighbour, 6 more for every further hop"},
      {"square", "a ring of four"},
      {"mesh", "a grid as near to a square as the number of nodes allows, hops as in a ring"},
      {"two-level", "12 within a package of several nodes, 32 between packages"},
  };
  return presets;
}

std::string distance_preset_names() {
  std::string names;
  for (const DistancePreset& preset : distance_presets()) {
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
  }
  return names;
}

std::size_t two_level_group(std::size_t nodes) {
  std::size_t group = 1;
  for (std::size_t divisor = 2; divisor * divisor <= nodes; ++divisor) {
    if (nodes % divisor == 0) group = divisor;
  }
  return group;
}

Result<DistanceTable> preset_distances(std::string_view name, std::size_t nodes) {
  if (name == "fully-connected") return fully_connected(nodes);
  if (name == "ring") return ring(nodes);
  if (name == "mesh") return mesh(nodes);
  if (name == "square") {
    if (nodes == 4) return ring(nodes);
    return Error{fmt::format("distances \"square\" are for 4 nodes, not {}", nodes)};
  }
  if (name == "two-level") {
    if (two_level_group(nodes) > 1) return two_level(nodes);
    return Error{
        fmt::format("distances \"two-level\" are for a number of nodes that can be split "
                    "into equal groups such as 4, 6 or 8, not {}",
                    nodes)};
  }
  return Error{fmt::format("there are no distances \"{}\", accepted are a file and {}", name,
                           distance_preset_names())};
}

Result<DistanceTable> parse_distances(std::string_view text, std::string_view file) {
  try {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && text[first] == '[';
    return json ? read_json(text) : read_matrix(text);
  } catch (const BadDistance& problem) {
    return Error{fmt::format("distances file \"{}\": {}", file, problem.sentence)};
  }
}

void fit_distances(DistanceTable& table, std::vector<std::string>& notes) {
  const std::uint32_t largest = *std::max_element(table.values.begin(), table.values.end());
  bool raised = false;
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    std::uint32_t& value = table.values[i];
    if (i / table.size == i % table.size) {
      value = local_distance;
      continue;
    }
    if (largest > max_guest_distance && value > local_distance) {
      const std::uint64_t room = max_guest_distance - local_distance;
      const std::uint64_t range = largest - local_distance;
      const std::uint64_t share = ((value - local_distance) * room + range / 2) / range;
      value = static_cast<std::uint32_t>(local_distance + share);
    }
    raised = raised || value < min_remote_distance;
    value = std::max(value, min_remote_distance);
  }
  if (largest > max_guest_distance) {
    notes.push_back(
        fmt::format("distances are scaled so that {} becomes {}, the largest that "
                    "firmware can tell",
                    largest, max_guest_distance));
  }
  if (raised) {
    notes.push_back(
        fmt::format("distances to other nodes below {0} are raised to {0}, the least "
                    "that Linux accepts",
                    min_remote_distance));
  }
}

}  // namespace lares::lab
