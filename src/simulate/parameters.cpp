#include "simulate/parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace lares::simulate {
namespace {

using Json = nlohmann::json;
using machine::Machine;

constexpr double largest = 1e15;
// Assumptions where a description says nothing.
constexpr double usual_core_mb_s = 6000;
constexpr double usual_domain_mb_s_per_core = 3000;

// In the order in which their ranges are told; after core_mb_s and controller_mb_s.
struct Number {
  const char* name;
  double Parameters::* member;
  bool positive;
};
constexpr Number numbers[] = {{"probe_mb_s", &Parameters::probe_mb_s, true},
                              {"cache_bytes", &Parameters::cache_bytes, false},
                              {"core_gflops", &Parameters::core_gflops, true},
                              {"migrate_mb_s", &Parameters::migrate_mb_s, true},
                              {"write_factor", &Parameters::write_factor, true},
                              {"noise", &Parameters::noise, false}};
constexpr std::pair<const char*, double Costs::*> costs_ns[] = {
    {"create", &Costs::create}, {"dispatch", &Costs::dispatch}, {"probe", &Costs::probe},
    {"queue", &Costs::queue},   {"loop", &Costs::loop},         {"park", &Costs::park},
    {"wake", &Costs::wake},     {"barrier", &Costs::barrier}};

struct Problem {
  std::string sentence;
};

[[noreturn]] void reject(const std::string& field, const std::string& what) {
  throw Problem{"field \"simulation." + field + "\" " + what};
}

/// Reads one version of the parameters: every [low, best, high] at its best but one of them.
class ParameterReader {
 public:
  /// `varied` is the number of the list to read at `pick` (0 low, 2 high); -1: none.
  ParameterReader(const Machine& machine, int varied, std::size_t pick)
      : machine_(machine), varied_(varied), pick_(pick) {}

  Parameters read(const Json& object) {
    Parameters p;
    expect(
        object, "",
        {"source", "core_mb_s", "controller_mb_s", "remote", "probe_mb_s", "fabrics", "pair_links",
         "cache_bytes", "core_gflops", "migrate_mb_s", "write_factor", "noise", "costs_ns"});
    if (object.contains("source")) p.source = text(object["source"], "source");
    number(object, "core_mb_s", p.core_mb_s, true);
    read_controllers(object, p);
    for (const auto& [name, member, positive] : numbers) number(object, name, p.*member, positive);
    if (p.noise > 1) reject("noise", "must be a number from 0 to 1");
    if (object.contains("pair_links")) {
      if (!object["pair_links"].is_boolean()) reject("pair_links", "must be true or false");
      p.pair_links = object["pair_links"].get<bool>();
    }
    if (object.contains("remote")) {
      expect_list(object["remote"], "remote");
      read_remote(object["remote"], p);
    }
    if (object.contains("fabrics")) {
      expect_list(object["fabrics"], "fabrics");
      read_fabrics(object["fabrics"], p);
    }
    if (object.contains("costs_ns")) read_costs(object["costs_ns"], p.costs);
    return p;
  }

  [[nodiscard]] const std::vector<std::string>& ranges() const { return ranges_; }

