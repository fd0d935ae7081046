// Where tasks belong that name no data: by their place, their pointers, or their names.
#include "decide/opinion.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "policy_sample.hpp"

namespace lares::decide {
namespace {

constexpr std::uintptr_t code = 0x1000;
constexpr std::uintptr_t flags = 0x500000;
constexpr std::uintptr_t blocks = 0x1000000;
constexpr std::uintptr_t block_bytes = 0x4000;

/// A creator of tasks on four domains with two workers each.
struct Toy {
  machine::Machine machine = policy::sample::machine_of({2, 2, 2, 2});
  policy::sample::Team team{machine};
  NameBook book;
  Series series;
  std::uint32_t round = 1;
  bool may_hold = true;
  int held = 0;
  int settled = 0;
  std::map<std::uintptr_t, DomainId> homes;  // of blocks
};

class Creating {
 public:
  explicit Creating(Toy& toy) : toy_(&toy) {}
  [[nodiscard]] const policy::Places& places() const { return toy_->team.places; }
  [[nodiscard]] std::size_t workers() const { return places().worker_count(); }
  [[nodiscard]] std::uint32_t round() const { return toy_->round; }
  [[nodiscard]] NameBook& names() const { return toy_->book; }
  [[nodiscard]] bool begins_hold(Series& /*series*/) const {
    if (toy_->may_hold) ++toy_->held;
    return toy_->may_hold;
  }
  void settles() const { ++toy_->settled; }
  [[nodiscard]] DomainId home_of_page(std::uintptr_t address) const {
    const auto at = toy_->homes.upper_bound(address);
    return at == toy_->homes.begin() ? DomainId{} : std::prev(at)->second;
  }
  [[nodiscard]] int place_of(std::uintptr_t /*address*/) const { return 0; }

 private:
  Toy* toy_;
};

/// Names with whether they are written, in the program's order.
class Naming {
 public:
  explicit Naming(std::vector<std::pair<int, bool>> flags_used) : all_(std::move(flags_used)) {}
  [[nodiscard]] std::uintptr_t first_written() const {
    for (const auto& [flag, written] : all_) {
      if (written) return address(flag);
    }
    return 0;
  }
  [[nodiscard]] bool writes_several() const {
    int count = 0;
    for (const auto& each : all_) count += each.second ? 1 : 0;
    return count > 1;
  }
  [[nodiscard]] bool reads(std::uintptr_t name) const {
    for (const auto& [flag, written] : all_) {
      if (!written && address(flag) == name) return true;
    }
    return false;
  }
  template <class Use>
  void for_each(Use use) const {
    for (const auto& [flag, written] : all_) use(address(flag), written);
  }

