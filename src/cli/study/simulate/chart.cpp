// The chart of `lares simulate --svg`: plain SVG without scripts or fonts of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/study/simulate/show.hpp"

namespace lares::cli {
namespace {

using simulate::Measured;

constexpr std::array<const char*, 8> colours = {"#1b6ca8", "#d1495b", "#2e933c", "#edae49",
                                                "#7a4fa3", "#3d3d3d", "#00a1a1", "#a05a2c"};
constexpr double width = 720;
constexpr double left = 210;
constexpr double row_height = 30;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else if (c == '"') {
      safe += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20U) {
      safe += c;
    }
  }
  return safe;
}

std::string text_at(double x, double y, const std::string& text, const char* anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string document(double height, const std::string& title, const std::string& body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}{3}</svg>\n",
      width, height, text_at(12, 24, title), body);
}

// One bar a schedule; the thin line is the spread over seeds and uncertain parameters.
std::string bars(const simulate::Measurements& found, const std::string& title) {
  double most = 0;
  for (const Measured& row : found.rows) most = std::max({most, row.highest, row.seconds.most});
  const double scale = most > 0 ? (width - left - 110) / most : 0;
  std::string body;
  double y = 46;
  for (std::size_t i = 0; i < found.rows.size(); ++i, y += row_height) {
    const Measured& row = found.rows[i];
    body += text_at(left - 8, y + 15, row.schedule, "end");
    body += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"20\" "
        "fill=\"{}\"/>\n",
        left, y, row.seconds.median * scale, colours[i % colours.size()]);
    body += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
        "stroke=\"black\"/>\n",
        left + row.lowest * scale, y + 10, left + row.highest * scale, y + 10);
    body += text_at(left + std::max(row.highest, row.seconds.median) * scale + 8, y + 15,
                    fmt::format("{:.4g} s", row.seconds.median));
  }
  return document(y + 14, title, body);
}

// Speed-up over the size of the team, one line a schedule.
std::string lines(const simulate::Measurements& found, const std::string& title) {
  constexpr double height = 420;
  constexpr double bottom = height - 40;
  double most = 0;
  double cores = 0;
  std::vector<std::string> names;
  const auto speedup = [](const Measured& row) {
    return row.seconds.median > 0 ? row.typical.alone_seconds / row.seconds.median : 0;
  };
  for (const Measured& row : found.rows) {
    most = std::max(most, speedup(row));
    cores = std::max(cores, static_cast<double>(row.workers));
    if (std::find(names.begin(), names.end(), row.schedule) == names.end()) {
      names.push_back(row.schedule);
    }
  }
  const auto x = [&](double workers) { return 60 + (width - 100) * workers / cores; };
  const auto y = [&](double value) {
    return bottom - (bottom - 60) * value / std::max(most, 1e-9);
  };
  std::string body = fmt::format(
      "<path d=\"M60 60V{0:.0f}H{1:.0f}\" fill=\"none\" stroke=\"black\"/>\n", bottom, width - 30);
  body += text_at(54, y(most) + 4, fmt::format("{:.1f}", most), "end");
  body += text_at(54, bottom + 4, "0", "end");
  body += text_at(x(cores), bottom + 18, fmt::format("{:.0f}", cores), "end");
  body += text_at(width / 2, height - 8, "cores", "middle");
  body += text_at(12, 50, "speed-up");
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string points;
    for (const Measured& row : found.rows) {
      if (row.schedule != names[i]) continue;
      points += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(row.workers)), y(speedup(row)));
    }
    const char* colour = colours[i % colours.size()];
    body +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                    points, colour);
    const double at = 66 + 18 * static_cast<double>(i);
    body += fmt::format("<rect x=\"80\" y=\"{:.1f}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", at,
                        colour);
    body += text_at(100, at + 6, names[i]);
  }
  return document(height, title, body);
}

}  // namespace

std::string simulation_svg(const SimulationHead& head, const simulate::Measurements& found) {
  const std::string title = fmt::format("{} on {} (simulated)", head.workload, head.machine.name);
  const bool one_size = std::all_of(found.rows.begin(), found.rows.end(), [&](const Measured& row) {
    return row.workers == found.rows.front().workers;
  });
  return one_size ? bars(found, title) : lines(found, title);
}

}  // namespace lares::cli
