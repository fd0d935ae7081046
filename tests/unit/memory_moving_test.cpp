// Placing and migrating where the kernel refuses, gives up half-way, or has no room.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "memory/manager/manager.hpp"
#include "memory/migrate/migrate.hpp"
#include "memory/next_touch/ways.hpp"
#include "memory/place/place.hpp"
#include "memory_area.hpp"
#include "memory_calls_fake.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

constexpr std::uintptr_t base = 0x40000000;
constexpr std::size_t count = 1300;  // more than two batches

class MigrateTest : public testing::Test {
 protected:
  MigrateTest() {
    for (std::size_t i = 0; i < count; ++i) fake_.put(page_at(i), 0);
  }
  static std::uintptr_t page_at(std::size_t i) { return base + i * page; }
  [[nodiscard]] MoveReport move_all() const {
    return migrate(calls_, base, {count * page}, OsNode{1}, options_);
  }
  void expect_sums(const MoveReport& report) const {
    EXPECT_EQ(report.pages, count);
    EXPECT_EQ(report.in_place + report.absent + report.failed(), count);
  }

  FakeCalls fake_;
  const SystemCalls calls_ = FakeCalls::calls();
  MoveOptions options_;
};

TEST_F(MigrateTest, MovesAllInBatches) {
  const MoveReport report = move_all();
  EXPECT_EQ(report.moved, count);
  EXPECT_EQ(report.in_place, count);
  EXPECT_EQ(fake_.moves(), 3);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(fake_.node_of(page_at(i)), 1);
}

TEST_F(MigrateTest, TellsWhatWasThereFromWhatMoved) {
  for (std::size_t i = 0; i < 100; ++i) fake_.put(page_at(i), 1);
  const MoveReport report = move_all();
  EXPECT_EQ(report.in_place, count);
  EXPECT_EQ(report.moved, count - 100);
}

TEST_F(MigrateTest, PagesThatAreBusyForAMomentAreTriedAgain) {
  for (std::size_t i = 0; i < count; i += 7) fake_.stick(page_at(i), EBUSY, 2);
  const MoveReport report = move_all();
  EXPECT_EQ(report.moved, count);
  EXPECT_EQ(report.busy, 0U);
}

TEST_F(MigrateTest, PinnedPagesAreCountedAndNotForced) {
  for (std::size_t i = 0; i < 13; ++i) fake_.stick(page_at(i * 100), EBUSY);
  const MoveReport report = move_all();
  EXPECT_EQ(report.busy, 13U);
  EXPECT_EQ(report.moved, count - 13);
  expect_sums(report);
}

TEST_F(MigrateTest, EachErrorOfAPageHasItsCount) {
  fake_.stick(page_at(1), ENOMEM);
  fake_.stick(page_at(2), EACCES);
  fake_.stick(page_at(3), EIO);
  const MoveReport report = move_all();
  EXPECT_EQ(report.no_room, 1U);
  EXPECT_EQ(report.denied, 1U);
  EXPECT_EQ(report.other, 1U);
  expect_sums(report);
}

TEST_F(MigrateTest, ACallThatGivesUpHalfWayIsFollowedUp) {
  fake_.give_up_at_stuck();
  fake_.stick(page_at(50), EBUSY, 1);
  fake_.stick(page_at(700), EBUSY);
  const MoveReport report = move_all();
  EXPECT_EQ(fake_.node_of(page_at(50)), 1);
  // The pages behind the pinned one are reached by no later call, which the count must show.
  EXPECT_GT(report.busy, 0U);
  EXPECT_EQ(fake_.node_of(page_at(1200)), 1);
  expect_sums(report);
}

TEST_F(MigrateTest, PagesThatDoNotExistAreAbsent) {
  const MoveReport report = migrate(calls_, base, {(count + 5) * page}, OsNode{1}, options_);
  EXPECT_EQ(report.absent, 5U);
  EXPECT_EQ(report.moved, count);
}

