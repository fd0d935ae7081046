// What the pictures of this folder are made of.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace lares::bench {

/// Text as SVG may hold it.
inline std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
    }
  }
  return safe;
}

/// Text beside a place; `more` are further attributes.
inline std::string label_at(double x, double y, const char* anchor, const std::string& text,
                            const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(text));
}

/// A line of the class `kind`.
inline std::string stroke(double x1, double y1, double x2, double y2, const std::string& kind,
                          double width, const char* dashes = "none") {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
      "stroke-width=\"{}\" stroke-dasharray=\"{}\"/>\n",
      kind, x1, y1, x2, y2, width, dashes);
}

/// One direction of the picture: from values to places on it.
class Axis {
 public:
  Axis(std::vector<double> ticks, bool logarithmic, double from, double to)
      : ticks_(std::move(ticks)), logarithmic_(logarithmic), from_(from), to_(to) {}

  [[nodiscard]] double place(double value) const {
    const double low = scaled(ticks_.front());
    const double high = scaled(ticks_.back());
    return from_ + (to_ - from_) * (scaled(value) - low) / (high - low);
  }
  [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }

 private:
  [[nodiscard]] double scaled(double value) const {
    return logarithmic_ ? std::log(std::max(value, std::numeric_limits<double>::min())) : value;
  }

  std::vector<double> ticks_;
  bool logarithmic_;
  double from_;
  double to_;
};

}  // namespace lares::bench
