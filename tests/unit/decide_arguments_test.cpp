// Tasks whose arguments say where their data is.
#include "decide/arguments.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace lares::decide {
namespace {

constexpr std::uintptr_t page = 4096;
constexpr std::uintptr_t heap = 0x555555600000;
constexpr std::size_t domains = 4;

/// Pages that have homes; others are not there.
class Memory {
 public:
  void put(std::uintptr_t begin, std::uintptr_t bytes, std::size_t domain) {
    for (std::uintptr_t at = begin / page; at <= (begin + bytes - 1) / page; ++at) {
      homes_.try_emplace(at, domain);
    }
  }
  void move(std::uintptr_t begin, std::uintptr_t bytes, std::size_t domain) {
    for (std::uintptr_t at = begin / page; at <= (begin + bytes - 1) / page; ++at) {
      homes_[at] = domain;
    }
  }
  DomainId home(std::uintptr_t address) {
    ++asked_;
    const auto found = homes_.find(address / page);
    return found == homes_.end() ? DomainId{} : DomainId{found->second};
  }
  [[nodiscard]] int asked() const { return asked_; }

 private:
  std::map<std::uintptr_t, std::size_t> homes_;
  int asked_ = 0;
};

/// Blocks one after the other as malloc has them, 16 bytes of its own before each, and where each
/// was written first: anywhere.
struct Blocks {
  Blocks(Memory& memory, std::size_t count, std::uintptr_t bytes, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::uintptr_t at = heap + 16;
    for (std::size_t i = 0; i < count; ++i, at += bytes + 16) {
      begins.push_back(at);
      homes.push_back(random() % domains);
      memory.put(at, bytes, homes.back());
    }
  }
  std::vector<std::uintptr_t> begins;
  std::vector<std::size_t> homes;
};

using Words = std::vector<std::uintptr_t>;

DomainId ask(PointerArguments& arguments, Memory& memory, const Words& words,
             DomainId otherwise = {}) {
  return arguments.next(words, domains, otherwise,
                        [&](std::uintptr_t address) { return memory.home(address); });
}

/// Of the tasks from `from` on: how many were told right, wrong, nothing.
struct Score {
  std::size_t right = 0, wrong = 0, none = 0;
  void add(DomainId told, std::size_t home) {
    ++(!told.valid() ? none : told == DomainId{home} ? right : wrong);
  }
};

TEST(PointerArguments, SayWhereEachTasksBlockIs) {
  for (const std::uintptr_t bytes : {2 * page, 8 * page, 100 * page}) {
    Memory memory;
    const Blocks blocks(memory, 200, bytes);
    PointerArguments arguments;
    Score score;
    for (std::size_t i = 0; i < 200; ++i) {
      const DomainId told = ask(arguments, memory, {7, blocks.begins[i], i, 0x4058000000000000});
      if (i >= 40) score.add(told, blocks.homes[i]);
    }
    EXPECT_EQ(score.right, 160U) << bytes;
  }
}

// Two blocks share each page then, and one of them has touched it first.
TEST(PointerArguments, SayWhereMostBlocksOfOnePageAre) {
  Memory memory;
  const Blocks blocks(memory, 200, page - 16);
  PointerArguments arguments;
  Score score;
  for (std::size_t i = 0; i < 200; ++i) {
    const DomainId told = ask(arguments, memory, {blocks.begins[i]});
    if (i >= 40) score.add(told, blocks.homes[i]);
  }
  EXPECT_EQ(score.none, 0U);
  EXPECT_GT(score.right, 140U);
}

// As `start` of bench/shapes has them: the other array's blocks lie between.
TEST(PointerArguments, OfSeveralArraysAgree) {
  Memory memory;
  const Blocks blocks(memory, 400, 8 * page);
  for (std::size_t i = 0; i < 400; i += 2) {
    memory.move(blocks.begins[i], 16 * page, blocks.homes[i]);
  }
  PointerArguments arguments;
  Score score;
  for (std::size_t i = 0; i < 400; i += 2) {
    const DomainId told = ask(arguments, memory, {blocks.begins[i], blocks.begins[i + 1]});
    if (i >= 80) score.add(told, blocks.homes[i]);
  }
  EXPECT_EQ(score.wrong + score.none, 0U);
}

TEST(PointerArguments, OfOneNodeSayNothing) {
  Memory memory;
  memory.put(heap, 1000 * page, 2);
  PointerArguments arguments;
  for (std::uintptr_t i = 0; i < 1000; ++i) {
    EXPECT_FALSE(ask(arguments, memory, {heap + i * page}).valid());
  }
  EXPECT_LT(memory.asked(), 200) << "what tells nothing is asked rarely";
}

// Pages that are not there have no homes; once they are there, they say where.
TEST(PointerArguments, OfMemoryThatIsNotThereYetSayNothing) {
  Memory memory;
  PointerArguments arguments;
  for (std::uintptr_t i = 0; i < 100; ++i) {
    EXPECT_FALSE(ask(arguments, memory, {heap + i * 8 * page}).valid());
  }
  EXPECT_LT(memory.asked(), 30);
  const Blocks blocks(memory, 200, 8 * page);
  Score score;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 200; ++i) {
      const DomainId told = ask(arguments, memory, {blocks.begins[i]});
      if (round == 2) score.add(told, blocks.homes[i]);
    }
  }
  EXPECT_EQ(score.wrong, 0U);
  EXPECT_EQ(score.none, 0U);
}