 private:
  static void expect(const Json& object, const std::string& path,
                     std::initializer_list<const char*> fields) {
    if (!object.is_object()) throw Problem{"field \"simulation" + path + "\" must be an object"};
    for (const auto& member : object.items()) {
      const std::string& name = member.key();
      if (std::none_of(fields.begin(), fields.end(),
                       [&name](const char* field) { return name == field; })) {
        std::string shown = name.substr(0, 40);
        for (char& c : shown) c = c >= ' ' && c < '\x7f' && c != '"' ? c : '?';
        std::string sentence = "field \"simulation";
        sentence += path;
        sentence += '.';
        sentence += shown;
        throw Problem{sentence + "\" is unknown"};
      }
    }
  }
  static std::string text(const Json& value, const std::string& path) {
    if (!value.is_string()) reject(path, "must be a text");
    return value.get<std::string>();
  }
  static void expect_list(const Json& value, const std::string& path) {
    if (!value.is_array()) reject(path, "must be a list");
  }
  static double plain(const Json& value, const std::string& path, bool positive) {
    const double found = value.is_number() ? value.get<double>() : -1;
    if (!(found >= 0 && found <= largest) || (positive && found == 0)) {
      reject(path, positive ? "must be a number above 0" : "must be a number from 0 on");
    }
    return found;
  }
  double one(const Json& value, const std::string& path, bool positive) {
    if (!value.is_array()) return plain(value, path, positive);
    if (value.size() != 3) reject(path, "must be a number, or three of them: low, best, high");
    std::array<double, 3> range{};
    for (std::size_t i = 0; i < 3; ++i) range[i] = plain(value[i], path, positive);
    if (range[0] > range[1] || range[1] > range[2]) reject(path, "must ascend: low, best, high");
    ranges_.push_back(path);
    return range[static_cast<int>(ranges_.size()) - 1 == varied_ ? pick_ : 1];
  }
  void number(const Json& object, const char* name, double& into, bool positive,
              const std::string& path = "") {
    if (object.contains(name)) into = one(object[name], path + name, positive);
  }

  void read_controllers(const Json& object, Parameters& p) {
    const std::size_t domains = machine_.domains.size();
    if (!object.contains("controller_mb_s")) return;
    const Json& value = object["controller_mb_s"];
    // One for each domain; of three domains, too, where it could be taken for a range.
    if (value.is_array() && value.size() == domains && domains > 1) {
      for (const Json& each : value) p.controllers.push_back(one(each, "controller_mb_s", true));
      return;
    }
    p.controllers.assign(domains, one(value, "controller_mb_s", true));
  }

  void read_remote(const Json& entries, Parameters& p) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string path = "remote[" + std::to_string(i) + "]";
      expect(entries[i], "." + path, {"up_to_distance", "core_factor", "probe_weight"});
      RemoteClass entry;
      double distance = machine::max_distance;
      number(entries[i], "up_to_distance", distance, true, path + ".");
      entry.up_to_distance =
          static_cast<std::uint32_t>(std::min<double>(distance, machine::max_distance));
      number(entries[i], "core_factor", entry.core_factor, true, path + ".");
      number(entries[i], "probe_weight", entry.probe_weight, false, path + ".");
      if (!p.remote.empty() && entry.up_to_distance <= p.remote.back().up_to_distance) {
        reject(path + ".up_to_distance", "must be above the one before");
      }
      p.remote.push_back(entry);
    }
  }

  void read_fabrics(const Json& entries, Parameters& p) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string path = "fabrics[" + std::to_string(i) + "]";
      expect(entries[i], "." + path, {"name", "scope", "groups", "mb_s", "free_flows", "collapse"});
      Fabric fabric;
      fabric.name = "fabric " + std::to_string(i);
      if (entries[i].contains("name")) fabric.name = text(entries[i]["name"], path + ".name");
      if (entries[i].contains("scope")) read_scope(entries[i]["scope"], path, fabric);
      if (!entries[i].contains("mb_s")) reject(path + ".mb_s", "is missing");
      number(entries[i], "mb_s", fabric.mb_s, true, path + ".");
      number(entries[i], "free_flows", fabric.free_flows, true, path + ".");
      number(entries[i], "collapse", fabric.collapse, false, path + ".");
      if (!entries[i].contains("groups")) reject(path + ".groups", "is missing");
      expect_list(entries[i]["groups"], path + ".groups");
      read_groups(entries[i]["groups"], path + ".groups", fabric);
      p.fabrics.push_back(std::move(fabric));
    }
  }

  static void read_scope(const Json& value, const std::string& path, Fabric& fabric) {
    const std::string scope = text(value, path + ".scope");
    if (scope == "machine") {
      fabric.scope = Fabric::Scope::machine;
    } else if (scope == "group") {
      fabric.scope = Fabric::Scope::group;
    } else if (scope == "pair") {
      fabric.scope = Fabric::Scope::pair;
    } else {
      reject(path + ".scope", "is not one of machine, group, pair");
    }
  }

  void read_groups(const Json& groups, const std::string& path, Fabric& fabric) const {
    std::vector<bool> seen(machine_.domains.size(), false);
    for (const Json& group : groups) {
      fabric.groups.emplace_back();
      expect_list(group, path);
      for (const Json& member : group) {
        if (!member.is_number_unsigned() || member.get<std::uint64_t>() >= seen.size()) {
          reject(path, "names a domain that does not exist");
        }
        const auto domain = member.get<std::size_t>();
        if (seen[domain]) reject(path, "names domain " + std::to_string(domain) + " twice");
        seen[domain] = true;
        fabric.groups.back().emplace_back(domain);
      }
    }
    const auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing != seen.end()) {
      reject(path, "leaves domain " + std::to_string(missing - seen.begin()) + " out");
    }
  }

  void read_costs(const Json& object, Costs& costs) {
    expect(object, ".costs_ns",
           {"create", "dispatch", "probe", "queue", "loop", "park", "wake", "barrier"});
    for (const auto& [name, member] : costs_ns) {
      number(object, name, costs.*member, false, "costs_ns.");
    }
  }

  const Machine& machine_;
  int varied_;
  std::size_t pick_;
  std::vector<std::string> ranges_;
};