TEST_F(MigrateTest, ARefusalIsSaidOnce) {
  for (const int error : {EPERM, EACCES, ENOSYS}) {
    fake_.errors().move = error;
    const MoveReport report = move_all();
    EXPECT_EQ(report.refused, error);
    EXPECT_EQ(report.moved, 0U);
  }
}

TEST_F(MigrateTest, ANodeWithoutRoomFailsPageByPage) {
  fake_.errors().move = ENOMEM;
  const MoveReport report = move_all();
  EXPECT_EQ(report.no_room + report.busy, count);
  EXPECT_EQ(report.refused, 0);
}

TEST_F(MigrateTest, ProgressCanStopIt) {
  options_.progress = [](void*, const MoveReport& so_far) noexcept { return so_far.pages < 600; };
  const MoveReport report = move_all();
  EXPECT_EQ(report.pages, 2 * pages_per_move);
  EXPECT_EQ(fake_.node_of(page_at(count - 1)), 0);
}

TEST_F(MigrateTest, AnUnalignedRangeMovesItsWholePages) {
  const MoveReport report = migrate(calls_, base + 100, {page}, OsNode{1}, options_);
  EXPECT_EQ(report.moved, 2U);
  EXPECT_EQ(migrate(calls_, base, {0}, OsNode{1}, options_).pages, 0U);
  EXPECT_EQ(migrate(calls_, base, {page}, OsNode{}, options_).pages, 0U);
}

TEST_F(MigrateTest, ScatteredPlansMoveByTheBatchToo) {
  const Nodes nodes{machine_of_nodes({0, 1})};
  Distribution cyclic;
  cyclic.kind = Distribution::Kind::cyclic;
  const Result<Plan> plan = Plan::make(cyclic, {count * page}, nodes, {page});
  ASSERT_TRUE(plan.ok());
  const MoveReport report = migrate(calls_, nodes, plan.value(), base, options_);
  EXPECT_EQ(report.moved, count / 2);
  EXPECT_EQ(fake_.moves(), 3);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(fake_.node_of(page_at(i)), static_cast<int>(i % 2));
  }
}

TEST(PlaceFaults, ARefusedPolicyLeavesUsableMemory) {
  FakeCalls fake;
  const Nodes nodes{machine_of_nodes({0, 1})};
  for (const int error : {EPERM, ENOSYS, ENOMEM}) {
    fake.errors().bind = error;
    fake.errors().prefer = error;
    for (const std::uint64_t pages : {64U, 4096U}) {
      const TestArea area(pages);
      Distribution cyclic;
      cyclic.kind = Distribution::Kind::cyclic;
      const Result<Plan> plan = Plan::make(cyclic, area.length(), nodes, {page});
      ASSERT_TRUE(plan.ok());
      EXPECT_EQ(place(FakeCalls::calls(), nodes, plan.value(), area.address(), {page}).error,
                error);
    }
  }
}

TEST(PlaceFaults, FewPiecesAreBoundAndManyAreTouched) {
  FakeCalls fake;
  const Nodes nodes{machine_of_nodes({0, 1})};
  Distribution cyclic;
  cyclic.kind = Distribution::Kind::cyclic;
  TestArea few(64);
  const Result<Plan> small = Plan::make(cyclic, few.length(), nodes, {page});
  EXPECT_FALSE(place(FakeCalls::calls(), nodes, small.value(), few.address(), {page}).populated);
  EXPECT_EQ(fake.binds(), 64);
  TestArea many(2048);
  const Result<Plan> large = Plan::make(cyclic, many.length(), nodes, {page});
  EXPECT_TRUE(place(FakeCalls::calls(), nodes, large.value(), many.address(), {page}).populated);
  EXPECT_EQ(fake.binds(), 64);
  EXPECT_EQ(fake.prefers(), 2049) << "one per piece, and one that restores";
}

