// Many threads at once: no reader sees half of a state, and what is found is true of its address.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "memory/extent.hpp"
#include "memory/homes.hpp"
#include "memory/published.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

using policy::AccessMode;

void in_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

/// Makes a state of `size` rows whose every word is `value`.
void publish(Published<2>& rows, std::uint64_t size, std::uint64_t value) {
  rows.begin();
  for (std::uint64_t i = 0; i < size; ++i) ASSERT_TRUE(rows.append(value, value));
  rows.publish();
}

TEST(Published, AReaderThatOneWriteOvertookKeepsWhatItReads) {
  Published<2> rows(4);
  publish(rows, 3, 7);
  std::uint64_t seen = 0;
  int reads = 0;
  EXPECT_TRUE(rows.read([&](const Published<2>::Rows& now) {
    if (++reads == 1) publish(rows, 4, 8);
    seen = now.word(0, 0);
    EXPECT_EQ(now.word(2, 1), seen) << "the other buffer was written";
  }));
  EXPECT_EQ(seen, 8U) << "but it reads again, as the next write would take its buffer";
  EXPECT_EQ(reads, 2);
}

TEST(Published, AReaderThatTwoWritesOvertookReadsAgain) {
  Published<2> rows(4);
  publish(rows, 4, 7);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  int reads = 0;
  EXPECT_TRUE(rows.read([&](const Published<2>::Rows& now) {
    first = now.word(0, 0);
    if (++reads == 1) {
      publish(rows, 4, 8);
      publish(rows, 4, 9);
    }
    last = now.word(3, 0);
  }));
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(first, 9U);
  EXPECT_EQ(last, 9U);
}

TEST(Published, AReaderThatIsOvertakenEachTimeGivesUp) {
  Published<2> rows(4);
  publish(rows, 1, 1);
  int reads = 0;
  EXPECT_FALSE(rows.read([&](const Published<2>::Rows&) {
    ++reads;
    publish(rows, 1, 2);
  }));
  EXPECT_LT(reads, 100);
}

TEST(PublishedThreads, AReaderNeverTakesAMixtureForAState) {
  constexpr std::uint64_t most_rows = 64;
  constexpr std::uint64_t reads_wanted = 20000;
  Published<2> rows(most_rows);
  std::atomic<int> readers{2};
  std::atomic<std::uint64_t> mixtures{0};
  // State n has n % most_rows rows, and every word of it is n.
  const auto writer = [&] {
    for (std::uint64_t n = 1; readers != 0; ++n) publish(rows, n % most_rows, n);
  };
  const auto reader = [&] {
    for (std::uint64_t i = 0; i < reads_wanted; ++i) {
      bool mixed = false;
      const bool read = rows.read([&](const Published<2>::Rows& now) {
        mixed = false;
        const std::uint64_t n = now.size() == 0 ? 0 : now.word(0, 0);
        if (n % most_rows != now.size()) mixed = true;
        for (std::size_t row = 0; row < now.size(); ++row) {
          mixed |= now.word(row, 0) != n || now.word(row, 1) != n;
        }
      });
      if (read && mixed) ++mixtures;
    }
    --readers;
  };
  in_threads(3, [&](int i) { i == 0 ? writer() : reader(); });
  EXPECT_EQ(mixtures, 0U);
}

TEST(HomesThreads, EveryAnswerIsTrueOfItsAddress) {
  // Block i is only ever given, assumed, touched by, and moved between, domains of its own parity.
  constexpr std::uint64_t blocks = 200;
  constexpr std::uint64_t block_pages = 4;
  constexpr Bytes block{block_pages * page};
  const FakeKernel fake;
  for (const auto& nodes : {std::vector<int>{0, 1, 2, 3}, {0, 0, 0, 0}, {0, 1, 0, 1}}) {
    fake.put(0, (blocks + 1) * block_pages, -ENOENT);
    Options options;
    options.pages.page_shift = page_shift;
    options.pages.first_recheck = 4;
    options.pages.table_bits = 7;  // blocks push each other out
    options.touch_bits = 7;
    Homes homes(machine_of_nodes(nodes), options, fake.kernel());
    std::atomic<std::uint64_t> wrong{0};
    in_threads(4, [&](int thread) {
      Random random(static_cast<std::uint64_t>(thread) + 1);
      for (int step = 0; step < 8000; ++step) {
        const std::uint64_t i = random.below(blocks);
        const std::uintptr_t address = i * block_pages * page;
        const DomainId domain{static_cast<int>(i % 2 + 2 * random.below(2))};
        switch (random.below(16)) {
          case 0:
            homes.give(address, block, domain);
            break;
          case 1:
            homes.forget(address, block);
            break;
          case 2:
            homes.assume(address, block, domain);
            break;
          case 3:
            fake.put(i * block_pages, block_pages, nodes[domain.index()]);
            break;
          case 4:
          case 5:
            homes.touched(address, block,
                          random.below(2) == 0 ? AccessMode::write : AccessMode::read, domain,
                          CoreId{domain.value()});
            break;
          default: {
            const FoundHome found = homes.find_with_core(address, block, AccessMode::read);
            const DomainId home = found.home.home;
            const bool home_wrong = home.valid() && home.index() % 2 != i % 2;
            const bool core_wrong = found.last_core.valid() && found.last_core.index() % 2 != i % 2;
            const bool contradiction = home.valid() && found.home.unplaced;
            if (home_wrong || core_wrong || contradiction) ++wrong;
          }
        }
      }
    });
    // In a node of several domains, a block whose pages and last user disagree is its first
    // domain's: nodes {0, 1, 0, 1} keep the parity.
    EXPECT_EQ(wrong, 0U) << nodes.size();
  }
}

TEST(HomesThreads, ARefusalIsAskedForAtMostOncePerThread) {
  const FakeKernel fake;
  fake.fail_with(EPERM);
  Homes homes(machine_of_nodes({0, 1}), {}, fake.kernel());
  constexpr int threads = 4;
  in_threads(threads, [&](int thread) {
    for (std::uintptr_t i = 0; i < 1000; ++i) {
      homes.find((i * 4 + static_cast<std::uintptr_t>(thread)) * page, Bytes{8}, AccessMode::read);
    }
  });
  EXPECT_EQ(homes.refused(), EPERM);
  EXPECT_LE(fake.calls(), static_cast<std::uint64_t>(threads));
}

TEST(ExtentsThreads, LengthsAreDistancesBetweenRealStarts) {
  auto extents = std::make_unique<Extents>();
  std::vector<char> array(8U << 20U);
  // Far from the mapping's end, which would cut the last block.
  const auto base = reinterpret_cast<std::uintptr_t>(array.data()) + (2U << 20U);
  std::atomic<std::uint64_t> wrong{0};
  in_threads(4, [&](int thread) {
    Random random(static_cast<std::uint64_t>(thread) + 1);
    for (int step = 0; step < 20000; ++step) {
      const std::uintptr_t address = base + 1024 * random.below(1024);
      if (extents->length_of(address).count % 1024 != 0) ++wrong;
      if (step % 1000 == 0) extents->refresh();
    }
  });
  EXPECT_EQ(wrong, 0U);
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (std::uintptr_t i = 0; i < 1024; ++i) extents->length_of(base + 1024 * i);
  }
  int exact = 0;
  for (std::uintptr_t i = 0; i < 1024; ++i) {
    exact += extents->length_of(base + 1024 * i) == Bytes{1024} ? 1 : 0;
  }
  EXPECT_GE(exact, 800) << "all but those that wait for company, at most an eighth";
}

}  // namespace
}  // namespace lares::memory
