#include "machine/machine_file.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "machine/build.hpp"
#include "machine/distances.hpp"
#include "machine/json_field.hpp"
#include "machine/measurements_json.hpp"

namespace lares::machine {
namespace {

constexpr const char* format_word = "lares-machine";
constexpr int version = 1;

// ---- writing ------------------------------------------------------------------------------------

template <class IdType>
Json numbers(const std::vector<IdType>& ids) {
  Json list = Json::array();
  for (const auto id : ids) list.push_back(id.value());
  return list;
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

Level read_level(const Field& field, bool root_allowed) {
  const std::string name = field.text();
  if (root_allowed && name == level_name(Level::machine)) return Level::machine;
  const auto level = parse_level(name);
  if (!level) field.reject("is wrong: " + level.error().sentence);
  return level.value();
}

void check_header(const Field& file) {
  file.expect_fields({"format", "version", "about", "grade", "name", "domain_level", "domains",
                      "cores", "tree", "memory", "distances", "performance", "measurements",
                      "simulation"});
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

/// Both parts of a file.
struct Contents {
  Machine machine;
  Measurements measurements;
};

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

Contents read_contents(const Field& file) {
  Contents contents{read_machine(file), {}};
  if (file.has("measurements")) {
    contents.measurements =
        read_measurements(file.at("measurements"), contents.machine.domains.size());
  }
  return contents;
}

Result<Contents> parse(std::string_view text, std::string_view file) {
  const std::string where = "machine file \"" + std::string(file) + "\": ";
  try {
    const Json root = Json::parse(text);
    return read_contents(Field(root, ""));
  } catch (const Problem& problem) {
    return Error{where + problem.sentence};
  } catch (const Json::parse_error& error) {
    return Error{where + "no valid JSON at " + position(text, error.byte)};
  } catch (const Json::exception&) {
    return Error{where + "no valid JSON: a number or a text cannot be represented"};
  }
}

}  // namespace

std::string to_machine_file(const Machine& machine, const Measurements& measurements) {
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
  if (!measurements.empty()) {
    text += ",\n" + measurement_lines(measurements, machine.domains.size());
  }
  if (!machine.simulation.empty()) text += ",\n  \"simulation\": " + machine.simulation;
  return text + "\n}\n";
}

Result<Machine> parse_machine_file(std::string_view text, std::string_view file) {
  auto contents = parse(text, file);
  if (!contents) return contents.error();
  return std::move(contents.value().machine);
}

Result<Measurements> parse_measurements(std::string_view text, std::string_view file) {
  auto contents = parse(text, file);
  if (!contents) return contents.error();
  return std::move(contents.value().measurements);
}

}  // namespace lares::machine
