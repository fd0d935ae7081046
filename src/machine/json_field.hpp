// Reads and writes the JSON of machine files: every error names the field. Throws `Problem`, which
// never leaves the functions of machine_file.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"

namespace lares::machine {

using Json = nlohmann::ordered_json;

inline constexpr std::int64_t max_id = std::numeric_limits<std::int32_t>::max();

inline std::string line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Tag>
Json number_or_null(Id<Tag> id) {
  return id.valid() ? Json(id.value()) : Json(nullptr);
}

template <class Item, class Convert>
std::string list_lines(const std::vector<Item>& items, const char* indent, Convert convert) {
  std::string text = "[";
  for (const Item& item : items) {
    text += (text.size() > 1 ? ",\n" : "\n") + std::string(indent) + "  " + line(convert(item));
  }
  return text + (items.empty() ? "]" : "\n" + std::string(indent) + "]");
}

/// A square matrix, one line per row. No value of ours is 0: where a matrix has one, it stands for
/// "not known".
inline std::string matrix_lines(const std::vector<std::uint32_t>& values, std::size_t size) {
  std::vector<Json> rows(size, Json::array());
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows[i / size].push_back(values[i] == 0 ? Json(nullptr) : Json(values[i]));
  }
  return list_lines(rows, "    ", [](const Json& row) { return row; });
}

/// "line 3, column 7" of the byte before which the parser stopped.
inline std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column + 1);
}

/// What is wrong, as a sentence.
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
    expect_words(accepted);
  }
  /// The same for any list of names.
  template <class Words>
  void expect_words(const Words& accepted) const {
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

  /// The names of an object's fields.
  [[nodiscard]] std::vector<std::string> keys() const {
    if (!value_.is_object()) reject("must be an object");
    std::vector<std::string> names;
    for (const auto& [key, unused] : value_.items()) names.push_back(key);
    return names;
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
  [[nodiscard]] double figure(double high) const {
    if (!value_.is_number() || !(value_.get<double>() > 0) || value_.get<double>() > high) {
      reject("must be a number above 0 and at most " + line(Json(high)));
    }
    return value_.get<double>();
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

/// A matrix with one row and one column per domain; null is 0, "not known".
inline std::vector<std::uint32_t> read_figures(const Field& matrix, std::size_t size,
                                               std::uint32_t high) {
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

}  // namespace lares::machine
