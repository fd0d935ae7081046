// Distributions in bytes and in pages, without a kernel.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "memory/place/plan.hpp"
#include "memory/place/runs.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

using Kind = Distribution::Kind;

constexpr std::uintptr_t base = 0x10000000;

class PlanTest : public testing::Test {
 protected:
  [[nodiscard]] Result<Plan> make(const Distribution& wanted, std::uint64_t bytes) const {
    return Plan::make(wanted, Bytes{bytes}, nodes_, Bytes{page});
  }
  /// The domain of each page.
  [[nodiscard]] std::vector<int> pages(const Distribution& wanted, std::uint64_t bytes,
                                       std::uintptr_t address = base) const {
    const Result<Plan> plan = make(wanted, bytes);
    EXPECT_TRUE(plan.ok());
    std::vector<int> result;
    std::uintptr_t expected = address & ~(page - 1);
    for_each_run(plan.value(), address, Bytes{page}, [&](const memory::Run& run) {
      EXPECT_EQ(run.begin, expected) << "runs follow each other";
      expected = run.end;
      for (std::uintptr_t at = run.begin; at < run.end; at += page) {
        result.push_back(run.domain.value());
      }
    });
    EXPECT_EQ(expected, (address + bytes + page - 1) & ~(page - 1));
    return result;
  }
  static Distribution kind(Kind wanted, std::uint64_t block = 0) {
    Distribution result;
    result.kind = wanted;
    result.block = {block};
    return result;
  }

  const Nodes nodes_{machine_of_nodes({0, 1, 2, 3})};
};

TEST_F(PlanTest, InterleavesPages) {
  EXPECT_EQ(pages(kind(Kind::interleave), 6 * page), (std::vector<int>{0, 1, 2, 3, 0, 1}));
}

TEST(PlanDefaults, MemoryWithoutCoresIsOnlyForThoseWhoNameIt) {
  machine::Machine machine = machine_of_nodes({0, 1, 2});
  machine.domains[2].cores.clear();  // CXL
  machine.cores.pop_back();
  const Nodes nodes(machine);
  Distribution wanted;
  const std::vector<std::uint32_t> weights{1, 1, 1};
  for (const Kind kind : {Kind::interleave, Kind::cyclic, Kind::blocked, Kind::random}) {
    wanted.kind = kind;
    const Result<Plan> plan = Plan::make(wanted, {64 * page}, nodes, {page});
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan.value().turns().size(), 2U);
  }
  wanted.kind = Kind::interleave;
  wanted.weights = weights;
  EXPECT_EQ(Plan::make(wanted, {64 * page}, nodes, {page}).value().turns().size(), 3U);
  wanted.weights = {};
  const DomainId cxl{2};
  wanted.domains = {&cxl, 1};
  EXPECT_EQ(Plan::make(wanted, {64 * page}, nodes, {page}).value().turns()[0], cxl);
}

