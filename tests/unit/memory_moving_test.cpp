// Placing and migrating where the kernel refuses, gives up half-way, or has no room.
#include <gtest/gtest.h>

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <span>
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

TEST_F(MigrateTest, OfPagesFromOneNodeOthersStay) {
  std::vector<std::uintptr_t> every_second;
  for (std::size_t i = 0; i < count; i += 2) every_second.push_back(page_at(i));
  for (std::size_t i = 0; i < 100; ++i) fake_.put(page_at(i), 2);
  const MoveReport report = migrate_from(calls_, OsNode{0}, OsNode{1}, every_second, options_);
  EXPECT_EQ(report.moved, every_second.size() - 50);
  EXPECT_EQ(report.pages, every_second.size() - 50);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(fake_.node_of(page_at(i)), i < 100 ? 2 : i % 2 == 0 ? 1 : 0) << i;
  }
  EXPECT_EQ(migrate_from(calls_, OsNode{0}, OsNode{1}, {}, options_).pages, 0U);
}

TEST_F(MigrateTest, WhatAPolicyHasPlacedStaysIfTheCallerWantsThat) {
  fake_.place(page_at(3));
  options_.only_first_touch = true;
  const std::vector<std::uintptr_t> pages = {page_at(2), page_at(3), page_at(4)};
  const MoveReport report = migrate_from(calls_, OsNode{0}, OsNode{1}, pages, options_);
  EXPECT_EQ(report.moved, 2U);
  EXPECT_EQ(report.placed, 1U);
  EXPECT_EQ(report.pages, report.in_place + report.absent + report.placed + report.failed());
  EXPECT_EQ(fake_.node_of(page_at(3)), 0);
  const std::vector<std::uintptr_t> others = {page_at(5), page_at(6)};
  fake_.errors().policy_at = EPERM;
  EXPECT_EQ(migrate_from(calls_, OsNode{0}, OsNode{1}, others, options_).placed, 2U);
  EXPECT_EQ(fake_.node_of(page_at(5)), 0) << "nobody says whether it was placed";
}

TEST_F(MigrateTest, WhatAPolicyHasPlacedMovesElse) {
  fake_.place(page_at(3));
  EXPECT_EQ(move_all().placed, 0U);
  EXPECT_EQ(fake_.node_of(page_at(3)), 1);
}

