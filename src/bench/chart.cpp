#include "bench/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bench/picture.hpp"

namespace lares::bench {
namespace {

constexpr double least_width = 760;
constexpr double least_height = 460;
constexpr double left = 80;
constexpr double right = 580;  // the legend is beside it
constexpr double top = 40;
constexpr double bottom = 400;
constexpr double margin = 20;  // between the frame and the first and last points
constexpr double legend_step = 20;
constexpr double letter = 7;  // a wide guess: the font is the viewer's
constexpr std::size_t most_ticks = 12;

/// Okabe and Ito's palette, without yellow and black.
constexpr std::array<const char*, 6> colours = {"#0072B2", "#D55E00", "#009E73",
                                                "#CC79A7", "#56B4E9", "#E69F00"};

struct Extent {
  bool whole = true;
  double least = std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::lowest();

  void cover(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
    whole = whole && value == std::floor(value);
  }
  [[nodiscard]] bool empty() const { return least > most; }
};

std::string tick_text(double value) {
  if (value >= 1e6) return fmt::format("{:g}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:g}k", value / 1e3);
  return fmt::format("{:g}", value);
}

std::string size_text(double kibibytes) {
  if (kibibytes >= 1024 * 1024) return fmt::format("{:g} GiB", kibibytes / 1024 / 1024);
  if (kibibytes >= 1024) return fmt::format("{:g} MiB", kibibytes / 1024);
  return fmt::format("{:g} KiB", kibibytes);
}

/// Without the unit that the ticks have.
std::string x_title(const Chart& chart) {
  const std::size_t unit = chart.x_label.rfind(" in ");
  return chart.x_kibibytes ? chart.x_label.substr(0, unit) : chart.x_label;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string line_between(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, colour);
}

std::string frame(const Chart& chart, const Axis& x, const Axis& y) {
  std::string svg;
  for (const double tick : y.ticks()) {
    svg += line_between(left, y.place(tick), right, y.place(tick), "#ddd");
    svg += text_at(left - 8, y.place(tick) + 4, "end", tick_text(tick));
  }
  for (const double tick : x.ticks()) {
    svg += line_between(x.place(tick), top, x.place(tick), bottom, "#eee");
    svg += text_at(x.place(tick), bottom + 18, "middle",
                   chart.x_kibibytes ? size_text(tick) : tick_text(tick));
  }
  svg += line_between(left, bottom, right, bottom, "#333");
  svg += line_between(left, top, left, bottom, "#333");
  svg += text_at((left + right) / 2, bottom + 42, "middle", x_title(chart));
  svg += fmt::format("<g transform=\"rotate(-90)\">{}</g>\n",
                     text_at(-(top + bottom) / 2, 18, "middle", chart.y_label));
  return svg + fmt::format("<text x=\"{:.1f}\" y=\"24\" font-size=\"16\">{}</text>\n", left,
                           escaped(chart.title));
}

/// Circles, squares and triangles in turn.
std::string marker(std::size_t number, double x, double y, const char* colour) {
  switch (number % 3) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y,
                         colour);
    case 1:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\" fill=\"{}\"/>\n",
                         x - 3.5, y - 3.5, colour);
    default:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l5 9h-10z\" fill=\"{}\"/>\n", x, y - 5, colour);
  }
}

/// How far series `number` of `count` stands beside the place of its points.
double aside(std::size_t number, std::size_t count) {
  const double step = std::min(5.0, margin / static_cast<double>(count));
  return step * (static_cast<double>(number) - static_cast<double>(count - 1) / 2);
}

std::string curve(const Chart& chart, std::size_t number, const Axis& x, const Axis& y) {
  const Series& series = chart.series[number];
  const char* colour = colours[number % colours.size()];
  std::string joined;
  std::string rest;
  for (const Point& point : series.points) {
    const double at = x.place(point.x) + aside(number, chart.series.size());
    const double median = y.place(point.y.median);
    joined += fmt::format("{:.1f},{:.1f} ", at, median);
    rest += line_between(at, y.place(point.y.least), at, y.place(point.y.most), colour);
    rest += marker(number, at, median, colour);
  }
  const double legend = top + 10 + legend_step * static_cast<double>(number);
  rest += marker(number, right + 20, legend, colour);
  rest += text_at(right + 32, legend + 4, "start", series.name);
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                     joined, colour) +
         rest;
}

std::vector<double> powers(double least, double most, double base) {
  std::vector<double> ticks;
  double power = std::floor(std::log(least) / std::log(base) + 1e-9);
  const double last = std::ceil(std::log(most) / std::log(base) - 1e-9);
  const double step = std::max(1.0, std::ceil((last - power) / most_ticks));
  for (; power < last + step; power += step) ticks.push_back(std::pow(base, power));
  if (ticks.size() < 2) ticks.push_back(ticks.back() * base);
  return ticks;
}

std::vector<double> multiples(double least, double most, bool whole) {
  const double rough = std::max(most - least, std::numeric_limits<double>::min()) / 5;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * decade >= rough) step = factor * decade;
  }
  if (whole) step = std::max(step, 1.0);
  std::vector<double> ticks;
  const double first = std::floor(least / step);
  const double last = std::ceil(most / step - 1e-9);
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  if (ticks.size() < 2) ticks.push_back(ticks.back() + step);
  return ticks;
}

struct Size {
  double width = least_width;
  double height = least_height;
};

/// As large as its legend needs.
Size size_of(const Chart& chart) {
  Size size;
  for (const Series& series : chart.series) {
    const auto letters = static_cast<double>(series.name.size());
    size.width = std::max(size.width, right + 40 + letter * letters);
  }
  const auto lines = static_cast<double>(chart.series.size());
  size.height = std::max(size.height, top + legend_step * (lines + 1));
  return size;
}

}  // namespace

std::vector<double> ticks_between(double least, double most, bool logarithmic, double base,
                                  bool whole) {
  if (logarithmic && least > 0) return powers(least, most, base);
  if (!(most > least)) most = least + 1;
  return multiples(least, most, whole);
}

std::string to_svg(const Chart& chart) {
  Extent x_extent;
  Extent y_extent;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      x_extent.cover(point.x);
      y_extent.cover(point.y.least);
      y_extent.cover(point.y.most);
    }
  }
  if (x_extent.empty()) x_extent = y_extent = {.least = 1, .most = 2};
  // Where a scale is not logarithmic it shows the nought, so that heights can be compared.
  if (!chart.y_logarithmic) y_extent.cover(0);
  const Axis x(ticks_between(x_extent.least, x_extent.most, chart.x_logarithmic, 2, x_extent.whole),
               chart.x_logarithmic, left + margin, right - margin);
  const Axis y(ticks_between(y_extent.least, y_extent.most, chart.y_logarithmic, 10),
               chart.y_logarithmic, bottom, top);
  const Size size = size_of(chart);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#fff\"/>\n",
      size.width, size.height);
  svg += frame(chart, x, y);
  for (std::size_t i = 0; i < chart.series.size(); ++i) svg += curve(chart, i, x, y);
  return svg + "</svg>\n";
}

}  // namespace lares::bench
