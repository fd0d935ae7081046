// Where tasks belong that depend on what has only a name.
#include "decide/names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
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

TEST(NameBook, NamesThatLieInNoMemoryArePlacesOfNothing) {
  constexpr std::uintptr_t apart = 1U << 20U;
  // Of 16 names the first ones are in memory, on several nodes.
  const auto strong_if_in_memory = [](std::uintptr_t count, int elsewhere) {
    NameBook book;
    const auto home_of = [count, elsewhere](std::uintptr_t name) {
      const std::uintptr_t number = (name - flags) / apart;
      return number < count ? static_cast<int>(number % 3) : elsewhere;
    };
    sweep(book, 16, apart, home_of);
    return sweep(book, 16, apart, home_of).front().strong;
  };
  EXPECT_TRUE(strong_if_in_memory(0, NameBook::no_memory));
  EXPECT_TRUE(strong_if_in_memory(4, NameBook::no_memory));
  EXPECT_TRUE(strong_if_in_memory(8, NameBook::no_memory));
  EXPECT_FALSE(strong_if_in_memory(9, NameBook::no_memory)) << "most of them are blocks";
  EXPECT_FALSE(strong_if_in_memory(4, -1)) << "the others may be touched later";
  EXPECT_FALSE(strong_if_in_memory(16, -1));
}

TEST(NameBook, NothingIsBroughtFromWhereNoMemoryIs) {
  constexpr std::uintptr_t apart = 1U << 20U;
  NameBook book;
  const auto home_of = [](std::uintptr_t name) {
    return name < flags + 4 * apart ? 1 : NameBook::no_memory;
  };
  for (int i = 0; i < 10; ++i) sweep(book, 16, apart, home_of);
  const auto domain = [](std::uint32_t position, std::uint32_t) {
    return DomainId{static_cast<int>(position % 4)};
  };
  const auto read = [](std::span<const std::uintptr_t>, std::span<std::uintptr_t>) {
    return false;
  };
  EXPECT_TRUE(book.bring(flags, 1, domain, home_of, read).empty());
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

/// As sweep(), backwards, where what was made is dealt out after every `room` names.
void first_sweep_in_pieces(NameBook& book, std::uint32_t count, std::uint32_t room, bool is_new) {
  for (std::uint32_t i = 0; i < count; ++i) {
    book.next(code, flags + (count - 1 - i), reads_nothing, nowhere);
    if ((i + 1) % room == 0 || i + 1 == count) book.was_dealt(code, is_new);
  }
}

TEST(NameBook, TellsThePositionInWhatWasDealtTogetherIfThatTouchedNewMemory) {
  NameBook book;
  constexpr std::uint32_t count = 50;
  constexpr std::uint32_t room = 20;
  first_sweep_in_pieces(book, count, room, true);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto told = book.next(code, flags + (count - 1 - i), reads_nothing, nowhere);
    const std::uint32_t of = std::min(room, count - i / room * room);
    EXPECT_EQ(told.count, of) << i;
    EXPECT_EQ(told.position, of - 1 - i % room) << "in the order of addresses";
    EXPECT_EQ(told.all, count);
    const auto known = book.know(flags + (count - 1 - i));
    EXPECT_EQ(known.position, told.position);
    EXPECT_EQ(known.count, told.count);
  }
}

TEST(NameBook, TellsThePositionInAllIfThatTouchedNothingNew) {
  NameBook book;
  first_sweep_in_pieces(book, 50, 20, false);
  for (std::uint32_t i = 0; i < 50; ++i) {
    const auto told = book.next(code, flags + i, reads_nothing, nowhere);
    EXPECT_EQ(told.position, i);
    EXPECT_EQ(told.count, 50U);
  }
}

