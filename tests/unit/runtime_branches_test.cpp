// Which tasks make tasks of their own.
#include "runtime/branches.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace lares::runtime {
namespace {

TEST(Branches, AreToldByConstructAndDepth) {
  Branches branches;
  const auto sort = branches.kind_of(0x1000);
  const auto merge = branches.kind_of(0x2000);
  ASSERT_NE(sort, 0);
  ASSERT_NE(merge, 0);
  EXPECT_NE(sort, merge);
  EXPECT_EQ(branches.kind_of(0x1000), sort);
  branches.tell(sort, 3);
  EXPECT_TRUE(branches.are_branches(sort, 3));
  EXPECT_FALSE(branches.are_branches(sort, 4));
  EXPECT_FALSE(branches.are_branches(merge, 3));
}

TEST(Branches, OfNoKindOrTooDeepNothingIsKnown) {
  Branches branches;
  const auto kind = branches.kind_of(0x1000);
  branches.tell(0, 1);
  EXPECT_FALSE(branches.are_branches(0, 1));
  for (const std::uint32_t depth : {63U, 64U, 100'000U}) branches.tell(kind, depth);
  EXPECT_TRUE(branches.are_branches(kind, 63));
  EXPECT_FALSE(branches.are_branches(kind, 64));
  EXPECT_FALSE(branches.are_branches(kind, 100'000));
}

TEST(Branches, ThereMayBeMoreConstructsThanRoom) {
  Branches branches;
  std::set<unsigned> kinds;
  for (std::uintptr_t code = 1; code <= 1000; ++code) kinds.insert(branches.kind_of(code * 16));
  EXPECT_GT(kinds.size(), 100U);
  EXPECT_LE(kinds.size(), 128U);
}

TEST(Branches, OneIsRememberedByWhereItsPartsWere) {
  const auto branches = std::make_unique<Branches>();
  const Branches::Kind kind = branches->kind_of(0x1000);
  const Branches::Name name = Branches::name_of(kind, 3, 77);
  ASSERT_NE(name, 0);
  EXPECT_FALSE(branches->home_of_parts(name).valid());
  branches->tell_part(name, DomainId{std::size_t{0}});
  EXPECT_EQ(branches->home_of_parts(name), DomainId{std::size_t{0}});
  branches->tell_part(name, DomainId{std::size_t{5}});
  branches->tell_part(name, DomainId{});
  EXPECT_EQ(branches->home_of_parts(name), DomainId{std::size_t{5}});
  EXPECT_FALSE(branches->home_of_parts(Branches::name_of(kind, 4, 77)).valid());
  EXPECT_FALSE(branches->home_of_parts(Branches::name_of(kind, 3, 78)).valid());
}

TEST(Branches, WhatHasNoNameIsNotRemembered) {
  const auto branches = std::make_unique<Branches>();
  EXPECT_EQ(Branches::name_of(0, 3, 77), 0);
  EXPECT_EQ(Branches::name_of(1, 12, 77), 0) << "too many are so deep";
  branches->tell_part(0, DomainId{std::size_t{5}});
  EXPECT_FALSE(branches->home_of_parts(0).valid());
}

// Threads that meet a construct at the same time: nobody gets another one's kind.
TEST(Branches, BetweenThreadsAKindIsOfOneConstruct) {
  constexpr std::uintptr_t codes = 60;
  const auto branches = std::make_unique<Branches>();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&] {
      std::vector<Branches::Kind> kinds(codes + 1);
      for (int round = 0; round < 500; ++round) {
        for (std::uintptr_t code = 1; code <= codes; ++code) {
          const auto kind = branches->kind_of(code * 64);
          if (kinds[code] != 0 && kind != kinds[code]) ++wrong;
          kinds[code] = kind;
          branches->tell(kind, static_cast<std::uint32_t>(code % 64));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (std::uintptr_t code = 1; code <= codes; ++code) {
    const auto kind = branches->kind_of(code * 64);
    for (std::uint32_t depth = 0; depth < 64; ++depth) {
      if (kind == 0) continue;  // there were too many near to it
      EXPECT_EQ(branches->are_branches(kind, depth), depth == code % 64);
    }
  }
}

}  // namespace
}  // namespace lares::runtime