TEST(NextTouchFaults, ARefusedUserfaultFallsBackToProtection) {
  FakeCalls fake;
  const Nodes nodes{machine_of_nodes({0})};
  for (const int error : {EPERM, EACCES, ENOSYS, ENOMEM}) {
    fake.errors().userfault = error;
    NextTouch next_touch(FakeCalls::calls(), nodes, {page});
    const TestArea area(16);
    const Marked marked = next_touch.mark(area.address(), area.length(), {});
    EXPECT_EQ(marked.error, 0);
    EXPECT_EQ(marked.way, Way::protect);
    EXPECT_TRUE(area.intact());
  }
}

TEST(NextTouchFaults, TheWaysOfEachKernel) {
  FakeCalls fake;
  const WaysHere here = ways_here(FakeCalls::calls());
  fake.errors().userfault = ENOSYS;
  EXPECT_EQ(ways_here(FakeCalls::calls()).by_thread, ENOSYS);
  EXPECT_EQ(ways_here(FakeCalls::calls()).by_signal, ENOSYS);
  fake.errors() = {};
  fake.refuse_moves();  // before Linux 6.8
  EXPECT_FALSE(ways_here(FakeCalls::calls()).moves);
  EXPECT_EQ(ways_here(FakeCalls::calls()).by_signal, here.by_signal);
  fake.errors().remap = EINVAL;  // before Linux 5.7
  EXPECT_NE(ways_here(FakeCalls::calls()).by_signal, 0);
}

void whatever_call_fails_no_byte_is_lost(bool old) {
  const Nodes nodes{machine_of_nodes({0})};
  // The first calls open the descriptor; each later one may be the first to fail.
  for (int pass = 0; pass < 12; ++pass) {
    FakeCalls fake;
    if (old) fake.refuse_moves();
    NextTouch next_touch(FakeCalls::calls(), nodes, {page});
    const TestArea area(16);
    fake.fail_controls(EINVAL, pass);
    NextTouchOptions options;
    options.way = WantedWay::userfault_thread;
    const Marked marked = next_touch.mark(area.address(), area.length(), options);
    fake.fail_controls(0);
    EXPECT_TRUE(area.intact()) << "after " << pass << " calls, error " << marked.error;
  }
}

TEST(NextTouchFaults, WhateverCallFailsNoByteIsLost) { whatever_call_fails_no_byte_is_lost(false); }

TEST(NextTouchFaults, WhateverCallFailsOnOldKernelsNoByteIsLost) {
  whatever_call_fails_no_byte_is_lost(true);
}

TEST(NextTouchFaults, NoMemoryAndNoMappings) {
  const Nodes nodes{machine_of_nodes({0})};
  FakeCalls fake;
  fake.refuse_moves();  // else nothing is mapped anew
  NextTouch next_touch(FakeCalls::calls(), nodes, {page});
  const TestArea area(16);
  for (const WantedWay way :
       {WantedWay::userfault_thread, WantedWay::userfault_signal, WantedWay::protect}) {
    NextTouchOptions options;
    options.way = way;
    const int allowed = next_touch.mark(area.address(), area.length(), options).error;
    if (allowed == EPERM || allowed == ENOSYS) continue;  // other tests say that they are skipped
    fake.errors().map = ENOMEM;
    EXPECT_EQ(next_touch.mark(area.address(), area.length(), options).error, ENOMEM);
    fake.errors() = {};
    fake.errors().remap = fake.errors().protect = ENOMEM;
    EXPECT_EQ(next_touch.mark(area.address(), area.length(), options).error, ENOMEM);
    fake.errors() = {};
    EXPECT_TRUE(area.intact());
  }
}

