// The table of homes on machines of every kind: nodes, caches, both, one domain, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "memory/homes.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

using policy::AccessMode;

constexpr DomainId nowhere{};
constexpr std::uint64_t block_pages = 16;
constexpr Bytes block{block_pages * page};

Options exact() {
  Options options;
  options.pages.count_every = 1;
  options.pages.page_shift = page_shift;
  return options;
}

class HomesTest : public testing::Test {
 protected:
  static std::uintptr_t at(std::uint64_t index) { return (1000 + index * block_pages) * page; }
  void place(std::uint64_t index, int node) {
    fake.put(1000 + index * block_pages, block_pages, node);
  }
  static DomainId home(Homes& homes, std::uint64_t index) {
    return homes.find(at(index), block, AccessMode::read).home;
  }
  FakeKernel fake;
};

TEST_F(HomesTest, SeesFromTheMachineHowHomesAreFound) {
  const auto kind = [&](const std::vector<int>& nodes) {
    return Homes(machine_of_nodes(nodes), exact(), fake.kernel()).kind();
  };
  EXPECT_EQ(kind({0}), Homes::Kind::single);
  EXPECT_EQ(kind({0, 1}), Homes::Kind::nodes);
  EXPECT_EQ(kind({0, 8, 16, 24}), Homes::Kind::nodes);
  EXPECT_EQ(kind({0, 0}), Homes::Kind::caches);
  EXPECT_EQ(kind({-1, -1}), Homes::Kind::caches);
  EXPECT_EQ(kind({0, 0, 1, 1}), Homes::Kind::mixed);
  EXPECT_EQ(kind({0, 0, 1}), Homes::Kind::mixed);
  EXPECT_EQ(kind({0, 1, -1}), Homes::Kind::mixed);
  EXPECT_EQ(kind(std::vector<int>(4094, 0)), Homes::Kind::caches);
  EXPECT_EQ(kind(std::vector<int>(4095, 0)), Homes::Kind::single) << "ids would not fit";
}

TEST_F(HomesTest, PassesBytesAndModeThrough) {
  Homes homes(machine_of_nodes({0, 1}), exact(), fake.kernel());
  place(0, 1);
  const policy::DataHome told = homes.find(at(0), block, AccessMode::read_write);
  EXPECT_EQ(told.bytes, block);
  EXPECT_EQ(told.mode, AccessMode::read_write);
  EXPECT_EQ(told.home, DomainId{1});
  const policy::DataHome untold = homes.find(at(0), Bytes{0}, AccessMode::affinity);
  EXPECT_EQ(untold.bytes, Bytes{0});
  EXPECT_EQ(untold.mode, AccessMode::affinity);
  EXPECT_EQ(untold.home, DomainId{1});
}

TEST_F(HomesTest, WithOneDomainNobodyIsAsked) {
  Homes homes(machine_of_nodes({0}), exact(), fake.kernel());
  const FoundHome answer = homes.find_with_core(at(0), block, AccessMode::write);
  EXPECT_EQ(answer.home.home, DomainId{0});
  EXPECT_FALSE(answer.home.unplaced);
  EXPECT_EQ(fake.calls(), 0U);
}

TEST_F(HomesTest, OnNodesThePagesDecideWhoeverTouchedThem) {
  Homes homes(machine_of_nodes({4, 9}), exact(), fake.kernel());
  place(0, 9);
  homes.touched(at(0), block, AccessMode::write, DomainId{0}, CoreId{0});
  EXPECT_EQ(home(homes, 0), DomainId{1});
  EXPECT_EQ(homes.last_core(at(0)), CoreId{0}) << "where its lines may still be";
}

TEST_F(HomesTest, OnNodesFreshPagesAreUnplacedUntilADistributionAssumes) {
  Homes homes(machine_of_nodes({0, 1}), exact(), fake.kernel());
  place(0, -ENOENT);
  EXPECT_TRUE(homes.find(at(0), block, AccessMode::write).unplaced);
  homes.assume(at(0), block, DomainId{1});
  EXPECT_EQ(home(homes, 0), DomainId{1});
  EXPECT_FALSE(homes.find(at(0), block, AccessMode::write).unplaced);
  place(0, 0);
  EXPECT_EQ(home(homes, 0), DomainId{0}) << "asked at uses 1 and 3";
}