TEST(NameBook, KnowsNothingOfANameThatNobodyHasWritten) {
  NameBook book;
  EXPECT_EQ(book.know(flags).count, 0U);
  sweep(book, 20, 1, nowhere);
  EXPECT_EQ(book.know(flags).count, 0U) << "not all are known yet";
  sweep(book, 1, 1, nowhere);
  EXPECT_EQ(book.know(flags + 7).position, 7U);
  EXPECT_EQ(book.know(flags + 20).count, 0U);
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

TEST(NameBook, KnowsThePlacesOfNamesThatHaveBeenDealtOut) {
  NameBook book;
  first_sweep_in_pieces(book, 20, 20, true);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto told = book.know(flags + i);
    EXPECT_EQ(told.count, 20U);
    EXPECT_EQ(told.position, i);
    EXPECT_TRUE(told.strong);
  }
  book.next(code, flags + 20, reads_nothing, nowhere);
  EXPECT_EQ(book.know(flags + 20).count, 0U) << "which is not dealt yet";
  EXPECT_EQ(book.next(code, flags + 3, reads_nothing, nowhere).count, 21U) << "all of them count";
}

TEST(NameBook, ANameInThePlaceOfAnotherIsToldAsThatOne) {
  NameBook book;
  sweep(book, 20, 1, nowhere);
  sweep(book, 20, 1, nowhere);
  constexpr std::uintptr_t other = flags + 4096;
  EXPECT_EQ(book.next(code + 1, other, reads_nothing, nowhere).count, 0U);
  EXPECT_FALSE(book.know(flags + 7).is_taken);
  book.takes_place_of(other, flags + 7);
  EXPECT_TRUE(book.know(flags + 7).is_taken);
  EXPECT_FALSE(book.know(flags + 7).may_be_taken_again);
  for (const auto& told : {book.know(other), book.next(code + 1, other, reads_nothing, nowhere)}) {
    EXPECT_EQ(told.position, 7U);
    EXPECT_EQ(told.count, 20U);
  }
  // It is none of its construct's own names.
  for (std::uint32_t again = 0; again < 2; ++again) {
    for (std::uint32_t i = 1; i < 5; ++i) book.next(code + 1, other + i, reads_nothing, nowhere);
  }
  EXPECT_EQ(book.know(other + 1).count, 4U);
  EXPECT_EQ(book.know(other + 1).position, 0U);
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
const auto no_slots = [](std::span<const std::uintptr_t>, std::span<std::uintptr_t>) {
  return false;
};

/// All parts, by homes.
std::vector<Part> joined(const PartsByHome& homes) {
  std::vector<Part> all;
  for (const std::vector<Part>& parts : homes) all.insert(all.end(), parts.begin(), parts.end());
  return all;
}

/// As if each name of a round were asked for.
std::vector<Part> bring_all(NameBook& book, std::uint32_t count, std::uint32_t rounds,
                            std::uintptr_t first = flags) {
  std::vector<Part> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto more = joined(book.bring(first + i * block, rounds, quarter, on_one_node, no_slots));
    parts.insert(parts.end(), more.begin(), more.end());
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
    EXPECT_TRUE(near.bring(flags + i * 64, 1, quarter, on_one_node, no_slots).empty());
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
  auto parts = bring_all(book, 64, 2);
  ASSERT_EQ(parts.size(), 8U);
  std::sort(parts.begin(), parts.end(), [](Part a, Part b) { return a.begin < b.begin; });
  EXPECT_EQ(parts[3].begin, flags + 48 * block);
  EXPECT_EQ(parts[7].begin, other + 48 * block);
  EXPECT_TRUE(bring_all(book, 64, 2, other).empty());
}

// They may be of other sizes, and the memory between them anybody's.
TEST(NameBook, BringsTheSecondArrayByItsOwnLayout) {
  constexpr std::uintptr_t other = flags + 1024 * block;
  NameBook book;
  for (int turn = 0; turn < 6; ++turn) {
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uintptr_t near = flags + i * block;
      const std::uintptr_t far = other + i * 8 * block;
      const auto reads = [&](std::uintptr_t name) { return name == (turn % 2 == 0 ? far : near); };
      book.next(code, turn % 2 == 0 ? near : far, reads, on_one_node);
    }
  }
  std::uint64_t bytes = 0;
  for (const Part& part : bring_all(book, 64, 2)) bytes += part.end - part.begin;
  EXPECT_EQ(bytes, 128 * block);
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
    for (const Part& part : joined(book.bring(name(i), 1, quarter, on_one_node, no_slots))) {
      bytes += part.end - part.begin;
      ++parts;
      EXPECT_TRUE(part.end <= name(4) + block || part.begin >= name(5));
    }
  }
  EXPECT_EQ(bytes, 40 * block);
  EXPECT_EQ(parts, 5U);
}