class ManagerTest : public testing::Test {
 protected:
  static Distribution on(const DomainId& domain) {
    Distribution result;
    result.kind = Distribution::Kind::domain;
    result.domains = {&domain, 1};
    return result;
  }
  FakeCalls fake_;
  std::vector<std::array<std::uint64_t, 3>> told_;
  const HomeTable table_{&told_,
                         [](void* list, std::uintptr_t address, Bytes length, DomainId home) {
                           static_cast<decltype(told_)*>(list)->push_back(
                               {address, length.count, static_cast<std::uint64_t>(home.value())});
                           return true;
                         },
                         [](void*, std::uintptr_t, Bytes) { return true; }};
  // Two cache domains in one node: nothing is moved, everything is remembered.
  Manager manager_{machine_of_nodes({0, 0}), table_, FakeCalls::calls()};
};

TEST_F(ManagerTest, PlacingIsRememberedWhereDomainsShareAMemory) {
  const DomainId one{1};
  const Result<void*> memory = manager_.allocate({3 * page}, on(one), false);
  ASSERT_TRUE(memory.ok());
  std::array<DomainId, 3> homes;
  const auto address = reinterpret_cast<std::uintptr_t>(memory.value());
  EXPECT_EQ(manager_.page_homes(address, {3 * page}, homes), 3U);
  EXPECT_EQ(homes, (std::array{one, one, one}));
  EXPECT_EQ(told_, (decltype(told_){{address, 3 * page, 1}}));
  EXPECT_EQ(fake_.binds(), 0);
  EXPECT_TRUE(manager_.free(memory.value()).ok());
  EXPECT_FALSE(manager_.free(memory.value()).ok()) << "freed twice";
}

TEST_F(ManagerTest, MistakesAreSentences) {
  EXPECT_EQ(manager_.allocate({0}, {}, false).error().sentence, "the range is empty");
  const DomainId five{5};
  EXPECT_EQ(manager_.allocate({page}, on(five), false).error().sentence,
            "domain 5 does not exist, accepted are 0 to 1");
  int local = 0;
  EXPECT_FALSE(manager_.free(&local).ok());
  EXPECT_FALSE(manager_.add(base, {0}).ok());
  EXPECT_FALSE(manager_.add(UINTPTR_MAX - 10, {100}).ok());
  ASSERT_TRUE(manager_.add(base, {page}).ok());
  EXPECT_FALSE(manager_.add(base + 100, {page}).ok()) << "overlaps";
  EXPECT_FALSE(manager_.add(base - 100, {200}).ok()) << "overlaps";
  EXPECT_TRUE(manager_.add(base + page, {page}).ok()) << "a neighbour";
  EXPECT_TRUE(manager_.remove(base).ok());
  EXPECT_FALSE(manager_.remove(base).ok());
}

TEST_F(ManagerTest, NoMemoryIsNull) {
  fake_.errors().map = ENOMEM;
  const Result<void*> memory = manager_.allocate({page}, {}, false);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory.value(), nullptr);
  fake_.errors() = {};
  const Result<void*> endless = manager_.allocate({UINT64_MAX - 10}, {}, false);
  ASSERT_TRUE(endless.ok());
  EXPECT_EQ(endless.value(), nullptr);
}

TEST_F(ManagerTest, ResizingKeepsTheContents) {
  const Result<void*> memory = manager_.allocate({100}, {}, false);
  std::memset(memory.value(), 7, 100);
  const Result<void*> larger = manager_.resize(memory.value(), {3 * page}, {}, false);
  ASSERT_TRUE(larger.ok());
  EXPECT_EQ(static_cast<char*>(larger.value())[99], 7);
  EXPECT_EQ(static_cast<char*>(larger.value())[100], 0);
  EXPECT_EQ(manager_.size_of(larger.value()).count, 3 * page);
  EXPECT_TRUE(manager_.free(larger.value()).ok());
}

TEST_F(ManagerTest, HugePagesAreAligned) {
  const Result<void*> memory = manager_.allocate({page}, {}, true);
  ASSERT_NE(memory.value(), nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.value()) % (2U << 20U), 0U);
  static_cast<char*>(memory.value())[(2U << 20U) - 1] = 1;
  EXPECT_TRUE(manager_.free(memory.value()).ok());
}