TEST_F(HomesTest, OnCachesTheLastWriterDecidesElseTheLastReader) {
  Homes homes(machine_of_nodes({0, 0, 0}), exact(), fake.kernel());
  EXPECT_TRUE(homes.find(at(0), block, AccessMode::read).unplaced);
  homes.touched(at(0), block, AccessMode::read, DomainId{0}, CoreId{10});
  EXPECT_EQ(home(homes, 0), DomainId{0});
  homes.touched(at(0), block, AccessMode::affinity, DomainId{1}, CoreId{11});
  EXPECT_EQ(home(homes, 0), DomainId{1});
  homes.touched(at(0), block, AccessMode::write, DomainId{2}, CoreId{12});
  homes.touched(at(0), block, AccessMode::read, DomainId{0}, CoreId{10});
  EXPECT_EQ(home(homes, 0), DomainId{2}) << "a read does not hide a write";
  homes.touched(at(0), block, AccessMode::read_write, DomainId{1}, CoreId{11});
  const FoundHome answer = homes.find_with_core(at(0), block, AccessMode::read);
  EXPECT_EQ(answer.home.home, DomainId{1});
  EXPECT_FALSE(answer.home.unplaced);
  EXPECT_EQ(answer.last_core, CoreId{11});
  EXPECT_TRUE(homes.find(at(1), block, AccessMode::read).unplaced) << "another block";
  EXPECT_EQ(fake.calls(), 0U);
}

TEST_F(HomesTest, OnCachesAnAssumedHomeHoldsUntilATouch) {
  Homes homes(machine_of_nodes({0, 0}), exact(), fake.kernel());
  homes.assume(at(0), block, DomainId{1});
  EXPECT_EQ(home(homes, 0), DomainId{1});
  EXPECT_FALSE(homes.last_core(at(0)).valid());
  homes.touched(at(0), block, AccessMode::read, DomainId{0}, CoreId{0});
  EXPECT_EQ(home(homes, 0), DomainId{0});
}

TEST_F(HomesTest, TheCoreMayBeUnknownOrBeyondSixteenBits) {
  Homes homes(machine_of_nodes({0, 0}), exact(), fake.kernel());
  for (const int core : {-1, 65535, 70000}) {
    homes.touched(at(0), block, AccessMode::write, DomainId{1}, CoreId{core});
    EXPECT_EQ(home(homes, 0), DomainId{1});
    EXPECT_FALSE(homes.last_core(at(0)).valid()) << core;
  }
  homes.touched(at(0), block, AccessMode::write, DomainId{1}, CoreId{65534});
  EXPECT_EQ(homes.last_core(at(0)), CoreId{65534});
}

TEST_F(HomesTest, OnBothTheLastTouchDecidesInsideTheNodeOfThePages) {
  Homes homes(machine_of_nodes({0, 0, 1, 1}), exact(), fake.kernel());
  place(0, 1);
  EXPECT_EQ(home(homes, 0), DomainId{2}) << "nobody touched it: the node's first domain";
  homes.touched(at(0), block, AccessMode::write, DomainId{3}, CoreId{3});
  EXPECT_EQ(home(homes, 0), DomainId{3});
  homes.touched(at(0), block, AccessMode::write, DomainId{1}, CoreId{1});
  EXPECT_EQ(home(homes, 0), DomainId{2}) << "touched from another node";
  place(1, -ENOENT);
  EXPECT_TRUE(homes.find(at(1), block, AccessMode::read).unplaced);
  homes.assume(at(1), block, DomainId{3});
  EXPECT_EQ(home(homes, 1), DomainId{3});
}

TEST_F(HomesTest, MemoryOnlyDomainsAreHomesToo) {
  machine::Machine machine = machine_of_nodes({0, 0, 7});
  machine.domains[2].cores.clear();
  Homes homes(machine, exact(), fake.kernel());
  place(0, 7);
  EXPECT_EQ(home(homes, 0), DomainId{2});
  homes.touched(at(0), block, AccessMode::write, DomainId{1}, CoreId{1});
  EXPECT_EQ(home(homes, 0), DomainId{2});
}

TEST_F(HomesTest, AGivenHomeOverridesWhatIsFound) {
  for (const auto& nodes : {std::vector<int>{0, 1}, {0, 0}, {0, 0, 1}}) {
    Homes homes(machine_of_nodes(nodes), exact(), fake.kernel());
    place(0, 0);
    homes.touched(at(0), block, AccessMode::write, DomainId{0}, CoreId{0});
    ASSERT_EQ(home(homes, 0), DomainId{0});
    ASSERT_TRUE(homes.give(at(0), block, DomainId{1}));
    EXPECT_EQ(home(homes, 0), DomainId{1});
    EXPECT_EQ(homes.find(at(0), Bytes{0}, AccessMode::read).home, DomainId{1});
    EXPECT_EQ(homes.last_core(at(0)), CoreId{0});
    ASSERT_TRUE(homes.forget(at(0), block));
    homes.touched(at(0), block, AccessMode::write, DomainId{0}, CoreId{0});
    EXPECT_EQ(home(homes, 0), DomainId{0});
  }
}

