#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "host/allocation/large_table.hpp"
#include "memory/manager/costs.hpp"
#include "memory/placement_choice.hpp"
#include "memory/repair/pins.hpp"
#include "memory/repair/repair.hpp"
#include "memory/repair/static_areas.hpp"

namespace lares::memory {
namespace {

constexpr Bytes page{4096};

/// So many domains with two cores and a node each, of which nothing else is known.
machine::Machine machine_with(int domains) {
  machine::Machine machine;
  for (int i = 0; i < domains; ++i) {
    machine::Domain domain;
    domain.cores = {CoreId{2 * i}, CoreId{2 * i + 1}};
    domain.node = OsNode{i};
    machine.domains.push_back(domain);
  }
  return machine;
}

TEST(Placement, EveryWordIsRead) {
  EXPECT_EQ(parse_placement("first-touch").value().kind, PlacementKind::first_touch);
  EXPECT_EQ(parse_placement("interleave").value().kind, PlacementKind::interleave);
  EXPECT_EQ(parse_placement("blocked").value().kind, PlacementKind::blocked);
  EXPECT_EQ(parse_placement("repair").value().kind, PlacementKind::repair);
  EXPECT_EQ(parse_placement("repair:25").value().sweeps, 25);
  EXPECT_EQ(parse_placement("follow").value().kind, PlacementKind::follow);
  EXPECT_EQ(parse_placement("follow").value().turns, 0);
  EXPECT_EQ(parse_placement("follow:25").value().turns, 25);
  EXPECT_EQ(parse_placement("cyclic:4096").value().block, Bytes{4096});
  EXPECT_EQ(parse_placement("cyclic:64K").value().block, Bytes{std::uint64_t{64} << 10U});
  EXPECT_EQ(parse_placement("cyclic:2M").value().block, Bytes{std::uint64_t{2} << 20U});
  EXPECT_EQ(parse_placement("cyclic:1G").value().block, Bytes{std::uint64_t{1} << 30U});
}

TEST(Placement, WrongWordsAreNamedWithTheAcceptedOnes) {
  for (const char* const word : {"",
                                 "blockwise",
                                 "cyclic",
                                 "cyclic:",
                                 "cyclic:3",
                                 "cyclic:4095",
                                 "cyclic:64Q",
                                 "cyclic:64KK",
                                 "cyclic:99999999999999999999",
                                 "cyclic:18014398509481984K",
                                 "repair:",
                                 "repair:0",
                                 "repair:-1",
                                 "repair:2.5",
                                 "repair:x",
                                 "follow:",
                                 "follow:0",
                                 "follow:x",
                                 "interleave:2",
                                 "first-touch:"}) {
    const auto choice = parse_placement(word);
    ASSERT_FALSE(choice) << word;
    EXPECT_NE(choice.error().sentence.find("accepted are"), std::string::npos) << word;
  }
}

/// A kernel that has the first `present` of every ten pages, one of `period` on node 1, the others
/// on node 0.
std::size_t g_present = 10;
std::size_t g_period = 0;
long fake_move(std::size_t count, void** pages, const int*, int* status) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<std::uintptr_t>(pages[i]) / page.count;
    status[i] = number % 10 >= g_present ? -2 : 0;
    if (status[i] == 0 && g_period != 0 && number % g_period == 0) status[i] = 1;
  }
  return 0;
}
long refuse(std::size_t, void**, const int*, int*) noexcept { return -1; }

AreaSurvey survey_with(std::size_t present, std::size_t period) {
  g_present = present;
  g_period = period;
  SystemCalls calls = real_calls();
  calls.move = fake_move;
  // As many pages as the sample has, so that each is asked.
  return survey(calls, {page.count * 100, page.count * 356}, page);
}

TEST(Repair, AnAreaOfOneNodeComesFromOneThread) {
  const AreaSurvey found = survey_with(10, 0);
  EXPECT_EQ(found.asked, 256U);
  EXPECT_EQ(found.present, 256U);
  EXPECT_EQ(found.at_home, 256U);
  EXPECT_EQ(found.home, OsNode{0});
  EXPECT_TRUE(found.from_one_thread());
}

TEST(Repair, AnAreaThatSeveralNodesShareDoesNot) {
  EXPECT_FALSE(survey_with(10, 2).from_one_thread());
  EXPECT_FALSE(survey_with(10, 4).from_one_thread());
}

TEST(Repair, WhatIsUsedOfAnArrayCounts) {
  const AreaSurvey half = survey_with(5, 0);
  EXPECT_TRUE(half.from_one_thread());
  EXPECT_NEAR(static_cast<double>(half.present_of(Bytes{256 * 4096}).count), 128 * 4096, 3 * 4096);
  EXPECT_FALSE(survey_with(1, 0).from_one_thread());
  EXPECT_FALSE(survey_with(0, 0).from_one_thread());
}

