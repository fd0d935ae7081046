// What a program does, written down: the input of `lares model` (docs/model.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "model/units.hpp"
#include "model/words.hpp"

namespace lares::model {

/// Where an array's pages are.
enum class Placement : std::uint8_t { local, interleaved, in_domain };

struct Array {
  std::string name;
  Bytes footprint;     ///< of the whole array: what passes before a byte is used again
  double traffic = 0;  ///< bytes that all threads together move in one execution
  Access access = Access::read;
  Placement placement = Placement::local;
  DomainId domain;  ///< of `in_domain`
};

using MeasuredTimes = std::map<std::uint32_t, Seconds>;  ///< by the number of threads

struct Region {
  std::string name;
  double repeat = 1;
  std::optional<std::uint32_t> most_threads{};  ///< 1: a serial part
  double imbalance = 1;                         ///< work of the busiest thread, over the mean
  std::vector<std::pair<Flops, double>> flops{};
  std::vector<Array> arrays{};
  std::vector<std::pair<Construct, double>> constructs{};
  MeasuredTimes measured{};  ///< all executions together
};

struct Description {
  std::string name;
  std::vector<Region> regions;  ///< at least one; names differ
  MeasuredTimes measured;       ///< all regions together
};

/// Reads any bytes. An error names `file` and the field that is wrong.
Result<Description> parse_description(std::string_view text, std::string_view file);

}  // namespace lares::model
