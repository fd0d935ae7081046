#include "simulate/papers/published.hpp"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace lares::simulate::papers {

extern const char* const published_json;  // the file's text, put into the program by CMake

namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& object, const char* field) {
  if (!object.contains(field)) return {};
  const Json& value = object[field];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Published read_figure(const std::string& what, const Json& value) {
  Published figure;
  figure.what = what;
  const Json& number = value.is_object() ? value["value"] : value;
  figure.low = number.is_array() ? number[0].get<double>() : number.get<double>();
  figure.high = number.is_array() ? number[1].get<double>() : figure.low;
  if (value.is_object()) figure.left_out = text(value, "left_out");
  return figure;
}

Place read_place(const std::string& paper, const Json& object) {
  Place place{.name = text(object, "place"),
              .page = text(object, "page"),
              .about = text(object, "about"),
              .wording = text(object, "wording"),
              .left_out = text(object, "left_out"),
              .figures = {}};
  if (!object.contains("figures")) return place;
  for (const auto& [what, value] : object["figures"].items()) {
    Published figure = read_figure(what, value);
    figure.paper = paper;
    figure.place = place.name;
    figure.unit = text(object, "unit");
    if (figure.left_out.empty()) figure.left_out = place.left_out;
    place.figures.push_back(std::move(figure));
  }
  return place;
}

std::vector<Paper> read_all() {
  std::vector<Paper> papers;
  for (const Json& object : Json::parse(published_json)) {
    Paper paper{.name = text(object, "paper"), .title = text(object, "title"), .places = {}};
    for (const Json& place : object["places"])
      paper.places.push_back(read_place(paper.name, place));
    papers.push_back(std::move(paper));
  }
  return papers;
}

}  // namespace

const std::vector<Paper>& publications() {
  static const std::vector<Paper> papers = read_all();
  return papers;
}

const Published& published(std::string_view paper, std::string_view place, std::string_view what) {
  for (const Paper& each : publications()) {
    if (each.name != paper) continue;
    for (const Place& table : each.places) {
      if (table.name != place) continue;
      for (const Published& figure : table.figures) {
        if (figure.what == what) return figure;
      }
    }
  }
  std::fprintf(stderr, "published.json has no figure \"%.*s\" in %.*s of %.*s\n",
               static_cast<int>(what.size()), what.data(), static_cast<int>(place.size()),
               place.data(), static_cast<int>(paper.size()), paper.data());
  std::abort();
}

}  // namespace lares::simulate::papers
