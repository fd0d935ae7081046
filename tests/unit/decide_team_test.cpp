// What surrounds a policy, alone: an executor whose queues are lists of numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "decide/admit.hpp"
#include "decide/away.hpp"
#include "decide/find.hpp"
#include "decide/help.hpp"
#include "decide/place.hpp"
#include "decide/restraint.hpp"
#include "decide/thrift.hpp"
#include "decide/wake.hpp"
#include "policy_sample.hpp"

namespace lares::decide {
namespace {

using policy::AccessMode;
namespace sample = policy::sample;

constexpr std::uint64_t microsecond = 3000;  // in ticks

struct ToyAccess {
  int datum = 0;
  AccessMode mode = AccessMode::read_write;
};

struct ToyTask {
  int name = 0;
  std::int32_t priority = 0;
  std::vector<ToyAccess> accesses{};
  WorkerId creator{std::size_t{0}};
  DomainId home{};
  bool told = false;
  bool fresh = false;
  bool of_recursion = false;
  bool may_run_now = true;
};

/// Answers what a test has set, and counts how often it was asked.
struct ToyDistribution final : policy::Distribution {
  DomainId answer;
  int asked = 0;
  DomainId on_place(const policy::View& /*view*/,
                    const policy::Block& /*block*/) noexcept override {
    ++asked;
    return answer;
  }
};

/// A machine of domains with two cores each, and a worker for each core; 0 is the one that acts.
struct Toy {
  explicit Toy(std::size_t domains = 3, const char* push_name = "writer-domain",
               const char* steal_name = "nearest")
      : machine(sample::machine_of(std::vector<std::size_t>(domains, 2))),
        team(machine),
        queues(team.places.size()),
        push(sample::make_push(push_name)),
        steal(sample::make_steal(steal_name)),
        victims(steal->max_victims(team.places)) {}

  std::vector<int>& queue(PlaceId place) { return queues[place.index()]; }
  std::vector<int>& own() { return queue(team.of_worker(0)); }
  std::vector<int>& of_domain(std::size_t d) { return queue(team.of_domain(d)); }
  std::vector<int>& root() { return queue(team.places.root()); }

  machine::Machine machine;
  sample::Team team;
  std::vector<std::vector<int>> queues;  // by place, oldest first
  std::vector<int> urgent;
  std::unique_ptr<policy::Push> push;
  std::unique_ptr<policy::Steal> steal;
  std::vector<PlaceId> victims;
  ToyDistribution distribution;
  Thrift thrift{microsecond};
  Restraint restraint{0, 0};
  Away away[4];
  std::uint32_t away_at_once = 0;
  DomainId leaves_for;
  bool settles = false;
  bool goes_on = false;
  WorkerId held_by;
  std::uint64_t held_until = 0;
  std::map<int, policy::DataHome> homes;  // by datum
  std::map<int, WorkerId> rather_for;     // by task, in a shared queue
  std::vector<Offer<int>> offers;
  std::vector<DomainId> stolen;
  std::uint64_t now = 0;
  std::size_t deque_room = 4;
  bool wants_data = true;
  bool deviates = false;
  DomainId makers_home{};  // of the task that the worker runs
  DomainId free_there{};   // where somebody is free
  bool throttles = true;
  bool own_full = false;
  bool constrained = false;
  bool any_queued = true;
};

/// Worker 0 of it, as decide/ sees it.
class Acting {
 public:
  using Access = ToyAccess;
  using Found = std::optional<int>;
  struct MainHome {
    DomainId domain;
    CoreId last_core;
    Bytes bytes;
  };
  struct FoundHome {
    policy::DataHome home;
    CoreId last_core;
  };
  explicit Acting(Toy& toy) : toy_(&toy) {}

  const policy::Places& places() const { return toy_->team.places; }
  policy::View view() const { return toy_->team.view(0); }
  WorkerId self() const { return sample::worker(0); }
  PlaceId place() const { return toy_->team.of_worker(0); }
  DomainId domain() const { return sample::domain(0); }
  std::size_t workers() const { return places().worker_count(); }

  policy::Distribution& distribution() const { return toy_->distribution; }
  policy::Push& push() const { return *toy_->push; }
  bool wants_data() const { return toy_->wants_data; }
  bool keeps_dataless() const { return toy_->push->keeps_dataless_tasks(); }
  bool deals() const { return toy_->push->deals(); }
  bool may_deviate() const { return toy_->deviates; }
  const Thrift& thrift() const { return toy_->thrift; }
  bool has_data(const ToyTask& task) const { return !task.accesses.empty(); }
  std::span<const ToyAccess> accesses(const ToyTask& task) const { return task.accesses; }
  WorkerId creator(const ToyTask& task) const { return task.creator; }
  FoundHome find(const ToyAccess& access) const {
    policy::DataHome home = toy_->homes[access.datum];
    home.mode = access.mode;
    return {home, CoreId{}};
  }
  policy::Block block(const ToyAccess& /*access*/) const { return {}; }
  std::uint32_t name(const ToyAccess& access) const {
    return static_cast<std::uint32_t>(access.datum) * 64;
  }
  void assume(const ToyAccess& access, DomainId domain) const {
    toy_->homes[access.datum].home = domain;
    toy_->homes[access.datum].unplaced = false;
  }
  void found(ToyTask& task, const MainHome& main) const { task.home = main.domain; }
  DomainId home(const ToyTask& task) const { return task.home; }
  bool is_told(const ToyTask& task) const { return task.told; }
  bool is_new(const ToyTask& task) const { return task.fresh; }
  bool is_of_recursion(const ToyTask& task) const { return task.of_recursion; }
  DomainId home_of_maker() const { return toy_->makers_home; }
  bool is_anybody_free(DomainId domain) const { return domain == toy_->free_there; }
  std::int32_t priority(const ToyTask& task) const { return task.priority; }
  bool may_run_now(const ToyTask& task) const { return task.may_run_now; }
  bool throttles() const { return toy_->throttles; }
  bool is_own_queue_full() const { return toy_->own_full; }
  bool are_shared_queues_full() const { return decide::are_shared_queues_full(*this); }
  std::uint32_t own_length() const { return length(place()); }
  bool own_has(std::uint32_t count) const { return own_length() >= count; }
  std::uint32_t length(PlaceId place) const {
    return static_cast<std::uint32_t>(toy_->queue(place).size());
  }
  std::uint32_t prioritised() const { return static_cast<std::uint32_t>(toy_->urgent.size()); }
  bool push_own(const ToyTask& task) const {
    if (toy_->own().size() == toy_->deque_room) return false;
    toy_->own().push_back(task.name);
    return true;
  }
  void push_shared(PlaceId place, const ToyTask& task, WorkerId rather_for) const {
    toy_->queue(place).push_back(task.name);
    toy_->rather_for[task.name] = rather_for;
  }
  void push_prioritised(const ToyTask& task) const { toy_->urgent.push_back(task.name); }
  void offer(const ToyTask& task, DomainId domain, std::uint32_t queued, bool at_home) const {
    toy_->offers.push_back({domain, task.name, queued, at_home});
  }

