// Threads that are kept for their maker's next team: who gets which, who ends, and nothing is lost.
#include <gtest/gtest.h>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "host/openmp/kept_threads.hpp"

namespace lares::omp {
namespace {

constexpr StackShape usual{};

void forget_nothing() {}

void* live(void* kept) {
  static_cast<KeptThread*>(kept)->live(forget_nothing);
  return nullptr;
}

/// Work that says who did it, and ends when it may, as the threads of a team at its last barrier.
struct Piece {
  std::atomic<bool> may_end{true};
  std::atomic<bool> is_done{false};
  pid_t thread = 0;

  static void* run(void* self) {
    auto* const piece = static_cast<Piece*>(self);
    while (!piece->may_end) std::this_thread::yield();
    piece->thread = gettid();
    piece->is_done = true;
    return nullptr;
  }
  void wait() const {
    while (!is_done) std::this_thread::yield();
  }
};

/// As a runtime does that makes its threads anew. True if that was needed.
bool begin_next(Piece& piece, std::size_t depth, StackShape stack = usual) {
  KeptThreads& own = KeptThreads::of_this_thread();
  if (KeptThread* const again = own.find(depth, stack); again != nullptr) {
    again->give({Piece::run, &piece});
    return false;
  }
  KeptThread& kept = own.add({Piece::run, &piece}, depth, stack);
  pthread_t thread{};
  const int error = pthread_create(&thread, nullptr, live, &kept);
  EXPECT_EQ(error, 0);
  if (error == 0) pthread_detach(thread);
  own.note_made(kept, error == 0, thread);
  return true;
}

/// The same as the first thread of a team.
bool begin(Piece& piece, std::size_t depth, StackShape stack = usual) {
  KeptThreads::note_team_begins();
  return begin_next(piece, depth, stack);
}

/// A thread of its own, whose kept threads end with it.
template <class Body>
void as_a_master(Body body) {
  std::thread(body).join();
}

template <class Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(KeptThreads, TheSameOneServesTeamAfterTeam) {
  for (const std::size_t processors : {1U, 64U}) {  // it sleeps, and it looks
    KeptThreads::set_processors(processors);
    as_a_master([] {
      std::set<pid_t> threads;
      int made = 0;
      for (int r = 0; r < 200; ++r) {
        Piece piece;
        if (begin(piece, 2)) {
          ++made;
          piece.wait();
          // It may be slow to come back under load; then another is made, and both are kept.
          EXPECT_TRUE(comes_true([] { return KeptThreads::waiting() > 0; }));
        } else {
          piece.wait();
        }
        threads.insert(piece.thread);
      }
      EXPECT_LT(made, 20);
      EXPECT_LE(threads.size(), static_cast<std::size_t>(made));
    });
    EXPECT_TRUE(comes_true([] { return KeptThreads::waiting() == 0; }));
  }
}

TEST(KeptThreads, ThoseOfTeamsAroundAreLeftAlone) {
  as_a_master([] {
    Piece outer;
    outer.may_end = false;
    EXPECT_TRUE(begin(outer, 2));
    const auto start = std::chrono::steady_clock::now();
    Piece inner;
    EXPECT_TRUE(begin(inner, 3));  // and nobody waits for the other
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    inner.wait();
    outer.may_end = true;
    outer.wait();
    EXPECT_NE(inner.thread, outer.thread);
    // Both are free for a team of depth 2, in the order in which they were made.
    EXPECT_TRUE(comes_true([] { return KeptThreads::waiting() == 2; }));
    Piece again;
    Piece too;
    EXPECT_FALSE(begin(again, 2));
    EXPECT_FALSE(begin_next(too, 2));
    again.wait();
    too.wait();
    EXPECT_EQ(again.thread, outer.thread);
    EXPECT_EQ(too.thread, inner.thread);
  });
}

TEST(KeptThreads, OneTeamsThreadsDoNotWaitForEachOther) {
  as_a_master([] {
    KeptThreads::note_team_begins();
    std::array<Piece, 8> team;
    for (Piece& piece : team) EXPECT_TRUE(begin_next(piece, 2));  // those that are ready, too
    for (const Piece& piece : team) piece.wait();
  });
}

TEST(KeptThreads, WhatWorksForLongIsNotWaitedFor) {
  as_a_master([] {
    Piece late;
    late.may_end = false;
    EXPECT_TRUE(begin(late, 2));  // the thread of a program that does not keep to the rules
    Piece piece;
    EXPECT_TRUE(begin(piece, 2));
    piece.wait();
    late.may_end = true;
    late.wait();
  });
}

TEST(KeptThreads, StacksFit) {
  as_a_master([] {
    Piece first;
    EXPECT_TRUE(begin(first, 2));
    first.wait();
    EXPECT_TRUE(comes_true([] { return KeptThreads::waiting() == 1; }));
    Piece larger;
    EXPECT_TRUE(begin(larger, 2, {1 << 20U, 4096}));
    larger.wait();
  });
}

TEST(KeptThreads, EndWithTheirMaker) {
  for (int r = 0; r < 50; ++r) {
    as_a_master([] {
      std::array<Piece, 3> team;
      for (Piece& piece : team) begin_next(piece, 2);
      for (const Piece& piece : team) piece.wait();  // some have not come back yet
    });
  }
  EXPECT_TRUE(comes_true([] { return KeptThreads::waiting() == 0; }));
}

TEST(KeptThreads, MoreThanEnoughEnd) {
  KeptThreads::set_processors(1);
  as_a_master([] {
    std::vector<Piece> team(100);
    for (Piece& piece : team) piece.may_end = false;
    KeptThreads::note_team_begins();
    for (Piece& piece : team) begin_next(piece, 2);
    for (Piece& piece : team) piece.may_end = true;
    for (const Piece& piece : team) piece.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_LE(KeptThreads::waiting(), 64U);
    std::vector<Piece> again(100);
    KeptThreads::note_team_begins();
    for (Piece& piece : again) begin_next(piece, 2);
    for (const Piece& piece : again) piece.wait();
  });
  EXPECT_TRUE(comes_true([] { return KeptThreads::waiting() == 0; }));
}

TEST(KeptThreads, ManyMastersNestedAndAtOnce) {
  for (const std::size_t processors : {1U, 64U}) {
    KeptThreads::set_processors(processors);
    std::atomic<int> done{0};
    struct Inner {
      std::atomic<int>& done;
      std::atomic<bool> is_done{false};
      static void* run(void* self) {
        auto* const inner = static_cast<Inner*>(self);
        for (int r = 0; r < 3; ++r) {
          std::array<Piece, 2> team;
          KeptThreads::note_team_begins();
          for (Piece& piece : team) begin_next(piece, 3);
          for (const Piece& piece : team) piece.wait();
          inner->done += 2;
        }
        inner->is_done = true;
        return nullptr;
      }
    };
    std::vector<std::thread> masters;
    for (unsigned m = 0; m < 4; ++m) {
      masters.emplace_back([&done, m] {
        std::minstd_rand random(m);
        for (int r = 0; r < 60; ++r) {
          const std::size_t size = 1 + random() % 4;
          std::vector<Piece> team(size);
          Inner inner{done};
          KeptThreads::note_team_begins();
          KeptThreads& own = KeptThreads::of_this_thread();
          KeptThread* const again = own.find(2, usual);
          if (again != nullptr) {
            again->give({Inner::run, &inner});
          } else {
            KeptThread& kept = own.add({Inner::run, &inner}, 2, usual);
            pthread_t thread{};
            ASSERT_EQ(pthread_create(&thread, nullptr, live, &kept), 0);
            pthread_detach(thread);
            own.note_made(kept, true, thread);
          }
          for (Piece& piece : team) begin_next(piece, 2);
          for (const Piece& piece : team) piece.wait();
          while (!inner.is_done) std::this_thread::yield();
          done += static_cast<int>(size);
        }
      });
    }
    for (std::thread& master : masters) master.join();
    EXPECT_GE(done, 4 * 60 * (6 + 1));
    EXPECT_TRUE(comes_true([] { return KeptThreads::waiting() == 0; }));
  }
}

TEST(KeptThreads, KnowHowManyShareAProcessor) {
  KeptThreads::set_processors(2);
  ASSERT_TRUE(comes_true([] { return KeptThreads::sharing() == 0; }));  // those of other tests
  as_a_master([] {
    std::array<Piece, 4> team;
    KeptThreads::note_team_begins();
    for (Piece& piece : team) {
      piece.may_end = false;
      begin_next(piece, 2);
    }
    EXPECT_EQ(KeptThreads::sharing(), 3U);  // four and their master
    for (Piece& piece : team) {
      piece.may_end = true;
      piece.wait();
    }
    // New ones have begun before anybody counted; those that are given work count a while.
    EXPECT_TRUE(comes_true([] { return KeptThreads::waiting() == 4; }));
    EXPECT_EQ(KeptThreads::sharing(), 0U);
    EXPECT_TRUE(comes_true([] {  // on a busy machine a millisecond is soon over
      std::array<Piece, 4> again;
      KeptThreads::note_team_begins();
      for (Piece& piece : again) begin_next(piece, 2);
      for (Piece& piece : again) piece.wait();
      return KeptThreads::waiting() == 4 && KeptThreads::sharing() == 3;
    }));
    EXPECT_TRUE(comes_true([] { return KeptThreads::sharing() == 0; }));
  });
}

TEST(KeptThreads, OneThatCannotBeMadeIsForgotten) {
  as_a_master([] {
    KeptThreads& own = KeptThreads::of_this_thread();
    Piece piece;
    KeptThread& kept = own.add({Piece::run, &piece}, 2, usual);
    own.note_made(kept, false, pthread_t{});
    KeptThreads::note_team_begins();
    EXPECT_EQ(own.find(2, usual), nullptr);
  });
}

}  // namespace
}  // namespace lares::omp
