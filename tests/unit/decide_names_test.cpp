// Where tasks belong that depend on what has only a name.
#include "decide/names.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace lares::decide {
namespace {

constexpr std::uintptr_t code = 0x1000;
constexpr std::uintptr_t flags = 0x10000;

const auto reads_nothing = [](std::uintptr_t) { return false; };
const auto nowhere = [](std::uintptr_t) { return -1; };
const auto on_one_node = [](std::uintptr_t) { return 2; };
const auto spread = [](std::uintptr_t address) { return static_cast<int>(address / 4096 % 4); };

/// One sweep over `count` names that are `apart` bytes from each other.
template <class HomeOf>
std::vector<NameBook::Told> sweep(NameBook& book, std::uint32_t count, std::uintptr_t apart,
                                  HomeOf home_of, std::uintptr_t first = flags) {
  std::vector<NameBook::Told> told;
  for (std::uint32_t i = 0; i < count; ++i) {
    told.push_back(book.next(code, first + i * apart, reads_nothing, home_of));
  }
  return told;
}

TEST(NameBook, KnowsNothingBeforeANameComesAgain) {
  NameBook book;
  for (const auto& told : sweep(book, 20, 1, nowhere)) EXPECT_EQ(told.count, 0U);
}

TEST(NameBook, TellsThePositionOfEachOnceAllAreKnown) {
  NameBook book;
  sweep(book, 20, 1, nowhere);
  for (int again = 0; again < 3; ++again) {
    const auto told = sweep(book, 20, 1, nowhere);
    for (std::uint32_t i = 0; i < told.size(); ++i) {
      EXPECT_EQ(told[i].position, i);
      EXPECT_EQ(told[i].count, 20U);
      EXPECT_EQ(told[i].begins, i == 0);
    }
  }
}

// Down the columns of a table of names, or backwards.
TEST(NameBook, TellsPositionsInTheOrderOfAddressesHoweverTheyWereMade) {
  NameBook down;
  NameBook back;
  constexpr std::uint32_t side = 4;
  for (int again = 0; again < 3; ++again) {
    for (std::uint32_t made = 0; made < side * side; ++made) {
      const std::uint32_t at = made % side * side + made / side;
      const auto told = down.next(code, flags + at, reads_nothing, nowhere);
      const auto other = back.next(code, flags - made, reads_nothing, nowhere);
      if (again == 0) continue;
      EXPECT_EQ(told.position, at);
      EXPECT_EQ(other.position, side * side - 1 - made);
      EXPECT_EQ(told.begins, made == 0);
    }
  }
}

TEST(NameBook, TellsALaterGenerationsPositionsAsTheFirstOnes) {
  NameBook book;
  constexpr std::uint32_t blocks = 16;
  constexpr std::uintptr_t other = flags + 4096;
  const auto at = [](std::uint32_t made) { return made % 4 * 4 + made / 4; };
  for (std::uint32_t i = 0; i < blocks; ++i) {
    book.next(code, flags + at(i), reads_nothing, nowhere);
  }
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const auto reads = [&](std::uintptr_t name) { return name == flags + at(i); };
    EXPECT_EQ(book.next(code, other + at(i), reads, nowhere).position, at(i));
  }
}

TEST(NameBook, SaysMoreThanPagesForFlagsAndSlots) {
  NameBook book;
  EXPECT_TRUE(sweep(book, 20, 8, spread).back().strong);
  EXPECT_TRUE(sweep(book, 20, 8, spread).back().strong);
}

TEST(NameBook, SaysLessThanPagesForBlocksThatLieOnSeveralNodes) {
  NameBook book;
  sweep(book, 20, 8192, spread);
  const auto told = sweep(book, 20, 8192, spread);
  EXPECT_EQ(told.back().count, 20U);
  EXPECT_FALSE(told.back().strong);
}

