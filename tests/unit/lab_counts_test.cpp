// What is made of the counter's file: matrices, summaries, text, JSON, comparisons; and what the
// counter is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/counts/compare.hpp"
#include "lab/counts/counter.hpp"
#include "lab/counts/counts.hpp"
#include "lab/plugin/address_map.hpp"
#include "lab/plugin/options.hpp"
#include "lab/plugin/regions.hpp"
#include "lab/plugin/result.hpp"

namespace lares::lab {
namespace {

/// A region of two nodes: 100 lines at home, and what is given from the other node.
RegionCounts region_with(std::string name, std::uint64_t remote) {
  RegionCounts region;
  region.name = std::move(name);
  region.entered = 1;
  for (const auto& [field_name, field] : matrix_fields) region.*field = Matrix(2);
  region.read.at(0, 0) = 60;
  region.written.at(1, 1) = 40;
  region.read.at(0, 1) = remote;
  return region;
}

Counts counts_with(std::uint64_t remote) {
  Counts counts;
  counts.guest = "square";
  counts.command = {"./app", "\xff"};
  counts.cpus = {2, 2};
  counts.l2 = Bytes{512 * 1024};
  counts.complete = true;
  counts.regions = {region_with("program", 2 * remote), region_with("solve", remote)};
  return counts;
}

std::string complaint(std::string_view text) {
  const auto counts = read_counts(text, "\"a.json\"");
  EXPECT_FALSE(counts) << text;
  return counts ? "" : counts.error().sentence;
}

/// A good file with one member changed.
std::string changed(const std::string& pointer, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(counts_json(counts_with(5)));
  json[nlohmann::json::json_pointer(pointer)] = value;
  return json.dump();
}

// --- summary ---

TEST(LabCounts, SummaryTellsLocalFromRemote) {
  RegionCounts region = region_with("solve", 20);
  region.transfer.at(1, 0) = 25;
  region.transfer.at(1, 1) = 5;
  region.write_back.at(1, 0) = 3;
  region.write_back.at(0, 0) = 7;
  region.l3_hit.at(0, 1) = 1000;
  region.upgrade.at(0, 1) = 1000;
  const RegionSummary summary = summarize(region);
  EXPECT_EQ(summary.fetched, 150U);
  EXPECT_EQ(summary.fetched_remote, 45U);
  EXPECT_DOUBLE_EQ(summary.local_share(), 0.7);
  EXPECT_EQ(summary.written_back, 10U);
  EXPECT_EQ(summary.written_back_remote, 3U);
  EXPECT_EQ(summary.crossed, 48U) << "what was found in the own cache crossed nothing";
  ASSERT_TRUE(summary.heaviest);
  EXPECT_EQ(summary.heaviest->cpus, 1U);
  EXPECT_EQ(summary.heaviest->memory, 0U);
  EXPECT_EQ(summary.heaviest->lines, 28U);
}

TEST(LabCounts, SummaryOfNothingIsAllLocal) {
  RegionCounts region = region_with("solve", 0);
  EXPECT_FALSE(summarize(region).heaviest);
  region.read = Matrix(2);
  region.written = Matrix(2);
  EXPECT_EQ(summarize(region).local_share(), 1);
}

// --- JSON ---

TEST(LabCounts, ReadWhatTheCounterWrites) {
  using namespace counting;
  const Options options{.cpus = {1, 0},
                        .packages = {},
                        .l2_bytes = l2_unit,
                        .l3_bytes = l3_unit,
                        .l3_per_package = true,
                        .map = "m",
                        .result = "r"};
  Traffic traffic(2);
  Regions regions(2);
  regions.begin("program", traffic);
  traffic.at(Kind::transfer, 0, 1) = UINT64_MAX;
  traffic.at(Kind::upgrade, 1, 0) = 3;
  regions.finish(traffic);
  regions.end("never", traffic);
  const auto counts = read_counts(to_json({&options, &regions, true, 9, ""}), "it");
  ASSERT_TRUE(counts) << counts.error().sentence;
  EXPECT_EQ(counts.value().cpus, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(counts.value().l2.count, l2_unit);
  EXPECT_EQ(counts.value().l3.count, l3_unit);
  EXPECT_TRUE(counts.value().l3_per_package);
  EXPECT_TRUE(counts.value().complete);
  EXPECT_EQ(counts.value().elsewhere, 9U);
  EXPECT_EQ(counts.value().unmatched_ends, 1U);
  ASSERT_EQ(counts.value().regions.size(), 1U);
  EXPECT_TRUE(counts.value().regions[0].left_open);
  EXPECT_EQ(counts.value().regions[0].transfer.at(0, 1), UINT64_MAX);
  EXPECT_EQ(counts.value().regions[0].upgrade.at(1, 0), 3U);
  EXPECT_EQ(counts_notes(counts.value()).size(), 2U);
}

TEST(LabCounts, ReadWhatTheyWrote) {
  const Counts before = counts_with(5);
  const auto after = read_counts(counts_json(before), "it");
  ASSERT_TRUE(after) << after.error().sentence;
  EXPECT_EQ(after.value().guest, "square");
  EXPECT_EQ(after.value().command.front(), "./app");
  ASSERT_EQ(after.value().regions.size(), 2U);
  for (const auto& [name, field] : matrix_fields) {
    EXPECT_EQ(after.value().regions[1].*field, before.regions[1].*field) << name;
  }
  const auto json = nlohmann::json::parse(counts_json(before));
  EXPECT_EQ(json["regions"][1]["summary"]["fetched_remote"], 5);
  EXPECT_EQ(json["regions"][1]["summary"]["heaviest_link"]["memory_node"], 1);
}

TEST(LabCounts, WhatIsNoFileOfCountsIsRefusedWithASentence) {
  EXPECT_EQ(complaint("hello"), "\"a.json\" is not JSON, so it is no file of counts");
  EXPECT_EQ(complaint("[]"),
            "\"a.json\" is no file of counts (its \"format\" is not \"lares-lab-counts\")");
  EXPECT_EQ(complaint(changed("/version", 2)),
            "\"a.json\" is of version 2, and this lares reads version 1");
  EXPECT_EQ(complaint(changed("/error", "no map")), "\"a.json\" has no counts: no map");
  EXPECT_EQ(complaint(changed("/cpus", 7)), "\"a.json\" has a \"cpus\" that is no list");
  EXPECT_EQ(complaint(changed("/cpus", {1, 1, 1})),
            "\"a.json\" has a matrix \"read\" that is not of 3 rows of 3 natural numbers");
  EXPECT_EQ(complaint(changed("/cpus", nlohmann::json::array())),
            "\"a.json\" has 0 nodes, and accepted are 1 to 1024");
  EXPECT_NE(complaint(changed("/regions/0/read/1/0", -1)).find("natural"), std::string::npos);
  EXPECT_NE(complaint(changed("/regions/0/name", 3)).find("no text"), std::string::npos);
  EXPECT_NE(complaint(changed("/regions/0", 3)).find("no object"), std::string::npos);
  EXPECT_NE(complaint(changed("/caches", 3)).find("caches"), std::string::npos);
  EXPECT_NE(complaint(changed("/complete", 3)).find("complete"), std::string::npos);
  EXPECT_NE(complaint(changed("/cpus/0", 1.5)).find("cpus"), std::string::npos);
}

// --- text ---

TEST(LabCounts, TextShowsMatrixShareAndHeaviestLink) {
  Counts counts = counts_with(25);
  counts.regions[1].entered = 3;
  const std::string text = counts_text(counts, false);
  EXPECT_NE(text.find("solve, entered 3 times: lines from memory, rows: node of the cpu, columns: "
                      "node of the memory\n"
                      "                 0     1   local\n"
                      "      node 0    60    25  70.6 %\n"
                      "      node 1     0    40 100.0 %\n"
                      "  fetched 125 lines (7.8 KiB), 80.0 % local; written back 0 lines (0 B), "
                      "0.0 % local\n"
                      "  heaviest link: cpus of node 0 with node 1, 25 lines (1.6 KiB), 100.0 % of "
                      "what crossed\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(LabCounts, ColourChangesNothingElse) {
  const Counts counts = counts_with(25);
  std::string painted = counts_text(counts, true);
  EXPECT_NE(painted.find("\x1b[32m"), std::string::npos);
  for (auto at = painted.find('\x1b'); at != std::string::npos; at = painted.find('\x1b')) {
    painted.erase(at, painted.find('m', at) - at + 1);
  }
  EXPECT_EQ(painted, counts_text(counts, false));
}

TEST(LabCounts, ShortCountsTakeFourCharacters) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(9999), "9999");
  EXPECT_EQ(short_count(10000), "10k");
  EXPECT_EQ(short_count(999499), "999k");
  EXPECT_EQ(short_count(999500), "1.0M");
  EXPECT_EQ(short_count(1234567), "1.2M");
  EXPECT_EQ(short_count(9949999), "9.9M");
  EXPECT_EQ(short_count(9950001), "10M");
  for (std::uint64_t count = 1; count < UINT64_MAX / 7; count = count * 7 + 3) {
    EXPECT_LE(short_count(count).size(), 4U) << count;
  }
}

TEST(LabCounts, NotesSayWhatIsMissing) {
  Counts counts = counts_with(0);
  EXPECT_TRUE(counts_notes(counts).empty());
  counts.complete = false;
  counts.unmatched_ends = 2;
  counts.regions_left_out = 1;
  counts.regions[1].left_open = true;
  EXPECT_EQ(counts_notes(counts).size(), 4U);
}

// --- comparison ---

TEST(LabCompare, PutsRegionsOfOneNameTogether) {
  Counts first = counts_with(50);
  Counts second = counts_with(10);
  first.regions.push_back(region_with("old", 1));
  second.regions.push_back(region_with("new", 1));
  const auto regions = compare(first, second);
  ASSERT_EQ(regions.size(), 4U);
  EXPECT_EQ(regions[1].first->fetched_remote, 50U);
  EXPECT_EQ(regions[1].second->fetched_remote, 10U);
  EXPECT_EQ(regions[2].name, "old");
  EXPECT_FALSE(regions[2].second);
  EXPECT_EQ(regions[3].name, "new");
  EXPECT_FALSE(regions[3].first);
}

TEST(LabCompare, TextGivesRatiosAndChanges) {
  const std::string text =
      comparison_text({"stock.json", counts_with(50)}, {"lares.json", counts_with(10)}, false);
  EXPECT_NE(text.find("first: stock.json\nsecond: lares.json\n"), std::string::npos);
  EXPECT_NE(text.find("  from other nodes                  50              10  x 0.2\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("local share                     66.7 %          90.9 %  +24.2 points\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("node 0      0    -40\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("different"), std::string::npos);
}

TEST(LabCompare, OfDifferentGuestsSaysSoAndHasNoMatrix) {
  Counts other = counts_with(10);
  other.cpus = {2, 2, 2};
  other.l2 = Bytes{1024 * 1024};
  for (RegionCounts& region : other.regions) {
    for (const auto& [name, field] : matrix_fields) region.*field = Matrix(3);
  }
  const std::string text = comparison_text({"a", counts_with(50)}, {"b", other}, false);
  EXPECT_NE(text.find("the runs were in different guests\n"), std::string::npos);
  EXPECT_NE(text.find("the runs had different caches\n"), std::string::npos);
  EXPECT_EQ(text.find("change of"), std::string::npos);
}

TEST(LabCompare, JsonHasBothAndTheRatio) {
  Counts second = counts_with(10);
  second.regions.pop_back();
  const auto json = nlohmann::json::parse(comparison_json({"a", counts_with(50)}, {"b", second}));
  EXPECT_EQ(json["format"], "lares-lab-comparison");
  EXPECT_EQ(json["regions"][0]["fetched_remote"]["first"], 100);
  EXPECT_EQ(json["regions"][0]["fetched_remote"]["second"], 20);
  EXPECT_DOUBLE_EQ(json["regions"][0]["fetched_remote"]["ratio"].get<double>(), 0.2);
  EXPECT_EQ(json["regions"][1]["fetched"]["second"], nullptr);
  EXPECT_FALSE(json["regions"][1]["fetched"].contains("ratio"));
}

// --- what the counter is told ---

Guest guest_of(std::vector<std::uint64_t> mebibytes) {
  Guest guest;
  for (const std::uint64_t count : mebibytes) {
    guest.nodes.push_back({.cpus = 2, .memory = Bytes{count * mebibyte.count}, .package = 0});
  }
  return guest;
}

TEST(LabCounter, IsToldTheGuestsShape) {
  Guest guest = guest_of({64, 0});
  guest.nodes[1].cpus = 0;
  guest.nodes[1].package = 1;
  guest.caches.l3 = Bytes{mebibyte.count};
  const auto argument = counter_argument(guest, {"/a,b/c.so", "/map", "/result"});
  ASSERT_TRUE(argument) << argument.error().sentence;
  EXPECT_EQ(argument.value(),
            "/a,,b/c.so,cpus=2:0,packages=0:1,l2=524288,l3=1048576,l3-per=node,map=/map,"
            "result=/result");
  // The counter understands it.
  counting::Options options;
  std::string_view rest = argument.value();
  rest.remove_prefix(rest.find("cpus="));
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    EXPECT_EQ(counting::take_option(options, rest.substr(0, comma)), "");
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  EXPECT_EQ(counting::check_options(options), "");
}

TEST(LabCounter, RefusesCachesThatTheModelCannotHave) {
  Guest guest = guest_of({64});
  guest.caches.l2 = Bytes{20 * 1024};
  EXPECT_EQ(
      counter_argument(guest, {"p", "m", "r"}).error().sentence,
      "--cache: an L2 of 20480 bytes cannot be counted; accepted are multiples of 32 KiB up to 4 "
      "GiB");
  guest.caches.l2 = Bytes{0};
  EXPECT_FALSE(counter_argument(guest, {"p", "m", "r"}));
  guest.caches.l2 = Bytes{32 * 1024};
  guest.caches.l3 = Bytes{32 * 1024};
  EXPECT_FALSE(counter_argument(guest, {"p", "m", "r"}));
}

constexpr const char* ram_blocks =
    "              Block Name    PSize              Offset               Used              "
    "Total\r\n"
    "                      m0    4 KiB  0x0000000000000000 0x0000000004000000 "
    "0x0000000004000000\r\n"
    "             /objects/m2    4 KiB  0x0000000004000000 0x0000000008000000 "
    "0x0000000008000000\r\n"
    "                 pc.bios    4 KiB  0x000000000c000000 0x0000000000040000 "
    "0x0000000000040000\r\n";

TEST(LabCounter, IsToldWhereEachNodesMemoryIs) {
  const auto map = address_map(guest_of({64, 0, 128}), ram_blocks);
  ASSERT_TRUE(map) << map.error().sentence;
  EXPECT_EQ(map.value(), "0 67108864 0\n134217728 134217728 2\n");
  std::string sentence;
  EXPECT_TRUE(counting::AddressMap::parse(map.value(), 3, sentence)) << sentence;
}

TEST(LabCounter, IsNotToldHalfAMap) {
  EXPECT_EQ(address_map(guest_of({64, 64}), ram_blocks).error().sentence,
            "QEMU did not say where the memory of node 1 is, so accesses to it cannot be counted");
}

TEST(LabCounter, CountsWithQemu72Only) {
  EXPECT_FALSE(check_version_for_counting("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\n"));
  EXPECT_FALSE(check_version_for_counting("QEMU emulator version 7.2\n"));
  EXPECT_EQ(
      check_version_for_counting("QEMU emulator version 10.0.2 (Debian)\nCopyright\n")->sentence,
      "--count needs QEMU 7.2, the one of Debian 12; this is \"QEMU emulator version 10.0.2 "
      "(Debian)\"");
  EXPECT_TRUE(check_version_for_counting("QEMU emulator version 7.21.0"));
  EXPECT_TRUE(check_version_for_counting(""));
}

}  // namespace
}  // namespace lares::lab
