// Threads that go to what they were seen to use.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "decide/seen_threads.hpp"

namespace lares::decide {
namespace {

SeenThread seen(std::size_t at, std::vector<std::uint32_t> pages) {
  SeenThread thread;
  thread.at = DomainId{at};
  thread.pages = std::move(pages);
  thread.spots = SeenThread::enough_spots;
  return thread;
}

std::vector<std::size_t> rooms(std::size_t domains, std::size_t each) {
  return std::vector<std::size_t>(domains, each);
}

TEST(SeenThreads, GoesWhereItsPagesAre) {
  EXPECT_TRUE(seen(0, {0, 16}).shall_go());
  EXPECT_EQ(seen(0, {0, 16}).favourite(), DomainId{1});
  EXPECT_TRUE(seen(0, {16, 32}).shall_go()) << "one vector of three stays behind";
}

TEST(SeenThreads, StaysAtHome) {
  EXPECT_FALSE(seen(1, {0, 16}).shall_go());
  EXPECT_TRUE(seen(1, {0, 16}).is_at_home());
  EXPECT_FALSE(seen(0, {8, 8}).shall_go()) << "halves";
  EXPECT_FALSE(seen(0, {13, 19}).shall_go()) << "less than a quarter better";
}

TEST(SeenThreads, WhoUsesAllDomainsAlikeIsNowhereBetterOff) {
  EXPECT_FALSE(seen(0, {16, 16, 16, 16}).shall_go());
  EXPECT_FALSE(seen(0, {0, 30, 31, 30}).shall_go());
}

TEST(SeenThreads, LittleEvidenceMovesNobody) {
  EXPECT_FALSE(seen(0, {0, 15}).shall_go());
  SeenThread neighbours = seen(0, {0, 16});
  neighbours.spots = 1;
  EXPECT_FALSE(neighbours.shall_go()) << "they lie side by side";
  SeenThread changing = seen(0, {0, 30});
  changing.changing = 10;
  EXPECT_TRUE(changing.shall_go());
  changing.changing = 11;
  EXPECT_FALSE(changing.shall_go()) << "another thread used a quarter of it";
  SeenThread unbound = seen(0, {0, 16});
  unbound.at = {};
  EXPECT_FALSE(unbound.shall_go());
  EXPECT_FALSE(SeenThread{}.shall_go());
}

TEST(SeenThreads, TheProgramsWordBeatsWhatIsSeen) {
  SeenThread told = seen(0, {0, 100});
  told.stays = true;
  EXPECT_FALSE(told.shall_go());
  EXPECT_TRUE(told.is_at_home());
  EXPECT_EQ(who_goes(std::vector{told, seen(1, {50, 0})}, rooms(2, 1)),
            (std::vector<bool>{false, false}))
      << "its core is not free";
}

TEST(SeenThreads, TheyGoInACircle) {
  std::vector<SeenThread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    std::vector<std::uint32_t> pages(4, 0);
    pages[(t + 1) % 4] = 20;
    threads.push_back(seen(t, pages));
  }
  EXPECT_EQ(who_goes(threads, rooms(4, 1)), std::vector<bool>(4, true));
}

TEST(SeenThreads, WhoHasMostPagesThereComesFirst) {
  const std::vector threads{seen(1, {20, 0}), seen(1, {40, 0}), seen(0, {30, 0}), seen(1, {30, 0})};
  EXPECT_EQ(who_goes(threads, rooms(2, 2)), (std::vector<bool>{false, true, false, false}));
}

TEST(SeenThreads, RoomIsACoreEachOrAShare) {
  EXPECT_EQ(room_of(2, 8, 3), 2U);
  EXPECT_EQ(room_of(2, 8, 8), 2U);
  EXPECT_EQ(room_of(2, 8, 16), 4U);
  EXPECT_EQ(room_of(2, 8, 17), 5U);
  EXPECT_EQ(room_of(0, 8, 17), 0U);
  EXPECT_EQ(room_of(0, 0, 17), 0U);
}

SeenThread any_thread(std::mt19937& random, std::size_t domains) {
  const auto below = [&](unsigned end) { return static_cast<std::uint32_t>(random() % end); };
  SeenThread thread = seen(random() % domains, {});
  for (std::size_t d = 0; d < domains; ++d) {
    thread.pages.push_back(below(3) == 0 ? below(60) : below(4));
  }
  thread.changing = below(20);
  thread.spots = below(5);
  thread.stays = below(8) == 0;
  return thread;
}

// Whatever was seen: nobody goes without cause, no domain gets more than it holds, who has gone is
// content with the same evidence, and more room sends nobody back.
TEST(SeenThreads, WhoGoesHasACauseAndRoom) {
  std::mt19937 random(20261128);
  std::size_t gone = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t domains = 1 + random() % 6;
    std::vector<SeenThread> threads;
    for (std::size_t t = random() % 20; t > 0; --t) threads.push_back(any_thread(random, domains));
    std::vector<std::size_t> room;
    for (std::size_t d = 0; d < domains; ++d) room.push_back(random() % 5);
    const std::vector<bool> goes = who_goes(threads, room);
    std::vector<std::size_t> there(domains, 0);
    std::vector<std::size_t> coming(domains, 0);
    for (std::size_t t = 0; t < threads.size(); ++t) {
      const SeenThread& thread = threads[t];
      if (goes[t]) {
        ++gone;
        ASSERT_TRUE(thread.shall_go());
        const DomainId to = thread.favourite();
        ++coming[to.index()];
        EXPECT_GE(2 * thread.in(to), thread.all());
        EXPECT_GE(4 * thread.in(to), 4 * thread.in(thread.at) + thread.all());
        SeenThread moved = thread;
        moved.at = to;
        EXPECT_FALSE(moved.shall_go()) << "it would go on";
        EXPECT_TRUE(moved.is_at_home());
      } else if (!thread.shall_go() && thread.is_at_home()) {
        ++there[thread.at.index()];
      }
    }
    for (std::size_t d = 0; d < domains; ++d) {
      if (coming[d] == 0) continue;
      EXPECT_LE(there[d] + coming[d], room[d]);
    }
    for (std::size_t& each : room) each += threads.size();
    const std::vector<bool> all = who_goes(threads, room);
    for (std::size_t t = 0; t < threads.size(); ++t) EXPECT_EQ(all[t], threads[t].shall_go());
  }
  EXPECT_GT(gone, 100U);
}

// Who has gone comes back only if a quarter of what it uses lies elsewhere than before.
TEST(SeenThreads, NobodyGoesBackForLessThanAQuarter) {
  std::mt19937 random(7);
  std::size_t tried = 0;
  for (int round = 0; round < 20000; ++round) {
    SeenThread thread = any_thread(random, 3);
    if (!thread.shall_go()) continue;
    ++tried;
    const DomainId from = thread.at;
    thread.at = thread.favourite();
    const std::uint64_t moved = (thread.all() - 1) / 4;
    thread.pages[thread.at.index()] -= static_cast<std::uint32_t>(moved);
    thread.pages[from.index()] += static_cast<std::uint32_t>(moved);
    EXPECT_FALSE(thread.shall_go() && thread.favourite() == from);
  }
  EXPECT_GT(tried, 100U);
}

}  // namespace
}  // namespace lares::decide