TEST_F(MigrateTest, AThreadsPolicyIsAskedFor) {
  EXPECT_TRUE(places_by_touch(real_calls()));
  NodeMask nodes(OsNode{0});
  ASSERT_EQ(real_calls().prefer(MPOL_INTERLEAVE, nodes.words()), 0);
  EXPECT_FALSE(places_by_touch(real_calls()));
  ASSERT_EQ(real_calls().prefer(MPOL_DEFAULT, nullptr), 0);
  EXPECT_TRUE(places_by_touch(real_calls()));
  fake_.errors().preference = EPERM;
  EXPECT_FALSE(places_by_touch(calls_)) << "nobody says";
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

TEST_F(MigrateTest, ANodeOutsideOfTheCpusetDeniesItsPagesOnly) {
  fake_.errors().move_to = EACCES;
  const MoveReport report = move_all();
  EXPECT_EQ(report.refused, EACCES);
  EXPECT_EQ(report.denied, count);
  expect_sums(report);
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
  EXPECT_EQ(fake.prefers(), 9) << "one per node and 512 pieces, and one that restores";
  EXPECT_TRUE(many.intact());
}

// Some sandboxes allow set_mempolicy and refuse get_mempolicy.
TEST(PlaceFaults, AThreadsPolicyIsLeftWhereNobodyCouldSetItBack) {
  FakeCalls fake;
  fake.errors().preference = EPERM;
  const Nodes nodes{machine_of_nodes({0, 1})};
  Distribution cyclic;
  cyclic.kind = Distribution::Kind::cyclic;
  const TestArea many(2048);
  const Result<Plan> plan = Plan::make(cyclic, many.length(), nodes, {page});
  EXPECT_EQ(place(FakeCalls::calls(), nodes, plan.value(), many.address(), {page}).error, EPERM);
  EXPECT_EQ(fake.prefers(), 0);
  EXPECT_TRUE(many.intact());
}

TEST(PlaceFaults, PagesThatHoldSomethingKeepItOnAnyKernel) {
  FakeCalls fake;
  const Nodes nodes{machine_of_nodes({0, 1})};
  Distribution cyclic;
  cyclic.kind = Distribution::Kind::cyclic;
  for (const int error : {0, EINVAL}) {  // EINVAL: a kernel before 5.14
    fake.errors().advise = error;
    const TestArea many(2048);
    const Result<Plan> plan = Plan::make(cyclic, many.length(), nodes, {page});
    const Placed placed = place(FakeCalls::calls(), nodes, plan.value(), many.address(), {page});
    EXPECT_TRUE(placed.populated);
    EXPECT_EQ(placed.error, 0);
    EXPECT_TRUE(many.intact()) << error;
  }
}

/// Memory that nobody has touched, and how much of it exists.
class UntouchedArea {
 public:
  explicit UntouchedArea(std::uint64_t bytes) : bytes_(bytes), at_(real_calls().map(bytes)) {}
  ~UntouchedArea() { real_calls().unmap(reinterpret_cast<void*>(at_), bytes_); }
  UntouchedArea(const UntouchedArea&) = delete;
  UntouchedArea& operator=(const UntouchedArea&) = delete;
  [[nodiscard]] std::uintptr_t address() const { return static_cast<std::uintptr_t>(at_); }
  [[nodiscard]] Bytes length() const { return {bytes_}; }
  [[nodiscard]] std::size_t pages_that_exist() const {
    std::vector<unsigned char> there(bytes_ / page);
    EXPECT_EQ(mincore(reinterpret_cast<void*>(at_), bytes_, there.data()), 0);
    return static_cast<std::size_t>(
        std::count_if(there.begin(), there.end(), [](unsigned char c) { return (c & 1) != 0; }));
  }

 private:
  std::uint64_t bytes_;
  long at_;
};

class PlaceUntouchedTest : public testing::Test {
 protected:
  Placed place_cyclic(const UntouchedArea& area, std::uint64_t block) {
    Distribution cyclic;
    cyclic.kind = Distribution::Kind::cyclic;
    cyclic.block = {block};
    const Result<Plan> plan = Plan::make(cyclic, area.length(), nodes_, {page});
    return place_untouched(FakeCalls::calls(), nodes_, plan.value(), area.address(), {page},
                           budget_);
  }
  static constexpr std::uint64_t mib = 1U << 20U;
  FakeCalls fake_;
  const Nodes nodes_{machine_of_nodes({0, 1})};
  MappingBudget budget_;
};

TEST_F(PlaceUntouchedTest, NoPageIsMade) {
  const UntouchedArea area(64 * mib);
  const Placed placed = place_cyclic(area, 4096);
  EXPECT_EQ(placed.error, 0);
  EXPECT_FALSE(placed.populated);
  EXPECT_EQ(area.pages_that_exist(), 0U);
}

TEST_F(PlaceUntouchedTest, BlocksAreAsWishedWhereTheBudgetHasRoom) {
  const UntouchedArea area(64 * mib);
  EXPECT_EQ(place_cyclic(area, 64 << 10U).mappings, 1024U);
  EXPECT_EQ(fake_.binds(), 1024);
  EXPECT_EQ(fake_.last_bound(), 64U << 10U);
}

TEST_F(PlaceUntouchedTest, BlocksGrowAndThenPagesTakeTurns) {
  std::size_t taken = 0;
  const UntouchedArea area(32 * mib);
  int interleaved = 0;
  for (int i = 0; i < 200; ++i) {
    const Placed placed = place_cyclic(area, 64 << 10U);
    EXPECT_EQ(placed.error, 0);
    taken += placed.mappings;
    if (placed.mappings == 0) {
      ++interleaved;
      EXPECT_EQ(fake_.last_mode(), MPOL_INTERLEAVE);
      EXPECT_EQ(fake_.last_bound(), area.length().count);
    }
  }
  EXPECT_LE(taken, MappingBudget::most);
  EXPECT_EQ(taken + budget_.left(), MappingBudget::most);
  EXPECT_GT(interleaved, 0);
}

TEST_F(PlaceUntouchedTest, WhatIsTakenComesBack) {
  const UntouchedArea area(4 * mib);
  for (int i = 0; i < 1000; ++i) {
    const Placed placed = place_cyclic(area, 64 << 10U);
    ASSERT_EQ(placed.mappings, 64U);
    unplace(FakeCalls::calls(), area.address(), area.length(), placed.mappings, budget_);
    ASSERT_EQ(fake_.last_mode(), MPOL_DEFAULT);
    ASSERT_EQ(fake_.last_bound(), area.length().count);
  }
  EXPECT_EQ(budget_.left(), MappingBudget::most);
}

TEST_F(PlaceUntouchedTest, WhereTheProgramUsedUpTheMappingsPagesTakeTurns) {
  fake_.fail_pieces(ENOMEM, 10);
  const UntouchedArea area(4 * mib);
  const Placed placed = place_cyclic(area, 64 << 10U);
  EXPECT_EQ(placed.error, 0);
  EXPECT_EQ(placed.mappings, 0U);
  EXPECT_EQ(fake_.last_mode(), MPOL_INTERLEAVE);
  EXPECT_EQ(budget_.left(), MappingBudget::most);
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
                         [](void* list, std::span<const GivenRange> ranges) {
                           for (const GivenRange& range : ranges) {
                             static_cast<decltype(told_)*>(list)->push_back(
                                 {range.begin, range.end - range.begin,
                                  static_cast<std::uint64_t>(range.home.value())});
                           }
                           return true;
                         },
                         [](void*, std::uintptr_t, Bytes) { return true; }};
  // Two cache domains in one node: nothing is moved, everything is remembered.
  Manager manager_{machine_of_nodes({0, 0}), table_, FakeCalls::calls()};
};

