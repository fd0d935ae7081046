// What the papers' report reads from docs/lab.md.
#include "cli/simulate/counted.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/random.hpp"
#include "machine_support.hpp"

namespace lares::cli {
namespace {

const std::string page =
    "| program, policy | of all lines |\n| jacobi-gcc, virouleau | 99 % |\n\n"
    "<!-- policies -->\n"
    "| program, policy | remote lines, thousands | of all lines | of the halo |\n"
    "| --- | --: | --: | --: |\n"
    "| jacobi-gcc, stock libgomp | 1977 | 75 [73..75] % | 38.01 |\n"
    "| jacobi-gcc, virouleau | 385 | 16 [14..22] % | 7.41 |\n"
    "| jacobi-clang, virouleau | 452 | 19 % | |\n"
    "<!-- /policies -->\n"
    "| jacobi-clang, stock libomp | 1 | 98 % | |\n";

TEST(CountedLines, StandBesideTheStockRuntime) {
  const CountedLines lines(page);
  EXPECT_FALSE(lines.empty());
  // Clang's stock row is behind the table's end, so there is nothing to put beside virouleau.
  EXPECT_EQ(lines.sentence("jacobi", "virouleau"),
            "gcc 16 [14..22] % of the lines, stock libgomp 75 [73..75] %");
}

TEST(CountedLines, SayNothingOfWhatWasNotCounted) {
  const CountedLines lines(page);
  EXPECT_EQ(lines.sentence("cholesky", "virouleau"), "");
  EXPECT_EQ(lines.sentence("jacobi", "locality-queues"), "");
  EXPECT_TRUE(CountedLines("no table").empty());
  EXPECT_TRUE(CountedLines(CountedLines::read("/does/not/exist")).empty());
}

TEST(CountedLines, SurviveAnyText) {
  Random random(9);
  for (int round = 0; round < 2000; ++round) {
    const CountedLines lines(machine::test::mutate(page, random));
    EXPECT_LT(lines.sentence("jacobi", "virouleau").size(), 2 * page.size());
  }
}

}  // namespace
}  // namespace lares::cli