TEST(NameBook, SaysMoreThanPagesForBlocksThatOneThreadHasWritten) {
  NameBook book;
  sweep(book, 20, 8192, on_one_node);
  EXPECT_TRUE(sweep(book, 20, 8192, on_one_node).back().strong);
}

TEST(NameBook, SaysLessThanPagesWhereNoneIsKnown) {
  NameBook book;
  sweep(book, 20, 8192, nowhere);
  EXPECT_FALSE(sweep(book, 20, 8192, nowhere).back().strong);
}

// Two arrays in turn: the second one's blocks have new names, and belong where the first one's do.
TEST(NameBook, BeginsAGenerationWhereTheFirstNameIsRead) {
  NameBook book;
  constexpr std::uint32_t blocks = 16;
  constexpr std::uintptr_t other = flags + 4096;
  sweep(book, blocks, 1, nowhere);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const auto reads = [i](std::uintptr_t name) { return name == flags + i; };
    const auto told = book.next(code, other + i, reads, nowhere);
    EXPECT_EQ(told.position, i);
    EXPECT_EQ(told.count, blocks);
    EXPECT_EQ(told.begins, i == 0);
  }
  EXPECT_EQ(sweep(book, blocks, 1, nowhere).back().count, blocks);
  EXPECT_EQ(sweep(book, blocks, 1, nowhere, other).back().position, blocks - 1);
}

// In place, a block reads its neighbour, which is no array before it.
TEST(NameBook, BeginsNoGenerationWhereANeighbourIsRead) {
  NameBook book;
  book.next(code, flags, reads_nothing, nowhere);
  const auto reads = [](std::uintptr_t name) { return name == flags; };
  EXPECT_EQ(book.next(code, flags + 1, reads, nowhere).count, 0U);
}

TEST(NameBook, KeepsWhatAnotherConstructWritesWhereItWas) {
  NameBook book;
  sweep(book, 20, 1, nowhere);
  const auto told = book.next(code + 1, flags + 7, reads_nothing, nowhere);
  EXPECT_EQ(told.position, 7U);
  EXPECT_EQ(told.count, 20U);
}

TEST(NameBook, HoldsManyAndThenTellsNoFurtherOnes) {
  NameBook book;
  sweep(book, NameBook::most_names + 10, 16, nowhere);
  EXPECT_EQ(book.next(code, flags + 16 * 12345, reads_nothing, nowhere).position, 12345U);
  const auto beyond =
      book.next(code, flags + 16 * (NameBook::most_names + 5), reads_nothing, nowhere);
  EXPECT_EQ(beyond.count, 0U);
}

constexpr std::uintptr_t block = 65536;

/// As Team::places would have them: four homes, equal parts in order.
const auto quarter = [](std::uint32_t position, std::uint32_t count) {
  return DomainId{std::size_t{4} * position / count};
};

std::vector<NameBook::Part> bring_all(NameBook& book, std::uint32_t count, std::uint32_t rounds,
                                      std::uintptr_t first = flags) {
  std::vector<NameBook::Part> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    const NameBook::Part part = book.bring(first + i * block, rounds, quarter);
    if (!part.is_empty()) parts.push_back(part);
  }
  return parts;
}

// Samples that `follow` looks at go to who touches them.
TEST(NameBook, SomeSamplesMayBeAwayWhereTheyAreExpected) {
  const auto mostly = [](std::uintptr_t address) { return address / block % 8 == 3 ? 1 : 2; };
  const auto half = [](std::uintptr_t address) { return address / block % 2 == 0 ? 1 : 2; };
  for (const bool is_expected : {false, true}) {
    NameBook book;
    NameBook spread_book;
    if (is_expected) {
      book.expect_samples_away();
      spread_book.expect_samples_away();
    }
    for (int again = 0; again < 2; ++again) {
      sweep(book, 256, block, mostly);
      sweep(spread_book, 256, block, half);
    }
    EXPECT_EQ(book.next(code, flags, reads_nothing, mostly).strong, is_expected);
    EXPECT_FALSE(spread_book.next(code, flags, reads_nothing, half).strong);
  }
}

