#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/counts/counts.hpp"

namespace lares::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "lares-lab-counts";
constexpr int format_version = 1;
/// Beyond what any guest has; a file that claims more would only take memory.
constexpr std::size_t most_nodes = 1024;

// --- reading: a problem is thrown as a sentence's tail and caught by read_counts ---

struct Problem {
  std::string tail;
};

const Json& member(const Json& json, const char* name) {
  const auto at = json.find(name);
  if (at == json.end()) throw Problem{fmt::format("has no \"{}\"", name)};
  return *at;
}

template <class T>
T number(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<T>::max()) {
    throw Problem{fmt::format("has a \"{}\" that is no natural number", name)};
  }
  return value.get<T>();
}

bool flag(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_boolean())
    throw Problem{fmt::format("has a \"{}\" that is not true or false", name)};
  return value.get<bool>();
}

const Json& list(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_array()) throw Problem{fmt::format("has a \"{}\" that is no list", name)};
  return value;
}

std::string text(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_string()) throw Problem{fmt::format("has a \"{}\" that is no text", name)};
  return value.get<std::string>();
}

Matrix read_matrix(const Json& region, const char* name, std::size_t nodes) {
  const Problem problem{fmt::format(
      "has a matrix \"{}\" that is not of {} rows of {} natural numbers", name, nodes, nodes)};
  const Json& rows = list(region, name);
  if (rows.size() != nodes) throw problem;
  Matrix matrix(nodes);
  for (std::size_t row = 0; row < nodes; ++row) {
    if (!rows[row].is_array() || rows[row].size() != nodes) throw problem;
    for (std::size_t column = 0; column < nodes; ++column) {
      const Json& cell = rows[row][column];
      if (!cell.is_number_unsigned()) throw problem;
      matrix.at(row, column) = cell.get<std::uint64_t>();
    }
  }
  return matrix;
}

RegionCounts read_region(const Json& json, std::size_t nodes) {
  if (!json.is_object()) throw Problem{"has a region that is no object"};
  RegionCounts region;
  region.name = text(json, "name");
  region.entered = number<std::uint64_t>(json, "entered");
  region.left_open = flag(json, "left_open");
  for (const auto& [name, field] : matrix_fields) region.*field = read_matrix(json, name, nodes);
  return region;
}

void read_labels(const Json& json, Counts& counts) {
  if (json.contains("guest")) counts.guest = text(json, "guest");
  if (!json.contains("command")) return;
  for (const Json& word : list(json, "command")) {
    if (!word.is_string()) throw Problem{"has a \"command\" that is no list of texts"};
    counts.command.push_back(word.get<std::string>());
  }
}

void read_caches(const Json& json, Counts& counts) {
  const Json& caches = member(json, "caches");
  if (!caches.is_object()) throw Problem{"has \"caches\" that are no object"};
  counts.line.count = number<std::uint64_t>(caches, "line_bytes");
  counts.l2.count = number<std::uint64_t>(caches, "l2_bytes");
  counts.l3.count = number<std::uint64_t>(caches, "l3_bytes");
  counts.l3_per_package = text(caches, "l3_per") == "package";
}

Counts read_object(const Json& json) {
  if (!json.is_object() || !json.contains("format") || json["format"] != format_name) {
    throw Problem{fmt::format("is no file of counts (its \"format\" is not \"{}\")", format_name)};
  }
  if (number<int>(json, "version") != format_version) {
    throw Problem{fmt::format("is of version {}, and this lares reads version {}",
                              json["version"].dump(), format_version)};
  }
  if (json.contains("error") && json["error"].is_string()) {
    throw Problem{fmt::format("has no counts: {}", json["error"].get<std::string>())};
  }
  Counts counts;
  read_labels(json, counts);
  for (const Json& cpus : list(json, "cpus")) {
    if (!cpus.is_number_unsigned()) throw Problem{"has \"cpus\" that are no natural numbers"};
    counts.cpus.push_back(cpus.get<std::uint32_t>());
  }
  if (counts.cpus.empty() || counts.cpus.size() > most_nodes) {
    throw Problem{
        fmt::format("has {} nodes, and accepted are 1 to {}", counts.cpus.size(), most_nodes)};
  }
  read_caches(json, counts);
  counts.complete = flag(json, "complete");
  counts.elsewhere = number<std::uint64_t>(json, "elsewhere");
  counts.unmatched_ends = number<std::uint64_t>(json, "unmatched_ends");
  counts.regions_left_out = number<std::uint64_t>(json, "regions_left_out");
  for (const Json& region : list(json, "regions")) {
    counts.regions.push_back(read_region(region, counts.cpus.size()));
  }
  return counts;
}

// --- writing ---

Json matrix_json(const Matrix& matrix) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < matrix.nodes(); ++row) {
    Json cells = Json::array();
    for (std::size_t column = 0; column < matrix.nodes(); ++column) {
      cells.push_back(matrix.at(row, column));
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

Json summary_json(const RegionCounts& region) {
  const RegionSummary summary = summarize(region);
  Json json = {{"fetched", summary.fetched},
               {"fetched_remote", summary.fetched_remote},
               {"local_share", summary.local_share()},
               {"written_back", summary.written_back},
               {"written_back_remote", summary.written_back_remote},
               {"crossed", summary.crossed},
               {"heaviest_link", nullptr}};
  if (summary.heaviest) {
    json["heaviest_link"] = {{"cpu_node", summary.heaviest->cpus},
                             {"memory_node", summary.heaviest->memory},
                             {"lines", summary.heaviest->lines}};
  }
  return json;
}

Json region_json(const RegionCounts& region) {
  Json json = {{"name", region.name},
               {"entered", region.entered},
               {"left_open", region.left_open},
               {"summary", summary_json(region)}};
  for (const auto& [name, field] : matrix_fields) json[name] = matrix_json(region.*field);
  return json;
}

}  // namespace

Result<Counts> read_counts(std::string_view text, std::string_view source) {
  try {
    return read_object(Json::parse(text));
  } catch (const Problem& problem) {
    return Error{fmt::format("{} {}", source, problem.tail)};
  } catch (const Json::exception&) {
    return Error{fmt::format("{} is not JSON, so it is no file of counts", source)};
  }
}

std::string counts_json(const Counts& counts) {
  Json json = {{"format", format_name}, {"version", format_version}};
  json["guest"] = counts.guest;
  json["command"] = counts.command;
  json["complete"] = counts.complete;
  json["cpus"] = counts.cpus;
  json["caches"] = {{"line_bytes", counts.line.count},
                    {"l2_bytes", counts.l2.count},
                    {"l3_bytes", counts.l3.count},
                    {"l3_per", counts.l3_per_package ? "package" : "node"}};
  json["elsewhere"] = counts.elsewhere;
  json["unmatched_ends"] = counts.unmatched_ends;
  json["regions_left_out"] = counts.regions_left_out;
  json["regions"] = Json::array();
  for (const RegionCounts& region : counts.regions) json["regions"].push_back(region_json(region));
  // Arguments are bytes, not text: what is not UTF-8 must not make it fail.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lares::lab
