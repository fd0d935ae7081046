// Where the workers of a team lie, and what of them others look at.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "runtime/page_colours.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {
namespace {

std::uintptr_t within_page(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 4096;
}

TEST(PageColours, AllHaveTheirTurn) {
  std::vector<void*> taken;
  std::set<std::uintptr_t> places;
  for (int i = 0; i < 32; ++i) {
    taken.push_back(take_coloured(1 + static_cast<std::size_t>(i) * 1000));
    EXPECT_EQ(within_page(taken.back()) % 128, 0U);
    places.insert(within_page(taken.back()));
  }
  EXPECT_EQ(places.size(), 32U);
  for (void* memory : taken) give_back_coloured(memory);
  give_back_coloured(nullptr);
}

// A cache with as many places as a 32 KiB one has for lines that agree within a page.
TEST(PageColours, WhatOthersSeeOfATeamFitsIntoASmallCache) {
  std::vector<std::unique_ptr<Worker>> workers;
  std::map<std::uintptr_t, int> lines;
  for (int i = 0; i < 64; ++i) {
    workers.push_back(std::make_unique<Worker>());
    const Worker& worker = *workers.back();
    const auto begin = reinterpret_cast<std::uintptr_t>(&worker.created) / 64;
    const auto end = reinterpret_cast<std::uintptr_t>(&worker.deque) / 64 + 2;
    ASSERT_LE(end - begin, 6U) << "what the step between colours goes by";
    for (auto line = begin; line < end; ++line) ++lines[line % 64];
  }
  for (const auto& [line, workers_there] : lines) EXPECT_LE(workers_there, 8) << line;
}

}  // namespace
}  // namespace lares::runtime