// As a loop has dealt them out whose chunks are of one block.
TEST(NameBook, NamesDealtToNodesInTurnAreInSeveralPlaces) {
  for (int nodes = 2; nodes <= 9; ++nodes) {
    const auto in_turn = [nodes](std::uintptr_t address) {
      return static_cast<int>(address / block % static_cast<std::uintptr_t>(nodes));
    };
    for (const std::uint32_t count : {32U, 64U, 144U, 1000U}) {
      NameBook book;
      sweep(book, count, block, in_turn);
      EXPECT_FALSE(book.next(code, flags, reads_nothing, in_turn).strong) << nodes << ' ' << count;
    }
  }
}

TEST(NameBook, BringsEachHomesPartOnce) {
  NameBook book;
  for (int again = 0; again < 3; ++again) sweep(book, 64, block, on_one_node);
  const auto parts = bring_all(book, 64, 2);
  ASSERT_EQ(parts.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(parts[i].begin, flags + i * 16 * block);
    EXPECT_EQ(parts[i].end, flags + (i + 1) * 16 * block);
  }
  EXPECT_TRUE(bring_all(book, 64, 2).empty());
}

TEST(NameBook, BringsNothingBeforeItHasPaid) {
  NameBook book;
  sweep(book, 64, block, on_one_node);
  for (int told = 1; told < 5; ++told) {
    sweep(book, 64, block, on_one_node);
    EXPECT_EQ(bring_all(book, 64, 4).size(), told == 4 ? 4U : 0U);
  }
}

TEST(NameBook, BringsNeitherWhatIsSpreadNorWhatIsSmall) {
  NameBook far;
  NameBook near;
  const auto everywhere = [](std::uintptr_t address) {
    return static_cast<int>(address / block % 4);
  };
  for (int again = 0; again < 3; ++again) {
    sweep(far, 64, block, everywhere);
    sweep(near, 64, 64, on_one_node);
  }
  EXPECT_TRUE(bring_all(far, 64, 1).empty());
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_TRUE(near.bring(flags + i * 64, 1, quarter).is_empty());
  }
}

// Two arrays in turn: the second one's names are told by the place in the first one's order.
TEST(NameBook, BringsTheSecondArrayToo) {
  constexpr std::uintptr_t other = flags + 1024 * block;
  NameBook book;
  for (int turn = 0; turn < 6; ++turn) {
    const std::uintptr_t to = turn % 2 == 0 ? flags : other;
    const std::uintptr_t from = turn % 2 == 0 ? other : flags;
    for (std::uint32_t i = 0; i < 64; ++i) {
      const auto reads = [&](std::uintptr_t name) { return name == from + i * block; };
      book.next(code, to + i * block, reads, on_one_node);
    }
  }
  EXPECT_EQ(bring_all(book, 64, 2).size(), 4U);
  const auto parts = bring_all(book, 64, 2, other);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[3].begin, other + 48 * block);
}

// What lies between may be anybody's.
TEST(NameBook, APartEndsWhereTheNextNameIsFarAway) {
  NameBook book;
  const auto name = [](std::uint32_t i) { return flags + i * block + (i < 5 ? 0 : 64 * block); };
  for (int again = 0; again < 3; ++again) {
    for (std::uint32_t i = 0; i < 40; ++i) book.next(code, name(i), reads_nothing, on_one_node);
  }
  std::uint64_t bytes = 0;
  std::size_t parts = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const NameBook::Part part = book.bring(name(i), 1, quarter);
    bytes += part.end - part.begin;
    parts += part.is_empty() ? 0U : 1U;
    EXPECT_TRUE(part.is_empty() || part.end <= name(4) + block || part.begin >= name(5));
  }
  EXPECT_EQ(bytes, 40 * block);
  EXPECT_EQ(parts, 5U);
}

}  // namespace
}  // namespace lares::decide