  policy::Steal& steal() const { return *toy_->steal; }
  policy::Victims victims() const { return policy::Victims(toy_->victims); }
  bool any_queued() const { return toy_->any_queued; }
  bool is_pausing() const {
    return toy_->thrift.pauses([this] { return toy_->now; });
  }
  bool settles() const { return toy_->settles; }
  bool is_held(WorkerId worker) const {
    return toy_->held_by == worker && toy_->now < toy_->held_until;
  }
  bool may_leave_for(DomainId there) const {
    return may_leave(toy_->away[0], toy_->away[there.index()], toy_->away_at_once, microsecond);
  }
  void leaves_for(DomainId there) const { toy_->leaves_for = there; }
  bool may_wait(std::uint64_t tasks) const {
    return toy_->restraint.may_wait(tasks, [this] { return toy_->now; });
  }
  bool goes_on() const { return toy_->goes_on; }
  bool stays(bool settles) const {
    return toy_->restraint.stays([this] { return toy_->now; }, settles ? 1000 : 0);
  }
  bool has_stayed() const { return toy_->restraint.has_stayed(toy_->now); }
  bool constrained() const { return toy_->constrained; }
  Found take_prioritised(Look /*look*/) const { return oldest(toy_->urgent); }
  Found pop_own() const {
    if (toy_->own().empty()) return {};
    const int newest = toy_->own().back();
    toy_->own().pop_back();
    return newest;
  }
  Found take(PlaceId place, Look /*look*/) const { return oldest(toy_->queue(place)); }
  Found steal_from(WorkerId victim) const { return oldest(toy_->queue(places().of(victim))); }
  void stolen(DomainId domain) const { toy_->stolen.push_back(domain); }
  void offer_own() const {
    while (const Found task = pop_own()) toy_->of_domain(0).push_back(*task);
  }

