// The roofline chart: where its lines and spots are.
#include "bench/roofline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace lares::bench {
namespace {

Roofline small_roofline() {
  return {"t",
          {{"own", 10}, {"far", 4}},
          {{"fma", 100}, {"add", 50}},
          {{"one", 0.25, 2, 2.5, 1.5}, {"two", 8, 40, 50, 0}}};
}

/// The numbers of attribute `name`, of each element with this class.
std::vector<double> attributes(const std::string& svg, const std::string& element_class,
                               const std::string& name) {
  std::vector<double> values;
  const std::string start = "class=\"" + element_class + "\"";
  for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at + 1)) {
    const std::string attribute = " " + name + "=\"";
    const std::size_t value = svg.find(attribute, at);
    if (value == std::string::npos) break;
    values.push_back(std::stod(svg.substr(value + attribute.size())));
  }
  return values;
}

TEST(RooflineSvg, SlopesEndAtTheHighestCeiling) {
  const std::string svg = to_svg(small_roofline());
  const auto ceilings = attributes(svg, "ceiling", "y1");
  ASSERT_EQ(ceilings.size(), 2U);
  EXPECT_LT(ceilings[0], ceilings[1]) << "the higher one is further up";
  EXPECT_NEAR(attributes(svg, "s0", "y2").front(), ceilings[0], 0.11);
  EXPECT_NEAR(attributes(svg, "s1", "y2").front(), ceilings[0], 0.11);
  EXPECT_LT(attributes(svg, "s0", "x2").front(), attributes(svg, "s1", "x2").front());
  // A ceiling begins where the first slope reaches it.
  EXPECT_NEAR(attributes(svg, "ceiling", "x1")[0], attributes(svg, "s0", "x2").front(), 0.11);
}

TEST(RooflineSvg, ASpotLiesBelowItsRoofAndBesideWhatWasMeasured) {
  const std::string svg = to_svg(small_roofline());
  const auto x = attributes(svg, "spot", "cx");
  const auto y = attributes(svg, "spot", "cy");
  ASSERT_EQ(x.size(), 2U);
  EXPECT_LT(x[0], x[1]);
  EXPECT_GT(y[0], y[1]);
  EXPECT_LT(attributes(svg, "to-roof", "y2")[0], y[0]);
  const auto measured = attributes(svg, "measured", "cy");
  ASSERT_EQ(measured.size(), 2U) << "one spot, and the legend";
  EXPECT_GT(measured[0], y[0]);
}

TEST(RooflineSvg, NumbersOfSpotsInOnePlaceStandApart) {
  Roofline crowd = small_roofline();
  crowd.spots.assign(6, {"same", 1, 5, 5, 0});
  const std::string svg = to_svg(crowd);
  const auto x = attributes(svg, "halo", "x");
  const auto y = attributes(svg, "halo", "y");
  ASSERT_EQ(x.size(), 8U) << "two ceilings and six spots";
  for (std::size_t i = 2; i < x.size(); ++i) {
    for (std::size_t j = 2; j < i; ++j) {
      EXPECT_TRUE(std::abs(x[i] - x[j]) >= 13 || std::abs(y[i] - y[j]) >= 12) << i << " on " << j;
    }
  }
}

TEST(RooflineSvg, NamesCannotBreakItAndNothingIsAFrame) {
  Roofline odd = small_roofline();
  odd.title = odd.slopes[0].name = odd.ceilings[0].name = odd.spots[0].name = "<a&b>";
  const std::string svg = to_svg(odd);
  EXPECT_EQ(svg.find("<a&b>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;a&amp;b&gt;"), std::string::npos);
  EXPECT_NE(to_svg(Roofline{}).find("</svg>"), std::string::npos);
  EXPECT_EQ(to_svg(Roofline{}).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace lares::bench
