#include "analysis/run_about.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace lares::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr int about_version = 1;
/// A matrix of more domains than any machine has is a mistake, and costs memory.
constexpr std::size_t most_domains = 1024;

struct WrongField {};
constexpr const char* wrong_field = "a field of it is of another type than it should be";

/// What a field must be to be taken as a T. Numbers that do not fit are not taken either: the
/// library converts them without a look.
template <class T>
T value_of(const Json& json) {
  if constexpr (std::is_same_v<T, bool>) {
    return json.get_ref<const Json::boolean_t&>();
  } else if constexpr (std::is_integral_v<T>) {
    const bool fits = json.is_number_unsigned()
                          ? std::in_range<T>(json.get<std::uint64_t>())
                          : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
    if (!fits) throw WrongField{};
    return json.get<T>();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number()) throw WrongField{};
    return json.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return json.get_ref<const std::string&>();
  } else {
    if (!json.is_array()) throw WrongField{};
    T list;
    for (const Json& each : json) list.push_back(value_of<typename T::value_type>(each));
    return list;
  }
}

template <class T>
void take(const Json& json, const char* name, T& value) {
  const auto at = json.find(name);
  if (at != json.end()) value = value_of<T>(*at);
}

Json environment_json(const RunAbout& about) {
  Json json = Json::object();
  for (const auto& [name, value] : about.environment) json[name] = value;
  return json;
}

Json places_json(const RunAbout& about) {
  Json json = Json::array();
  for (const SourcePlace& each : about.places) {
    json.push_back({{"file", each.file}, {"offset", each.offset}, {"place", each.place}});
  }
  return json;
}

void take_lists(const Json& json, RunAbout& about) {
  if (const auto at = json.find("environment"); at != json.end()) {
    for (const auto& [name, value] : at->items()) {
      about.environment.emplace_back(name, value_of<std::string>(value));
    }
  }
  if (const auto at = json.find("places"); at != json.end()) {
    for (const Json& each : *at) {
      about.places.push_back({value_of<std::string>(each.at("file")),
                              value_of<std::uint64_t>(each.at("offset")),
                              value_of<std::string>(each.at("place"))});
    }
  }
}

RunAbout from_json(const Json& json) {
  RunAbout about;
  take(json, "finished", about.finished);
  take(json, "command", about.command);
  take(json, "policy", about.policy);
  take(json, "loops", about.loops);
  take(json, "placement", about.placement);
  take(json, "binding", about.binding);
  take(json, "machine", about.machine);
  take(json, "level", about.level);
  take(json, "openmp", about.openmp);
  take(json, "version", about.lares_version);
  take(json, "started", about.started);
  take(json, "exit_status", about.exit_status);
  take(json, "signal", about.signal);
  take(json, "cpus", about.cpus);
  take(json, "runtimes", about.runtimes);
  take(json, "numa_balancing", about.numa_balancing);
  take(json, "pages", about.pages);
  take(json, "pages_refused", about.pages_refused);
  take(json, "processor_wait", about.processor_wait);
  take(json, "cores_of_domain", about.cores_of_domain);
  take(json, "distances", about.distances);
  take(json, "notes", about.notes);
  take_lists(json, about);
  return about;
}

}  // namespace

std::string to_json(const RunAbout& about) {
  const Json json = {{"lares_trace", about_version},
                     {"finished", about.finished},
                     {"command", about.command},
                     {"exit_status", about.exit_status},
                     {"signal", about.signal},
                     {"started", about.started},
                     {"version", about.lares_version},
                     {"policy", about.policy},
                     {"loops", about.loops},
                     {"placement", about.placement},
                     {"binding", about.binding},
                     {"openmp", about.openmp},
                     {"runtimes", about.runtimes},
                     {"machine", about.machine},
                     {"level", about.level},
                     {"cpus", about.cpus},
                     {"numa_balancing", about.numa_balancing},
                     {"pages", about.pages},
                     {"pages_refused", about.pages_refused},
                     {"processor_wait", about.processor_wait},
                     {"cores_of_domain", about.cores_of_domain},
                     {"distances", about.distances},
                     {"environment", environment_json(about)},
                     {"places", places_json(about)},
                     {"notes", about.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RunAbout> parse_run_about(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return Error{"it is no JSON object"};
  const auto version = json.find("lares_trace");
  if (version == json.end() || !version->is_number_integer()) {
    return Error{"it is not of a trace of Lares: \"lares_trace\" is missing"};
  }
  if (version->get<std::int64_t>() != about_version) {
    return Error{fmt::format("it has format {}, and this Lares reads {}",
                             version->get<std::int64_t>(), about_version)};
  }
  try {
    RunAbout about = from_json(json);
    if (about.cores_of_domain.size() > most_domains || about.distances.size() > most_domains) {
      return Error{fmt::format("it has more than {} domains", most_domains)};
    }
    return about;
  } catch (const WrongField&) {
    return Error{wrong_field};
  } catch (const nlohmann::json::exception&) {
    return Error{wrong_field};
  }
}

}  // namespace lares::analysis
