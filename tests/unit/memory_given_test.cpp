// The given homes: against a plain model, at the edges, and when the table is full.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/random.hpp"
#include "memory/given.hpp"

namespace lares::memory {
namespace {

constexpr DomainId nowhere{};

TEST(GivenHomes, KnowsNothingAtFirst) {
  const GivenHomes given;
  EXPECT_FALSE(given.any());
  EXPECT_EQ(given.find(0x1000), nowhere);
  EXPECT_EQ(given.find(0x1000, Bytes{4096}), nowhere);
}

TEST(GivenHomes, KnowsExactlyTheBytesOfARange) {
  GivenHomes given;
  ASSERT_TRUE(given.give(1000, Bytes{100}, DomainId{3}));
  EXPECT_TRUE(given.any());
  EXPECT_EQ(given.find(999), nowhere);
  EXPECT_EQ(given.find(1000), DomainId{3});
  EXPECT_EQ(given.find(1099), DomainId{3});
  EXPECT_EQ(given.find(1100), nowhere);
}

TEST(GivenHomes, AnEmptyRangeChangesNothing) {
  GivenHomes given;
  EXPECT_TRUE(given.give(1000, Bytes{0}, DomainId{3}));
  EXPECT_FALSE(given.any());
  ASSERT_TRUE(given.give(1000, Bytes{10}, DomainId{3}));
  EXPECT_TRUE(given.forget(1005, Bytes{0}));
  EXPECT_EQ(given.find(1005), DomainId{3});
}

TEST(GivenHomes, ManyAtOnceAreAsOneByOne) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    GivenHomes together;
    GivenHomes single;
    for (int batch = 0; batch < 5; ++batch) {
      std::vector<GivenRange> ranges;
      for (std::uint32_t at = random.below(20); at < 400;) {
        const std::uint32_t end = at + 1 + random.below(30);
        const std::uint32_t home = random.below(4);
        ranges.push_back({at, end, home == 3 ? nowhere : DomainId{static_cast<int>(home)}});
        at = end + random.below(20);
      }
      ASSERT_TRUE(together.give_all(ranges));
      for (const GivenRange& range : ranges) {
        ASSERT_TRUE(single.give(range.begin, Bytes{range.end - range.begin}, range.home));
      }
      for (std::uintptr_t at = 0; at < 450; ++at) ASSERT_EQ(together.find(at), single.find(at));
    }
  }
}

TEST(GivenHomes, CutsAHoleAndKeepsBothEnds) {
  GivenHomes given;
  ASSERT_TRUE(given.give(0, Bytes{100}, DomainId{0}));
  ASSERT_TRUE(given.forget(40, Bytes{20}));
  EXPECT_EQ(given.find(39), DomainId{0});
  EXPECT_EQ(given.find(40), nowhere);
  EXPECT_EQ(given.find(59), nowhere);
  EXPECT_EQ(given.find(60), DomainId{0});
  ASSERT_TRUE(given.forget(0, Bytes{100}));
  EXPECT_FALSE(given.any());
}

TEST(GivenHomes, ReachesTheEndOfTheAddressSpace) {
  GivenHomes given;
  ASSERT_TRUE(given.give(UINTPTR_MAX - 10, Bytes{UINT64_MAX}, DomainId{1}));
  EXPECT_EQ(given.find(UINTPTR_MAX - 11), nowhere);
  EXPECT_EQ(given.find(UINTPTR_MAX - 1), DomainId{1});
  EXPECT_EQ(given.find(UINTPTR_MAX - 10, Bytes{UINT64_MAX}), DomainId{1});
}

TEST(GivenHomes, AnswersForMostOfARange) {
  GivenHomes given;
  ASSERT_TRUE(given.give(0, Bytes{1000}, DomainId{0}));
  ASSERT_TRUE(given.give(1000, Bytes{3000}, DomainId{1}));
  EXPECT_EQ(given.find(0, Bytes{4000}), DomainId{1});
  EXPECT_EQ(given.find(0, Bytes{1000}), DomainId{0});
  EXPECT_EQ(given.find(1000, Bytes{90000}), nowhere) << "most of it was not given";
}

TEST(GivenHomes, NeighboursWithOneHomeTakeOneRow) {
  GivenHomes given(1);
  for (std::uintptr_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(given.give(i * 10, Bytes{10}, DomainId{2})) << i;
  }
  EXPECT_EQ(given.find(0), DomainId{2});
  EXPECT_EQ(given.find(999), DomainId{2});
}

TEST(GivenHomes, AFullTableRefusesAndChangesNothing) {
  GivenHomes given(2);
  ASSERT_TRUE(given.give(0, Bytes{10}, DomainId{0}));
  ASSERT_TRUE(given.give(20, Bytes{30}, DomainId{1}));
  EXPECT_FALSE(given.give(100, Bytes{10}, DomainId{2}));
  EXPECT_FALSE(given.forget(30, Bytes{10})) << "a hole needs a third row";
  EXPECT_EQ(given.find(5), DomainId{0});
  EXPECT_EQ(given.find(35), DomainId{1});
  EXPECT_EQ(given.find(105), nowhere);
  EXPECT_TRUE(given.forget(20, Bytes{30})) << "shrinking always works";
  EXPECT_TRUE(given.give(100, Bytes{10}, DomainId{2}));
}

class GivenHomesModel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(GivenHomesModel, AgreesWithOneHomePerByte) {
  constexpr std::uint32_t bytes = 300;
  Random random(GetParam());
  GivenHomes given;
  std::map<std::uintptr_t, DomainId> model;
  for (int step = 0; step < 300; ++step) {
    const std::uintptr_t begin = random.below(bytes);
    const std::uint64_t length = random.below(1 + random.below(80));
    const bool give = random.below(3) != 0;
    const DomainId home = give ? DomainId{static_cast<int>(random.below(4))} : nowhere;
    ASSERT_TRUE(give ? given.give(begin, Bytes{length}, home) : given.forget(begin, Bytes{length}));
    for (std::uintptr_t i = begin; i < begin + length; ++i) model[i] = home;
    for (std::uintptr_t i = 0; i < bytes + 80; ++i) {
      const auto known = model.find(i);
      ASSERT_EQ(given.find(i), known == model.end() ? nowhere : known->second)
          << "byte " << i << " after step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GivenHomesModel, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace lares::memory