TEST(PointerArguments, ThatAreNoPointersToBlocksSayNothing) {
  Memory memory;
  for (std::uintptr_t i = 0; i < 1000; ++i) memory.put(heap + i * page, 1, i % domains);
  std::mt19937_64 random(3);
  PointerArguments numbers;
  PointerArguments near;
  PointerArguments same;
  PointerArguments doubles;
  for (std::uintptr_t i = 0; i < 500; ++i) {
    EXPECT_FALSE(ask(numbers, memory, {i * 4096}).valid() && i < 16);
    EXPECT_FALSE(ask(near, memory, {heap + i * 64}).valid());
    EXPECT_FALSE(ask(same, memory, {heap}).valid());
    EXPECT_FALSE(ask(doubles, memory, {0x3FF0000000000000 + random() % page * page}).valid());
  }
}

// A word that once was no pointer to a block of its own is not believed any more.
TEST(PointerArguments, AreForgottenWhenOneIsNoBlock) {
  Memory memory;
  const Blocks blocks(memory, 200, 2 * page);
  PointerArguments arguments;
  for (std::size_t i = 0; i < 100; ++i) ask(arguments, memory, {blocks.begins[i]});
  EXPECT_TRUE(arguments.may_tell());
  EXPECT_FALSE(ask(arguments, memory, {blocks.begins[99] + 8}).valid());
  EXPECT_FALSE(ask(arguments, memory, {blocks.begins[100]}).valid());
  EXPECT_FALSE(arguments.may_tell());
}

TEST(PointerArguments, ThatDisagreeAreDecidedByThePlaceInTheSeries) {
  Memory memory;
  const Blocks in(memory, 100, 8 * page, 1);
  std::vector<std::uintptr_t> out;
  std::vector<std::size_t> homes;
  for (std::size_t i = 0; i < 100; ++i) {
    out.push_back(heap + (1000 + 8 * i) * page);
    homes.push_back((in.homes[i] + 1) % domains);
    memory.put(out[i], 8 * page, homes[i]);
  }
  PointerArguments arguments;
  for (std::size_t i = 0; i < 100; ++i) {
    const Words words = {in.begins[i], out[i]};
    const DomainId in_home{in.homes[i]};
    const DomainId out_home{homes[i]};
    const DomainId by_place = i % 2 == 0 ? in_home : out_home;
    const DomainId told = ask(arguments, memory, words, by_place);
    if (i < 40) continue;
    EXPECT_EQ(told, by_place);
    const auto home = [&](std::uintptr_t address) { return memory.home(address); };
    EXPECT_EQ(arguments.again(words, domains, DomainId{}, home), out_home);
  }
}

// Whatever the words are, it answers a home that `home_of` has answered, or none.
TEST(PointerArguments, OfAnyWordsAreAnswered) {
  std::mt19937_64 random(11);
  for (int program = 0; program < 200; ++program) {
    PointerArguments arguments;
    std::size_t width = random() % 24;
    for (int task = 0; task < 300; ++task) {
      if (random() % 64 == 0) width = random() % 24;
      Words words(width);
      for (std::uintptr_t& word : words) word = random() >> (random() % 64);
      const std::size_t most = 1 + random() % 40;
      const DomainId told = arguments.next(words, most, DomainId{}, [&](std::uintptr_t address) {
        return address % 3 == 0 ? DomainId{} : DomainId{std::size_t{address % 40}};
      });
      EXPECT_LT(told.value(), 40);
    }
  }
}

}  // namespace
}  // namespace lares::decide
