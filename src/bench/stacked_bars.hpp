// Stacked bars as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lares::bench {

struct Bar {
  std::string name;
  std::vector<double> parts;  ///< each at least 0
};

/// The letter that stands for part `number` of a bar: 0 to 9, a to z, A to Z, then '#'.
char part_letter(std::size_t number);

/// A line per bar, "  NAME |0001122|": part i as a run of its letter. All bars have one scale, on
/// which the longest takes `width` characters; a bar is as long as its sum says, so that what is
/// rounded in its parts does not add up. Names are padded to the longest.
std::string stacked_bars(const std::vector<Bar>& bars, std::size_t width);

}  // namespace lares::bench
