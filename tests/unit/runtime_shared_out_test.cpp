// Which tasks belong where by pointers into memory that tasks share out, and what is brought.
#include "runtime/shared_out.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace lares::runtime {
namespace {

constexpr std::uintptr_t base = 0x7f0000000000;
constexpr std::uintptr_t mib = std::uintptr_t{1} << 20U;
const std::array domains{DomainId{std::size_t{0}}, DomainId{std::size_t{1}},
                         DomainId{std::size_t{2}}, DomainId{std::size_t{4}}};

memory::LargeArea area(std::uintptr_t index, std::uintptr_t bytes = 4 * mib) {
  return {base + index * 64 * mib, base + index * 64 * mib + bytes};
}

class SharedOutTest : public testing::Test {
 protected:
  void know(std::vector<memory::LargeArea> areas) { shared->know(areas); }
  DomainId home(std::vector<std::uintptr_t> words) { return shared->home_of(words, domains); }
  DomainId future_home(std::vector<std::uintptr_t> words) {
    return shared->future_home_of(words, domains);
  }
  /// Tasks with pointers to all of an area, as a recursion's leaves have.
  void use(const memory::LargeArea& all, unsigned leaves = 64) {
    for (unsigned i = 0; i < leaves; ++i) home({7, all.begin + i * (all.bytes() / leaves)});
  }
  /// Answers what shall go to the domains, by their numbers.
  decide::PartsByHome round(std::uint32_t wanted_after = 2) {
    return shared->end_round([=](std::size_t parts) {
      EXPECT_EQ(parts, domains.size());
      return wanted_after;
    });
  }