/// A table of slots, and what is in it.
class Table {
  // What is in the slots; before its use, as its type is deduced.
  auto read() const {
    return [this](std::span<const std::uintptr_t> slots, std::span<std::uintptr_t> words) {
      for (std::size_t i = 0; i < slots.size(); ++i) words[i] = contents_[(slots[i] - flags) / 8];
      return true;
    };
  }

 public:
  template <class ContentOf>
  Table(std::uint32_t count, ContentOf content_of) : contents_(count) {
    for (std::uint32_t i = 0; i < count; ++i) contents_[i] = content_of(i);
  }
  /// All parts that are brought in one round once `rounds` have been told.
  template <class PlaceOf>
  std::vector<Part> bring(std::uint32_t rounds, PlaceOf place_of) {
    for (std::uint32_t told = 0; told <= rounds; ++told) sweep(book_, count(), 8, nowhere);
    std::vector<Part> parts;
    for (std::uint32_t i = 0; i < count(); ++i) {
      const auto more = joined(book_.bring(flags + i * 8U, rounds, quarter, place_of, read()));
      parts.insert(parts.end(), more.begin(), more.end());
    }
    return parts;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(contents_.size()); }

 private:
  std::vector<std::uintptr_t> contents_;
  NameBook book_;
};

constexpr std::uintptr_t heap = 0x7f0000000010;
constexpr std::uintptr_t piece = 4112;  // a page, as malloc gives it

TEST(NameBook, BringsWhatSlotsPointTo) {
  Table table(64, [](std::uint32_t i) { return heap + i * piece; });
  const auto parts = table.bring(2, on_one_node);
  ASSERT_EQ(parts.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(parts[i].begin, heap + i * 16 * piece);
    EXPECT_EQ(parts[i].end, heap + (i + 1) * 16 * piece);
  }
  EXPECT_TRUE(table.bring(2, on_one_node).empty());
}

// Rows of a table belong together, and blocks may be made in any order.
TEST(NameBook, BringsToASlotsHomeWhereverItsBlockLies) {
  Table table(64, [](std::uint32_t i) { return heap + (63 - i) * 4 * piece; });
  const auto parts = table.bring(2, on_one_node);
  // Blocks that lie apart: each ends before the next one, and goes where its slot does.
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].begin, heap + 48 * 4 * piece);
  EXPECT_EQ(parts[3].begin, heap);
}

TEST(NameBook, LeavesSlotsAloneThatPointToSmallOrSpreadBlocksOrToNone) {
  const auto small = [](std::uint32_t i) { return heap + i * 512U; };
  const auto large = [](std::uint32_t i) { return heap + i * piece; };
  const auto numbers = [](std::uint32_t i) { return std::uintptr_t{1} + i * 5000U; };
  const auto mostly_empty = [](std::uint32_t i) { return i < 40 ? 0 : heap + i * piece; };
  EXPECT_TRUE(Table(64, small).bring(2, on_one_node).empty());
  EXPECT_TRUE(Table(64, large).bring(2, spread).empty());
  EXPECT_TRUE(Table(64, numbers).bring(2, nowhere).empty());
  EXPECT_TRUE(Table(64, mostly_empty).bring(2, on_one_node).empty());
}

TEST(NameBook, EmptySlotsHaveNoBlock) {
  Table table(64, [](std::uint32_t i) { return i % 16 == 5 ? 0 : heap + i * piece; });
  for (const Part& part : table.bring(2, on_one_node)) {
    EXPECT_GE(part.begin, heap);
    EXPECT_LE(part.end, heap + 64 * piece);
  }
}

TEST(NameBook, ReadsNoNamesThatAreNoWords) {
  NameBook book;
  for (int again = 0; again < 4; ++again) sweep(book, 64, 9, nowhere);
  const auto never = [](std::span<const std::uintptr_t>, std::span<std::uintptr_t>) -> bool {
    ADD_FAILURE() << "bytes were read as words";
    return true;
  };
  EXPECT_TRUE(book.bring(flags, 2, quarter, on_one_node, never).empty());
}

}  // namespace
}  // namespace lares::decide