 private:
  static std::uintptr_t address(int flag) { return flags + static_cast<std::uintptr_t>(flag); }
  std::vector<std::pair<int, bool>> all_;
};

DomainId domain(std::size_t number) { return DomainId{number}; }

TEST(HomeOfPart, IsThatOfTheWorkersWhoHaveIt) {
  const Toy toy;
  for (std::uint64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(home_of_part(toy.team.places, i, 16, 8), domain(i / 4));
  }
  EXPECT_FALSE(home_of_part(toy.team.places, 0, 3, 8).valid()) << "fewer parts than domains";
}

TEST(BySeries, TheFirstRoundIsHeldAndLaterOnesArePlaced) {
  Toy toy;
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(by_series(Creating(toy), toy.series).held);
  EXPECT_EQ(toy.held, 8);
  ++toy.round;
  for (std::size_t i = 0; i < 8; ++i) {
    const Opinion opinion = by_series(Creating(toy), toy.series);
    EXPECT_EQ(opinion.home, domain(i / 2));
    EXPECT_EQ(opinion.begins, i == 0);
    EXPECT_EQ(opinion.basis, Basis::series);
  }
  EXPECT_EQ(toy.settled, 8) << "what a young series touches first stays";
}

TEST(BySeries, WhereNobodyShallWaitNothingIsKnownAtFirst) {
  Toy toy;
  toy.may_hold = false;
  EXPECT_FALSE(by_series(Creating(toy), toy.series).known());
}

std::vector<std::uintptr_t> pointer_to(std::uintptr_t block) {
  return {blocks + block * block_bytes};
}

TEST(ByArguments, PointersComeBeforeThePlaceInTheSeries) {
  Toy toy;
  constexpr std::uintptr_t tasks = 32;
  // Dealt in turn, so that a task's place says nothing.
  for (std::uintptr_t i = 0; i < tasks; ++i) {
    toy.homes[blocks + i * block_bytes] = domain(i % 4);
  }
  for (int round = 0; round < 3; ++round, ++toy.round) {
    for (std::uintptr_t i = 0; i < tasks; ++i) {
      const auto words = pointer_to(i);
      const Opinion opinion = by_arguments(Creating(toy), toy.series, words);
      if (round < 2) continue;
      EXPECT_EQ(opinion.home, domain(i % 4)) << i;
      EXPECT_EQ(opinion.basis, Basis::argument);
    }
  }
}

TEST(ByArguments, WhatLiesOnOneNodeSaysNothing) {
  Toy toy;
  toy.homes[blocks] = domain(0);
  for (int round = 0; round < 3; ++round, ++toy.round) {
    for (std::uintptr_t i = 0; i < 32; ++i) {
      const auto words = pointer_to(i);
      const Opinion opinion = by_arguments(Creating(toy), toy.series, words);
      if (round < 2) continue;
      EXPECT_EQ(opinion.home, domain(i / 8));
    }
  }
}

/// Flags 0 to 15 are written once each.
void begin(Toy& toy) {
  for (int flag = 0; flag < 16; ++flag) {
    by_name(Creating(toy), toy.series, code, Naming({{flag, true}}));
  }
  ++toy.round;
}

Opinion ask(Toy& toy, std::vector<std::pair<int, bool>> used) {
  Series other;
  return by_name(Creating(toy), other, code + 64, Naming(std::move(used)));
}

TEST(ByName, AWrittenNameHasItsPartInTheOrderOfNames) {
  Toy toy;
  begin(toy);
  for (int flag = 0; flag < 16; ++flag) {
    const Opinion opinion = ask(toy, {{15 - flag, false}, {flag, true}});
    EXPECT_EQ(opinion.home, domain(static_cast<std::size_t>(flag) / 4));
    EXPECT_EQ(opinion.basis, Basis::name);
    EXPECT_EQ(opinion.names, 16U);
    EXPECT_TRUE(opinion.strong) << "a byte is no block";
  }
}

TEST(ByName, OfSeveralThatAreWrittenItIsWhereMostBlocksAre) {
  Toy toy;
  begin(toy);
  // As a QR factorisation updates two rows: tile 1 of the first, 9 and 8 of the third.
  EXPECT_EQ(ask(toy, {{8, false}, {1, true}, {9, true}}).home, domain(2));
  EXPECT_EQ(ask(toy, {{1, true}, {9, true}}).home, domain(0)) << "else where the first one is";
  EXPECT_EQ(ask(toy, {{8, false}, {9, false}, {10, false}, {1, true}}).home, domain(0))
      << "one is written: it is there";
  EXPECT_EQ(ask(toy, {{1, true}, {9, true}, {100, false}, {101, false}}).home, domain(0))
      << "of others nothing is known";
}

/// Flags 0 to 15 are written once each, and dealt out.
void deal_out(Toy& toy) {
  begin(toy);
  toy.book.was_dealt(code, true);
}

constexpr std::size_t width = 16;

/// A row of a stencil: names `to`.. read their neighbours among `from`.. and are at home where the
/// middle one is.
void expect_row_follows(Toy& toy, int from, int to) {
  constexpr int last = width - 1;
  for (int i = 0; i <= last; ++i) {
    std::vector<std::pair<int, bool>> used;
    for (int other = std::max(i - 1, 0); other <= std::min(i + 1, last); ++other) {
      used.emplace_back(from + other, false);
    }
    used.emplace_back(to + i, true);
    // Its first and its last task are made by a line of their own.
    Series other;
    const bool is_inner = i != 0 && i != last;
    const Opinion opinion =
        by_name(Creating(toy), other, code + (is_inner ? 64 : 128), Naming(std::move(used)));
    EXPECT_EQ(opinion.home, domain(static_cast<std::size_t>(i) / 4)) << to << ' ' << i;
    EXPECT_TRUE(opinion.strong);
    EXPECT_FALSE(opinion.held);
  }
}

// Two arrays in turn, or ever new ones: the names of each follow those of the one before, though
// other lines make them.
TEST(ByName, NewNamesTakeThePlacesOfThoseThatTheirTasksRead) {
  Toy toy;
  deal_out(toy);
  for (int row = 1; row < 5; ++row) {
    expect_row_follows(toy, (row - 1) * static_cast<int>(width), row * static_cast<int>(width));
  }
}

TEST(ByName, NewNamesMayComeForEver) {
  Toy toy;
  deal_out(toy);
  constexpr int rows = 2 * static_cast<int>(NameBook::most_names / width);
  for (int row = 1; row < rows; ++row) {
    expect_row_follows(toy, (row - 1) * static_cast<int>(width), row * static_cast<int>(width));
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(ask(toy, {{5, true}}).home, domain(1)) << "what was first is still known";
}

TEST(ByName, NewNamesKeepThePlacesThatTheyHaveTaken) {
  Toy toy;
  deal_out(toy);
  for (int turn = 0; turn < 3; ++turn) {
    expect_row_follows(toy, 0, static_cast<int>(width));
    expect_row_follows(toy, static_cast<int>(width), 0);
  }
}

TEST(ByName, BeforeNamesAreDealtOutNoneTakesTheirPlaces) {
  Toy toy;
  begin(toy);
  EXPECT_FALSE(ask(toy, {{3, false}, {width, true}}).home.valid());
}

// Else a chain through names of one generation would end in one place.
TEST(ByName, ANameOfItsOwnGenerationGivesNoPlace) {
  Toy toy;
  deal_out(toy);
  constexpr int row = width;
  for (int i = 0; i < static_cast<int>(width); ++i) {
    std::vector<std::pair<int, bool>> used{{i, false}, {row + i, true}};
    if (i > 0) used.emplace_back(row + i - 1, false);
    EXPECT_EQ(ask(toy, used).home, domain(static_cast<std::size_t>(i) / 4)) << i;
  }
}

TEST(ByName, OneNameGivesItsPlaceToNoMoreThanOne) {
  Toy toy;
  deal_out(toy);
  EXPECT_EQ(ask(toy, {{5, false}, {width, true}}).home, domain(1));
  for (int i = 1; i < 8; ++i) {
    EXPECT_FALSE(ask(toy, {{5, false}, {static_cast<int>(width) + i, true}}).home.valid()) << i;
  }
}

TEST(ByName, NamesOfBlocksThatLieSomewhereGiveNoPlace) {
  Toy toy;
  constexpr int apart = 512;
  for (int i = 0; i < 16; ++i) {
    by_name(Creating(toy), toy.series, code, Naming({{i * apart, true}}));
  }
  toy.book.was_dealt(code, true);
  EXPECT_FALSE(ask(toy, {{3 * apart, false}, {17 * apart, true}}).home.valid());
}

TEST(ByName, WhereNoNameHasRoomAnyMoreTheSeriesCounts) {
  Toy toy;
  constexpr int all = NameBook::most_names;
  for (int i = 0; i < all; ++i) by_name(Creating(toy), toy.series, code, Naming({{i, true}}));
  toy.book.was_dealt(code, true);
  EXPECT_TRUE(ask(toy, {{3, false}, {all, true}}).held);
}

TEST(ByName, WhoWritesNothingHasHisPlaceInTheSeries) {
  Toy toy;
  begin(toy);
  Series other;
  EXPECT_TRUE(by_name(Creating(toy), other, code + 64, Naming({{3, false}})).held);
}

}  // namespace
}  // namespace lares::decide
