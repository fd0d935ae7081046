#include "bench/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "bench/chart.hpp"
#include "bench/picture.hpp"

namespace lares::bench {
namespace {

constexpr double plot_left = 80;
constexpr double plot_right = 620;
constexpr double plot_top = 44;
constexpr double plot_bottom = 440;
constexpr double entry_step = 20;  // of the legend
constexpr double wide_letter = 7;  // a guess: the font is the viewer's
constexpr std::size_t slope_classes = 5;

/// Okabe and Ito's colours, the dark ones for light paper and the light ones for dark.
constexpr const char* style =
    "<style>.paper{fill:#fff}text{fill:#222}.grid{stroke:#e4e4e4}.axis{stroke:#333}"
    ".ceiling{stroke:#666}.spot{fill:#000;stroke:#fff}.to-roof{stroke:#888}"
    ".measured{fill:none;stroke:#000}.halo{stroke:#fff}"
    ".s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#009e73}.s3{stroke:#aa4480}.s4{stroke:#"
    "a07400}"
    "@media (prefers-color-scheme:dark){.paper{fill:#16181c}text{fill:#ddd}.grid{stroke:#30343a}"
    ".axis{stroke:#aaa}.ceiling{stroke:#999}.spot{fill:#fff;stroke:#16181c}.to-roof{stroke:#777}"
    ".measured{stroke:#fff}.halo{stroke:#16181c}"
    ".s0{stroke:#56b4e9}.s1{stroke:#ff9a4d}.s2{stroke:#3ecfa0}.s3{stroke:#e69ac4}"
    ".s4{stroke:#e6c000}}</style>\n";

std::string power_text(double value) {
  if (value >= 1) return fmt::format("{:g}", value);
  return fmt::format("1/{:g}", 1 / value);
}

/// The part of both axes that is worth showing.
struct Window {
  double least_x = 0.125;
  double most_x = 8;
  double least_y = 1;
  double most_y = 10;
};

double highest_of(const Roofline& all) {
  double highest = 0;
  for (const Ceiling& ceiling : all.ceilings) highest = std::max(highest, ceiling.gflops);
  for (const Spot& spot : all.spots) {
    highest = std::max({highest, spot.gflops, spot.roof, spot.measured});
  }
  return highest > 0 ? highest : 10;
}

Window window_of(const Roofline& all) {
  Window window;
  const double highest = highest_of(all);
  for (const Spot& spot : all.spots) {
    window.least_x = std::min(window.least_x, spot.intensity / 1.5);
    window.most_x = std::max(window.most_x, spot.intensity * 1.5);
  }
  // Where the slopes end, so that all of the roof is seen.
  for (const Slope& slope : all.slopes) {
    window.most_x = std::max(window.most_x, std::min(highest / slope.gb_s * 2, 1024.0));
  }
  window.most_y = highest * 1.2;
  window.least_y = highest / 10;
  for (const Spot& spot : all.spots) {
    window.least_y = std::min(window.least_y, spot.gflops / 1.5);
    if (spot.measured > 0) window.least_y = std::min(window.least_y, spot.measured / 1.5);
  }
  for (const Slope& slope : all.slopes) {
    window.least_y = std::min(window.least_y, slope.gb_s * window.least_x);
  }
  return window;
}

class Drawing {
 public:
  explicit Drawing(const Roofline& all)
      : all_(all),
        window_(window_of(all)),
        x_(ticks_between(window_.least_x, window_.most_x, true, 2), true, plot_left, plot_right),
        y_(ticks_between(window_.least_y, window_.most_y, true, 10), true, plot_bottom, plot_top) {}

  [[nodiscard]] std::string text() {
    std::string body = frame();
    for (std::size_t i = 0; i < all_.ceilings.size(); ++i) body += ceiling(all_.ceilings[i]);
    for (std::size_t i = 0; i < all_.slopes.size(); ++i) body += slope(i);
    for (const Spot& spot : all_.spots) body += mark(spot);
    for (std::size_t i = 0; i < all_.spots.size(); ++i) body += number(i);
    body += legend();
    const double width = legend_left + 30 + wide_letter * static_cast<double>(longest_entry_);
    const double height = std::max(plot_bottom + 60, legend_y_ + entry_step);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n",
               width, height) +
           style +
           fmt::format("<rect class=\"paper\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width,
                       height) +
           body + "</svg>\n";
  }

 private:
  static constexpr double legend_left = plot_right + 24;

  [[nodiscard]] std::string frame() const {
    std::string svg;
    for (const double tick : y_.ticks()) {
      svg += stroke(plot_left, y_.place(tick), plot_right, y_.place(tick), "grid", 1);
      svg += label_at(plot_left - 8, y_.place(tick) + 4, "end", fmt::format("{:g}", tick));
    }
    for (const double tick : x_.ticks()) {
      svg += stroke(x_.place(tick), plot_top, x_.place(tick), plot_bottom, "grid", 1);
      svg += label_at(x_.place(tick), plot_bottom + 18, "middle", power_text(tick));
    }
    svg += stroke(plot_left, plot_bottom, plot_right, plot_bottom, "axis", 1);
    svg += stroke(plot_left, plot_top, plot_left, plot_bottom, "axis", 1);
    svg += label_at((plot_left + plot_right) / 2, plot_bottom + 42, "middle",
                    "operational intensity in operations a byte");
    svg += fmt::format("<g transform=\"rotate(-90)\">{}</g>\n",
                       label_at(-(plot_top + plot_bottom) / 2, 20, "middle", "GFLOPS"));
    return svg + fmt::format("<text x=\"{}\" y=\"24\" font-size=\"16\">{}</text>\n", plot_left,
                             escaped(all_.title));
  }