TEST_F(HomesTest, AnInvalidDomainIsNeitherGivenNorAssumed) {
  Homes homes(machine_of_nodes({0, 0}), exact(), fake.kernel());
  homes.touched(at(0), block, AccessMode::write, DomainId{1}, CoreId{1});
  EXPECT_TRUE(homes.give(at(0), block, nowhere));
  homes.assume(at(0), block, nowhere);
  EXPECT_EQ(home(homes, 0), DomainId{1});
}

TEST_F(HomesTest, ForgottenMemoryIsUnplacedOnCaches) {
  Homes homes(machine_of_nodes({0, 0}), exact(), fake.kernel());
  constexpr std::uintptr_t area = std::uintptr_t{1} << 25U;
  homes.touched(area, block, AccessMode::write, DomainId{1}, CoreId{1});
  homes.touched(area + 640, block, AccessMode::write, DomainId{1}, CoreId{1});
  ASSERT_TRUE(homes.forget(area, block));
  EXPECT_TRUE(homes.find(area, block, AccessMode::read).unplaced);
  EXPECT_FALSE(homes.find(area + 640, block, AccessMode::read).unplaced);
  ASSERT_TRUE(homes.forget(area, Bytes{area}));
  EXPECT_TRUE(homes.find(area + 640, block, AccessMode::read).unplaced) << "the whole area went";
}

TEST_F(HomesTest, ARefusalLeavesHomesUnknownAndTouchesKnown) {
  fake.fail_with(EPERM);
  Homes nodes(machine_of_nodes({0, 1}), exact(), fake.kernel());
  Homes mixed(machine_of_nodes({0, 0, 1}), exact(), fake.kernel());
  for (int i = 0; i < 100; ++i) {
    const policy::DataHome answer = nodes.find(at(0), block, AccessMode::read);
    EXPECT_EQ(answer.home, nowhere);
    EXPECT_FALSE(answer.unplaced) << "no distribution may deal out what has a home already";
  }
  EXPECT_EQ(nodes.refused(), EPERM);
  EXPECT_EQ(fake.calls(), 1U);
  ASSERT_TRUE(nodes.give(at(0), block, DomainId{1}));
  EXPECT_EQ(home(nodes, 0), DomainId{1}) << "given homes need no kernel";
  EXPECT_EQ(home(mixed, 0), nowhere);
  mixed.touched(at(0), block, AccessMode::write, DomainId{1}, CoreId{1});
  EXPECT_EQ(home(mixed, 0), DomainId{1});
}

TEST_F(HomesTest, OnCachesAgreesWithAModelOfTheLastUse) {
  Homes homes(machine_of_nodes({0, 0, 0, 0}), exact(), fake.kernel());
  struct Use {
    DomainId domain;
    bool written = false;
  };
  std::map<std::uint64_t, Use> model;
  Random random(11);
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t i = random.below(100);
    const DomainId domain{static_cast<int>(random.below(4))};
    const bool write = random.below(2) == 0;
    homes.touched(at(i), block, write ? AccessMode::write : AccessMode::read, domain, CoreId{0});
    if (write || !model[i].written) model[i] = {domain, write};
    ASSERT_EQ(home(homes, i), model[i].domain) << "block " << i << " at step " << step;
  }
}

/// Prints the cost of a hit; asserts that a hit is one: no question to the kernel.
TEST_F(HomesTest, AHitAsksNobody) {
  constexpr int batches = 500;
  constexpr std::uint64_t blocks = 256;
  for (const auto& nodes : {std::vector<int>{0, 1}, {0, 0}, {0, 0, 1}}) {
    Options options;
    options.pages.first_recheck = 127;
    Homes homes(machine_of_nodes(nodes), options, fake.kernel());
    for (std::uint64_t i = 0; i < blocks; ++i) {
      place(i, 0);
      homes.touched(at(i), block, AccessMode::write, DomainId{0}, CoreId{0});
      EXPECT_EQ(home(homes, i), DomainId{0});
    }
    const std::uint64_t before = homes.queries();
    std::uint64_t wrong = 0;
    std::int64_t best = INT64_MAX;  // of many batches: the one that nothing interrupted
    for (int batch = 0; batch < batches; ++batch) {
      const Nanoseconds start = now();
      for (std::uint64_t i = 0; i < 4 * blocks; ++i) {
        wrong += home(homes, i % blocks) == DomainId{0} ? 0U : 1U;
      }
      best = std::min(best, (now() - start).count);
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_LT(homes.queries() - before, batches * 4 * blocks / 100) << "checks only";
    std::printf("find() of a known range, %zu domains: %.1f ns\n", nodes.size(),
                static_cast<double>(best) / (4 * blocks));
  }
}

}  // namespace
}  // namespace lares::memory