TEST_F(PlanTest, WeightsGiveShares) {
  Distribution wanted = kind(Kind::interleave);
  const std::vector<std::uint32_t> weights{30'000, 10'000, 0, 20'000};
  wanted.weights = weights;
  std::map<int, int> count;
  for (const int domain : pages(wanted, 600 * page)) ++count[domain];
  EXPECT_EQ(count, (std::map<int, int>{{0, 300}, {1, 100}, {3, 200}}));
}

TEST_F(PlanTest, LargeWeightsKeepTheirProportion) {
  Distribution wanted = kind(Kind::interleave);
  const std::vector<std::uint32_t> weights{100'003, 50'001, 25'000, 1};
  wanted.weights = weights;
  std::map<int, int> count;
  for (const int domain : pages(wanted, 5000 * page)) ++count[domain];
  EXPECT_NEAR(count[0] / double(count[1]), 2.0, 0.05);
  EXPECT_NEAR(count[1] / double(count[2]), 2.0, 0.05);
  EXPECT_GT(count[3], 0);
}

TEST_F(PlanTest, CyclicBlocksNeedNotFitPages) {
  // 1.5 pages each: page 1 is shared half and half, so the first block has it.
  EXPECT_EQ(pages(kind(Kind::cyclic, page * 3 / 2), 6 * page),
            (std::vector<int>{0, 0, 1, 2, 2, 3}));
}

TEST_F(PlanTest, ASharedPageGoesToTheGreaterPart) {
  // The block ends 100 bytes before the middle of page 1.
  EXPECT_EQ(pages(kind(Kind::cyclic, page * 3 / 2 - 100), 2 * page), (std::vector<int>{0, 1}));
  EXPECT_EQ(pages(kind(Kind::cyclic, page * 3 / 2 + 100), 2 * page), (std::vector<int>{0, 0}));
}

TEST_F(PlanTest, BlocksBelowAPageAreAPage) {
  EXPECT_EQ(pages(kind(Kind::cyclic, 64), 4 * page), (std::vector<int>{0, 1, 2, 3}));
}

TEST_F(PlanTest, AnUnalignedRangeIsJudgedByItsPartOfAPage) {
  // The first page holds the first half page of the range; then whole blocks, half a page late.
  EXPECT_EQ(pages(kind(Kind::cyclic, page), 3 * page, base + page / 2),
            (std::vector<int>{0, 0, 1, 2}));
}

TEST_F(PlanTest, BlockedDividesAsScheduleStatic) {
  EXPECT_EQ(pages(kind(Kind::blocked), 8 * page), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
  Distribution rows = kind(Kind::blocked);
  rows.row = {page};
  // Six rows for four: the first two have one more.
  EXPECT_EQ(pages(rows, 6 * page), (std::vector<int>{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(pages(rows, 3 * page), (std::vector<int>{0, 1, 2}));
}

TEST_F(PlanTest, BytesBehindTheLastRowBelongToIt) {
  Distribution rows = kind(Kind::blocked);
  rows.row = {3 * page};
  EXPECT_EQ(pages(rows, 10 * page), (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2, 2}));
  rows.row = {100 * page};
  EXPECT_EQ(pages(rows, 2 * page), (std::vector<int>{0, 0}));
}

TEST_F(PlanTest, RandomIsTheSameForASeedAndFair) {
  Distribution wanted = kind(Kind::random, page);
  wanted.seed = 5;
  const std::vector<int> first = pages(wanted, 4000 * page);
  EXPECT_EQ(first, pages(wanted, 4000 * page));
  wanted.seed = 6;
  EXPECT_NE(first, pages(wanted, 4000 * page));
  std::map<int, int> count;
  for (const int domain : first) ++count[domain];
  for (const auto& [domain, pages_of] : count) EXPECT_NEAR(pages_of, 1000, 150) << domain;
}

TEST_F(PlanTest, ListedChunksEndWithTheList) {
  Distribution wanted = kind(Kind::listed, 2 * page);
  const std::vector<DomainId> list{DomainId{3}, DomainId{1}};
  wanted.domains = list;
  EXPECT_EQ(pages(wanted, 6 * page), (std::vector<int>{3, 3, 1, 1, -1, -1}));
}

TEST_F(PlanTest, PiecesCoverEveryRange) {
  for (const Kind each : {Kind::interleave, Kind::cyclic, Kind::random, Kind::blocked}) {
    for (std::uint64_t bytes = 1; bytes < 40'000; bytes += 977) {
      Distribution wanted = kind(each, 5000);
      wanted.row = {bytes % 700 + 1};
      const Result<Plan> plan = make(wanted, bytes);
      ASSERT_TRUE(plan.ok());
      for (std::uint64_t at = 0; at < bytes;) {
        const Plan::Piece piece = plan.value().at(at);
        ASSERT_GT(piece.end, at);
        ASSERT_LE(piece.end, bytes);
        ASSERT_LT(piece.domain.index(), 4U);
        at = piece.end;
      }
    }
  }
}

TEST_F(PlanTest, MistakesAreNamed) {
  Distribution wanted = kind(Kind::domain);
  const std::vector<DomainId> nowhere{DomainId{9}};
  wanted.domains = nowhere;
  EXPECT_EQ(make(wanted, page).error().sentence, "domain 9 does not exist, accepted are 0 to 3");
  EXPECT_EQ(make(kind(Kind::cyclic), 0).error().sentence, "the range is empty");
  wanted = kind(Kind::interleave);
  const std::vector<std::uint32_t> few{1, 2};
  wanted.weights = few;
  EXPECT_EQ(make(wanted, page).error().sentence, "the distribution has 2 weights for 4 domains");
  const std::vector<std::uint32_t> zeros{0, 0, 0, 0};
  wanted.weights = zeros;
  EXPECT_EQ(make(wanted, page).error().sentence, "all weights of the distribution are 0");
  wanted = kind(Kind::blocked);
  wanted.row = {0};
  EXPECT_FALSE(make(wanted, page).ok());
}

TEST_F(PlanTest, ADomainWithoutMemoryTakesNoPart) {
  const Nodes nodes{machine_of_nodes({0, -1, 2})};
  Distribution wanted = kind(Kind::interleave);
  const Result<Plan> plan = Plan::make(wanted, Bytes{4 * page}, nodes, Bytes{page});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().turns().size(), 2U);
  const std::vector<DomainId> bad{DomainId{1}};
  wanted.domains = bad;
  EXPECT_EQ(Plan::make(wanted, Bytes{page}, nodes, Bytes{page}).error().sentence,
            "domain 1 has no memory");
}

}  // namespace
}  // namespace lares::memory
