// Where tasks belong that depend on what has only a name.
#include "decide/names.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

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

}  // namespace
}  // namespace lares::decide