 private:
  static Found oldest(std::vector<int>& queue) {
    if (queue.empty()) return {};
    const int task = queue.front();
    queue.erase(queue.begin());
    return task;
  }
  Toy* toy_;
};

std::vector<int> one(int task) { return {task}; }

ToyTask with_datum(int name, int datum, AccessMode mode = AccessMode::read_write) {
  return {.name = name, .accesses = {{datum, mode}}};
}

policy::DataHome at(std::size_t domain, std::uint64_t bytes = 4096) {
  return {.home = sample::domain(domain), .bytes = {bytes}, .mode = AccessMode::read_write};
}
const policy::DataHome nowhere{
    .home = {}, .bytes = {4096}, .mode = AccessMode::read_write, .unplaced = true};

// --- where a task goes

TEST(Placing, FollowsWhatIsWrittenAndTellsItsHome) {
  Toy toy;
  toy.homes = {{1, at(1, 6000)}, {2, at(2)}};
  ToyTask task{.name = 7, .accesses = {{1, AccessMode::read}, {2, AccessMode::write}}};
  EXPECT_TRUE(put(Acting(toy), task, true));
  EXPECT_EQ(toy.of_domain(2), one(7));
  EXPECT_EQ(task.home, sample::domain(2)) << "what is written weighs twice";
  ASSERT_EQ(toy.offers.size(), 1U);
  EXPECT_EQ(toy.offers[0].domain, sample::domain(2));
  EXPECT_EQ(toy.offers[0].queued, 1U);
  EXPECT_TRUE(toy.offers[0].at_home);
}

TEST(Placing, AsksTheDistributionOnceForWhatIsWrittenAndNowhereYet) {
  Toy toy;
  toy.distribution.answer = sample::domain(2);
  toy.homes = {{1, nowhere}, {2, nowhere}};
  ToyTask reads = with_datum(1, 1, AccessMode::read);
  put(Acting(toy), reads, true);
  EXPECT_EQ(toy.distribution.asked, 0);
  for (int i = 0; i < 2; ++i) {
    ToyTask writes = with_datum(2, 2);
    put(Acting(toy), writes, true);
  }
  EXPECT_EQ(toy.distribution.asked, 1);
  EXPECT_EQ(toy.of_domain(2), (std::vector<int>{2, 2}));
}

TEST(Placing, TakesATaskToWhereItsDataWasDealtWhateverThePush) {
  Toy toy(3, "local");
  toy.distribution.answer = sample::domain(1);
  toy.homes = {{1, nowhere}, {2, at(2)}};
  ToyTask dealt = with_datum(1, 1);
  put(Acting(toy), dealt, true);
  EXPECT_EQ(toy.of_domain(1), one(1));
  ToyTask placed = with_datum(2, 2);
  put(Acting(toy), placed, true);
  EXPECT_EQ(toy.own(), one(2));
}

TEST(Placing, DealsWhatUsesDataFromAfarByThatDatum) {
  Toy toy(3, "writer-domain-dealt");
  std::map<int, WorkerId> by_datum;
  for (int datum = 10; datum < 20; ++datum) toy.homes[datum] = at(2);
  toy.homes[1] = at(0);
  toy.homes[2] = at(0);
  for (const int written : {1, 2}) {
    for (int datum = 10; datum < 20; ++datum) {
      ToyTask task{.name = 100 * written + datum,
                   .accesses = {{datum, AccessMode::read}, {written, AccessMode::write}}};
      EXPECT_TRUE(put(Acting(toy), task, true));
      const WorkerId chosen = toy.rather_for.at(task.name);
      ASSERT_TRUE(chosen == sample::worker(0) || chosen == sample::worker(1));
      if (written == 1) by_datum[datum] = chosen;
      EXPECT_EQ(chosen, by_datum[datum]);
    }
  }
  EXPECT_EQ(toy.of_domain(0).size(), 20U);
  ToyTask near = with_datum(3, 1);
  EXPECT_TRUE(put(Acting(toy), near, true));
  EXPECT_EQ(toy.own(), one(3));
}

TEST(Placing, DealsNothingUnderAPushThatDoesNot) {
  Toy toy;
  toy.homes = {{1, at(0)}, {2, at(1)}};
  ToyTask task{.name = 7, .accesses = {{2, AccessMode::read}, {1, AccessMode::write}}};
  EXPECT_TRUE(put(Acting(toy), task, true));
  EXPECT_FALSE(toy.rather_for.at(7).valid());
}

TEST(Placing, DoesNotAskWhereDataIsIfThatMakesNoDifference) {
  Toy toy;
  toy.wants_data = false;
  toy.distribution.answer = sample::domain(1);
  toy.homes = {{1, nowhere}};
  ToyTask task = with_datum(1, 1);
  put(Acting(toy), task, true);
  EXPECT_EQ(toy.distribution.asked, 0);
}

TEST(Placing, LetsTheCreatorRunWhatAFullQueueNeedNotTake) {
  Toy toy(3, "local");
  ToyTask task{.name = 1};
  toy.own_full = true;
  EXPECT_FALSE(put(Acting(toy), task, true));
  EXPECT_TRUE(put(Acting(toy), task, false)) << "a released task has no creator at hand";
  task.may_run_now = false;
  EXPECT_TRUE(put(Acting(toy), task, true));
  EXPECT_EQ(toy.own(), (std::vector<int>{1, 1}));
}

TEST(Placing, FillsTheDomainsQueueWhenTheDequeHasNoRoom) {
  Toy toy(3, "local");
  for (int name = 0; name < 5; ++name) {
    ToyTask task{.name = name};
    put(Acting(toy), task, true);
  }
  EXPECT_EQ(toy.own().size(), 4U);
  EXPECT_EQ(toy.of_domain(0), one(4));
}

TEST(Placing, ThrottlesASharedQueueThatIsFull) {
  Toy toy;
  toy.homes = {{1, at(1)}};
  toy.of_domain(1).assign(limits::shared_queue, 0);
  ToyTask task = with_datum(1, 1);
  EXPECT_FALSE(put(Acting(toy), task, true));
  toy.throttles = false;
  EXPECT_TRUE(put(Acting(toy), task, true));
}

TEST(Placing, PrioritiesHaveAQueueOfTheirOwn) {
  Toy toy;
  toy.homes = {{1, at(1)}};
  ToyTask task = with_datum(1, 1);
  task.priority = 1;
  EXPECT_TRUE(put(Acting(toy), task, true));
  EXPECT_EQ(toy.urgent, one(1));
  EXPECT_EQ(toy.offers[0].domain, sample::domain(0));
  toy.urgent.assign(limits::shared_queue, 0);
  EXPECT_FALSE(put(Acting(toy), task, true));
}

// Tasks that take no time, as many as are sampled.
void run_tiny_tasks(Thrift& thrift) {
  for (int i = 0; i < 64; ++i) thrift.ran(false, 0, 0);
}

TEST(Placing, OnlyAutoKeepsTinyTasksWithTheirCreator) {
  Toy toy;
  toy.homes = {{1, at(1)}};
  run_tiny_tasks(toy.thrift);
  ToyTask task = with_datum(1, 1);
  put(Acting(toy), task, true);
  EXPECT_EQ(toy.of_domain(1), one(1));
  toy.deviates = true;
  put(Acting(toy), task, true);
  EXPECT_EQ(toy.own(), one(1));
}

// The worker is one of domain 0 that runs a branch of domain 1.
struct AwayWithABranch : Toy {
  AwayWithABranch() {
    deviates = true;
    makers_home = sample::domain(1);
  }
};
ToyTask part_of_branch(std::size_t home) {
  return {.name = 1, .home = sample::domain(home), .of_recursion = true};
}

TEST(Placing, PartsOfABranchThatWasTakenAwayStay) {
  AwayWithABranch toy;
  ToyTask task = part_of_branch(1);
  put(Acting(toy), task, true);
  EXPECT_EQ(toy.own(), one(1));
}

TEST(Placing, PartsOfABranchGoToThoseAtHomeWhoAreFree) {
  AwayWithABranch toy;
  toy.free_there = sample::domain(1);
  ToyTask task = part_of_branch(1);
  EXPECT_FALSE(stays_away(Acting(toy), task));
  task.home = sample::domain(2);
  EXPECT_TRUE(stays_away(Acting(toy), task)) << "nobody is free there";
}

TEST(Placing, WhatABranchMakesAtHomeGoesHome) {
  AwayWithABranch toy;
  ToyTask task = part_of_branch(2);
  EXPECT_TRUE(stays_away(Acting(toy), task));
  toy.makers_home = sample::domain(0);
  EXPECT_FALSE(stays_away(Acting(toy), task));
  toy.makers_home = {};
  EXPECT_FALSE(stays_away(Acting(toy), task)) << "no branch";
}

TEST(Placing, NothingElseStaysAway) {
  AwayWithABranch toy;
  ToyTask task = part_of_branch(1);
  task.of_recursion = false;
  EXPECT_FALSE(stays_away(Acting(toy), task));
  EXPECT_FALSE(stays_away(Acting(toy), part_of_branch(0))) << "it is at home here";
}

TEST(Placing, ANamedPolicySendsThemHome) {
  AwayWithABranch toy;
  toy.deviates = false;
  toy.homes = {{1, at(1)}};
  ToyTask task = with_datum(1, 1);
  task.of_recursion = true;
  put(Acting(toy), task, true);
  EXPECT_EQ(toy.of_domain(1), one(1));
}

TEST(Placing, AThiefSendsHomeWhatWasNotWorthFetching) {
  Toy toy;
  toy.deviates = true;
  toy.homes = {{1, at(1)}};
  toy.thrift.ran(true, 0, 0);
  ToyTask task = with_datum(1, 1);
  task.creator = sample::worker(4);  // of domain 2
  put(Acting(toy), task, true);
  EXPECT_EQ(toy.of_domain(2), one(1));
}

// --- now or later

TEST(Admission, ALoneWorkerNeedNotQueueAnything) {
  EXPECT_TRUE(runs_in_order(1, false));
  EXPECT_FALSE(runs_in_order(1, true));
  EXPECT_FALSE(runs_in_order(2, false));
}

TEST(Admission, EnoughIsQueuedWhenTheQueuesThatFeedOthersAreFull) {
  Toy keeps(3, "local");
  EXPECT_FALSE(is_enough_queued(Acting(keeps)));
  keeps.own_full = true;
  EXPECT_TRUE(is_enough_queued(Acting(keeps)));
  Toy sends(3, "root");
  sends.own_full = true;
  const std::uint32_t enough = limits::shared_feed_per_worker * 6;
  sends.root().assign(enough - 1, 0);
  EXPECT_FALSE(is_enough_queued(Acting(sends)));
  sends.of_domain(0).push_back(0);
  EXPECT_TRUE(is_enough_queued(Acting(sends)));
  sends.throttles = false;
  EXPECT_FALSE(is_enough_queued(Acting(sends)));
}

// --- what a creator does before it makes the next

struct Producer {
  std::int32_t unfinished = 0;
  std::deque<int> own{};
  std::deque<int> elsewhere{};
  bool others_are_busy = true;
  WaitBudget budget{};
  Nanoseconds now{};
};

class Creating {
 public:
  using Found = std::optional<int>;
  explicit Creating(Producer& producer) : producer_(&producer) {}
  std::size_t workers() const { return 2; }
  std::int32_t unfinished() const { return producer_->unfinished; }
  WaitBudget& budget() const { return producer_->budget; }
  Found take_own() const { return first(producer_->own); }
  Found find_work() const { return first(producer_->elsewhere); }
  bool others_are_busy() const { return producer_->others_are_busy; }
  Nanoseconds now() const { return producer_->now; }

