// The measured part of a machine file: round trip, rules, errors that name the field.
#include "machine/measurements.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "machine/machine_file.hpp"
#include "machine_support.hpp"

namespace lares::machine {
namespace {

Measurements sample() {
  Measurements m;
  m.when = "2026-11-21T23:00:00Z";
  m.repeats = 5;
  m.slit = {10, 21, 21, 10};
  m.pairs.push_back({DomainId{0}, DomainId{1}, "read", {1U << 20U}, 4, {100.5, 99, 101}});
  m.pairs.push_back({DomainId{1}, DomainId{0}, "latency", {1U << 20U}, 1, {98.25, 97, 120}});
  m.aggregate.push_back({"all-to-all", "triad", 8, {1000, 900, 1100}, {}});
  m.aggregate.push_back({"local", "update", 8, {2000, 1900, 2100}, {1U << 20U}});
  m.migration.push_back({DomainId{0}, DomainId{1}, "move-pages", 512, {700, 650, 800}, {}});
  m.migration.push_back(
      {DomainId{0}, DomainId{1}, "next-touch", 64, {900, 850, 1000}, "userfault-thread"});
  m.synchronisation.push_back({"barrier", "lares", 8, {1200, 1100, 9000}});
  m.compute.push_back({"scalar-fma", 8, {80.5, 79, 81}});
  return m;
}

Machine two_nodes() { return test::load("synthetic:pack:2 [numa] core:2 pu:1"); }

std::string refusal(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const auto parsed = parse_measurements(text.replace(at, from.size(), to), "m.json");
  return parsed.ok() ? "(accepted)" : parsed.error().sentence;
}

TEST(Measurements, ComeBackAsTheyWere) {
  const std::string text = to_machine_file(two_nodes(), sample());
  const auto read = parse_measurements(text, "m.json");
  ASSERT_TRUE(read.ok()) << read.error().sentence;
  EXPECT_EQ(to_machine_file(two_nodes(), read.value()), text);
  EXPECT_EQ(read.value().pairs[0].figure.median, 100.5);
  EXPECT_EQ(read.value().pairs[1].kernel, "latency");
  EXPECT_EQ(read.value().slit, sample().slit);
  EXPECT_EQ(read.value().migration[1].way, "userfault-thread");
  EXPECT_EQ(read.value().synchronisation[0].ns.most, 9000);
  EXPECT_EQ(read.value().aggregate[0].footprint.count, 0U);
  EXPECT_EQ(read.value().aggregate[1].footprint.count, 1U << 20U);
  EXPECT_EQ(read.value().compute[0].kind, "scalar-fma");
  EXPECT_EQ(read.value().compute[0].gflops.median, 80.5);
  EXPECT_EQ(test::everything(parse_machine_file(text, "m.json").value()),
            test::everything(two_nodes()));
}

TEST(Measurements, ANextTouchNeedNotTellItsWay) {
  std::string text = to_machine_file(two_nodes(), sample());
  const std::string way = ",\"way\":\"userfault-thread\"";
  const std::size_t at = text.find(way);
  ASSERT_NE(at, std::string::npos) << text;
  const auto read = parse_measurements(text.erase(at, way.size()), "m.json");
  ASSERT_TRUE(read.ok()) << read.error().sentence;
  EXPECT_EQ(read.value().migration[1].method, "next-touch");
  EXPECT_EQ(read.value().migration[1].way, "");
  EXPECT_EQ(to_machine_file(two_nodes(), read.value()), text);
}

TEST(Measurements, TheFuzzersFirstInputHasEveryKind) {
  std::ifstream file(std::string(LARES_SOURCE_DIR) + "/tests/fuzz/machine_file/measured.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_TRUE(parse_machine_file(text, "seed").ok());
  const auto read = parse_measurements(text, "seed");
  ASSERT_TRUE(read.ok()) << read.error().sentence;
  EXPECT_FALSE(read.value().slit.empty());
  EXPECT_FALSE(read.value().pairs.empty());
  EXPECT_FALSE(read.value().aggregate.empty());
  EXPECT_FALSE(read.value().migration.empty());
  EXPECT_FALSE(read.value().synchronisation.empty());
  EXPECT_FALSE(read.value().compute.empty());
}

TEST(Measurements, AFileWithoutThemHasNone) {
  const std::string text = to_machine_file(two_nodes());
  EXPECT_EQ(text.find("measurements"), std::string::npos);
  EXPECT_TRUE(parse_measurements(text, "m.json").value().empty());
}

TEST(Measurements, ErrorsNameTheField) {
  const std::string text = to_machine_file(two_nodes(), sample());
  const std::string file = "machine file \"m.json\": ";
  EXPECT_EQ(refusal(text, "[100.5,99.0,101.0]", "[100.5,99.0]"),
            file + "field \"measurements.pairs[0].mb_s\" must have 3 values: median, least, most");
  EXPECT_EQ(refusal(text, "[100.5,99.0,101.0]", "[100.5,101,99]"),
            file + "a measurement's spread is not 0 < least <= median <= most <= 1e12");
  EXPECT_EQ(refusal(text, "\"kernel\":\"read\"", "\"kernel\":\"raed\""),
            file +
                "a measurement has an unknown kernel, accepted are read, write, update, copy, "
                "triad, latency");
  EXPECT_EQ(refusal(text, "\"scalar-fma\"", "\"divide\""),
            file +
                "a measurement has an unknown kind, accepted are fma, add, scalar-fma, scalar-add, "
                "chain");
  EXPECT_EQ(refusal(text, "{\"from\":0,\"to\":1,\"kernel\"", "{\"from\":2,\"to\":1,\"kernel\""),
            file + "a measurement names a domain that does not exist");
  EXPECT_EQ(refusal(text, "userfault-thread", "guess"),
            file +
                "a measurement has an unknown way, accepted are userfault-thread, "
                "userfault-signal, protect");
  EXPECT_EQ(refusal(text, "\"next-touch\"", "\"copy\""),
            file + "a measurement has a way and is no next-touch");
  EXPECT_NE(refusal(text, "\"threads\":4", "\"threads\":0").find("measurements.pairs[0].threads"),
            std::string::npos);
  EXPECT_NE(refusal(text, "[10,21]", "[10,21,3]").find("measurements.slit[0]"), std::string::npos);
}

TEST(Measurements, RulesRefuseWhatIsNoNumber) {
  Measurements m = sample();
  EXPECT_FALSE(check_measurements(m, 2).has_value());
  EXPECT_TRUE(check_measurements(m, 1).has_value());
  m.aggregate[0].mb_s.median = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(check_measurements(m, 2).has_value());
}

TEST(Measurements, AnyDamageIsRefusedOrHarmless) {
  const std::string text = to_machine_file(two_nodes(), sample());
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    const auto read = parse_measurements(test::mutate(text, random), "m.json");
    if (!read) {
      EXPECT_TRUE(test::is_sentence(read.error().sentence)) << read.error().sentence;
    }
  }
}

}  // namespace
}  // namespace lares::machine
