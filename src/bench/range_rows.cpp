#include "bench/range_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "bench/chart.hpp"
#include "bench/picture.hpp"

namespace lares::bench {
namespace {

constexpr double picture_edge = 16;
constexpr double rows_width = 420;
constexpr double rows_top = 76;
constexpr double row_step = 16;
constexpr double group_gap = 10;
constexpr double letter_width = 7;  // a guess: the font is the viewer's
constexpr double title_letter_width = 9;
constexpr double bar_height = 10;

/// Okabe and Ito's colours, the dark ones for light paper and the light ones for dark.
constexpr const char* rows_style =
    "<style>.paper{fill:#fff}text{fill:#222}.about{fill:#555}.grid{stroke:#e4e4e4}"
    ".axis{stroke:#333}.mark{stroke:#d55e00}.range{stroke:#222}.typical{fill:#8a8f98}"
    ".other{fill:#0072b2}.beyond{fill:#222}"
    "@media (prefers-color-scheme:dark){.paper{fill:#16181c}text{fill:#ddd}.about{fill:#aaa}"
    ".grid{stroke:#30343a}.axis{stroke:#aaa}.mark{stroke:#ff9a4d}.range{stroke:#ddd}"
    ".typical{fill:#6b7078}.other{fill:#3a8fc7}.beyond{fill:#eee}}</style>\n";

std::string figures_of(const RangeRow& row) {
  return fmt::format("{:.3g} [{:.3g}..{:.3g}]", row.typical, row.least, row.most);
}

double letters(const std::string& text) { return static_cast<double>(text.size()); }

/// How much room the texts take, in letters.
struct Widths {
  double groups = 0;
  double rows = 0;
  double figures = 0;
};

Widths widths_of(const RangeRows& all) {
  Widths widths;
  for (const RangeGroup& group : all.groups) {
    widths.groups = std::max(widths.groups, letters(group.name));
    for (const RangeRow& row : group.rows) {
      widths.rows = std::max(widths.rows, letters(row.name));
      widths.figures = std::max(widths.figures, letters(figures_of(row)));
    }
  }
  return widths;
}

/// The end of the axis, unless it is cut before.
double highest_of(const RangeRows& all) {
  double highest = all.mark ? all.mark->value : 0;
  for (const RangeGroup& group : all.groups) {
    for (const RangeRow& row : group.rows) highest = std::max({highest, row.typical, row.most});
  }
  return all.cut ? std::min(highest, *all.cut) : highest;
}

double height_of(const RangeRows& all) {
  double height = group_gap;
  for (const RangeGroup& group : all.groups) {
    height += row_step * static_cast<double>(group.rows.size()) + group_gap;
  }
  return height;
}

class RowDrawing {
 public:
  explicit RowDrawing(const RangeRows& all)
      : all_(all),
        widths_(widths_of(all)),
        names_(picture_edge + letter_width * widths_.groups + 12 + letter_width * widths_.rows),
        left_(names_ + 8),
        right_(left_ + rows_width),
        bottom_(rows_top + height_of(all)),
        x_(ticks_between(0, highest_of(all), false, 10), false, left_, right_) {}

  [[nodiscard]] std::string text() const {
    const double width = std::max({right_ + 12 + letter_width * widths_.figures + picture_edge,
                                   2 * picture_edge + title_letter_width * letters(all_.title),
                                   2 * picture_edge + letter_width * letters(all_.about)});
    const double height = bottom_ + 52;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n",
               width, height) +
           rows_style +
           fmt::format("<rect class=\"paper\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width,
                       height) +
           frame() + all_groups() + mark() + "</svg>\n";
  }

 private:
  [[nodiscard]] std::string frame() const {
    std::string svg = label_at(picture_edge, 26, "start", all_.title, " font-size=\"16\"");
    svg += label_at(picture_edge, 44, "start", all_.about, " class=\"about\"");
    for (const double tick : x_.ticks()) {
      svg += stroke(x_.place(tick), rows_top, x_.place(tick), bottom_, "grid", 1);
      svg += label_at(x_.place(tick), bottom_ + 18, "middle", fmt::format("{:g}", tick));
    }
    svg += stroke(left_, bottom_, right_, bottom_, "axis", 1);
    svg += stroke(left_, rows_top, left_, bottom_, "axis", 1);
    return svg + label_at((left_ + right_) / 2, bottom_ + 40, "middle", all_.axis);
  }

  [[nodiscard]] std::string all_groups() const {
    std::string svg;
    double y = rows_top + group_gap;
    for (const RangeGroup& group : all_.groups) {
      svg += label_at(picture_edge, y + 12, "start", group.name, " font-weight=\"bold\"");
      for (const RangeRow& row : group.rows) {
        svg += drawn(row, y + row_step / 2);
        y += row_step;
      }
      y += group_gap;
    }
    return svg;
  }

  [[nodiscard]] bool beyond(double value) const { return value > x_.ticks().back(); }

  [[nodiscard]] double place(double value) const {
    return x_.place(std::min(value, x_.ticks().back()));
  }

  [[nodiscard]] std::string drawn(const RangeRow& row, double middle) const {
    const char* colour = row.other ? "other" : "typical";
    std::string svg = label_at(names_, middle + 4, "end", row.name);
    if (!all_.dots) {
      svg += fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>\n", colour,
          left_, middle - bar_height / 2, place(row.typical) - left_, bar_height);
    }
    svg += stroke(place(row.least), middle, place(row.most), middle, "range", 1.2);
    if (all_.dots && !beyond(row.typical)) {
      svg += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", colour,
                         place(row.typical), middle);
    }
    if (beyond(row.most)) svg += arrow(middle, beyond(row.typical) ? colour : "beyond");
    return svg + label_at(right_ + 12, middle + 4, "start", figures_of(row));
  }

  /// In the colour of what is typical if that lies beyond, too.
  [[nodiscard]] std::string arrow(double middle, const char* colour) const {
    return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l-8 -5v10z\"/>\n", colour, right_ + 6,
                       middle);
  }

  [[nodiscard]] std::string mark() const {
    if (!all_.mark) return {};
    const double x = place(all_.mark->value);
    return stroke(x, rows_top - 4, x, bottom_, "mark", 1.2) +
           label_at(x, rows_top - 8, "middle", all_.mark->name);
  }

  const RangeRows& all_;
  Widths widths_;
  double names_;  ///< where the names of rows end
  double left_;
  double right_;
  double bottom_;
  Axis x_;
};

}  // namespace

std::string to_svg(const RangeRows& all) { return RowDrawing(all).text(); }

}  // namespace lares::bench
