// What the papers' report reads from docs/lab-policies.json.
#include "cli/study/simulate/counted.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/file_stream.hpp"
#include "base/random.hpp"
#include "machine_support.hpp"

namespace lares::cli {
namespace {

const std::string file =
    R"({"guest": "4 nodes", "rows": [
      {"program": "jacobi", "compiler": "gcc", "configuration": "stock libgomp",
       "remote_percent": [73, 75, 75]},
      {"program": "jacobi", "compiler": "gcc", "configuration": "virouleau",
       "remote_percent": [14, 16, 22]}]})";

TEST(CountedLines, AreSharesOfProgramsUnderPolicies) {
  const CountedLines lines(file);
  EXPECT_FALSE(lines.empty());
  EXPECT_EQ(lines.guest(), "4 nodes");
  EXPECT_EQ(lines.share("jacobi-gcc", "virouleau"), "16 [14..22] %");
  EXPECT_EQ(lines.share("jacobi-gcc", "stock libgomp"), "75 [73..75] %");
}

TEST(CountedLines, SayNothingOfWhatWasNotCounted) {
  const CountedLines lines(file);
  EXPECT_EQ(lines.share("jacobi-clang", "virouleau"), "");
  EXPECT_EQ(lines.share("jacobi-gcc", "locality-queues"), "");
  for (const std::string text : {"", "no JSON", "[]", R"({"guest": 4, "rows": []})"}) {
    EXPECT_TRUE(CountedLines(text).empty()) << text;
  }
  EXPECT_TRUE(CountedLines(read_text("/does/not/exist")).empty());
}

TEST(CountedLines, SurviveAnyText) {
  Random random(9);
  for (int round = 0; round < 2000; ++round) {
    const CountedLines lines(machine::test::mutate(file, random));
    EXPECT_LT(lines.share("jacobi-gcc", "virouleau").size(), 2 * file.size());
  }
}

// The report's file and the page are written together.
TEST(CountedLines, AreThoseOfTheLabsPage) {
  const std::string docs = std::string(LARES_SOURCE_DIR) + "/docs/";
  const CountedLines lines(read_text(docs + "lab-policies.json"));
  const std::string page = read_text(docs + "lab.md");
  for (const std::string program :
       {"jacobi-gcc", "jacobi-clang", "cholesky-gcc", "cholesky-clang"}) {
    for (const std::string policy : {"virouleau", "locality-queues"}) {
      const std::size_t row = page.find("| " + program + ", " + policy + " |");
      ASSERT_NE(row, std::string::npos) << program;
      const std::string text = page.substr(row, page.find('\n', row) - row);
      const std::string share = lines.share(program, policy);
      EXPECT_NE(share, "");
      EXPECT_NE(text.find("| " + share + " |"), std::string::npos)
          << share << " is not in " << text;
    }
  }
}

}  // namespace
}  // namespace lares::cli