double known_bandwidth(const Machine& machine, std::size_t from, std::size_t to) {
  const auto& matrix = machine.performance.bandwidth_mb_s;
  return matrix.empty() ? 0 : matrix[from * machine.domains.size() + to];
}

/// What a memory without cores gives the nearest cores; else what its own cores get.
double own_bandwidth(const Machine& machine, std::size_t domain) {
  double best = known_bandwidth(machine, domain, domain);
  if (!machine.domains[domain].cores.empty()) return best;
  for (std::size_t from = 0; from < machine.domains.size(); ++from) {
    best = std::max(best, known_bandwidth(machine, from, domain));
  }
  return best;
}

void fill_in(const Machine& machine, Parameters& p, std::vector<std::string>& assumed) {
  if (p.controllers.empty()) {
    bool guessed = false;
    for (std::size_t d = 0; d < machine.domains.size(); ++d) {
      double rate = own_bandwidth(machine, d);
      if (rate <= 0) {
        const auto cores = std::max<std::size_t>(1, machine.domains[d].cores.size());
        rate = usual_domain_mb_s_per_core * static_cast<double>(cores);
        guessed = true;
      }
      p.controllers.push_back(rate);
    }
    if (guessed) assumed.emplace_back("controller_mb_s");
  }
  if (p.core_mb_s <= 0) {
    p.core_mb_s = std::min(usual_core_mb_s, p.controllers.front());
    assumed.emplace_back("core_mb_s");
  }
  if (p.remote.empty()) assumed.emplace_back("remote");
  if (p.cache_bytes <= 0) assumed.emplace_back("cache_bytes");
}

MachineModel read(const Machine& machine, const Json& object) {
  MachineModel model;
  ParameterReader best(machine, -1, 1);
  model.best = best.read(object);
  fill_in(machine, model.best, model.assumed);
  for (std::size_t i = 0; i < best.ranges().size(); ++i) {
    Uncertain each{best.ranges()[i], {}, {}};
    std::vector<std::string> ignored;
    each.low = ParameterReader(machine, static_cast<int>(i), 0).read(object);
    fill_in(machine, each.low, ignored);
    each.high = ParameterReader(machine, static_cast<int>(i), 2).read(object);
    fill_in(machine, each.high, ignored);
    model.uncertain.push_back(std::move(each));
  }
  return model;
}

}  // namespace

Result<MachineModel> read_model(const Machine& machine, std::string_view text) {
  try {
    return read(machine, text.empty() ? Json::object() : Json::parse(text));
  } catch (const Problem& problem) {
    return Error{problem.sentence};
  } catch (const Json::exception&) {
    return Error{"field \"simulation\" is no valid JSON"};
  }
}

}  // namespace lares::simulate
