#include "model/description.hpp"

#include <algorithm>
#include <charconv>

#include "machine/json_field.hpp"

namespace lares::model {
namespace {

using machine::Field;
using machine::Json;
using machine::Problem;

constexpr double most = 1e18;
constexpr std::int64_t most_threads = 1'000'000;
constexpr std::size_t most_items = 10'000;
constexpr std::size_t longest_name = 200;

template <std::size_t count>
std::string list_of(const std::array<std::string_view, count>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

/// For people and tables: some text without control characters.
std::string read_name(const Field& field) {
  std::string name = field.text();
  const bool printable = std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (name.empty() || name.size() > longest_name || !printable) {
    field.reject("must be a text of 1 to 200 bytes without control characters");
  }
  return name;
}

template <class Kind, std::size_t count>
Kind read_word(const Field& field, const std::array<std::string_view, count>& words) {
  const auto kind = find_word<Kind>(words, field.text());
  if (!kind) field.reject("has an unknown word, accepted are " + list_of(words));
  return *kind;
}

/// An object whose fields are words of a list, each with a number.
template <class Kind, std::size_t count>
std::vector<std::pair<Kind, double>> read_counts(const Field& field,
                                                 const std::array<std::string_view, count>& words) {
  std::vector<std::pair<Kind, double>> counts;
  field.expect_words(words);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string key(words[i]);
    if (!field.has(key.c_str())) continue;
    counts.emplace_back(static_cast<Kind>(i), field.at(key.c_str()).figure(most));
  }
  return counts;
}

MeasuredTimes read_measured(const Field& field) {
  MeasuredTimes times;
  for (const std::string& key : field.keys()) {
    std::uint32_t threads = 0;
    const auto [end, status] = std::from_chars(key.data(), key.data() + key.size(), threads);
    const bool whole = status == std::errc{} && end == key.data() + key.size();
    if (!whole || threads == 0 || threads > most_threads) {
      field.reject("must have numbers of threads as names, such as \"2\", and seconds as values");
    }
    times[threads] = {field.at(key.c_str()).figure(most)};
  }
  return times;
}

/// "local", "interleaved" or "domain 3".
void read_placement(const Field& field, Array& array) {
  constexpr std::string_view prefix = "domain ";
  const std::string word = field.text();
  if (word == "local") return;
  if (word == "interleaved") {
    array.placement = Placement::interleaved;
    return;
  }
  const char* const end = word.data() + word.size();
  std::int32_t number = -1;
  if (word.starts_with(prefix)) {
    const auto [stop, status] = std::from_chars(word.data() + prefix.size(), end, number);
    if (status != std::errc{} || stop != end) number = -1;
  }
  if (number < 0) field.reject("must be local, interleaved or domain N, such as \"domain 3\"");
  array.placement = Placement::in_domain;
  array.domain = DomainId{number};
}

Array read_array(const Field& field) {
  field.expect_fields({"name", "bytes", "traffic", "access", "placement"});
  Array array;
  array.name = read_name(field.at("name"));
  array.traffic = field.at("bytes").figure(most);
  array.footprint = {static_cast<std::uint64_t>(array.traffic)};
  if (field.has("traffic")) array.traffic = field.at("traffic").figure(most);
  array.access = read_word<Access>(field.at("access"), access_words);
  if (field.has("placement")) read_placement(field.at("placement"), array);
  return array;
}

Region read_region(const Field& field) {
  field.expect_fields(
      {"name", "repeat", "threads", "imbalance", "flops", "arrays", "constructs", "measured"});
  Region region;
  region.name = read_name(field.at("name"));
  if (field.has("repeat")) region.repeat = field.at("repeat").figure(most);
  if (field.has("threads")) {
    region.most_threads = static_cast<std::uint32_t>(field.at("threads").number(1, most_threads));
  }
  if (field.has("imbalance")) {
    region.imbalance = field.at("imbalance").figure(most);
    if (region.imbalance < 1) {
      field.at("imbalance").reject("must be at least 1: the busiest thread's work over the mean");
    }
  }
  if (field.has("flops")) region.flops = read_counts<Flops>(field.at("flops"), flops_words);
  if (field.has("arrays")) {
    field.at("arrays").each([&](const Field& array) {
      if (region.arrays.size() == most_items) field.reject("has more than 10000 arrays");
      region.arrays.push_back(read_array(array));
    });
  }
  if (field.has("constructs")) {
    region.constructs = read_counts<Construct>(field.at("constructs"), construct_words);
  }
  if (field.has("measured")) region.measured = read_measured(field.at("measured"));
  if (region.flops.empty() && region.arrays.empty() && region.constructs.empty()) {
    field.reject("does nothing: it has neither flops nor arrays nor constructs");
  }
  return region;
}

Description read_description(const Field& file) {
  (void)file.keys();  // it is an object
  if (file.at("format").text() != "lares-model") {
    file.at("format").reject("must be \"lares-model\"");
  }
  file.expect_fields({"format", "version", "name", "about", "measured", "regions"});
  (void)file.at("version").number(1, 1);
  Description description;
  description.name = read_name(file.at("name"));
  if (file.has("about")) (void)file.at("about").text();
  if (file.has("measured")) description.measured = read_measured(file.at("measured"));
  file.at("regions").each([&](const Field& field) {
    if (description.regions.size() == most_items) file.reject("has more than 10000 regions");
    Region region = read_region(field);
    const auto& others = description.regions;
    if (std::any_of(others.begin(), others.end(),
                    [&](const Region& other) { return other.name == region.name; })) {
      field.at("name").reject("is the name of an earlier region, too");
    }
    description.regions.push_back(std::move(region));
  });
  if (description.regions.empty()) file.at("regions").reject("must have a region");
  return description;
}

}  // namespace

Result<Description> parse_description(std::string_view text, std::string_view file) {
  const std::string where = "description \"" + std::string(file) + "\": ";
  try {
    const Json root = Json::parse(text);
    return read_description(Field(root, ""));
  } catch (const Problem& problem) {
    return Error{where + problem.sentence};
  } catch (const Json::parse_error& error) {
    return Error{where + "no valid JSON at " + machine::position(text, error.byte)};
  } catch (const Json::exception&) {
    return Error{where + "no valid JSON: a number or a text cannot be represented"};
  }
}

}  // namespace lares::model