  /// From where the fastest memory reaches it.
  [[nodiscard]] std::string ceiling(const Ceiling& one) {
    double from = x_.ticks().front();
    if (!all_.slopes.empty()) from = std::max(from, one.gflops / all_.slopes.front().gb_s);
    from = std::min(from, x_.ticks().back());
    const double y = y_.place(one.gflops);
    // Ceilings that are close to each other do not write over each other.
    last_label_ = std::max(y - 5, last_label_ + 13);
    return stroke(x_.place(from), y, plot_right, y, "ceiling", 1.2, "5 3") +
           fmt::format(
               "<text class=\"halo\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" "
               "stroke-width=\"3\" paint-order=\"stroke\">{}: {:.3g} GFLOPS</text>\n",
               plot_right - 4, last_label_, escaped(one.name), one.gflops);
  }

  [[nodiscard]] std::string slope(std::size_t i) const {
    const Slope& one = all_.slopes[i];
    const double low = y_.ticks().front();
    double high = y_.ticks().back();
    if (!all_.ceilings.empty()) high = all_.ceilings.front().gflops;
    const double from = std::max(x_.ticks().front(), low / one.gb_s);
    const double to = std::min(x_.ticks().back(), high / one.gb_s);
    if (!(from < to)) return {};
    return stroke(x_.place(from), y_.place(from * one.gb_s), x_.place(to), y_.place(to * one.gb_s),
                  class_of(i), i == 0 ? 2.5 : 1.8, i == 0 ? "none" : "8 3");
  }

  [[nodiscard]] std::string mark(const Spot& spot) const {
    const double x = x_.place(spot.intensity);
    const double y = y_.place(spot.gflops);
    std::string svg = stroke(x, y, x, y_.place(std::max(spot.roof, spot.gflops)), "to-roof", 1);
    if (spot.measured > 0) {
      svg += fmt::format(
          "<circle class=\"measured\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" stroke-width=\"1.5\"/>\n",
          x, y_.place(spot.measured));
    }
    return svg +
           fmt::format("<circle class=\"spot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", x, y);
  }

  /// Beside its spot, where no other number is.
  [[nodiscard]] std::string number(std::size_t i) {
    constexpr std::array<std::array<double, 2>, 8> places = {
        {{10, 14}, {10, -6}, {-12, 14}, {-12, -6}, {10, 28}, {-12, 28}, {24, 14}, {24, -6}}};
    const double x = x_.place(all_.spots[i].intensity);
    const double y = y_.place(all_.spots[i].gflops);
    std::array<double, 2> chosen = {x + places[0][0], y + places[0][1]};
    for (const auto& place : places) {
      const std::array<double, 2> here = {x + place[0], y + place[1]};
      const bool taken = std::any_of(numbers_.begin(), numbers_.end(), [&](const auto& other) {
        return std::abs(other[0] - here[0]) < 13 && std::abs(other[1] - here[1]) < 12;
      });
      if (taken || here[1] > plot_bottom) continue;
      chosen = here;
      break;
    }
    numbers_.push_back(chosen);
    return fmt::format(
        "<text class=\"halo\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" stroke-width=\"3\" "
        "paint-order=\"stroke\" font-weight=\"bold\">{}</text>\n",
        chosen[0], chosen[1], i + 1);
  }

  [[nodiscard]] std::string legend() {
    std::string svg;
    const auto entry = [&](const std::string& text) {
      longest_entry_ = std::max(longest_entry_, text.size());
      svg += label_at(legend_left + 26, legend_y_ + 4, "start", text);
      legend_y_ += entry_step;
    };
    for (std::size_t i = 0; i < all_.slopes.size(); ++i) {
      svg += stroke(legend_left, legend_y_, legend_left + 20, legend_y_, class_of(i),
                    i == 0 ? 2.5 : 1.8, i == 0 ? "none" : "8 3");
      entry(fmt::format("{}: {:.3g} GB/s", all_.slopes[i].name, all_.slopes[i].gb_s));
    }
    legend_y_ += entry_step / 2;
    bool any_measured = false;
    for (std::size_t i = 0; i < all_.spots.size(); ++i) {
      svg += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
          "font-weight=\"bold\">{}</text>\n",
          legend_left + 10, legend_y_ + 4, i + 1);
      entry(fmt::format("{}: {:.3g} of {:.3g} GFLOPS", all_.spots[i].name, all_.spots[i].gflops,
                        all_.spots[i].roof));
      any_measured = any_measured || all_.spots[i].measured > 0;
    }
    if (any_measured) {
      svg += fmt::format(
          "<circle class=\"measured\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" "
          "stroke-width=\"1.5\"/>\n",
          legend_left + 10, legend_y_);
      entry("measured");
    }
    return svg;
  }

  static std::string class_of(std::size_t slope) {
    return "s" + std::to_string(slope % slope_classes);
  }

  const Roofline& all_;
  Window window_;
  Axis x_;
  Axis y_;
  double last_label_ = -100;
  double legend_y_ = plot_top + 10;
  std::size_t longest_entry_ = 20;
  std::vector<std::array<double, 2>> numbers_;
};

}  // namespace

std::string to_svg(const Roofline& roofline) { return Drawing(roofline).text(); }

}  // namespace lares::bench
