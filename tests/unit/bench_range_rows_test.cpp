// Rows with ranges: where their bars, dots and lines are.
#include "bench/range_rows.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace lares::bench {
namespace {

RangeRows two_rows() {
  RangeRows rows;
  rows.title = "title";
  rows.about = "about";
  rows.axis = "axis";
  rows.groups = {{"group", {{"one", 4, 3, 5}, {"two", 8, 6, 10, true}}}};
  return rows;
}

/// The numbers of an attribute, of each element with this class.
std::vector<double> numbers_in(const std::string& svg, const std::string& element_class,
                               const std::string& attribute) {
  std::vector<double> values;
  const std::string start = "class=\"" + element_class + "\"";
  for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at + 1)) {
    const std::size_t value = svg.find(" " + attribute + "=\"", at);
    if (value == std::string::npos) break;
    values.push_back(std::stod(svg.substr(value + attribute.size() + 3)));
  }
  return values;
}

bool has_text(const std::string& svg, const std::string& text) {
  return svg.find(">" + text + "<") != std::string::npos;
}

TEST(RangeRowsSvg, BarsAreAsLongAsTheirValues) {
  const std::string svg = to_svg(two_rows());
  const auto typical = numbers_in(svg, "typical", "width");
  const auto other = numbers_in(svg, "other", "width");
  ASSERT_EQ(typical.size(), 1U);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_GT(typical[0], 0);
  EXPECT_NEAR(other[0], 2 * typical[0], 0.11);
  EXPECT_GT(numbers_in(svg, "other", "y")[0], numbers_in(svg, "typical", "y")[0]);
}

TEST(RangeRowsSvg, LinesGoFromTheLeastToTheMost) {
  const std::string svg = to_svg(two_rows());
  const double nought = numbers_in(svg, "typical", "x")[0];
  const double one = numbers_in(svg, "typical", "width")[0] / 4;
  EXPECT_NEAR(numbers_in(svg, "range", "x1")[0], nought + 3 * one, 0.11);
  EXPECT_NEAR(numbers_in(svg, "range", "x2")[1], nought + 10 * one, 0.21);
}

TEST(RangeRowsSvg, HasAllTextsAndFigures) {
  const std::string svg = to_svg(two_rows());
  for (const char* text :
       {"title", "about", "axis", "group", "one", "two", "4 [3..5]", "8 [6..10]"})
    EXPECT_TRUE(has_text(svg, text)) << text;
}

TEST(RangeRowsSvg, DotsStandAtTheirValuesAndTheMarkAtIts) {
  RangeRows rows = two_rows();
  rows.dots = true;
  rows.mark = {8, "goal"};
  const std::string svg = to_svg(rows);
  EXPECT_TRUE(numbers_in(svg, "typical", "width").empty());
  EXPECT_NEAR(numbers_in(svg, "other", "cx")[0], numbers_in(svg, "mark", "x1")[0], 0.11);
  EXPECT_LT(numbers_in(svg, "typical", "cx")[0], numbers_in(svg, "mark", "x1")[0]);
  EXPECT_TRUE(has_text(svg, "goal"));
}

TEST(RangeRowsSvg, TheMarkIsWithinTheAxis) {
  RangeRows rows = two_rows();
  rows.mark = {20, "goal"};
  const std::string svg = to_svg(rows);
  EXPECT_LE(numbers_in(svg, "mark", "x1")[0], numbers_in(svg, "axis", "x2")[0]);
  EXPECT_LT(numbers_in(svg, "range", "x2")[1], numbers_in(svg, "mark", "x1")[0]);
}

TEST(RangeRowsSvg, WhatLiesBeyondTheCutIsAnArrow) {
  RangeRows rows = two_rows();
  rows.dots = true;
  rows.cut = 7;
  rows.groups[0].rows.push_back({"three", 200, 100, 300});
  rows.groups[0].rows.push_back({"four", 1, 1, 100});
  const std::string svg = to_svg(rows);
  EXPECT_NE(svg.find("<path class=\"typical\""), std::string::npos) << "all of it lies beyond";
  EXPECT_NE(svg.find("<path class=\"beyond\""), std::string::npos) << "a part of it does";
  const double end = numbers_in(svg, "axis", "x2")[0];
  for (const double x : numbers_in(svg, "range", "x2")) EXPECT_LE(x, end);
  EXPECT_TRUE(has_text(svg, "200 [100..300]"));
}

TEST(RangeRowsSvg, HasRoomForRowsAndNames) {
  RangeRows rows = two_rows();
  const auto size = [&](const char* attribute) {
    const std::string svg = to_svg(rows);
    const std::string start = std::string(" ") + attribute + "=\"";
    return std::stod(svg.substr(svg.find(start) + start.size()));
  };
  const double width = size("width");
  rows.groups[0].name = std::string(60, 'w');
  EXPECT_GT(size("width"), width + 50 * 6);
  const double height = size("height");
  rows.groups.insert(rows.groups.end(), 9, rows.groups[0]);
  EXPECT_GT(size("height"), height + 9 * 2 * 14);
}

TEST(RangeRowsSvg, StandsOddNamesAndNothing) {
  RangeRows rows = two_rows();
  rows.groups[0].rows[0].name = "<a&b>";
  const std::string svg = to_svg(rows);
  EXPECT_EQ(svg.find("<a&b>"), std::string::npos);
  EXPECT_TRUE(has_text(svg, "&lt;a&amp;b&gt;"));
  EXPECT_NE(to_svg(RangeRows{}).find("</svg>"), std::string::npos);
  EXPECT_EQ(to_svg(RangeRows{}).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace lares::bench
