// The lines of text that the preloaded library reads.
#include <gtest/gtest.h>

#include "machine_support.hpp"

namespace lares::machine {
namespace {

using test::for_scheduling;
using test::load;

TEST(Compact, EveryMachineComesBackAsItWas) {
  for (const std::string& description : test::all_machines()) {
    const Machine machine = load(description);
    const auto parsed = parse_compact(to_compact(machine));
    ASSERT_TRUE(parsed.ok()) << description << ": " << parsed.error().sentence;
    EXPECT_EQ(for_scheduling(parsed.value()), for_scheduling(machine)) << description;
  }
}

TEST(Compact, CarriesWhatAccessesCost) {
  Machine machine = load("synthetic:pack:2 [numa] core:2 pu:1");
  machine.performance.latency_ns = {90, 140, 141, 0};
  const auto latency = parse_compact(to_compact(machine));
  ASSERT_TRUE(latency.ok());
  EXPECT_EQ(latency.value().performance.latency_ns, machine.performance.latency_ns);
  EXPECT_TRUE(latency.value().performance.bandwidth_mb_s.empty());
  machine.performance.bandwidth_mb_s = {100'000, 30'000, 31'000, 99'000};
  const std::string text = to_compact(machine);
  EXPECT_NE(text.find("latency 90 140\nlatency 141 0\nbandwidth 100000 30000\n"),
            std::string::npos);
  const auto both = parse_compact(text);
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both.value().performance.bandwidth_mb_s, machine.performance.bandwidth_mb_s);
}

TEST(Compact, WrongCostsAreRefused) {
  Machine machine = load("synthetic:pack:2 [numa] core:2 pu:1");
  machine.performance.latency_ns = {90, 140, 141, 90};
  const std::string text = to_compact(machine);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return parse_compact(changed);
  };
  EXPECT_FALSE(with("latency 90 140\n", "").ok()) << "a row is missing";
  EXPECT_FALSE(with("latency 90 140", "latency 90").ok()) << "a value is missing";
  EXPECT_FALSE(with("latency 90", "latency 1000001").ok());
  EXPECT_FALSE(with("latency 90", "latency -1").ok());
  EXPECT_FALSE(with("latency 90 140", "latency").ok());
}

TEST(Compact, LooksAsDocumented) {
  EXPECT_EQ(to_compact(load("synthetic:pack:2 [numa(memory=1073741824)] core:2 pu:2")),
            "lares-machine 1\n"
            "name synthetic:pack:2 [numa(memory=1073741824)] core:2 pu:2\n"
            "level numa\n"
            "domain 0 1073741824 numa 0\n"
            "domain 1 1073741824 numa 1\n"
            "core 0 0 1\n"
            "core 0 2 3\n"
            "core 1 4 5\n"
            "core 1 6 7\n"
            "tree machine -1 -1 0 1 2 3\n"
            "tree package 0 -1 0 1\n"
            "tree package 0 -1 2 3\n"
            "tree numa 1 0 0 1\n"
            "tree numa 2 1 2 3\n"
            "memory 0 1073741824 0 DRAM 1 0\n"
            "memory 1 1073741824 0 DRAM 1 1\n"
            "distances levels\n"
            "row 10 20\n"
            "row 20 10\n"
            "end\n");
}

TEST(Compact, NamesThatWouldBreakALineLoseWhatBreaksIt) {
  Machine machine = load("synthetic:core:1 pu:1");
  machine.name = "a\nlevel l2\r\x7F z";
  const auto parsed = parse_compact(to_compact(machine));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().name, "a level l2   z");
}

TEST(Compact, ErrorsNameTheLine) {
  const std::string sound = to_compact(load("synthetic:core:2 pu:1"));
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string text = sound;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto parsed = parse_compact(text);
    return parsed.ok() ? "(accepted)" : parsed.error().sentence;
  };
  const std::string start = "machine description, line ";
  EXPECT_EQ(refusal("lares-machine 1", "lares-machine 2"),
            start + "1: the first line is not \"lares-machine 1\"");
  EXPECT_EQ(refusal("level numa", "level core"),
            start + "3: \"level\" needs one of numa, package, l3, l2, group");
  EXPECT_EQ(refusal("core 0 1", "core 0 x"), start + "6: \"core\" needs a domain and its cpus");
  EXPECT_EQ(refusal("core 0 1", "core 0"), start + "6: \"core\" needs a domain and its cpus");
  EXPECT_EQ(refusal("core 0 1", "core 0 1 "), "(accepted)");
  EXPECT_EQ(refusal("core 0 1", "cure 0 1"),
            start +
                "6: the first word is none of name, level, domain, core, tree, memory, "
                "distances, row, latency, bandwidth, end");
  EXPECT_EQ(refusal("row 10", "row 0"), start + "11: \"row\" needs distances from 1 to 65535");
  EXPECT_EQ(refusal("end\n", "end\nmore"), start + "12: there is text after the line \"end\"");
  EXPECT_EQ(refusal("end\n", ""), start + "12: the text stops before its line \"end\"");
  EXPECT_EQ(refusal("core 0 1", "core 7 1"),
            start + "12: core 1 is in a domain that does not exist");
}

TEST(Compact, EveryTruncationIsNoticed) {
  const std::string text = to_compact(load("synthetic:pack:2 [numa] l3:2 core:2 pu:1"));
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(parse_compact(text.substr(0, length)).ok()) << length;
  }
}

TEST(Compact, RandomDamageGivesAValidMachineOrASentence) {
  Random random(20260101);
  std::size_t refused = 0;
  std::size_t accepted = 0;
  for (const std::string& description : test::synthetic_machines()) {
    const std::string sound = to_compact(load(description));
    for (int round = 0; round < 1500; ++round) {
      const auto parsed = parse_compact(test::mutate(sound, random));
      if (parsed) {
        ++accepted;
        ASSERT_EQ(validate(parsed.value()), std::nullopt);
        ASSERT_TRUE(parse_compact(to_compact(parsed.value())).ok());
      } else {
        ++refused;
        ASSERT_TRUE(test::is_sentence(parsed.error().sentence)) << parsed.error().sentence;
      }
    }
  }
  // Both outcomes must have been exercised, or the damage was of the wrong kind.
  EXPECT_GT(refused, 5000U);
  EXPECT_GT(accepted, 500U);
}

}  // namespace
}  // namespace lares::machine
