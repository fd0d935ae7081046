// Which task of a series belongs where, and when that is known.
#include "decide/series.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "decide/loops.hpp"

namespace lares::decide {
namespace {

using Answer = Series::Answer;

std::vector<Answer> make(Series& series, std::uint32_t round, std::uint64_t tasks) {
  std::vector<Answer> answers;
  for (std::uint64_t i = 0; i < tasks; ++i) answers.push_back(series.next(round));
  return answers;
}

std::vector<Answer> all(Answer answer, std::size_t tasks) { return std::vector(tasks, answer); }

TEST(WorkerOfPart, HasTheMiddleOfThePartInItsStaticPart) {
  std::mt19937_64 dice(7);
  for (int i = 0; i < 20000; ++i) {
    const std::size_t workers = 1 + dice() % 200;
    const std::uint64_t count = 1 + dice() % 5000;
    const std::uint64_t position = dice() % count;
    // Each part is a run of `workers` iterations of a loop that divides evenly.
    const std::uint64_t iterations = 2 * count * workers;
    const StaticParts parts(iterations, workers);
    const std::uint64_t middle = (2 * position + 1) * workers;
    EXPECT_EQ(worker_of_part(position, count, workers), WorkerId{parts.owner(middle)});
  }
}

TEST(WorkerOfPart, GivesEachWorkerItsShareInOrder) {
  for (std::size_t workers = 1; workers <= 16; ++workers) {
    for (std::uint64_t count = workers; count < 6 * workers; ++count) {
      std::vector<std::uint64_t> shares(workers);
      std::size_t last = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t worker = worker_of_part(i, count, workers).index();
        ASSERT_LT(worker, workers);
        EXPECT_GE(worker, last);
        last = worker;
        ++shares[worker];
      }
      for (const std::uint64_t share : shares) {
        EXPECT_GE(share, count / workers);
        EXPECT_LE(share, count / workers + 1);
      }
    }
  }
}

TEST(WorkerOfPart, SpreadsFewPartsOverTheTeam) {
  EXPECT_EQ(worker_of_part(0, 2, 8), WorkerId{2});
  EXPECT_EQ(worker_of_part(1, 2, 8), WorkerId{6});
}

TEST(Series, IsHeldUntilItsLengthIsKnownAndPlacedThen) {
  Series series;
  EXPECT_EQ(make(series, 1, 5), all(Answer::hold, 5));
  EXPECT_EQ(make(series, 2, 5), all(Answer::place, 5));
  EXPECT_EQ(series.position(), 4U);
  EXPECT_EQ(series.count(), 5U);
  EXPECT_EQ(series.rounds(), 1U);
  EXPECT_EQ(make(series, 9, 5), all(Answer::place, 5));
  EXPECT_EQ(series.rounds(), 2U);
}

TEST(Series, BeyondItsLengthIsNothingKnown) {
  Series series;
  make(series, 1, 2);
  EXPECT_EQ(make(series, 2, 3), (std::vector{Answer::place, Answer::place, Answer::none}));
}

// As the inner loops of a factorisation: the k-th of n tasks is another one's data each time.
TEST(Series, WhoseLengthChangesIsNotPlacedUntilItRepeats) {
  Series series;
  make(series, 1, 8);
  make(series, 2, 7);
  EXPECT_EQ(make(series, 3, 6), all(Answer::none, 6));
  EXPECT_EQ(make(series, 4, 6), all(Answer::none, 6));
  EXPECT_EQ(make(series, 5, 6), all(Answer::place, 6));
}

/// Makes a round of so many tasks, which are dealt out whenever `room` of them wait.
Series dealt_in_pieces(std::uint64_t tasks, std::uint64_t room, bool is_new = true) {
  Series series;
  for (std::uint64_t i = 0; i < tasks; ++i) {
    EXPECT_EQ(series.next(1), Answer::hold);
    if ((i + 1) % room == 0) series.was_dealt(is_new);
  }
  series.was_dealt(is_new);
  return series;
}

TEST(Series, ThatWasDealtInPiecesIsPlacedInThese) {
  // Of 250 tasks the last 50 are a piece of their own; of 3,000 no more than 16 ends are kept.
  for (const std::uint64_t tasks : {std::uint64_t{250}, std::uint64_t{3000}, std::uint64_t{3050}}) {
    Series series = dealt_in_pieces(tasks, 100);
    for (std::uint32_t round = 2; round < 5; ++round) {
      for (std::uint64_t i = 0; i < tasks; ++i) {
        ASSERT_EQ(series.next(round), Answer::place);
        const auto [rank, of] = series.rank();
        EXPECT_EQ(rank, i % 100) << i;
        EXPECT_EQ(of, std::min<std::uint64_t>(100, tasks - i / 100 * 100)) << i;
        EXPECT_EQ(series.position(), i);
      }
    }
  }
}

TEST(Series, ThatWasDealtAsAWholeIsPlacedInTheWhole) {
  Series series = dealt_in_pieces(100, 200);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(series.next(2), Answer::place);
    EXPECT_EQ(series.rank().rank, i);
    EXPECT_EQ(series.rank().of, 100U);
  }
}

TEST(Series, ThatTouchesNothingNewIsPlacedInTheWhole) {
  Series series = dealt_in_pieces(300, 100, false);
  for (std::uint64_t i = 0; i < 300; ++i) {
    ASSERT_EQ(series.next(2), Answer::place);
    EXPECT_EQ(series.rank().rank, i);
    EXPECT_EQ(series.rank().of, 300U);
  }
}

TEST(Series, PiecesAreWovenAsTheyWereDealt) {
  Series series = dealt_in_pieces(300, 100);
  series.is_woven({.count = 100, .period = 10});
  for (std::uint64_t i = 0; i < 300; ++i) {
    ASSERT_EQ(series.next(2), Answer::place);
    EXPECT_EQ(series.rank().rank, i % 100 % 10 * 10 + i % 100 / 10);
  }
}

TEST(Series, OfAnotherLengthForgetsThePiecesOfItsStart) {
  Series series = dealt_in_pieces(250, 100);
  make(series, 2, 250);
  make(series, 3, 90);
  make(series, 4, 90);
  make(series, 5, 89);
  EXPECT_EQ(series.next(5), Answer::place);
  EXPECT_EQ(series.rank().rank, 89U);
  EXPECT_EQ(series.rank().of, 90U);
}

TEST(Series, OfTinyTasksIsLeftToItsCreator) {
  Series series;
  EXPECT_EQ(series.next(1), Answer::hold);
  series.is_tiny();
  EXPECT_EQ(make(series, 1, 3), all(Answer::none, 3));
  EXPECT_EQ(make(series, 2, 4), all(Answer::none, 4));
}

TEST(Series, OfASlowCreatorIsHeldNoMoreInThatRound) {
  Series series;
  EXPECT_EQ(series.next(1), Answer::hold);
  series.hurry();
  EXPECT_EQ(make(series, 1, 3), all(Answer::none, 3));
  EXPECT_EQ(make(series, 2, 4), all(Answer::place, 4));
}

TEST(SeriesBook, TellsConstructsApart) {
  SeriesBook book;
  make(book.of(0x1000), 1, 3);
  EXPECT_EQ(book.of(0x2000).next(2), Answer::hold);
  EXPECT_EQ(book.of(0x1000).next(2), Answer::place);
}

}  // namespace
}  // namespace lares::decide
