// Which domain a taskloop's pieces are sent to.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/taskloop.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime {
namespace {

struct Made {
  std::vector<std::uint64_t> pieces;
  std::vector<DomainId> homes;
};

Made pieces_of(const Taskloop& loop, const decide::Pieces& pieces) {
  Made made;
  loop.for_each(pieces, [&](decide::LoopRange range, bool last, DomainId home) {
    made.pieces.push_back(range.begin / (pieces.iterations() / pieces.count()));
    made.homes.push_back(home);
    EXPECT_EQ(last, range.end == pieces.iterations());
  });
  return made;
}

bool are_without_homes_in_order(const Made& made) {
  for (std::size_t i = 0; i < made.pieces.size(); ++i) {
    if (made.pieces[i] != i || made.homes[i].valid()) return false;
  }
  return !made.pieces.empty();
}

constexpr std::uintptr_t code = 1;
const decide::Pieces eight = decide::Pieces::evenly(800, 8);

void submit_pieces(Worker& worker, const decide::Pieces& pieces) {
  const Taskloop loop(worker, code, true);
  loop.for_each(pieces, [&worker](decide::LoopRange, bool, DomainId home) {
    Task* task = host::make_task(worker, [](Worker&) {});
    task->home = home;
    submit(worker, *task, {});
  });
}

TEST(TaskloopPieces, AreAtHomeWhereAStaticLoopWouldRunThem) {
  const host::Machine machine({2, 2});
  host::single(4, [](Worker& worker) {
    const Made made = pieces_of(Taskloop(worker, code, true), eight);
    EXPECT_EQ(made.pieces, (std::vector<std::uint64_t>{0, 2, 4, 6, 1, 3, 5, 7}));
    const DomainId first{std::size_t{0}};
    const DomainId second{std::size_t{1}};
    EXPECT_EQ(made.homes,
              (std::vector<DomainId>{first, first, second, second, first, first, second, second}));
  });
}

TEST(SeenTaskloops, AreNewForTheFirstInstancesOfEach) {
  SeenTaskloops seen;
  for (std::uint32_t i = 0; i < decide::limits::first_instances; ++i) {
    EXPECT_TRUE(seen.is_new(1000));
    EXPECT_TRUE(seen.is_new(2000));
  }
  EXPECT_FALSE(seen.is_new(1000));
  EXPECT_FALSE(seen.is_new(2000));
  EXPECT_TRUE(seen.is_new(3000));
}

TEST(TaskloopPieces, OfANewLoopAreToBeLeftAloneWhileItIsOpen) {
  const host::Machine machine({2, 2});
  host::single(4, [](Worker& worker) {
    constexpr std::uintptr_t another = 77;
    const SettlingWork& settling = worker.team->settling;
    for (std::uint32_t i = 0; i < decide::limits::first_instances; ++i) {
      const Taskloop loop(worker, another, true);
      EXPECT_NE(settling.number(), 0U);
    }
    EXPECT_EQ(settling.number(), 0U);
    const Taskloop loop(worker, another, true);
    EXPECT_EQ(settling.number(), 0U);
  });
}

// As both compilers wait for the pieces: a group around the loop.
TEST(TaskloopPieces, AreToBeLeftAloneUntilTheLoopsOwnGroupEnds) {
  const host::Machine machine({2, 2});
  host::single(4, [](Worker& worker) {
    const SettlingWork& settling = worker.team->settling;
    begin_group(worker);
    for (const std::uintptr_t loop : {std::uintptr_t{177}, std::uintptr_t{178}}) {
      // The second one, without a group of its own, is not one of another thread.
      EXPECT_FALSE(are_without_homes_in_order(pieces_of(Taskloop(worker, loop, true), eight)));
      EXPECT_NE(settling.number(), 0U);
    }
    end_group(worker);
    EXPECT_EQ(settling.number(), 0U);
    EXPECT_EQ(worker.team->open_taskloops.load(), 0U);
  });
}

TEST(TaskloopPieces, InAGroupOfOtherTasksAreLeftAloneWhileTheyAreMade) {
  const host::Machine machine({2, 2});
  host::single(4, [](Worker& worker) {
    Taskgroup& group = *begin_group(worker);
    group.incomplete.fetch_add(1);  // as a member that has not ended
    {
      const Taskloop loop(worker, 179, true);
      EXPECT_NE(worker.team->settling.number(), 0U);
    }
    EXPECT_EQ(worker.team->settling.number(), 0U);
    EXPECT_EQ(worker.team->open_taskloops.load(), 0U);
    group.incomplete.fetch_sub(1);
    end_group(worker);
  });
}

class PiecesByData : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, PiecesByData,
                         testing::Values("auto", "locality-queues", "virouleau",
                                         "push=most-bytes,steal=nearest"));