TEST_F(ManagerTest, PlacingIsRememberedWhereDomainsShareAMemory) {
  const DomainId one{1};
  const Result<void*> memory = manager_.allocate({3 * page}, on(one), {});
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
  EXPECT_EQ(manager_.allocate({0}, {}, {}).error().sentence, "the range is empty");
  const DomainId five{5};
  EXPECT_EQ(manager_.allocate({page}, on(five), {}).error().sentence,
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

TEST(ManagerMappings, ComeBackWithTheMemory) {
  FakeCalls fake;
  Manager manager(machine_of_nodes({0, 1}), {}, FakeCalls::calls());
  Distribution cyclic;
  cyclic.kind = Distribution::Kind::cyclic;
  const std::size_t before = mapping_budget().left();
  for (int i = 0; i < 500; ++i) {
    const Result<void*> memory = manager.allocate({64 * page}, cyclic, {});
    ASSERT_NE(memory.value(), nullptr);
    ASSERT_EQ(mapping_budget().left(), before - 64);
    ASSERT_TRUE(manager.free(memory.value()).ok());
  }
  EXPECT_EQ(mapping_budget().left(), before);
  std::vector<void*> many;
  for (int i = 0; i < 200; ++i) many.push_back(manager.allocate({64 * page}, cyclic, {}).value());
  EXPECT_LE(fake.binds(), 500 * 64 + static_cast<int>(MappingBudget::most));
  for (void* memory : many) EXPECT_TRUE(manager.free(memory).ok());
  EXPECT_EQ(mapping_budget().left(), before);
}

/// A kernel whose pages are all on one node, whatever is asked for.
SystemCalls calls_of_a_full_machine() {
  SystemCalls calls = FakeCalls::calls();
  calls.move = [](std::size_t pages, void**, const int*, int* status) noexcept {
    std::fill_n(status, pages, 0);
    return 0L;
  };
  return calls;
}

TEST(ManagerStrict, EveryPageIsWhereItShallBeOrThereIsNone) {
  FakeCalls fake;
  Manager manager(machine_of_nodes({0, 1}), {}, calls_of_a_full_machine());
  const std::size_t before = mapping_budget().left();
  const DomainId zero{0};
  const DomainId one{1};
  Distribution how;
  how.kind = Distribution::Kind::domain;
  how.domains = {&one, 1};
  EXPECT_EQ(manager.allocate({64 * page}, how, {.strict = true}).value(), nullptr);
  void* const lax = manager.allocate({64 * page}, how, {}).value();
  EXPECT_NE(lax, nullptr);
  EXPECT_TRUE(manager.free(lax).ok());
  how.domains = {&zero, 1};
  void* const strict = manager.allocate({64 * page}, how, {.strict = true}).value();
  ASSERT_NE(strict, nullptr);
  std::vector<unsigned char> there(64);
  EXPECT_EQ(mincore(strict, 64 * page, there.data()), 0);
  EXPECT_EQ(std::count_if(there.begin(), there.end(), [](unsigned char c) { return c & 1; }), 64);
  EXPECT_TRUE(manager.free(strict).ok());
  how.domains = {};
  how.kind = Distribution::Kind::cyclic;
  EXPECT_EQ(manager.allocate({64 * page}, how, {.strict = true}).value(), nullptr);
  fake.errors().bind = EPERM;
  EXPECT_EQ(manager.allocate({64 * page}, how, {.strict = true}).value(), nullptr);
  EXPECT_EQ(mapping_budget().left(), before);
}

TEST(ManagerHugePages, OnlyPagesThatTakeTurnsKeepThemAway) {
  FakeCalls fake;
  Manager manager(machine_of_nodes({0, 1}), {}, FakeCalls::calls());
  Distribution how;
  for (const auto kind :
       {Distribution::Kind::interleave, Distribution::Kind::blocked, Distribution::Kind::cyclic}) {
    how.kind = kind;
    how.block = {64 * page};
    const int before = fake.advised(MADV_NOHUGEPAGE);
    const Result<void*> memory = manager.allocate({1024 * page}, how, {});
    EXPECT_EQ(fake.advised(MADV_NOHUGEPAGE) - before,
              kind == Distribution::Kind::interleave ? 1 : 0);
    EXPECT_TRUE(manager.free(memory.value()).ok());
  }
}

TEST_F(ManagerTest, NoMemoryIsNull) {
  fake_.errors().map = ENOMEM;
  const Result<void*> memory = manager_.allocate({page}, {}, {});
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory.value(), nullptr);
  fake_.errors() = {};
  const Result<void*> endless = manager_.allocate({UINT64_MAX - 10}, {}, {});
  ASSERT_TRUE(endless.ok());
  EXPECT_EQ(endless.value(), nullptr);
}

TEST_F(ManagerTest, ResizingKeepsTheContents) {
  const Result<void*> memory = manager_.allocate({100}, {}, {});
  std::memset(memory.value(), 7, 100);
  const Result<void*> larger = manager_.resize(memory.value(), {3 * page}, {}, {});
  ASSERT_TRUE(larger.ok());
  EXPECT_EQ(static_cast<char*>(larger.value())[99], 7);
  EXPECT_EQ(static_cast<char*>(larger.value())[100], 0);
  EXPECT_EQ(manager_.size_of(larger.value()).count, 3 * page);
  EXPECT_TRUE(manager_.free(larger.value()).ok());
}

TEST_F(ManagerTest, HugePagesAreAligned) {
  const Result<void*> memory = manager_.allocate({page}, {}, {.huge = true});
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

TEST_F(ManagerTest, ATeamMayHaveThousandsOfMembers) {
  constexpr std::size_t members = 2080;  // the thesis' largest machine
  const std::vector<DomainId> team(members, DomainId{1});
  EXPECT_TRUE(manager_.attach_to_team(base, {members * page}, 7, team).ok());
  ASSERT_TRUE(
      manager_.attach_to_next_team(base + members * page, {members * page}, {page}, false).ok());
  told_.clear();
  manager_.team_starts(team);
  std::uint64_t bytes = 0;
  for (const auto& range : told_) bytes += range[1];
  EXPECT_EQ(bytes, members * page);
}

TEST_F(ManagerTest, MemoryAtAnOldAddressHasNoOldHome) {
  const TestArea area(16);
  ASSERT_TRUE(manager_.add(area.address(), area.length()).ok());
  NextTouchOptions options;
  options.chunk = {4 * page};
  ASSERT_TRUE(manager_.on_next_touch(area.address(), area.length(), options).ok());
  EXPECT_TRUE(area.intact());
  manager_.collect_touches();
  ASSERT_TRUE(manager_.remove(area.address()).ok());
  told_.clear();
  // Whoever is there now must not inherit the toucher.
  manager_.collect_touches();
  EXPECT_TRUE(told_.empty());
  EXPECT_EQ(manager_.homes_of(area.address(), area.length()).pages[0] +
                manager_.homes_of(area.address(), area.length()).pages[1] +
                manager_.homes_of(area.address(), area.length()).unknown +
                manager_.homes_of(area.address(), area.length()).absent,
            16U);
  EXPECT_TRUE(told_.empty());
}

TEST_F(ManagerTest, TouchesAreEnteredOnceAndCanBeOverruled) {
  const TestArea area(16);
  NextTouchOptions options;
  options.chunk = {4 * page};
  ASSERT_TRUE(manager_.on_next_touch(area.address(), area.length(), options).ok());
  *reinterpret_cast<volatile char*>(area.bytes()) = 1;  // the first chunk; the others stay marked
  // Who fetches for the toucher may note it a moment after the toucher goes on.
  while (told_.empty()) manager_.collect_touches();
  const std::size_t told = told_.size();
  EXPECT_EQ(told, 1U);
  const DomainId other{1};
  ASSERT_TRUE(manager_.attach(area.address(), {4 * page}, {}, other).ok());
  manager_.collect_touches();
  EXPECT_EQ(told_.size(), told + 1) << "only what was attached";
  std::array<DomainId, 4> homes;
  manager_.page_homes(area.address(), {4 * page}, homes);
  EXPECT_EQ(homes[0], other);
}

volatile std::sig_atomic_t g_forked = 0;
Manager* g_forking = nullptr;

// What pthread_atfork's handlers do when a handler of a signal forks.
void fork_in_handler(int) {
  g_forking->before_fork();
  g_forking->after_fork_in_parent();
  g_forked = g_forked + 1;
}

TEST_F(ManagerTest, AHandlerThatForksMeetsNoLockOfItsOwnThread) {
  g_forking = &manager_;
  g_forked = 0;
  struct sigaction action{};
  action.sa_handler = &fork_in_handler;
  struct sigaction before{};
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
  itimerval often{{0, 200}, {0, 200}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  // Ends: a deadlock would be seen as a test that hangs.
  while (g_forked < 200) {
    const Owner owner{Owner::Kind::thread, 1};
    EXPECT_TRUE(manager_.attach(base, {10 * page}, owner, DomainId{0}).ok());
    EXPECT_EQ(manager_.owned(owner).count, 10 * page);
  }
  often = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  sigaction(SIGALRM, &before, nullptr);
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
    const Result<void*> memory = manager_.allocate({16 * page}, {}, {});
    const auto address = reinterpret_cast<std::uintptr_t>(memory.value());
    std::memset(memory.value(), round, 16 * page);
    ASSERT_TRUE(manager_.on_next_touch(address, {16 * page}, {}).ok());
    ASSERT_TRUE(manager_.free(memory.value()).ok());
  }
}

TEST_F(ManagerTest, FreeingMarkedMemoryBringsNothingBack) {
  const Result<void*> memory = manager_.allocate({16 * page}, {}, {});
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
