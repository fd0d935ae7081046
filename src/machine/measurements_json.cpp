#include "machine/measurements_json.hpp"

namespace lares::machine {
namespace {

constexpr std::int64_t max_threads = 1'000'000;
constexpr std::int64_t max_pages = std::int64_t{1} << 40;

Json spread_json(const Spread& spread) {
  return Json::array({spread.median, spread.least, spread.most});
}

Json to_json(const MeasuredPair& pair) {
  return {{"from", pair.from.value()},
          {"to", pair.to.value()},
          {"kernel", pair.kernel},
          {"footprint_bytes", pair.footprint.count},
          {"threads", pair.threads},
          {pair.kernel == "latency" ? "ns" : "mb_s", spread_json(pair.figure)}};
}

Json to_json(const MeasuredAggregate& all) {
  Json json = {{"pattern", all.pattern},
               {"kernel", all.kernel},
               {"threads", all.threads},
               {"mb_s", spread_json(all.mb_s)}};
  if (all.footprint.count > 0) json["footprint_bytes"] = all.footprint.count;
  return json;
}

Json to_json(const MeasuredMigration& move) {
  Json json = {{"from", move.from.value()},
               {"to", move.to.value()},
               {"method", move.method},
               {"pages", move.pages},
               {"ns_per_page", spread_json(move.ns_per_page)}};
  if (!move.way.empty()) json["way"] = move.way;
  return json;
}

Json to_json(const MeasuredSync& sync) {
  return {{"construct", sync.construct},
          {"by", sync.by},
          {"threads", sync.threads},
          {"ns", spread_json(sync.ns)}};
}

Json to_json(const MeasuredCompute& compute) {
  return {{"kind", compute.kind},
          {"threads", compute.threads},
          {"gflops", spread_json(compute.gflops)}};
}

Spread read_spread(const Field& field) {
  std::vector<double> numbers;
  field.each([&](const Field& number) { numbers.push_back(number.figure(max_figure)); });
  if (numbers.size() != 3) field.reject("must have 3 values: median, least, most");
  return {numbers[0], numbers[1], numbers[2]};
}

std::uint32_t read_threads(const Field& field) {
  return static_cast<std::uint32_t>(field.at("threads").number(1, max_threads));
}

MeasuredPair read_pair(const Field& field) {
  const std::string kernel = field.at("kernel").text();
  const char* unit = kernel == "latency" ? "ns" : "mb_s";
  field.expect_fields({"from", "to", "kernel", "footprint_bytes", "threads", unit});
  return {field.at("from").id<DomainId>(),
          field.at("to").id<DomainId>(),
          kernel,
          field.at("footprint_bytes").bytes(),
          read_threads(field),
          read_spread(field.at(unit))};
}

MeasuredAggregate read_aggregate(const Field& field) {
  field.expect_fields({"pattern", "kernel", "threads", "mb_s", "footprint_bytes"});
  return {field.at("pattern").text(), field.at("kernel").text(), read_threads(field),
          read_spread(field.at("mb_s")),
          field.has("footprint_bytes") ? field.at("footprint_bytes").bytes() : Bytes{}};
}

MeasuredMigration read_migration(const Field& field) {
  field.expect_fields({"from", "to", "method", "way", "pages", "ns_per_page"});
  return {field.at("from").id<DomainId>(),
          field.at("to").id<DomainId>(),
          field.at("method").text(),
          static_cast<std::uint64_t>(field.at("pages").number(1, max_pages)),
          read_spread(field.at("ns_per_page")),
          field.has("way") ? field.at("way").text() : std::string{}};
}

MeasuredSync read_sync(const Field& field) {
  field.expect_fields({"construct", "by", "threads", "ns"});
  return {field.at("construct").text(), field.at("by").text(), read_threads(field),
          read_spread(field.at("ns"))};
}

MeasuredCompute read_compute(const Field& field) {
  field.expect_fields({"kind", "threads", "gflops"});
  return {field.at("kind").text(), read_threads(field), read_spread(field.at("gflops"))};
}

template <class Item, class Read>
void read_list(const Field& field, const char* key, std::vector<Item>& items, Read read) {
  if (!field.has(key)) return;
  field.at(key).each([&](const Field& item) { items.push_back(read(item)); });
}

template <class Item>
void add_list(std::string& text, const char* key, const std::vector<Item>& items) {
  if (items.empty()) return;
  text += ",\n    " + line(Json(key)) + ": " +
          list_lines(items, "    ", [](const Item& item) { return to_json(item); });
}

}  // namespace

std::string measurement_lines(const Measurements& measurements, std::size_t domains) {
  std::string text = "  \"measurements\": {\n    \"when\": " + line(Json(measurements.when)) +
                     ",\n    \"repeats\": " + std::to_string(measurements.repeats);
  if (!measurements.slit.empty()) {
    text += ",\n    \"slit\": " + matrix_lines(measurements.slit, domains);
  }
  add_list(text, "pairs", measurements.pairs);
  add_list(text, "aggregate", measurements.aggregate);
  add_list(text, "migration", measurements.migration);
  add_list(text, "synchronisation", measurements.synchronisation);
  add_list(text, "compute", measurements.compute);
  return text + "\n  }";
}

Measurements read_measurements(const Field& field, std::size_t domains) {
  field.expect_fields(
      {"when", "repeats", "slit", "pairs", "aggregate", "migration", "synchronisation", "compute"});
  Measurements measurements;
  if (field.has("when")) measurements.when = field.at("when").text();
  if (field.has("repeats")) {
    measurements.repeats = static_cast<std::uint32_t>(field.at("repeats").number(0, max_threads));
  }
  if (field.has("slit")) {
    measurements.slit = read_figures(field.at("slit"), domains, max_slit);
  }
  read_list(field, "pairs", measurements.pairs, read_pair);
  read_list(field, "aggregate", measurements.aggregate, read_aggregate);
  read_list(field, "migration", measurements.migration, read_migration);
  read_list(field, "synchronisation", measurements.synchronisation, read_sync);
  read_list(field, "compute", measurements.compute, read_compute);
  if (auto verdict = check_measurements(measurements, domains)) throw Problem{verdict->sentence};
  return measurements;
}

}  // namespace lares::machine
