#include "machine/machine_file.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "machine/build.hpp"
#include "machine/distances.hpp"

namespace lares::machine {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_word = "lares-machine";
constexpr int version = 1;
constexpr std::int64_t max_id = std::numeric_limits<std::int32_t>::max();

// ---- writing ------------------------------------------------------------------------------------

std::string line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Tag>
Json number_or_null(Id<Tag> id) {
  return id.valid() ? Json(id.value()) : Json(nullptr);
}

template <class IdType>
Json numbers(const std::vector<IdType>& ids) {
  Json list = Json::array();
  for (const auto id : ids) list.push_back(id.value());
  return list;
}

template <class Item, class Convert>
std::string list_lines(const std::vector<Item>& items, const char* indent, Convert convert) {
  std::string text = "[";
  for (const Item& item : items) {
    text += (text.size() > 1 ? ",\n" : "\n") + std::string(indent) + "  " + line(convert(item));
  }
  return text + (items.empty() ? "]" : "\n" + std::string(indent) + "]");
}

Json to_json(const Domain& domain) {
  return {{"name", domain.name},
          {"node", number_or_null(domain.node)},
          {"memory_bytes", domain.memory.count}};
}

Json to_json(const Core& core) {
  return {{"domain", core.domain.value()}, {"cpus", numbers(core.cpus)}};
}

Json to_json(const TreeNode& node) {
  return {{"level", level_name(node.level)},
          {"parent", node.parent < 0 ? Json(nullptr) : Json(node.parent)},
          {"domain", number_or_null(node.domain)},
          {"cores", numbers(node.cores)}};
}

Json to_json(const MemoryNode& memory) {
  return {{"node", memory.node.value()},     {"total_bytes", memory.total.count},
          {"free_bytes", memory.free.count}, {"kind", memory.kind},
          {"has_cores", memory.has_cores},   {"domain", number_or_null(memory.domain)}};
}

/// A square matrix, one line per row. No value of ours is 0: where a matrix has one, it stands for
/// "not known".
std::string matrix_lines(const std::vector<std::uint32_t>& values, std::size_t size) {
  std::vector<Json> rows(size, Json::array());
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows[i / size].push_back(values[i] == 0 ? Json(nullptr) : Json(values[i]));
  }
  return list_lines(rows, "    ", [](const Json& row) { return row; });
}

std::string performance_lines(const Performance& performance, std::size_t size) {
  std::string text;
  if (!performance.latency_ns.empty()) {
    text += "    \"latency_ns\": " + matrix_lines(performance.latency_ns, size);
  }
  if (!performance.bandwidth_mb_s.empty()) {
    if (!text.empty()) text += ",\n";
    text += "    \"bandwidth_mb_s\": " + matrix_lines(performance.bandwidth_mb_s, size);
  }
  return "  \"performance\": {\n" + text + "\n  }";
}

// ---- reading ------------------------------------------------------------------------------------

/// Thrown inside this file only.
struct Problem {
  std::string sentence;
};

