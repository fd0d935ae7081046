// Lares' own machine file: round trip, what may be left out, and errors that name the field.
#include "machine/machine_file.hpp"

#include <gtest/gtest.h>

#include "machine_support.hpp"

namespace lares::machine {
namespace {

using test::everything;
using test::load;

constexpr const char* minimal = R"({
  "format": "lares-machine", "version": 1, "name": "two nodes", "domain_level": "numa",
  "domains": [{"name": "a", "node": 0, "memory_bytes": 64}, {"name": "b", "node": 1}],
  "cores": [{"domain": 0, "cpus": [0]}, {"domain": 0, "cpus": [1]}, {"domain": 1, "cpus": [2]}]
})";

std::string refusal(const std::string& text) {
  const auto parsed = parse_machine_file(text, "m.json");
  return parsed.ok() ? "(accepted)" : parsed.error().sentence;
}

/// The refusal of the minimal file with one part replaced.
std::string refusal_with(const std::string& from, const std::string& to) {
  std::string text = minimal;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return refusal(text.replace(at, from.size(), to));
}

TEST(MachineFile, EveryMachineComesBackAsItWas) {
  for (const std::string& description : test::all_machines()) {
    const Machine machine = load(description);
    const auto parsed = parse_machine_file(to_machine_file(machine), "m.json");
    ASSERT_TRUE(parsed.ok()) << description << ": " << parsed.error().sentence;
    EXPECT_EQ(everything(parsed.value()), everything(machine)) << description;
  }
}

TEST(MachineFile, WhatIsLeftOutIsCompleted) {
  const auto parsed = parse_machine_file(minimal, "m.json");
  ASSERT_TRUE(parsed.ok()) << parsed.error().sentence;
  const Machine& machine = parsed.value();
  EXPECT_EQ(machine.tree.size(), 3U);
  EXPECT_EQ(machine.distances.source, "levels");
  EXPECT_EQ(machine.distances.values, (std::vector<std::uint32_t>{10, 20, 20, 10}));
  ASSERT_EQ(machine.memory.size(), 2U);
  EXPECT_EQ(machine.memory[0].total.count, 64U);
  EXPECT_EQ(machine.memory[0].kind, "DRAM");
  EXPECT_EQ(machine.memory[1].domain, DomainId{1});
}

TEST(MachineFile, ErrorsNameFileAndField) {
  const std::string file = "machine file \"m.json\": ";
  EXPECT_EQ(refusal_with("lares-machine", "other"),
            file + "field \"format\" must be \"lares-machine\"");
  EXPECT_EQ(refusal_with("\"version\": 1", "\"version\": 2"),
            file + "field \"version\" must be a number from 1 to 1");
  EXPECT_EQ(refusal_with("\"name\": \"two nodes\", ", ""), file + "field \"name\" is missing");
  EXPECT_EQ(refusal_with("\"two nodes\"", "3"), file + "field \"name\" must be a text");
  EXPECT_EQ(refusal_with("\"domain_level\": \"numa\"", "\"domain_level\": \"l1\""),
            file +
                "field \"domain_level\" is wrong: unknown domain level \"l1\", accepted are "
                "numa, package, l3, l2, group");
  EXPECT_EQ(refusal_with("\"cpus\": [2]", "\"cpus\": [2, -1]"),
            file + "field \"cores[2].cpus[1]\" must be a number from 0 to 2147483647");
  EXPECT_EQ(refusal_with("\"cpus\": [2]", "\"cpus\": [2.5]"),
            file + "field \"cores[2].cpus[0]\" must be a number from 0 to 2147483647");
  EXPECT_EQ(refusal_with("\"cpus\": [2]", "\"cpus\": [18446744073709551615]"),
            file + "field \"cores[2].cpus[0]\" must be a number from 0 to 2147483647");
  EXPECT_EQ(refusal_with("\"cpus\": [2]", "\"cpus\": 2"),
            file + "field \"cores[2].cpus\" must be a list");
  EXPECT_EQ(refusal_with("\"cpus\": [2]", "\"cpu\": [2]"),
            file + "field \"cores[2]\" has an unknown field \"cpu\", accepted are domain, cpus");
  EXPECT_EQ(refusal_with("\"domain\": 1", "\"domain\": 2"),
            file +
                "field \"cores[2].domain\" names a domain that does not exist, accepted are 0 "
                "to 1");
  EXPECT_EQ(refusal_with("\"memory_bytes\": 64", "\"memory_bytes\": -64"),
            file + "field \"domains[0].memory_bytes\" must be a number of bytes");
  EXPECT_EQ(refusal_with("\"cpus\": [2]", "\"cpus\": [0]"), file + "cpu 0 is listed twice");
  EXPECT_EQ(refusal_with("\"cores\": [", "\"distances\": {\"matrix\": [[10, 0]]}, \"cores\": ["),
            file + "field \"distances.matrix[0][1]\" must be a number from 1 to 65535");
  EXPECT_EQ(refusal_with("\"cores\": [", "\"distances\": {\"matrix\": [[10, 20]]}, \"cores\": ["),
            file + "the distance matrix does not have 2 rows of 2 values");
  EXPECT_EQ(refusal_with("\"cores\": [", "\"speed\": 3, \"cores\": ["),
            file +
                "the file has an unknown field \"speed\", accepted are format, version, about, "
                "name, domain_level, domains, cores, tree, memory, distances");
}

TEST(MachineFile, TextThatIsNotJsonIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal("{\n  \"a\": }"), "machine file \"m.json\": no valid JSON at line 2, column 8");
  EXPECT_EQ(refusal(""), "machine file \"m.json\": no valid JSON at line 1, column 1");
  EXPECT_EQ(refusal("[]"), "machine file \"m.json\": the file must be an object");
  EXPECT_TRUE(test::is_sentence(refusal(std::string(200'000, '['))));
}

TEST(MachineFile, RandomDamageGivesAValidMachineOrASentence) {
  Random random(20260102);
  std::size_t refused = 0;
  std::size_t accepted = 0;
  std::vector<std::string> sounds{minimal};
  for (const std::string& description : test::synthetic_machines()) {
    if (load(description).cores.size() <= 16) sounds.push_back(to_machine_file(load(description)));
  }
  for (const std::string& sound : sounds) {
    for (int round = 0; round < 1000; ++round) {
      const auto parsed = parse_machine_file(test::mutate(sound, random), "m.json");
      if (parsed) {
        ++accepted;
        ASSERT_EQ(validate(parsed.value()), std::nullopt);
        const auto again = parse_machine_file(to_machine_file(parsed.value()), "m.json");
        ASSERT_TRUE(again.ok());
        ASSERT_EQ(everything(again.value()), everything(parsed.value()));
      } else {
        ++refused;
        ASSERT_TRUE(test::is_sentence(parsed.error().sentence)) << parsed.error().sentence;
      }
    }
  }
  EXPECT_GT(refused, 3000U);
  EXPECT_GT(accepted, 300U);
}

}  // namespace
}  // namespace lares::machine