TEST(Repair, ARefusedQuestionFindsNothing) {
  SystemCalls calls = real_calls();
  calls.move = refuse;
  EXPECT_FALSE(survey(calls, {0x100000, 0x900000}, page).from_one_thread());
  EXPECT_FALSE(survey(real_calls(), {0x1000, 0x1fff}, page).from_one_thread());
}

TEST(Repair, ThePriceIsBandwidthAgainstPages) {
  const machine::Machine machine = machine_with(4);
  const Bytes bytes{std::uint64_t{1} << 30U};
  const RepairPrice cost = price(machine, DomainId{0}, bytes, page, 2000);
  const double sweep = static_cast<double>(bytes.count) / 10;  // 10 bytes a nanosecond: not told
  EXPECT_DOUBLE_EQ(cost.sweep_before, sweep);
  EXPECT_DOUBLE_EQ(cost.sweep_after, sweep / 4);
  EXPECT_DOUBLE_EQ(cost.overhead, static_cast<double>(bytes.count) / 4096 * 2000);
  EXPECT_NEAR(break_even(cost.overhead, cost.sweep_before, cost.sweep_after), 6.51, 0.01);
}

TEST(Repair, WithOneDomainThereIsNothingToGain) {
  const machine::Machine machine = machine_with(1);
  const RepairPrice cost = price(machine, DomainId{0}, Bytes{1 << 30}, page, 2000);
  EXPECT_TRUE(std::isinf(break_even(cost.overhead, cost.sweep_before, cost.sweep_after)));
}

char g_static_room[3 << 20];

TEST(Repair, LargeStaticVariablesOfOthersAreFound) {
  g_static_room[1 << 20] = 1;
  std::array<LargeArea, 64> areas;
  const std::size_t count = find_static_areas(areas);
  // This test's executable holds find_static_areas itself, and so is left out.
  const auto inside = reinterpret_cast<std::uintptr_t>(&g_static_room[1 << 20]);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_FALSE(areas[i].begin <= inside && inside < areas[i].end);
    EXPECT_GE(areas[i].bytes(), large_bytes);
  }
}

TEST(LargeTable, ListsWhatLives) {
  auto table = std::make_unique<allocation::LargeTable>();
  std::array<LargeArea, 8> areas;
  void* const a = reinterpret_cast<void*>(0x7f0000000010);
  void* const b = reinterpret_cast<void*>(0x7f0000400010);
  EXPECT_EQ(table->list(areas.data(), areas.size()), 0U);
  EXPECT_TRUE(table->add(a, {2 << 20, 7}));
  EXPECT_TRUE(table->add(b, {4 << 20, 0}));
  EXPECT_EQ(table->list(areas.data(), areas.size()), 2U);
  EXPECT_EQ(table->list(areas.data(), 1), 1U);
  EXPECT_EQ(table->remove(a).value().mappings, 7U);
  EXPECT_FALSE(table->remove(a).has_value());
  EXPECT_FALSE(table->remove(reinterpret_cast<void*>(0x10)).has_value());
  ASSERT_EQ(table->list(areas.data(), areas.size()), 1U);
  EXPECT_EQ(areas[0].begin, 0x7f0000400010U);
  EXPECT_EQ(areas[0].bytes(), 4U << 20U);
}

TEST(LargeTable, WhatDoesNotFitIsLeftOutAndRoomComesBack) {
  auto table = std::make_unique<allocation::LargeTable>();
  std::vector<LargeArea> areas(60000);
  std::size_t added = 0;
  for (std::uintptr_t i = 1; i <= 40000; ++i) {
    added += table->add(reinterpret_cast<void*>(i << 21U), {2 << 20, 0}) ? 1 : 0;
  }
  const std::size_t kept = table->list(areas.data(), areas.size());
  EXPECT_EQ(kept, added);
  EXPECT_LE(kept, 16384U);
  EXPECT_GT(kept, 12000U);
  for (std::uintptr_t i = 1; i <= 40000; ++i) table->remove(reinterpret_cast<void*>(i << 21U));
  EXPECT_EQ(table->list(areas.data(), areas.size()), 0U);
}

TEST(Pins, AFileForDirectInputMayPin) {
  if (may_pin_memory()) GTEST_SKIP() << "this process has a device open already";
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC | O_DIRECT);
  if (file < 0) GTEST_SKIP() << "this file system has no direct input";
  EXPECT_TRUE(may_pin_memory());
  close(file);
  EXPECT_FALSE(may_pin_memory());
}

}  // namespace
}  // namespace lares::memory
