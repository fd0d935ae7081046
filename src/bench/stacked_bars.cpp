#include "bench/stacked_bars.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace lares::bench {
namespace {

double sum_of(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

std::string drawn(const Bar& bar, double scale) {
  std::string line;
  double end = 0;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    end += bar.parts[i];
    // Up to where the parts so far end, so that each is drawn within one letter of its size.
    line.resize(std::max(line.size(), static_cast<std::size_t>(std::lround(end * scale))),
                part_letter(i));
  }
  return line;
}

}  // namespace

char part_letter(std::size_t number) {
  constexpr std::string_view letters =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return number < letters.size() ? letters[number] : '#';
}

std::string stacked_bars(const std::vector<Bar>& bars, std::size_t width) {
  double longest = 0;
  std::size_t name_width = 0;
  for (const Bar& bar : bars) {
    longest = std::max(longest, sum_of(bar));
    name_width = std::max(name_width, bar.name.size());
  }
  const double scale = longest > 0 ? static_cast<double>(width) / longest : 0;
  std::string text;
  for (const Bar& bar : bars) {
    text += "  " + bar.name + std::string(name_width - bar.name.size(), ' ') + " |";
    text += drawn(bar, scale) + "|\n";
  }
  return text;
}

}  // namespace lares::bench
