// Charts, and benchmarks at their smallest.
#include <gtest/gtest.h>

#include <string>

#include "bench/benchmarks.hpp"
#include "bench/chart.hpp"
#include "bench/quantile_lines.hpp"
#include "bench/stacked_bars.hpp"
#include "machine_support.hpp"

namespace lares::bench {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Ticks, AreRoundAndCover) {
  EXPECT_EQ(ticks_between(0, 10, false, 10), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks_between(1, 8, true, 2), (std::vector<double>{1, 2, 4, 8}));
  EXPECT_EQ(ticks_between(3, 70, true, 10), (std::vector<double>{1, 10, 100}));
  for (const double most : {0.001, 3.0, 17.0, 999.0, 1e9}) {
    const auto ticks = ticks_between(0, most, false, 10);
    EXPECT_GE(ticks.back(), most);
    EXPECT_LE(ticks.size(), 8U);
    EXPECT_GE(ticks.size(), 2U);
  }
  EXPECT_EQ(ticks_between(0, 2, false, 10, true), (std::vector<double>{0, 1, 2}));
  EXPECT_GE(ticks_between(5, 5, false, 10).size(), 2U);
  EXPECT_GE(ticks_between(4, 4, true, 2).size(), 2U);
}

TEST(Svg, HasALineAndMarkersForEachSeries) {
  const Chart chart{"t",   "x",
                    "y",   true,
                    false, {{"one", {{1, {2, 1, 3}}, {2, {4, 3, 5}}}}, {"two", {{1, {5, 5, 5}}}}}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count_of(svg, "<polyline"), 2U);
  EXPECT_EQ(count_of(svg, "<circle"), 3U) << "two points and the legend";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

TEST(StackedBars, HaveOneScaleAndAreAsLongAsTheirSums) {
  EXPECT_EQ(stacked_bars({{"a", {1, 1}}, {"long", {0, 0.5, 0.5}}}, 10),
            "  a    |0000011111|\n"
            "  long |11122|\n");
  // Thirds of seven letters: rounding in the parts does not change the length.
  EXPECT_EQ(stacked_bars({{"", {1, 1, 1}}}, 7), "   |0011122|\n");
}

TEST(StackedBars, StandNothingAndManyParts) {
  EXPECT_EQ(stacked_bars({}, 10), "");
  EXPECT_EQ(stacked_bars({{"x", {}}, {"y", {0, 0}}}, 10), "  x ||\n  y ||\n");
  EXPECT_EQ(part_letter(10), 'a');
  EXPECT_EQ(part_letter(61), 'Z');
  EXPECT_EQ(part_letter(62), '#');
}

TEST(QuantileLines, HaveOneScaleFromNought) {
  EXPECT_EQ(quantile_lines({{"a", {2, 4, 5, 6, 10}}, {"bc", {0, 0, 0, 0, 0}}}, 11),
            "  a  |  --=#=----|\n"
            "  bc |#          |\n");
}

TEST(QuantileLines, StandNothing) {
  EXPECT_EQ(quantile_lines({}, 10), "");
  EXPECT_EQ(quantile_lines({{"x", {}}}, 3), "  x |#  |\n");
  EXPECT_EQ(quantile_lines({{"x", {1, 1, 1, 1, 1}}}, 0), "  x ||\n");
}

/// The value of an attribute of the first element that has `part`.
double number_of(const std::string& svg, const std::string& part, const std::string& attribute) {
  const std::size_t at = svg.find(attribute + "=\"", svg.find(part)) + attribute.size() + 2;
  return std::stod(svg.substr(at));
}

TEST(Svg, HasRoomForItsLegend) {
  Chart chart{"t", "x", "y", false, false, {}};
  const auto size = [&] {
    const std::string svg = to_svg(chart);
    return std::pair(number_of(svg, "<svg", "width"), number_of(svg, "<svg", "height"));
  };
  chart.series.push_back({"short", {}});
  EXPECT_EQ(size(), std::pair(760.0, 460.0));
  chart.series[0].name = std::string(60, 'w');
  EXPECT_GT(size().first, 612 + 60 * 6);
  chart.series.assign(40, {"short", {}});
  EXPECT_GT(size().second, 40 * 20 + 40);
}

TEST(Svg, BarsOfSeriesStandBesideEachOther) {
  const Chart chart{"t",   "x",   "y",
                    false, false, {{"a", {{1, {2, 1, 3}}}}, {"b", {{1, {2, 1, 3}}}}}};
  const std::string svg = to_svg(chart);
  const double first = number_of(svg, "stroke=\"#0072B2\"/>", "cx");
  const double second = number_of(svg, "stroke=\"#D55E00\"/>", "x") + 3.5;
  EXPECT_NEAR(second - first, 5, 0.2);
}

TEST(Svg, SizesHaveTheirUnit) {
  Chart chart{"t", "footprint in KiB", "y", true, false, {{"a", {{4, {1, 1, 1}}}}}};
  chart.series[0].points.push_back({32768, {1, 1, 1}});
  chart.x_kibibytes = true;
  const std::string svg = to_svg(chart);
  EXPECT_NE(svg.find(">4 KiB<"), std::string::npos);
  EXPECT_NE(svg.find(">16 MiB<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">footprint<"), std::string::npos);
}

TEST(Svg, NamesCannotBreakIt) {
  const std::string svg = to_svg(Chart{"a<b & c>d", "x", "y", false, false, {{"<x>", {}}}});
  EXPECT_NE(svg.find("a&lt;b &amp; c&gt;d"), std::string::npos);
  EXPECT_EQ(svg.find("<x>"), std::string::npos);
}

TEST(Svg, OfNothingIsAFrame) { EXPECT_NE(to_svg(Chart{}).find("</svg>"), std::string::npos); }

TEST(Benchmarks, AllGiveOrderedFigures) {
  const machine::Machine machine = machine::test::load("");
  Setting setting{machine,
                  {},
                  {{10'000}, 3},
                  2,
                  {64U << 10U},
                  true,
                  [](const std::string&, std::size_t, std::size_t) {}};
  for (std::size_t d = 0; d < machine.domains_with_cores(); ++d) setting.domains.emplace_back(d);
  for (const Benchmark& benchmark : benchmarks()) {
    const auto chart = benchmark.run(setting);
    ASSERT_TRUE(chart.ok()) << benchmark.name << ": " << chart.error().sentence;
    ASSERT_FALSE(chart.value().series.empty()) << benchmark.name;
    for (const Series& series : chart.value().series) {
      EXPECT_FALSE(series.points.empty()) << benchmark.name;
      double before = -1;
      for (const Point& point : series.points) {
        EXPECT_GT(point.x, before) << benchmark.name;
        before = point.x;
        EXPECT_TRUE(point.y.least > 0 && point.y.least <= point.y.median &&
                    point.y.median <= point.y.most)
            << benchmark.name;
      }
    }
  }
}

}  // namespace
}  // namespace lares::bench