TEST_F(ManagerTest, OwnersHaveWhatWasAttachedLast) {
  const Owner first{Owner::Kind::thread, 1};
  const Owner second{Owner::Kind::task, 1};
  ASSERT_TRUE(manager_.attach(base, {10 * page}, first, DomainId{0}).ok());
  ASSERT_TRUE(manager_.attach(base + 3 * page, {2 * page}, second, DomainId{1}).ok());
  EXPECT_EQ(manager_.owned(first).count, 8 * page);
  EXPECT_EQ(manager_.owned(second).count, 2 * page);
  ASSERT_EQ(manager_.ranges_of(first).size(), 2U);
  EXPECT_EQ(manager_.ranges_of(second)[0].domain, DomainId{1});
  EXPECT_FALSE(manager_.attach(base, {page}, first, DomainId{2}).ok());
}

TEST_F(ManagerTest, TheNextTeamGetsItsChunksOnce) {
  ASSERT_TRUE(manager_.attach_to_next_team(base, {5 * page}, {2 * page}, false).ok());
  const std::vector<DomainId> members{DomainId{1}, DomainId{0}};
  manager_.team_starts(members);
  EXPECT_EQ(told_, (decltype(told_){{base, 2 * page, 1}, {base + 2 * page, 2 * page, 0}}));
  manager_.team_starts(members);
  EXPECT_EQ(told_.size(), 2U);
  EXPECT_FALSE(manager_.attach_to_next_team(base, {page}, {0}, false).ok());
}

TEST_F(ManagerTest, AListSaysNothingOfWhatIsBeyondIt) {
  const TestArea area(4);
  ASSERT_TRUE(manager_.attach(area.address(), area.length(), {}, DomainId{0}).ok());
  const std::vector<DomainId> members{DomainId{1}, DomainId{1}};
  Distribution list;
  list.kind = Distribution::Kind::listed;
  list.domains = members;
  list.block = {page};
  const Result<MoveReport> report = manager_.migrate(area.address(), area.length(), list);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().pages, 2U);
  std::vector<DomainId> homes(4);
  manager_.page_homes(area.address(), area.length(), homes);
  EXPECT_EQ(homes, (std::vector<DomainId>{DomainId{1}, DomainId{1}, DomainId{0}, DomainId{0}}));
}

TEST_F(ManagerTest, MigratingWithinOneMemoryIsRemembered) {
  const TestArea area(4);
  const DomainId one{1};
  const Result<MoveReport> report = manager_.migrate(area.address(), area.length(), on(one));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().in_place, 4U);
  EXPECT_EQ(report.value().moved, 0U);
  EXPECT_EQ(told_.size(), 1U);
  EXPECT_FALSE(manager_.migrate(area.address(), area.length(), {}).ok());
}

TEST_F(ManagerTest, FreeingMarkedMemoryIsSafe) {
  for (int round = 0; round < 20; ++round) {
    const Result<void*> memory = manager_.allocate({16 * page}, {}, false);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.value());
    std::memset(memory.value(), round, 16 * page);
    ASSERT_TRUE(manager_.on_next_touch(address, {16 * page}, {}).ok());
    ASSERT_TRUE(manager_.free(memory.value()).ok());
  }
}

TEST_F(ManagerTest, FreeingMarkedMemoryBringsNothingBack) {
  const Result<void*> memory = manager_.allocate({16 * page}, {}, false);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.value());
  std::memset(memory.value(), 7, 16 * page);
  const Result<Marked> marked = manager_.on_next_touch(address, {16 * page}, {});
  ASSERT_TRUE(marked.ok());
  if (marked.value().way == Way::protect) GTEST_SKIP() << "the pages are where they were";
  ASSERT_TRUE(manager_.free(memory.value()).ok());
  EXPECT_EQ(manager_.next_touch().counts().settled, 0U);
  EXPECT_EQ(manager_.next_touch().counts().chunks, 0U);
}

}  // namespace
}  // namespace lares::memory
