// Descriptions: what they mean, and a sentence for each mistake.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "machine_support.hpp"
#include "model/description.hpp"

namespace lares::model {
namespace {

constexpr const char* sample = R"({
  "format": "lares-model", "version": 1, "name": "sample", "about": "text", "measured": {"2": 0.5},
  "regions": [
    {"name": "sweep", "repeat": 3, "threads": 4, "imbalance": 1.25, "measured": {"1": 1, "8": 2.5},
     "flops": {"fma": 100, "chain": 7},
     "arrays": [{"name": "a", "bytes": 4096, "access": "read", "placement": "domain 3"},
                {"name": "b", "bytes": 8192, "traffic": 1e6, "access": "triad",
                 "placement": "interleaved"}],
     "constructs": {"parallel-for": 1, "reduction": 2}},
    {"name": "end", "constructs": {"barrier": 1}}
  ]
})";

std::string refused(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const auto parsed = parse_description(text.replace(at, from.size(), to), "d.json");
  if (parsed.ok()) return "(accepted)";
  const std::string prefix = "description \"d.json\": ";
  EXPECT_EQ(parsed.error().sentence.rfind(prefix, 0), 0U) << parsed.error().sentence;
  return parsed.error().sentence.substr(prefix.size());
}

TEST(Description, SaysWhatIsWritten) {
  const auto parsed = parse_description(sample, "d.json");
  ASSERT_TRUE(parsed.ok()) << parsed.error().sentence;
  const Description& d = parsed.value();
  EXPECT_EQ(d.name, "sample");
  EXPECT_EQ(d.measured.at(2).count, 0.5);
  ASSERT_EQ(d.regions.size(), 2U);
  const Region& sweep = d.regions[0];
  EXPECT_EQ(sweep.repeat, 3);
  EXPECT_EQ(sweep.most_threads, 4U);
  EXPECT_EQ(sweep.imbalance, 1.25);
  EXPECT_EQ(sweep.measured.at(8).count, 2.5);
  EXPECT_EQ(sweep.flops,
            (std::vector<std::pair<Flops, double>>{{Flops::fma, 100}, {Flops::chain, 7}}));
  ASSERT_EQ(sweep.arrays.size(), 2U);
  EXPECT_EQ(sweep.arrays[0].traffic, 4096) << "its bytes, if nothing else is said";
  EXPECT_EQ(sweep.arrays[0].placement, Placement::in_domain);
  EXPECT_EQ(sweep.arrays[0].domain, DomainId{3});
  EXPECT_EQ(sweep.arrays[1].footprint.count, 8192U);
  EXPECT_EQ(sweep.arrays[1].traffic, 1e6);
  EXPECT_EQ(sweep.arrays[1].access, Access::triad);
  EXPECT_EQ(sweep.arrays[1].placement, Placement::interleaved);
  EXPECT_EQ(sweep.constructs.size(), 2U);
  EXPECT_EQ(d.regions[1].repeat, 1);
  EXPECT_FALSE(d.regions[1].most_threads.has_value());
}

TEST(Description, EachMistakeHasASentence) {
  const std::vector<std::array<std::string, 3>> mistakes = {
      {"lares-model", "lares-machine", "field \"format\" must be \"lares-model\""},
      {"\"version\": 1", "\"version\": 2", "field \"version\" must be a number from 1 to 1"},
      {"\"name\": \"sample\", ", "", "field \"name\" is missing"},
      {"\"sample\"", "\"\"",
       "field \"name\" must be a text of 1 to 200 bytes without control characters"},
      {"\"sample\"", R"("a\u001bb")",
       "field \"name\" must be a text of 1 to 200 bytes without control characters"},
      {"\"repeat\": 3", "\"repeat\": 0",
       "field \"regions[0].repeat\" must be a number above 0 and at most 1e+18"},
      {"\"repeat\": 3", "\"repeats\": 3",
       "field \"regions[0]\" has an unknown field \"repeats\", accepted are name, repeat, threads, "
       "imbalance, flops, arrays, constructs, measured"},
      {"\"imbalance\": 1.25", "\"imbalance\": 0.5",
       "field \"regions[0].imbalance\" must be at least 1: the busiest thread's work over the "
       "mean"},
      {"\"threads\": 4", "\"threads\": 0",
       "field \"regions[0].threads\" must be a number from 1 to 1000000"},
      {"\"fma\": 100", "\"mul\": 100",
       "field \"regions[0].flops\" has an unknown field \"mul\", accepted are fma, add, "
       "scalar-fma, "
       "scalar-add, chain"},
      {"\"fma\": 100", "\"fma\": -1",
       "field \"regions[0].flops.fma\" must be a number above 0 and at most 1e+18"},
      {"\"access\": \"read\"", "\"access\": \"raed\"",
       "field \"regions[0].arrays[0].access\" has an unknown word, accepted are read, write, "
       "update, copy, triad"},
      {"\"bytes\": 4096", "\"bytes\": \"4k\"",
       "field \"regions[0].arrays[0].bytes\" must be a number above 0 and at most 1e+18"},
      {"domain 3", "domain x",
       "field \"regions[0].arrays[0].placement\" must be local, interleaved or domain N, such as "
       "\"domain 3\""},
      {"\"reduction\": 2", "\"reduce\": 2",
       "field \"regions[0].constructs\" has an unknown field \"reduce\", accepted are parallel, "
       "parallel-for, for, barrier, reduction, single"},
      {"\"8\": 2.5", "\"eight\": 2.5",
       "field \"regions[0].measured\" must have numbers of threads as names, such as \"2\", and "
       "seconds as values"},
      {"\"name\": \"end\"", "\"name\": \"sweep\"",
       "field \"regions[1].name\" is the name of an earlier region, too"},
      {", \"constructs\": {\"barrier\": 1}", "",
       "field \"regions[1]\" does nothing: it has neither flops nor arrays nor constructs"},
      {"{\"name\": \"end\", \"constructs\": {\"barrier\": 1}}", "7",
       "field \"regions[1]\" must be an object"},
      {"\"about\": \"text\",", "\"about\": \"text\"", "no valid JSON at line 2, column 85"},
  };
  for (const auto& [from, to, sentence] : mistakes) EXPECT_EQ(refused(sample, from, to), sentence);
}

TEST(Description, NeedsARegion) {
  const auto none = parse_description(
      R"({"format": "lares-model", "version": 1, "name": "n", "regions": []})", "d.json");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().sentence, "description \"d.json\": field \"regions\" must have a region");
}

TEST(Description, TheExampleIsOne) {
  std::ifstream file(std::string(LARES_SOURCE_DIR) + "/examples/model/cg.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto parsed = parse_description(text, "cg.json");
  ASSERT_TRUE(parsed.ok()) << parsed.error().sentence;
  EXPECT_EQ(parsed.value().regions.size(), 6U);
}

TEST(Description, AnyDamageIsRefusedOrHarmless) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    const auto parsed = parse_description(machine::test::mutate(sample, random), "d.json");
    if (!parsed) {
      EXPECT_TRUE(machine::test::is_sentence(parsed.error().sentence)) << parsed.error().sentence;
    }
  }
}

}  // namespace
}  // namespace lares::model