TEST_P(PiecesByData, LieInTheQueueOfTheirHome) {
  LARES_NEEDS_ORDER();
  const host::Machine machine({1, 1}, GetParam());
  std::atomic<bool> made{false};
  host::region(2, [&made](Worker& worker) {
    if (worker.id == WorkerId{1}) {
      while (!made.load(std::memory_order_acquire)) std::this_thread::yield();
      return;
    }
    submit_pieces(worker, eight);
    EXPECT_EQ(worker.team->length(worker.team->places->of(DomainId{1})), 4U);
    made.store(true, std::memory_order_release);
  });
}

TEST(TaskloopPieces, HaveNoHomesWhereThePolicyDoesNotGoByData) {
  const host::Machine machine({2, 2}, "central");
  host::single(4, [](Worker& worker) {
    EXPECT_TRUE(are_without_homes_in_order(pieces_of(Taskloop(worker, code, true), eight)));
  });
}

TEST(TaskloopPieces, HaveNoHomesOnOneDomain) {
  const host::Machine machine({4});
  host::single(4, [](Worker& worker) {
    EXPECT_TRUE(are_without_homes_in_order(pieces_of(Taskloop(worker, code, true), eight)));
  });
}

TEST(TaskloopPieces, ThatRunAtOnceKeepTheirOrder) {
  const host::Machine machine({2, 2});
  host::single(4, [](Worker& worker) {
    EXPECT_TRUE(are_without_homes_in_order(pieces_of(Taskloop(worker, code, false), eight)));
  });
}

TEST(TaskloopPieces, OfALoopInsideAPieceStayThere) {
  const host::Machine machine({2, 2});
  static std::atomic<int> spread{0};
  static std::atomic<int> ran{0};
  spread = ran = 0;
  host::single(4, [](Worker& worker) {
    Task* piece = host::make_task(worker, [](Worker& runner) {
      ran.fetch_add(1);
      if (!are_without_homes_in_order(pieces_of(Taskloop(runner, code, true), eight)))
        spread.fetch_add(1);
    });
    piece->home = DomainId{1};
    submit(worker, *piece, {});
  });
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(spread, 0);
}

// Each thread has its own part of the data then.
TEST(TaskloopPieces, OfASecondLoopThatIsOpenAtTheSameTimeHaveNoHomes) {
  const host::Machine machine({2, 2});
  host::single(4, [](Worker& worker) {
    {
      const Taskloop first(worker, code, true);
      EXPECT_FALSE(are_without_homes_in_order(pieces_of(first, eight)));
      EXPECT_TRUE(are_without_homes_in_order(pieces_of(Taskloop(worker, code, true), eight)));
    }
    EXPECT_FALSE(are_without_homes_in_order(pieces_of(Taskloop(worker, code, true), eight)));
  });
}

TEST(TaskloopPieces, OfARegionThatIsKnownForOverlappingLoopsHaveNoHomes) {
  const host::Machine machine({2, 2});
  RegionHint hint;
  const auto body = [](Worker& worker) {
    EXPECT_FALSE(are_without_homes_in_order(pieces_of(Taskloop(worker, code, true), eight)));
    {
      const Taskloop first(worker, code, true);
      EXPECT_TRUE(are_without_homes_in_order(pieces_of(Taskloop(worker, code, true), eight)));
    }
    EXPECT_TRUE(are_without_homes_in_order(pieces_of(Taskloop(worker, code, true), eight)));
  };
  host::single(4, body, false, &hint);
}

}  // namespace
}  // namespace lares::runtime