/// A value together with where it stands, so that every error can name the field.
class Field {
 public:
  Field(const Json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void reject(const std::string& why) const {
    throw Problem{path_.empty() ? "the file " + why : "field \"" + path_ + "\" " + why};
  }

  /// Rejects anything but an object with these fields.
  void expect_fields(std::initializer_list<std::string_view> accepted) const {
    if (!value_.is_object()) reject("must be an object");
    for (const auto& [key, unused] : value_.items()) {
      if (std::find(accepted.begin(), accepted.end(), key) != accepted.end()) continue;
      std::string names;
      for (const std::string_view name : accepted) {
        names += (names.empty() ? "" : ", ") + std::string(name);
      }
      reject("has an unknown field " + line(Json(key)) + ", accepted are " + names);
    }
  }

  [[nodiscard]] bool has(const char* key) const {
    const auto found = value_.find(key);
    return found != value_.end() && !found->is_null();
  }
  [[nodiscard]] Field at(const char* key) const {
    const std::string path = path_.empty() ? key : path_ + "." + key;
    const auto found = value_.find(key);
    if (found == value_.end()) throw Problem{"field \"" + path + "\" is missing"};
    return {*found, path};
  }

  [[nodiscard]] bool none() const { return value_.is_null(); }

  /// Calls `read` for each element of a list.
  template <class Read>
  void each(Read read) const {
    if (!value_.is_array()) reject("must be a list");
    for (std::size_t i = 0; i < value_.size(); ++i) {
      read(Field(value_[i], path_ + "[" + std::to_string(i) + "]"));
    }
  }

  [[nodiscard]] std::string text() const {
    if (!value_.is_string()) reject("must be a text");
    return value_.get<std::string>();
  }
  [[nodiscard]] bool truth() const {
    if (!value_.is_boolean()) reject("must be true or false");
    return value_.get<bool>();
  }
  [[nodiscard]] std::int64_t number(std::int64_t low, std::int64_t high) const {
    const bool fits = value_.is_number_integer() &&
                      !(value_.is_number_unsigned() &&
                        value_.get<std::uint64_t>() >
                            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    if (!fits || value_.get<std::int64_t>() < low || value_.get<std::int64_t>() > high) {
      reject("must be a number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value_.get<std::int64_t>();
  }
  /// The value as JSON text on one line.
  [[nodiscard]] std::string raw() const { return value_.dump(); }
  [[nodiscard]] Bytes bytes() const {
    if (!value_.is_number_unsigned()) reject("must be a number of bytes");
    return {value_.get<std::uint64_t>()};
  }
  template <class IdType>
  [[nodiscard]] IdType id() const {
    return IdType{static_cast<std::int32_t>(number(0, max_id))};
  }
  /// null stands for "none".
  template <class IdType>
  [[nodiscard]] IdType id_or_none() const {
    return value_.is_null() ? IdType{} : id<IdType>();
  }
  template <class IdType>
  [[nodiscard]] std::vector<IdType> ids() const {
    std::vector<IdType> list;
    each([&](const Field& item) { list.push_back(item.id<IdType>()); });
    return list;
  }

 private:
  const Json& value_;
  std::string path_;
};

Level read_level(const Field& field, bool root_allowed) {
  const std::string name = field.text();
  if (root_allowed && name == level_name(Level::machine)) return Level::machine;
  const auto level = parse_level(name);
  if (!level) field.reject("is wrong: " + level.error().sentence);
  return level.value();
}

void check_header(const Field& file) {
  file.expect_fields({"format", "version", "about", "grade", "name", "domain_level", "domains",
                      "cores", "tree", "memory", "distances", "performance", "simulation"});
  const Field format = file.at("format");
  if (format.text() != format_word) {
    format.reject("must be \"" + std::string(format_word) + "\"");
  }
  (void)file.at("version").number(version, version);
}

Domain read_domain(const Field& field) {
  field.expect_fields({"name", "node", "memory_bytes"});
  Domain domain;
  domain.name = field.at("name").text();
  if (field.has("node")) domain.node = field.at("node").id<OsNode>();
  if (field.has("memory_bytes")) domain.memory = field.at("memory_bytes").bytes();
  return domain;
}

Core read_core(const Field& field) {
  field.expect_fields({"domain", "cpus"});
  return {field.at("cpus").ids<OsCpu>(), field.at("domain").id<DomainId>()};
}

TreeNode read_tree_node(const Field& field) {
  field.expect_fields({"level", "parent", "domain", "cores"});
  TreeNode node;
  node.level = read_level(field.at("level"), true);
  if (field.has("parent")) {
    node.parent = static_cast<std::int32_t>(field.at("parent").number(0, max_id));
  }
  if (field.has("domain")) node.domain = field.at("domain").id<DomainId>();
  node.cores = field.at("cores").ids<CoreId>();
  return node;
}

MemoryNode read_memory(const Field& field) {
  field.expect_fields({"node", "total_bytes", "free_bytes", "kind", "has_cores", "domain"});
  MemoryNode memory;
  memory.node = field.at("node").id<OsNode>();
  memory.total = field.at("total_bytes").bytes();
  if (field.has("free_bytes")) memory.free = field.at("free_bytes").bytes();
  memory.kind = field.has("kind") ? field.at("kind").text() : "unknown";
  memory.has_cores = field.at("has_cores").truth();
  if (field.has("domain")) memory.domain = field.at("domain").id<DomainId>();
  return memory;
}

Distances read_distances(const Field& field) {
  field.expect_fields({"source", "matrix"});
  Distances distances;
  distances.source = field.has("source") ? field.at("source").text() : "file";
  field.at("matrix").each([&](const Field& row) {
    row.each([&](const Field& value) {
      distances.values.push_back(static_cast<std::uint32_t>(value.number(1, max_distance)));
    });
    ++distances.size;
  });
  return distances;
}

std::vector<std::uint32_t> read_figures(const Field& matrix, std::size_t size, std::uint32_t high) {
  const std::string shape = std::to_string(size) + (size == 1 ? " value" : " values");
  std::vector<std::uint32_t> values;
  std::size_t rows = 0;
  matrix.each([&](const Field& row) {
    ++rows;
    row.each([&](const Field& value) {
      values.push_back(value.none() ? 0 : static_cast<std::uint32_t>(value.number(1, high)));
    });
    if (values.size() != rows * size) row.reject("must have " + shape + ", one per domain");
  });
  if (rows != size) matrix.reject("must have one row per domain, " + std::to_string(size));
  return values;
}

Performance read_performance(const Field& field, std::size_t size) {
  field.expect_fields({"latency_ns", "bandwidth_mb_s"});
  Performance performance;
  if (field.has("latency_ns")) {
    performance.latency_ns = read_figures(field.at("latency_ns"), size, max_latency_ns);
  }
  if (field.has("bandwidth_mb_s")) {
    performance.bandwidth_mb_s = read_figures(field.at("bandwidth_mb_s"), size, max_bandwidth_mb_s);
  }
  return performance;
}

/// What the file left out and can be told from the rest. Needs domains with their cores.
void complete(Machine& machine, bool has_tree, bool has_memory, bool has_distances) {
  if (!has_tree) {
    machine.tree = build_tree(machine.cores.size(), machine.domains, machine.domain_level, {});
  }
  for (std::size_t d = 0; !has_memory && d < machine.domains.size(); ++d) {
    const Domain& domain = machine.domains[d];
    if (!domain.node.valid() || machine.domain_of(domain.node) != DomainId{d}) continue;
    const bool has_cores = !domain.cores.empty();
    machine.memory.push_back(
        {domain.node, domain.memory, {}, has_cores ? "DRAM" : "unknown", has_cores, DomainId{d}});
  }
  std::sort(machine.memory.begin(), machine.memory.end(),
            [](const MemoryNode& a, const MemoryNode& b) { return a.node < b.node; });
  if (has_distances) return;
  std::vector<SharedSet> sets;
  for (const TreeNode& node : machine.tree) sets.push_back({node.level, 0, node.cores});
  std::vector<std::vector<CoreId>> near;
  for (const Domain& domain : machine.domains) near.push_back(domain.cores);
  machine.distances =
      level_distances(LevelDistances(sets, machine.cores.size()), machine.domains, near);
}

/// build_tree and level_distances index by these, so they must be right before.
void check_references(const Machine& machine) {
  if (machine.cores.empty()) throw Problem{"field \"cores\" must not be empty"};
  for (std::size_t c = 0; c < machine.cores.size(); ++c) {
    if (machine.cores[c].domain.index() < machine.domains.size()) continue;
    throw Problem{"field \"cores[" + std::to_string(c) +
                  "].domain\" names a domain that does not " + "exist, accepted are 0 to " +
                  std::to_string(machine.domains.size() - 1)};
  }
  for (std::size_t n = 0; n < machine.tree.size(); ++n) {
    for (const CoreId core : machine.tree[n].cores) {
      if (core.index() < machine.cores.size()) continue;
      throw Problem{"field \"tree[" + std::to_string(n) + "].cores\" names core " +
                    std::to_string(core.value()) + " which does not exist"};
    }
  }
}

Machine read_machine(const Field& file) {
  check_header(file);
  Machine machine;
  if (file.has("about")) machine.about = file.at("about").text();
  if (file.has("grade")) machine.grade = file.at("grade").text();
  machine.name = file.at("name").text();
  machine.domain_level = read_level(file.at("domain_level"), false);
  file.at("domains").each([&](const Field& f) { machine.domains.push_back(read_domain(f)); });
  file.at("cores").each([&](const Field& f) { machine.cores.push_back(read_core(f)); });
  if (machine.domains.empty()) throw Problem{"field \"domains\" must not be empty"};
  const bool has_tree = file.has("tree");
  const bool has_memory = file.has("memory");
  const bool has_distances = file.has("distances");
  if (has_tree) {
    file.at("tree").each([&](const Field& f) { machine.tree.push_back(read_tree_node(f)); });
  }
  if (has_memory) {
    file.at("memory").each([&](const Field& f) { machine.memory.push_back(read_memory(f)); });
  }
  if (has_distances) machine.distances = read_distances(file.at("distances"));
  if (file.has("performance")) {
    machine.performance = read_performance(file.at("performance"), machine.domains.size());
  }
  if (file.has("simulation")) machine.simulation = file.at("simulation").raw();
  check_references(machine);
  for (std::size_t c = 0; c < machine.cores.size(); ++c) {
    machine.domains[machine.cores[c].domain.index()].cores.emplace_back(c);
  }
  complete(machine, has_tree, has_memory, has_distances);
  if (auto verdict = validate(machine)) throw Problem{verdict->sentence};
  return machine;
}

/// "line 3, column 7" of the byte before which the parser stopped.
std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column + 1);
}

}  // namespace

std::string to_machine_file(const Machine& machine) {
  const auto convert = [](const auto& item) { return to_json(item); };
  std::string text = "{\n";
  text += "  \"format\": " + line(format_word) + ",\n";
  text += "  \"version\": " + std::to_string(version) + ",\n";
  if (!machine.about.empty()) text += "  \"about\": " + line(machine.about) + ",\n";
  if (!machine.grade.empty()) text += "  \"grade\": " + line(machine.grade) + ",\n";
  text += "  \"name\": " + line(machine.name) + ",\n";
  text += "  \"domain_level\": " + line(level_name(machine.domain_level)) + ",\n";
  text += "  \"domains\": " + list_lines(machine.domains, "  ", convert) + ",\n";
  text += "  \"cores\": " + list_lines(machine.cores, "  ", convert) + ",\n";
  text += "  \"tree\": " + list_lines(machine.tree, "  ", convert) + ",\n";
  text += "  \"memory\": " + list_lines(machine.memory, "  ", convert) + ",\n";
  text += "  \"distances\": {\n    \"source\": " + line(machine.distances.source) + ",\n";
  text +=
      "    \"matrix\": " + matrix_lines(machine.distances.values, machine.distances.size) + "\n  }";
  if (!machine.performance.empty()) {
    text += ",\n" + performance_lines(machine.performance, machine.domains.size());
  }
  if (!machine.simulation.empty()) text += ",\n  \"simulation\": " + machine.simulation;
  return text + "\n}\n";
}

Result<Machine> parse_machine_file(std::string_view text, std::string_view file) {
  const std::string where = "machine file \"" + std::string(file) + "\": ";
  try {
    const Json root = Json::parse(text);
    return read_machine(Field(root, ""));
  } catch (const Problem& problem) {
    return Error{where + problem.sentence};
  } catch (const Json::parse_error& error) {
    return Error{where + "no valid JSON at " + position(text, error.byte)};
  } catch (const Json::exception&) {
    return Error{where + "no valid JSON: a number or a text cannot be represented"};
  }
}

}  // namespace lares::machine