  std::unique_ptr<SharedOut> shared = std::make_unique<SharedOut>();
};

TEST_F(SharedOutTest, ATaskHasAHomeOnceItsMemoryGoesThere) {
  know({area(0)});
  EXPECT_TRUE(SharedOut::is_on());
  EXPECT_FALSE(home({area(0).begin + mib + 100}).valid());
  round();
  EXPECT_FALSE(SharedOut::gives_homes());
  use(area(0));
  EXPECT_TRUE(round().empty());
  EXPECT_FALSE(SharedOut::gives_homes());
  EXPECT_FALSE(home({area(0).begin + mib + 100}).valid());
  EXPECT_EQ(future_home({area(0).begin + mib + 100}), domains[1]);
  use(area(0));
  EXPECT_FALSE(round().empty());
  EXPECT_TRUE(SharedOut::gives_homes());
  for (std::size_t part = 0; part < 4; ++part) {
    EXPECT_EQ(home({1, area(0).begin + part * mib + 100}), domains[part]);
  }
  EXPECT_FALSE(home({area(0).end}).valid());
  EXPECT_FALSE(home({area(0).begin - 1}).valid());
  EXPECT_FALSE(home({}).valid());
}

TEST_F(SharedOutTest, MostOfATasksPointersDecide) {
  know({area(0), area(1)});
  use(area(0));
  use(area(1));
  round(1);
  EXPECT_EQ(
      home({area(0).begin + 100 + mib, area(1).begin + 100 + 3 * mib, area(0).begin + 200 + mib}),
      domains[1]);
  // The begin of all is a base more often than a part.
  EXPECT_EQ(home({area(0).begin, area(1).begin, area(0).begin + 100 + 2 * mib}), domains[2]);
  EXPECT_EQ(home({area(0).begin + 16}), domains[0]);
}

TEST_F(SharedOutTest, NamesTasksByWhatTheyPointToThere) {
  know({area(0)});
  const auto begin = area(0).begin;
  EXPECT_EQ(shared->pointers_among(std::vector{begin, std::uintptr_t{5}}),
            shared->pointers_among(std::vector{begin, std::uintptr_t{6}}));
  EXPECT_NE(shared->pointers_among(std::vector{begin, begin + 64}),
            shared->pointers_among(std::vector{begin + 64, begin}));
}

TEST_F(SharedOutTest, WhatIsNeverSharedOutIsLookedAtForSomeRounds) {
  know({area(0)});
  home({1});  // a team has asked
  for (int i = 0; i < 7; ++i) round();
  EXPECT_TRUE(SharedOut::is_on());
  round();
  EXPECT_FALSE(SharedOut::is_on());
  use(area(0));
  round();
  EXPECT_FALSE(home({area(0).begin + mib + 100}).valid()) << "nobody looks";
  know({area(0)});
  EXPECT_TRUE(SharedOut::is_on()) << "once more";
  use(area(0));
  round(1);
  EXPECT_TRUE(home({area(0).begin + mib + 100}).valid());
}

TEST_F(SharedOutTest, WhereItCannotGoTasksHaveNoHomesByIt) {
  know({area(0)});
  use(area(0));
  EXPECT_FALSE(round(1).empty());
  EXPECT_TRUE(home({area(0).begin + mib + 100}).valid());
  shared->give_up();
  EXPECT_FALSE(home({area(0).begin + mib + 100}).valid());
  know({area(0)});
  EXPECT_FALSE(SharedOut::gives_homes());
  use(area(0));
  EXPECT_TRUE(round(1).empty());
}

TEST_F(SharedOutTest, OfManyTasksSomeAreLookedAtUntilSomethingIsSharedOut) {
  SharedOut::Looks looks;
  const auto count = [&looks](int tasks) {
    int seen = 0;
    for (int i = 0; i < tasks; ++i) seen += looks.next() ? 1 : 0;
    return seen;
  };
  know({area(0)});
  home({1});
  round();
  ASSERT_FALSE(SharedOut::gives_homes());
  EXPECT_EQ(count(256), 256);
  EXPECT_EQ(count(1600), 100);
  round();
  EXPECT_EQ(count(100), 100) << "in each round anew";
  use(area(0));
  round(1);
  ASSERT_TRUE(SharedOut::gives_homes());
  EXPECT_EQ(count(2000), 2000);
}

TEST_F(SharedOutTest, WhatHasGoneToItsDomainsStaysOnAndIsNotAskedForAgain) {
  know({area(0)});
  use(area(0));
  EXPECT_FALSE(round(1).empty());
  for (int i = 0; i < 20; ++i) round();
  EXPECT_TRUE(SharedOut::is_on());
  know({area(0)});
  use(area(0));
  EXPECT_TRUE(round(1).empty());
}

TEST_F(SharedOutTest, WhatIsUsedAtItsBeginOnlyIsNotSharedOut) {
  know({area(0)});
  for (int i = 0; i < 100; ++i) home({area(0).begin});
  for (int i = 0; i < 100; ++i) home({area(0).begin + 4095});
  round();
  EXPECT_FALSE(home({area(0).begin + mib + 100}).valid());
}

TEST_F(SharedOutTest, PartsGoToTheirDomainsOnceItHasPaid) {
  know({area(0), area(1)});
  use(area(0));
  EXPECT_TRUE(round().empty());
  EXPECT_TRUE(round().empty()) << "nobody used it";
  use(area(0));
  const decide::PartsByHome wanted = round();
  ASSERT_EQ(wanted.size(), 5U);
  EXPECT_TRUE(wanted[3].empty()) << "the team does not work there";
  for (std::size_t index = 0; index < 4; ++index) {
    const std::vector<decide::Part>& parts = wanted[domains[index].index()];
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(decide::share_of({area(0).begin, area(0).end}, parts[0].begin, 4), index);
  }
  use(area(0));
  EXPECT_TRUE(round().empty()) << "each once";
  EXPECT_TRUE(shared->has(area(0)));
  EXPECT_FALSE(shared->has(area(1)));
}

TEST_F(SharedOutTest, MemoryThatIsGoneIsForgotten) {
  know({area(0), area(1)});
  use(area(0));
  round(1);
  know({area(1)});
  EXPECT_FALSE(home({area(0).begin + mib + 100}).valid());
  know({area(0), area(1)});
  EXPECT_FALSE(home({area(0).begin + mib + 100}).valid()) << "it may be other data";
}

TEST_F(SharedOutTest, OfManyAreasTheLargestAreKnown) {
  std::vector<memory::LargeArea> many;
  for (std::uintptr_t i = 0; i < 100; ++i) many.push_back(area(i, (i % 50 + 1) * mib));
  know(many);
  use(area(99, 50 * mib));
  use(area(3, 4 * mib));
  round(1);
  EXPECT_TRUE(home({area(99).begin + 30 * mib}).valid());
  EXPECT_FALSE(home({area(3).begin + 3 * mib}).valid());
}

// Workers ask and take while the keeper tells of other memory. No answer but one of the domains.
TEST_F(SharedOutTest, WorkersAskWhileTheKeeperChangesAll) {
  std::atomic<bool> ends{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (int id = 0; id < 4; ++id) {
    workers.emplace_back([&] {
      for (std::uintptr_t i = 0; !ends.load(); ++i) {
        const std::array words{area(i % 40).begin + i * 4099 % (4 * mib)};
        const DomainId found = shared->home_of(words, domains);
        if (found.valid() && std::ranges::find(domains, found) == domains.end()) ++wrong;
      }
    });
  }
  for (std::uintptr_t turn = 0; turn < 3000; ++turn) {
    std::vector<memory::LargeArea> areas;
    for (std::uintptr_t i = 0; i < 40; ++i) {
      if ((i + turn) % 3 != 0) areas.push_back(area(i, (1 + (i + turn) % 4) * mib));
    }
    shared->know(areas);
    for (const auto& parts : shared->end_round([](std::size_t) { return 1U; })) {
      for (const decide::Part& part : parts) {
        wrong += part.begin > part.end || part.end - part.begin > 4 * mib ? 1 : 0;
      }
    }
  }
  ends = true;
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace lares::runtime