 private:
  static Found first(std::deque<int>& queue) {
    if (queue.empty()) return {};
    const int task = queue.front();
    queue.pop_front();
    return task;
  }
  Producer* producer_;
};

using Step = Help::Step;
constexpr auto window = static_cast<std::int32_t>(2 * limits::window_per_worker);

TEST(Helping, RunsOneOfItsOwnBeyondTheWindow) {
  Producer producer{.unfinished = window, .own = {1, 2}, .elsewhere = {3}};
  std::optional<int> found;
  EXPECT_EQ(Help().next(Creating(producer), found), Step::create);
  producer.unfinished = window + 1;
  Help help;
  EXPECT_EQ(help.next(Creating(producer), found), Step::run);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(help.next(Creating(producer), found), Step::create) << "one for each that it makes";
}

TEST(Helping, RunsAnyBeyondTheBoundUntilThereAreFewer) {
  Producer producer{.unfinished = limits::waiting_children + 1, .own = {1}, .elsewhere = {2, 3}};
  Help help;
  for (const int task : {1, 2, 3}) {
    std::optional<int> found;
    EXPECT_EQ(help.next(Creating(producer), found), Step::run);
    EXPECT_EQ(found, task);
  }
  std::optional<int> found;
  EXPECT_EQ(help.next(Creating(producer), found), Step::look);
  producer.unfinished = limits::waiting_children;
  EXPECT_EQ(help.next(Creating(producer), found), Step::create);
}

Step after_looks(Help& help, Producer& producer) {
  Step step = Step::look;
  for (int i = 0; i < 100 && step == Step::look; ++i) {
    std::optional<int> found;
    step = help.next(Creating(producer), found);
  }
  return step;
}

TEST(Helping, WaitsForOthersOnlyWhileTheyRunTasksAndNotForEver) {
  Producer producer{.unfinished = limits::waiting_children + 1};
  Help soon;
  EXPECT_EQ(after_looks(soon, producer), Step::create) << "a few too many are no reason to wait";
  producer.unfinished = 2 * limits::waiting_children;
  Help waits;
  EXPECT_EQ(after_looks(waits, producer), Step::pause);
  producer.now = limits::wait_beyond;
  EXPECT_EQ(after_looks(waits, producer), Step::create);
  producer.others_are_busy = false;
  Help alone;
  EXPECT_EQ(after_looks(alone, producer), Step::create);
}

// What the others run may wait for the creator itself, and so for ever.
TEST(Helping, GivesUpWaitingWhereItNeverHelps) {
  Producer producer{.unfinished = 3 * limits::waiting_children};
  const auto wait = [&producer] {
    const Nanoseconds begin = producer.now;
    Help help;
    while (after_looks(help, producer) == Step::pause) {
      producer.now = producer.now + limits::pause_beyond;
    }
    return Nanoseconds{producer.now.count - begin.count};
  };
  for (int task = 0; task < 1000; ++task) wait();
  EXPECT_LE(producer.now, limits::wait_in_vain + Nanoseconds{1000 * limits::pause_beyond.count});
  EXPECT_EQ(wait(), Nanoseconds{});
  std::optional<int> found;
  producer.elsewhere = {1};
  Help helped;
  EXPECT_EQ(helped.next(Creating(producer), found), Step::run);
  EXPECT_GT(wait(), Nanoseconds{}) << "it helped: waiting makes sense again";
}

// --- where it is found

TEST(Finding, LooksAtWhatIsUrgentThenItsOwnNewestThenElsewhere) {
  Toy toy;
  toy.urgent = {1};
  toy.own() = {2, 3};
  toy.of_domain(0) = {4};
  toy.of_domain(1) = {5};
  std::vector<int> order;
  while (const auto task = find_work(Acting(toy))) order.push_back(*task);
  EXPECT_EQ(order, (std::vector<int>{1, 3, 2, 4, 5}));
  EXPECT_EQ(toy.stolen, std::vector<DomainId>{sample::domain(1)});
}

TEST(Finding, StealsTheOldestOfADeque) {
  Toy toy(3, "local", "random");
  toy.queue(toy.team.of_worker(5)) = {1, 2};
  EXPECT_EQ(find_work(Acting(toy)), 1);
  EXPECT_EQ(toy.stolen, std::vector<DomainId>{sample::domain(2)});
}

TEST(Finding, TakesFromTheSharedQueuesWhateverTheStealSays) {
  Toy toy(3, "local", "cores-only");
  toy.root() = {1};
  toy.of_domain(0) = {1};
  toy.of_domain(1) = {2};
  EXPECT_EQ(find_work(Acting(toy)), 1);
  EXPECT_EQ(find_work(Acting(toy)), 1);
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
}

TEST(Finding, LooksNowhereElseIfNothingWasQueuedSinceTheBarrier) {
  Toy toy;
  toy.any_queued = false;
  toy.of_domain(0) = {1};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
}

TEST(Finding, AThiefThatPausesStaysNear) {
  Toy toy;
  toy.thrift.ran(true, 0, 0);
  toy.of_domain(1) = {1};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.of_domain(0) = {2};
  EXPECT_EQ(find_work(Acting(toy)), 2);
  toy.now = microsecond;
  EXPECT_EQ(find_work(Acting(toy)), 1);
}

TEST(Finding, APatientThiefLeavesOtherDomainsAloneForAWhile) {
  Toy toy;
  toy.now = 7;
  toy.restraint = Restraint(2, 2);
  toy.restraint.works(true);
  toy.of_domain(1) = {1};
  toy.queue(toy.team.of_worker(5)) = {2};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.of_domain(0) = {4};
  EXPECT_EQ(find_work(Acting(toy)), 4);
  toy.queue(toy.team.of_worker(1)) = {3};
  EXPECT_EQ(find_work(Acting(toy)), 3) << "of its own domain";
  toy.now += 199;
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.now += 1;
  EXPECT_EQ(find_work(Acting(toy)), 1);
}

TEST(Finding, WhileATaskloopIsNewWhatIsAtHomeInAnotherDomainIsLeftAloneForAWhile) {
  Toy toy;
  toy.settles = true;
  toy.now = 7;
  toy.of_domain(1) = {1};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.queue(toy.team.of_worker(1)) = {3};
  EXPECT_EQ(find_work(Acting(toy)), 3) << "of its own domain";
  toy.now += 999;
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.settles = false;
  EXPECT_TRUE(find_work(Acting(toy)).has_value());
}

TEST(Finding, WhatTasksMakeMeanwhileIsLeftAloneForAMomentOnly) {
  Toy toy;
  toy.settles = true;
  toy.now = 7;
  toy.restraint = Restraint(2, 1);
  toy.restraint.works(true);
  EXPECT_TRUE(toy.restraint.times());
  toy.restraint.ran(40);
  toy.of_domain(1) = {1};
  toy.queue(toy.team.of_worker(5)) = {2};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.now += 79;
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.now += 1;
  EXPECT_EQ(find_work(Acting(toy)), 2) << "in a deque, and not in a domain's queue";
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
}

TEST(Finding, LongTasksMakeThatMomentNoLonger) {
  Toy toy;
  toy.settles = true;
  toy.restraint = Restraint(2, 1);
  toy.restraint.works(true);
  EXPECT_TRUE(toy.restraint.times());
  toy.restraint.ran(10'000);
  toy.queue(toy.team.of_worker(5)) = {2};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.now += 100;
  EXPECT_EQ(find_work(Acting(toy)), 2);
}

/// A worker whose own domain has had nothing so far, while a creator goes on.
struct BesideACreator : Toy {
  explicit BesideACreator(std::uint32_t patience) {
    goes_on = true;
    now = 7;
    restraint = Restraint(patience, 1);
  }
};

TEST(Finding, ShortQueuesAreLeftToTheirDomainsWhileTheCreatorGoesOn) {
  BesideACreator toy(0);
  const std::size_t left = 2 * limits::left_at_home;  // by two workers
  toy.of_domain(1).assign(left, 1);
  EXPECT_EQ(find_work(Acting(toy)), 1) << "its own domain has had nothing so far";
  toy.restraint.works(true);
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.queue(toy.team.of_worker(5)) = {2};
  EXPECT_EQ(find_work(Acting(toy)), 2) << "what a worker has made is for all";
  toy.of_domain(1).assign(left + 1, 3);
  EXPECT_EQ(find_work(Acting(toy)), 3) << "more than they will soon have run";
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.constrained = true;
  EXPECT_EQ(find_work(Acting(toy)), 3) << "it may wait for this one";
  toy.constrained = false;
  toy.goes_on = false;
  EXPECT_EQ(find_work(Acting(toy)), 3);
}

TEST(Finding, ShortQueuesAreNotLeftForLongerThanTheirTasksShouldTake) {
  BesideACreator toy(2);
  toy.restraint.works(true);
  EXPECT_TRUE(toy.restraint.times());
  toy.restraint.ran(100);
  toy.of_domain(1) = {1, 2, 3};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.now += limits::left_at_home * 100 - 1;
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.now += 1;
  EXPECT_EQ(find_work(Acting(toy)), 1);
  toy.restraint.works(false);
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt) << "it has worked since";
}

TEST(Finding, WhatIsAtHomeElsewhereIsLeftAloneWhileEnoughAreAway) {
  Toy toy;
  toy.away_at_once = 1;
  toy.of_domain(1) = {1, 2};
  EXPECT_EQ(find_work(Acting(toy)), 1);
  EXPECT_EQ(toy.leaves_for, sample::domain(1));
  toy.away[0].goes();
  toy.leaves_for = {};
  toy.queue(toy.team.of_worker(5)) = {3};
  EXPECT_EQ(find_work(Acting(toy)), 3) << "what a worker has made is for all";
  EXPECT_FALSE(toy.leaves_for.valid());
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.of_domain(0) = {4};
  EXPECT_EQ(find_work(Acting(toy)), 4);
  EXPECT_FALSE(toy.leaves_for.valid()) << "of its own domain";
  toy.away[1].ran_at_home(10'000 * microsecond, Bytes{8192});
  EXPECT_EQ(find_work(Acting(toy)), 2) << "that domain's tasks compute";
}

TEST(Placing, OfWhatACreatorMakesAtHomeAllButAFewAreForItsDomain) {
  const auto places = [](Toy& toy) {
    toy.deque_room = 1000;
    toy.homes = {{1, at(0)}};
    for (int i = 0; i < 20; ++i) {
      ToyTask task = with_datum(i, 1);
      EXPECT_TRUE(put(Acting(toy), task, true));
    }
    return toy.of_domain(0).size();
  };
  Toy toy(3, "writer-domain-or-local");
  toy.deviates = true;
  EXPECT_EQ(places(toy), 20 - limits::own_at_home);
  EXPECT_EQ(toy.own().size(), limits::own_at_home);
  Toy two(2, "writer-domain-or-local");
  two.deviates = true;
  EXPECT_EQ(places(two), 0U) << "with two domains these are half of all tasks";
  Toy named(3, "writer-domain-or-local");
  EXPECT_EQ(places(named), 0U) << "a policy that was named is followed to the letter";
}

TEST(Placing, WhatACreatorReleasesOfOthersStaysInItsDeque) {
  Toy toy(3, "writer-domain-or-local");
  toy.deviates = true;
  toy.deque_room = 1000;
  toy.homes = {{1, at(0)}};
  for (int i = 0; i < 20; ++i) {
    ToyTask task = with_datum(i, 1);
    task.creator = WorkerId{1};
    EXPECT_TRUE(put(Acting(toy), task, false));
  }
  EXPECT_EQ(toy.own().size(), 20U);
}

TEST(Placing, ItsDomainsQueueAlsoHasAnEnd) {
  Toy toy(3, "writer-domain-or-local");
  toy.deviates = true;
  toy.deque_room = 1000;
  toy.own().assign(limits::own_at_home, 0);
  toy.of_domain(0).assign(limits::shared_queue, 0);
  toy.homes = {{1, at(0)}};
  ToyTask task = with_datum(1, 1);
  EXPECT_FALSE(put(Acting(toy), task, true));
  EXPECT_TRUE(put(Acting(toy), task, false));
}

TEST(Placing, WhatIsNewLiesInItsDomainsQueue) {
  for (const bool fresh : {false, true}) {
    Toy toy(3, "writer-domain-or-local");
    ToyTask task;
    task.home = toy.team.places.domain_of(WorkerId{0});
    task.fresh = fresh;
    EXPECT_TRUE(put(Acting(toy), task, false));
    EXPECT_EQ(toy.own().size(), fresh ? 0U : 1U);
    EXPECT_EQ(toy.of_domain(0).size(), fresh ? 1U : 0U);
  }
}

TEST(Finding, WhatACreatorHoldsIsLeftAloneForAWhileInItsOwnDomainToo) {
  Toy toy;
  toy.now = 7;
  toy.held_by = WorkerId{1};
  toy.held_until = 8;
  toy.queue(toy.team.of_worker(1)) = {3};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  toy.now = 8;
  EXPECT_EQ(find_work(Acting(toy)), 3);
}

TEST(Finding, ALongWaitLooksEverywhereAndGivesAwayWhatItHas) {
  Toy toy(3, "local", "domains-only");
  toy.queue(toy.team.of_worker(5)) = {1};
  EXPECT_EQ(find_work(Acting(toy)), std::nullopt);
  EXPECT_EQ(find_anywhere(Acting(toy)), 1);
  toy.own() = {2, 3};
  toy.constrained = true;
  EXPECT_EQ(find_anywhere(Acting(toy)), 3);
  EXPECT_EQ(toy.of_domain(0), one(2));
  EXPECT_TRUE(toy.own().empty());
}

// --- who is woken

/// Who sleeps.
struct Room {
  std::size_t cores = 6;
  std::vector<std::uint32_t> sleepers;  // by domain
  std::vector<std::uint32_t> lookers;   // by domain
  std::int32_t coming = 0;
  std::vector<bool> fed{true, true, true};  // by domain
  std::vector<std::size_t> woken{};         // their domains
};

/// A team of them, as decide/ sees it.
class Bedroom {
 public:
  Bedroom(const sample::Team& team, Room& room) : team_(&team), room_(&room) {}
  const policy::Places& places() const { return team_->places; }
  std::size_t workers() const { return places().worker_count(); }
  std::size_t cores() const { return room_->cores; }
  std::uint32_t asleep() const {
    std::uint32_t all = 0;
    for (const std::uint32_t here : room_->sleepers) all += here;
    return all;
  }
  std::int32_t on_their_way() const { return room_->coming; }
  std::uint32_t looking(DomainId domain) const { return room_->lookers[domain.index()]; }
  bool is_fed(DomainId domain) const { return room_->fed[domain.index()]; }
  std::uint32_t length(PlaceId place) const { return team_->lengths.length(place); }
  std::uint32_t prioritised() const { return 0; }
  int any_task() const { return -1; }
  bool wake_one_of(DomainId domain, int /*task*/) const {
    if (room_->sleepers[domain.index()] == 0) return false;
    --room_->sleepers[domain.index()];
    ++room_->coming;
    room_->woken.push_back(domain.index());
    return true;
  }

 private:
  const sample::Team* team_;
  Room* room_;
};

struct Waking : testing::Test {
  sample::Team team{sample::machine_of({2, 2, 2})};
  Room room{.sleepers = {2, 2, 1}, .lookers = {0, 0, 0}};

  std::vector<std::size_t> woken_for(std::size_t domain, std::uint32_t queued, bool at_home) {
    room.woken.clear();
    wake_for(Bedroom(team, room), Offer<int>{sample::domain(domain), 1, queued, at_home});
    return room.woken;
  }
  std::vector<std::size_t> passed_on_by(std::size_t domain) {
    room.woken.clear();
    room.coming = 0;
    pass_on(Bedroom(team, room), sample::domain(domain));
    return room.woken;
  }
  void queue_at(PlaceId place) { team.lengths.values[place.index()] = 1; }
};

TEST_F(Waking, WakesOneOfTheTasksOwnDomain) {
  EXPECT_EQ(woken_for(1, 1, true), std::vector<std::size_t>{1});
}

TEST_F(Waking, WakesNobodyWhileEnoughAreOnTheirWay) {
  room.coming = 1;
  EXPECT_TRUE(woken_for(1, 1, true).empty());
  EXPECT_EQ(woken_for(1, 2, true).size(), 1U);
}

TEST_F(Waking, WakesNobodyWhileAsManyLookAsTasksLieThere) {
  room.lookers[1] = 1;
  EXPECT_TRUE(woken_for(1, 1, true).empty());
  EXPECT_EQ(woken_for(1, 2, true).size(), 1U);
}

TEST_F(Waking, WakesNobodyWhoWouldOnlyTakeTurns) {
  room.cores = 1;
  EXPECT_TRUE(woken_for(1, 1, true).empty());
}

TEST_F(Waking, LeavesTasksAtHomeToTheirDomainUntilItHasMoreThanItCanTake) {
  room.sleepers = {0, 2, 2};
  EXPECT_TRUE(woken_for(0, 2, true).empty());
  EXPECT_EQ(woken_for(0, 3, true), std::vector<std::size_t>{1});
  room.coming = 0;
  EXPECT_EQ(woken_for(0, 1, false), std::vector<std::size_t>{1});
}

TEST_F(Waking, SparesNoDomainThatHasNothingOfItsOwn) {
  room.sleepers = {0, 2, 2};
  room.fed = {true, true, false};
  EXPECT_EQ(woken_for(0, 1, true), std::vector<std::size_t>{2});
  room.coming = 0;
  EXPECT_EQ(woken_for(0, 3, true), std::vector<std::size_t>{1}) << "more than it can take next";
}

TEST_F(Waking, PassesTheWordToWhereTasksLieNearestFirst) {
  EXPECT_TRUE(passed_on_by(0).empty());
  queue_at(team.of_worker(4));  // of domain 2
  EXPECT_EQ(passed_on_by(0), std::vector<std::size_t>{2});
  queue_at(team.of_domain(0));
  EXPECT_EQ(passed_on_by(0), std::vector<std::size_t>{0});
}

// --- thrift

class Restrained : public testing::Test {
 protected:
  bool stays(std::uint64_t now) {
    return restraint_.stays([now] { return now; });
  }
  void SetUp() override { restraint_.works(true); }
  /// For how long it stays from now on; it then takes what lies afar.
  std::uint64_t wait_in_vain() {
    const std::uint64_t begin = now_;
    while (stays(now_)) ++now_;
    restraint_.works(false);
    return now_ - begin;
  }
  std::uint64_t now_ = 1000;
  Restraint restraint_{2, 1};
};

TEST(Restraint, TellsWhenItsWorkerFirstRunsATaskAtHome) {
  Restraint restraint{0, 1};
  EXPECT_FALSE(restraint.works(false));
  EXPECT_TRUE(restraint.works(true));
  EXPECT_FALSE(restraint.works(true));
}

TEST_F(Restrained, StaysForSoManyOfItsTasks) {
  EXPECT_EQ(wait_in_vain(), 100U) << "before it knows any";
  EXPECT_TRUE(restraint_.times());
  restraint_.ran(80);
  EXPECT_EQ(wait_in_vain(), 160U);
  for (int i = 0; i < 40; ++i) restraint_.ran(20);
  EXPECT_NEAR(static_cast<double>(wait_in_vain()), 40, 8);
}

TEST_F(Restrained, IsMorePatientWhereTheWorkDeservesIt) {
  restraint_ = Restraint(0, 50);
  const auto stays_at = [this](std::uint64_t now) {
    return restraint_.stays([now] { return now; }, 1000);
  };
  EXPECT_TRUE(stays_at(5000));
  EXPECT_TRUE(stays_at(5999));
  EXPECT_EQ(restraint_.left(5999), 1U);
  EXPECT_FALSE(stays_at(6000));
  EXPECT_FALSE(stays(5999)) << "that work is over";
}

TEST_F(Restrained, NeverWaitsIfItIsNotToBe) {
  restraint_ = Restraint(0, 50);
  EXPECT_FALSE(stays(0));
  EXPECT_FALSE(restraint_.times());
  EXPECT_EQ(restraint_.left(0), 0U);
}

TEST_F(Restrained, WaitsForNothingBeforeATaskWasAtHome) {
  restraint_ = Restraint(2, 1);
  EXPECT_FALSE(stays(now_));
  EXPECT_FALSE(restraint_.times());
  restraint_.works(false);
  EXPECT_FALSE(stays(now_));
  restraint_.works(true);
  EXPECT_TRUE(stays(now_));
}

TEST_F(Restrained, WaitsForGuessesOnlyWhereTheWorkDeservesIt) {
  restraint_ = Restraint(2, 1);
  restraint_.works(true, false);
  EXPECT_FALSE(stays(now_)) << "for the sake of its policy";
  EXPECT_TRUE(restraint_.stays([this] { return now_; }, 10));
  EXPECT_EQ(restraint_.left(now_), 80U) << "eight times as long";
  restraint_.works(true, true);
  EXPECT_TRUE(stays(now_));
}

TEST_F(Restrained, WaitsForNothingThatIsOverWithinAMicrosecond) {
  restraint_ = Restraint(2, 50);
  restraint_.works(true);
  EXPECT_TRUE(restraint_.times());
  restraint_.ran(49);
  EXPECT_FALSE(stays(now_));
  restraint_.ran(1000);
  EXPECT_TRUE(stays(now_));
}

TEST_F(Restrained, TimesFewTasksOnceItKnowsThem) {
  int timed = 0;
  for (int i = 0; i < 3200; ++i) timed += restraint_.times() ? 1 : 0;
  EXPECT_GE(timed, 100);
  EXPECT_LE(timed, 106);
}

// Its own domain has no data any more: what is lost by waiting stays small however long it lasts.
TEST_F(Restrained, GivesUpWhereItIsAlwaysInVain) {
  std::uint64_t lost = 0;
  for (int i = 0; i < 1000; ++i) lost += wait_in_vain();
  EXPECT_LE(lost, 20 * 50U);
}

TEST_F(Restrained, IsItselfAgainOnceItWasRewarded) {
  for (int i = 0; i < 1000; ++i) wait_in_vain();
  restraint_.ran(5000);
  EXPECT_TRUE(stays(now_));
  EXPECT_GT(restraint_.left(now_), 0U);
  restraint_.works(true);  // its own domain had something before the wait was over
  EXPECT_EQ(restraint_.left(now_), 0U);
  EXPECT_EQ(wait_in_vain(), 10'000U);
}

TEST(Thrifty, PausesLongerEachTimeUntilAFetchIsWorthIt) {
  Thrift thrift(microsecond);
  const auto pauses_at = [&](std::uint64_t now) { return thrift.pauses([now] { return now; }); };
  EXPECT_FALSE(pauses_at(0));
  thrift.ran(true, 0, 0);
  EXPECT_TRUE(pauses_at(microsecond / 4));
  EXPECT_FALSE(pauses_at(microsecond / 2));
  for (int i = 0; i < 10; ++i) thrift.ran(true, 0, 0);
  EXPECT_TRUE(pauses_at(5 * microsecond));
  EXPECT_FALSE(pauses_at(6 * microsecond)) << "bounded";
  thrift.ran(true, microsecond, 0);
  EXPECT_FALSE(thrift.is_learning());
}

TEST(Thrifty, ForgetsWhenAsked) {
  Thrift thrift(microsecond);
  thrift.ran(true, 0, 0);
  EXPECT_TRUE(thrift.is_learning());
  thrift.forget();
  EXPECT_FALSE(thrift.is_learning());
}

TEST(Thrifty, KnowsTinyTasksByTheirMean) {
  Thrift thrift(microsecond);
  EXPECT_FALSE(thrift.tasks_are_tiny()) << "not before it has seen some";
  run_tiny_tasks(thrift);
  EXPECT_TRUE(thrift.tasks_are_tiny());
  thrift.ran(false, 1000 * microsecond, 0);
  EXPECT_FALSE(thrift.tasks_are_tiny());
  for (int i = 0; i < 32; ++i) thrift.ran(false, 0, 0);
  EXPECT_TRUE(thrift.tasks_are_tiny()) << "one long task is no habit";
}

TEST(OwnQueueLimits, TinyTasksNeedHalfTheReserve) {
  const OwnQueueLimits usual = own_queue_limits(4, true, false);
  const OwnQueueLimits tiny = own_queue_limits(4, true, true);
  EXPECT_EQ(own_queue_limit(usual, 1), 2 * own_queue_limit(tiny, 1));
  EXPECT_EQ(own_queue_limit(usual, 2), own_queue_limit(tiny, 2)) << "deep, it is short anyway";
  EXPECT_EQ(own_queue_limits(4, false, true), own_queue_limits(4, false, false));
}

TEST(Thrifty, TimesWhatIsFetchedAndOneInSomeOfItsOwn) {
  Thrift thrift(microsecond);
  int timed = 0;
  for (int i = 0; i < 320; ++i) timed += thrift.times(false) ? 1 : 0;
  EXPECT_EQ(timed, 10);
  EXPECT_TRUE(thrift.times(true));
}

}  // namespace
}  // namespace lares::decide
