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
                "grade, name, domain_level, domains, cores, tree, memory, distances, performance, "
                "measurements, simulation");
}

/// The minimal file with `fields` more.
std::string with(const std::string& fields) { return std::string(minimal).insert(1, fields + ","); }

TEST(MachineFile, FiguresAreReadAndUnknownOnesAreZero) {
  const auto parsed =
      parse_machine_file(with(R"("performance": {"latency_ns": [[83, 98], [null, 84]],
              "bandwidth_mb_s": [[5151, 2257], [2257, 5151]]})"),
                         "m.json");
  ASSERT_TRUE(parsed.ok()) << parsed.error().sentence;
  EXPECT_EQ(parsed.value().performance.latency_ns, (std::vector<std::uint32_t>{83, 98, 0, 84}));
  EXPECT_EQ(parsed.value().performance.bandwidth_mb_s,
            (std::vector<std::uint32_t>{5151, 2257, 2257, 5151}));
}

TEST(MachineFile, AFileWithoutFiguresHasNone) {
  const auto parsed = parse_machine_file(minimal, "m.json");
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed.value().performance.empty());
  EXPECT_EQ(to_machine_file(parsed.value()).find("performance"), std::string::npos);
}

TEST(MachineFile, OneKindOfFigureIsEnough) {
  const auto parsed = parse_machine_file(
      with(R"("performance": {"latency_ns": [[83, 98], [98, 83]], "bandwidth_mb_s": null})"),
      "m.json");
  ASSERT_TRUE(parsed.ok()) << parsed.error().sentence;
  const std::string text = to_machine_file(parsed.value());
  EXPECT_EQ(text.find("bandwidth"), std::string::npos);
  EXPECT_TRUE(parse_machine_file(text, "m.json").ok());
}

TEST(MachineFile, WrongFiguresAreNamed) {
  const std::string field = "machine file \"m.json\": field \"performance";
  const auto refuse = [](const std::string& performance) {
    return refusal(with("\"performance\": " + performance));
  };
  EXPECT_EQ(refuse("3"), field + "\" must be an object");
  EXPECT_EQ(refuse(R"({"speed": []})"), field +
                                            "\" has an unknown field \"speed\", accepted are "
                                            "latency_ns, bandwidth_mb_s");
  EXPECT_EQ(refuse(R"({"latency_ns": [[83, 98]]})"),
            field + ".latency_ns\" must have one row per domain, 2");
  EXPECT_EQ(refuse(R"({"latency_ns": [[83, 98], [98]]})"),
            field + ".latency_ns[1]\" must have 2 values, one per domain");
  EXPECT_EQ(refuse(R"({"latency_ns": [[83, 0], [98, 83]]})"),
            field + ".latency_ns[0][1]\" must be a number from 1 to 1000000");
  EXPECT_EQ(refuse(R"({"bandwidth_mb_s": [[5151, -1], [1, 1]]})"),
            field + ".bandwidth_mb_s[0][1]\" must be a number from 1 to 100000000");
}

TEST(MachineFile, WhereFiguresComeFromIsKept) {
  const auto parsed =
      parse_machine_file(with(R"("about": "two\nlines", "grade": "published")"), "m.json");
  ASSERT_TRUE(parsed.ok()) << parsed.error().sentence;
  EXPECT_EQ(parsed.value().about, "two\nlines");
  EXPECT_EQ(parsed.value().grade, "published");
  EXPECT_EQ(refusal(with(R"("grade": "guessed")")),
            "machine file \"m.json\": the machine has an unknown grade, accepted are measured, "
            "published, synthetic");
}

TEST(MachineFile, EveryMachineThatComesWithLaresSaysWhereItIsFrom) {
  const auto folder = std::filesystem::path(LARES_SOURCE_DIR) / "machines";
  const auto files = test::files_in(folder, ".json");
  EXPECT_GE(files.size(), 7U);
  for (const std::string& file : files) {
    const Machine machine = load(file);
    EXPECT_NE(machine.about, "") << file;
    EXPECT_NE(machine.grade, "") << file;
  }
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
