// Distances: presets, files of several forms, and how they are fitted to what firmware can tell.
#include "lab/distances.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "lab/guest.hpp"
#include "machine_support.hpp"

namespace lares::lab {
namespace {

using Values = std::vector<std::uint32_t>;

Values preset(const char* name, std::size_t nodes) {
  const auto table = preset_distances(name, nodes);
  if (!table) {
    ADD_FAILURE() << table.error().sentence;
    return {};
  }
  EXPECT_EQ(table.value().size, nodes);
  return table.value().values;
}

std::string no_preset(const char* name, std::size_t nodes) {
  const auto table = preset_distances(name, nodes);
  return table.ok() ? "(accepted)" : table.error().sentence;
}

Values parsed(const std::string& text) {
  const auto table = parse_distances(text, "d");
  if (!table) {
    ADD_FAILURE() << table.error().sentence;
    return {};
  }
  return table.value().values;
}

std::string refusal(const std::string& text) {
  const auto table = parse_distances(text, "d");
  return table.ok() ? "(accepted)" : table.error().sentence;
}

const Values two{10, 21, 21, 10};

TEST(LabDistances, PresetsAreWhatTheySay) {
  EXPECT_EQ(preset("fully-connected", 2), (Values{10, 20, 20, 10}));
  EXPECT_EQ(preset("square", 4),
            (Values{10, 16, 22, 16, 16, 10, 16, 22, 22, 16, 10, 16, 16, 22, 16, 10}));
  const Values ring = preset("ring", 6);
  EXPECT_EQ(Values(ring.begin(), ring.begin() + 6), (Values{10, 16, 22, 28, 22, 16}));
  const Values mesh = preset("mesh", 6);  // two rows of three
  EXPECT_EQ(Values(mesh.begin(), mesh.begin() + 6), (Values{10, 16, 22, 16, 22, 28}));
  const Values levels = preset("two-level", 6);  // three groups of two
  EXPECT_EQ(Values(levels.begin(), levels.begin() + 6), (Values{10, 12, 32, 32, 32, 32}));
}

TEST(LabDistances, GroupsAreTheLargestThatAreNotWiderThanTheirNumber) {
  EXPECT_EQ(two_level_group(1), 1U);
  EXPECT_EQ(two_level_group(4), 2U);
  EXPECT_EQ(two_level_group(7), 1U);
  EXPECT_EQ(two_level_group(16), 4U);
  EXPECT_EQ(two_level_group(24), 4U);
}

TEST(LabDistances, EveryPresetFitsAGuestOfEverySizeItTakes) {
  for (const DistancePreset& entry : distance_presets()) {
    std::size_t taken = 0;
    for (std::size_t nodes = 1; nodes <= max_guest_nodes; ++nodes) {
      auto table = preset_distances(entry.name, nodes);
      if (!table) continue;
      ++taken;
      std::vector<std::string> notes;
      const Values before = table.value().values;
      fit_distances(table.value(), notes);
      EXPECT_EQ(table.value().values, before) << entry.name << ' ' << nodes;
      EXPECT_TRUE(notes.empty());
    }
    EXPECT_GE(taken, 1U) << entry.name;
  }
}

TEST(LabDistances, APresetSaysWhatItTakes) {
  EXPECT_EQ(no_preset("square", 5), "distances \"square\" are for 4 nodes, not 5");
  EXPECT_EQ(no_preset("two-level", 7),
            "distances \"two-level\" are for a number of nodes that can be split into equal groups "
            "such as 4, 6 or 8, not 7");
  EXPECT_EQ(no_preset("star", 4),
            "there are no distances \"star\", accepted are a file and fully-connected, ring, "
            "square, mesh, two-level");
}

TEST(LabDistances, FilesHaveSeveralForms) {
  EXPECT_EQ(parsed("10 21\n21 10\n"), two);
  EXPECT_EQ(parsed("# mine\n10, 21 # near\n\n 21,10"), two);
  EXPECT_EQ(parsed("[[10, 21], [21, 10]]"), two);
  EXPECT_EQ(parsed("10"), (Values{10}));
  EXPECT_EQ(parsed("10 21\n65535 10"), (Values{10, 21, 65535, 10}));
}

TEST(LabDistances, TheOutputOfNumactlIsAFile) {
  EXPECT_EQ(parsed("available: 2 nodes (0-1)\n"
                   "node 0 cpus: 0 1\nnode 0 size: 64167 MB\nnode 0 free: 62245 MB\n"
                   "node 1 cpus:\nnode 1 size: 64472 MB\nnode 1 free: 61391 MB\n"
                   "node distances:\nnode   0   1 \n  0:  10  21 \n  1:  21  10 \n"),
            two);
}

TEST(LabDistances, WrongFilesAreNamedWithThePlace) {
  const std::string file = "distances file \"d\": ";
  EXPECT_EQ(refusal(""), file + "there is no distance in it");
  EXPECT_EQ(refusal("[]"), file + "there is no distance in it");
  EXPECT_EQ(refusal("10 21\n21"), file + "row 1 has 1 values where row 0 has 2");
  EXPECT_EQ(refusal("10 21"), file +
                                  "there are 1 rows of 2 values, accepted are as many rows as "
                                  "columns");
  EXPECT_EQ(refusal("10\n10"), file +
                                   "there are too many rows, accepted are as many rows as columns, "
                                   "1 to 64");
  EXPECT_EQ(refusal("10 9\n20 10"),
            file + "the distance from node 0 to node 1 is 9, accepted are 10 to 65535");
  EXPECT_EQ(refusal("10 20\n20 11"),
            file + "the distance from node 1 to node 1 is 11, accepted is 10");
  EXPECT_EQ(refusal("10 65536\n20 10"),
            file + "the distance from node 0 to node 1 is 65536, accepted are 10 to 65535");
  EXPECT_EQ(refusal("10 20\n20 ten"),
            file + "line 2 has something that is no distance, accepted are numbers");
  EXPECT_EQ(refusal("0: 10 20\n0: 20 10"), file + "row 1 is labelled 0");
  EXPECT_EQ(refusal("[[10, 20"), file + "it starts like JSON but is no valid JSON");
  EXPECT_EQ(refusal("[10]"), file + "row 0 is no list");
  EXPECT_EQ(refusal("[[10, -20], [20, 10]]"),
            file + "row 0 has something that is no distance, accepted are numbers");
}

TEST(LabDistances, TooSmallOnesAreRaisedAndTooLargeOnesScaled) {
  DistanceTable table{2, {10, 10, 20, 10}};
  std::vector<std::string> notes;
  fit_distances(table, notes);
  EXPECT_EQ(table.values, (Values{10, 11, 20, 10}));
  EXPECT_EQ(notes, std::vector<std::string>{"distances to other nodes below 11 are raised to 11, "
                                            "the least that Linux accepts"});
  notes.clear();
  table = {3, {9, 132, 498, 11, 10, 498, 254, 254, 10}};
  fit_distances(table, notes);
  EXPECT_EQ(table.values, (Values{10, 71, 254, 11, 10, 254, 132, 132, 10}));
  EXPECT_EQ(notes.front(),
            "distances are scaled so that 498 becomes 254, the largest that firmware "
            "can tell");
}

TEST(LabDistances, RandomDamageGivesAFittingTableOrASentence) {
  Random random(20260103);
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const std::string sound :
       {"10 21 31\n21 10 41\n31 41 10\n", "[[10,21],[22,10]]", "0: 10 20\n1: 20 10\n"}) {
    for (int round = 0; round < 2000; ++round) {
      auto table = parse_distances(machine::test::mutate(sound, random), "d");
      if (!table) {
        ++refused;
        ASSERT_TRUE(machine::test::is_sentence(table.error().sentence)) << table.error().sentence;
        continue;
      }
      ++accepted;
      std::vector<std::string> notes;
      fit_distances(table.value(), notes);
      Guest guest;
      guest.nodes.assign(table.value().size, {1, {256 * mebibyte.count}, 0, "DRAM"});
      guest.distances = table.value().values;
      const auto error = validate(guest, {1024 * gibibyte.count});
      ASSERT_FALSE(error.has_value()) << error->sentence;
    }
  }
  EXPECT_GT(accepted, 300U);
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace lares::lab
