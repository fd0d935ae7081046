// The engine's waiting, waking and ending under all schedules of a few delays (support/model.hpp).
#include <gtest/gtest.h>

#include <string>

#include "support/model.hpp"

namespace lares::runtime::model {
namespace {

std::string unless(bool well, const char* complaint) { return well ? "" : complaint; }

// Runs every schedule of at most `delays` delays: nothing may be lost.
void all_end(const Scenario& scenario, std::size_t delays) {
  const Explored explored = explore(scenario, delays);
  EXPECT_TRUE(explored.complaint.empty())
      << explored.complaint << "\nafter the delays " << written(explored.schedule);
}

void all_end_randomly(const Scenario& scenario, std::uint64_t runs) {
  const Explored explored = explore_randomly(scenario, runs);
  EXPECT_TRUE(explored.complaint.empty())
      << explored.complaint << "\nafter the delays " << written(explored.schedule);
}

// With `fault` in the engine some schedule must go wrong, or the model would see nothing.
void finds(Scenario scenario, Fault fault, std::size_t delays) {
  scenario.faults = {fault};
  const Explored explored = explore(scenario, delays);
  EXPECT_FALSE(explored.complaint.empty());
}

// --- one producer, n tasks, a wait

struct Counted {
  int ran = 0;
  Scenario scenario;
};

void produce(Counted& test, std::vector<std::size_t> cores, const char* policy, int tasks) {
  test.scenario.cores = std::move(cores);
  test.scenario.policy = policy;
  test.scenario.workers = 0;
  for (const std::size_t count : test.scenario.cores) test.scenario.workers += count;
  test.scenario.reset = [&test] { test.ran = 0; };
  test.scenario.body = [&test, tasks](Model&, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    for (int i = 0; i < tasks; ++i) host::spawn(worker, [&test](Worker&) { ++test.ran; });
    taskwait(worker);
    EXPECT_EQ(test.ran, tasks);
  };
  test.scenario.complaint = [&test, tasks](const Model&) {
    return unless(test.ran == tasks, "not every task ran once");
  };
}

class Producer : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, Producer,
                         testing::Values("auto", "stock-like", "central", "virouleau",
                                         "push=local,steal=cores-only",
                                         "push=local,steal=break-even"));

TEST_P(Producer, OfOneToThreeTasksAndTwoWorkers) {
  for (const int tasks : {1, 2, 3}) {
    Counted test;
    produce(test, {1, 1}, GetParam(), tasks);
    all_end(test.scenario, 2);
  }
}

TEST_P(Producer, OfTasksForThreeWorkersOfTwoDomains) {
  Counted test;
  produce(test, {2, 1}, GetParam(), 2);
  all_end(test.scenario, 1);
  all_end_randomly(test.scenario, 300);
}

// --- children that others run

// Worker 0 waits for a child that worker 1 runs, which ends last (or first, before it waits).
Scenario stolen_child(bool ends_last) {
  static bool started;
  static bool go_on;
  static int ran;
  Scenario scenario;
  scenario.cores = {2};
  scenario.reset = [] {
    started = go_on = false;
    ran = 0;
  };
  scenario.body = [ends_last](Model& model, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    host::spawn(worker, [&model, ends_last](Worker& runner) {
      started = true;
      if (ends_last && runner.id == WorkerId{1}) model.until([] { return go_on; });
      ++ran;
    });
    model.until([] { return started; });
    host::spawn(worker, [](Worker&) {
      ++ran;
      go_on = true;
    });
    taskwait(worker);
    EXPECT_EQ(ran, 2);
  };
  scenario.complaint = [](const Model&) { return unless(ran == 2, "not every task ran once"); };
  return scenario;
}

TEST(Model, AParentIsWokenByAStolenChildThatEndsLast) { all_end(stolen_child(true), 2); }
TEST(Model, AParentIsWokenByAStolenChildThatEndsFirst) { all_end(stolen_child(false), 2); }

// The parent sleeps while another worker runs its child, and the third has nothing to do: only the
// parent is woken by the child's end.
TEST(Model, TheEndOfAChildWakesNobodyButItsParent) {
  bool started = false;
  int most = 0;
  Scenario scenario;
  scenario.cores = {3};
  scenario.workers = 3;
  scenario.reset = [&] { started = false; };
  scenario.body = [&](Model& model, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    host::spawn(worker, [&](Worker& runner) {
      started = true;
      const std::size_t other = 3 - model.self();
      if (runner.id != WorkerId{0}) {
        model.until([&] { return model.is_asleep(0) && model.is_asleep(other); });
      }
      model.set_phase(static_cast<int>(model.self()) + 1);
    });
    model.until([&] { return started; });
    taskwait(worker);
    model.set_phase(0);
  };
  scenario.complaint = [&](const Model& model) -> std::string {
    int woken = 0;
    for (const Wake& wake : model.wakes()) {
      if (wake.phase == 0 || wake.waker + 1 != static_cast<std::size_t>(wake.phase)) continue;
      if (wake.woken != 0) return "the end of a child wakes a bystander";
      ++woken;
    }
    most = std::max(most, woken);
    return unless(woken <= 1, "the end of a child wakes more than one");
  };
  all_end(scenario, 2);
  EXPECT_EQ(most, 1);
}

// --- groups

Scenario group_of(int members, std::vector<std::size_t> cores, std::size_t workers) {
  static int ran;
  Scenario scenario;
  scenario.cores = std::move(cores);
  scenario.workers = workers;
  scenario.reset = [] { ran = 0; };
  scenario.body = [members](Model&, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    begin_group(worker);
    for (int i = 0; i < members; ++i) {
      host::spawn(worker, [](Worker& runner) { host::spawn(runner, [](Worker&) { ++ran; }); });
    }
    end_group(worker);
    EXPECT_EQ(ran, members);
  };
  scenario.complaint = [members](const Model&) {
    return unless(ran == members, "not every task ran once");
  };
  return scenario;
}

TEST(Model, AGroupEndsWithItsLastMember) {
  all_end(group_of(1, {2}, 2), 2);
  all_end(group_of(2, {1, 1}, 2), 1);
  all_end_randomly(group_of(3, {2, 1}, 3), 1000);
}

// --- waits inside tasks

// Tasks that wait in the midst of their bodies, in groups or not at all: workers that wait hold
// in their own deques what others wait for.
void nest(Worker& worker, std::uint32_t seed, int depth, int& ran) {
  ++ran;
  if (depth == 0) return;
  const std::uint32_t kind = (seed >> 13U) % 4;
  if (kind == 0) begin_group(worker);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::uint32_t below = (seed + i + 1) * 2654435761U;
    Task* task = host::make_task(
        worker, [below, depth, &ran](Worker& runner) { nest(runner, below, depth - 1, ran); });
    // Who takes one of these leaves in its deque what it made before.
    task->priority = (below >> 17U) % 4 == 0 ? 1 : 0;
    submit(worker, *task, {});
  }
  if (kind == 0) end_group(worker);
  if (kind == 1 || kind == 2) taskwait(worker);
}

Scenario nested_waits(std::uint32_t seed, const char* policy, std::vector<std::size_t> cores,
                      std::size_t workers) {
  static int ran;
  Scenario scenario;
  scenario.cores = std::move(cores);
  scenario.workers = workers;
  scenario.policy = policy;
  scenario.reset = [] { ran = 0; };
  scenario.body = [seed](Model&, Worker& worker) {
    if (worker.id == WorkerId{0}) nest(worker, seed, 3, ran);
  };
  scenario.complaint = [](const Model&) { return unless(ran == 15, "not every task ran once"); };
  return scenario;
}

TEST(Model, ConstrainedWaitersDoNotWaitForEachOther) {
  for (const char* policy : {"auto", "stock-like", "central", "push=local,steal=cores-only",
                             "push=local,steal=break-even"}) {
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      all_end_randomly(nested_waits(seed * 7919, policy, {1, 1}, 2), 100);
      all_end_randomly(nested_waits(seed * 7919, policy, {2, 1}, 3), 100);
    }
    all_end(nested_waits(7919, policy, {1, 1}, 2), 1);
  }
}

// One is chosen while it lies down and another already sleeps: that one is still known when the
// barrier opens.
TEST(Model, ASleeperCountsBeforeItIsChosen) {
  all_end_randomly(nested_waits(78 * 7919, "auto", {2, 1}, 3), 500);
}

// What a worker waits for lies behind more tasks that it may not run than one look goes over.
TEST(Model, AWaiterSeesWhatLiesFarBackInAQueue) {
  static bool ready;
  static bool ran;
  Scenario scenario;
  scenario.cores = {2};
  scenario.policy = "central";
  scenario.limits = {{Limit::queue_look, 1}};
  scenario.reset = [] { ready = ran = false; };
  scenario.body = [](Model& model, Worker& worker) {
    if (worker.id == WorkerId{1}) {
      for (int i = 0; i < 12; ++i) host::spawn(worker, [](Worker&) {});
      ready = true;
      model.until([] { return ran; });
      return;
    }
    model.until([] { return ready; });
    host::spawn(worker, [](Worker&) { ran = true; });
    taskwait(worker);
  };
  all_end(scenario, 1);
}

// --- the barrier

Scenario late_tasks(std::size_t workers, std::vector<std::size_t> cores, const char* policy) {
  static int ran;
  Scenario scenario;
  scenario.cores = std::move(cores);
  scenario.workers = workers;
  scenario.policy = policy;
  scenario.reset = [] { ran = 0; };
  scenario.body = [workers](Model&, Worker& worker) {
    for (int phase = 1; phase <= 2; ++phase) {
      if (worker.id.index() + 1 == workers) {
        host::spawn(worker, [](Worker& runner) {
          host::spawn(runner, [](Worker& deeper) { host::spawn(deeper, [](Worker&) { ++ran; }); });
        });
      }
      barrier(worker);
      EXPECT_EQ(ran, phase);
      barrier(worker);
    }
  };
  scenario.complaint = [](const Model&) { return unless(ran == 2, "not every task ran once"); };
  return scenario;
}

TEST(Model, ABarrierOpensAfterTasksThatAreMadeLate) {
  all_end(late_tasks(2, {2}, "auto"), 1);
  all_end(late_tasks(2, {1, 1}, "stock-like"), 1);
  all_end_randomly(late_tasks(3, {2, 1}, "auto"), 500);
  all_end_randomly(late_tasks(3, {1, 1}, "auto"), 500);  // more workers than cores
  all_end_randomly(late_tasks(4, {2, 2}, "push=local,steal=cores-only"), 300);
}

// All are in the barrier, and the event of the last task is fulfilled from outside.
Scenario foreign_event(std::size_t workers) {
  static Task* detached;
  static int ran;
  Scenario scenario;
  scenario.cores = {workers};
  scenario.workers = workers;
  scenario.reset = [] {
    detached = nullptr;
    ran = 0;
  };
  scenario.body = [](Model&, Worker& worker) {
    if (worker.id == WorkerId{0}) {
      static const char data = 0;
      Task* task = host::make_task(worker, [](Worker&) { ++ran; }, task_flag::detachable);
      const Dependence writes = host::out(&data);
      detached = task;
      submit(worker, *task, {&writes, 1});
      host::spawn(worker, {host::in(&data)}, [](Worker&) { ++ran; });
    }
    barrier(worker);
    EXPECT_EQ(ran, 2);
  };
  scenario.outside = [](Model& model) {
    model.until([] { return detached != nullptr; });
    fulfil(*detached);
  };
  scenario.complaint = [](const Model&) { return unless(ran == 2, "not every task ran once"); };
  return scenario;
}

TEST(Model, AForeignEventReachesThoseInTheBarrier) {
  all_end(foreign_event(2), 2);
  all_end_randomly(foreign_event(3), 1000);
}

// Worker 0 waits for a task whose event is fulfilled from outside.
Scenario detached_in_a_wait(bool dependent) {
  static Task* detached;
  static int ran;
  Scenario scenario;
  scenario.cores = {2};
  scenario.reset = [] {
    detached = nullptr;
    ran = 0;
  };
  scenario.body = [dependent](Model&, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    static const char data = 0;
    Task* task = host::make_task(worker, [](Worker&) { ++ran; }, task_flag::detachable);
    const Dependence writes = host::out(&data);
    detached = task;
    submit(worker, *task, {&writes, 1});
    const Dependence reads = host::in(&data);
    if (dependent) {
      taskwait_depend(worker, {&reads, 1});
    } else {
      taskwait(worker);
    }
    EXPECT_EQ(ran, 1);
  };
  scenario.outside = [](Model& model) {
    model.until([] { return detached != nullptr; });
    fulfil(*detached);
  };
  return scenario;
}

TEST(Model, ADetachedTaskEndsInATaskwait) {
  all_end(detached_in_a_wait(false), 2);
  all_end(detached_in_a_wait(true), 2);
}

// --- who is woken

// Tasks that all must run at the same time: each needs a worker of its own, and all but the
// producer's are asleep.
Scenario burst(std::vector<std::size_t> cores, std::size_t workers, const char* policy = "auto") {
  static std::size_t running;
  Scenario scenario;
  scenario.cores = std::move(cores);
  scenario.workers = workers;
  scenario.policy = policy;
  scenario.reset = [] { running = 0; };
  scenario.body = [workers](Model& model, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    model.until([&model, workers] {
      for (std::size_t i = 1; i < workers; ++i) {
        if (!model.is_asleep(i)) return false;
      }
      return true;
    });
    for (std::size_t i = 0; i < workers; ++i) {
      host::spawn(worker, [&model, workers](Worker&) {
        ++running;
        model.until([workers] { return running >= workers; });
      });
    }
    taskwait(worker);
  };
  return scenario;
}

TEST(Model, ABurstOfTasksWakesAsManySleepers) {
  all_end(burst({2}, 2), 2);
  all_end(burst({3}, 3), 1);
  all_end(burst({2, 2}, 4), 1);
  all_end_randomly(burst({4}, 4), 300);
  all_end_randomly(burst({2, 2}, 4), 300);
}

// One task for three sleepers of two domains.
Scenario one_for_three() {
  static bool ran;
  Scenario scenario;
  scenario.cores = {2, 2};
  scenario.workers = 4;
  scenario.reset = [] { ran = false; };
  scenario.body = [](Model& model, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    model.until([&] { return model.is_asleep(1) && model.is_asleep(2) && model.is_asleep(3); });
    model.set_phase(1);
    host::spawn(worker, [](Worker&) { ran = true; });
    model.set_phase(0);
    taskwait(worker);
  };
  scenario.complaint = [](const Model& model) -> std::string {
    int woken = 0;
    for (const Wake& wake : model.wakes()) {
      if (wake.phase == 1 && wake.waker == 0) ++woken;
    }
    return unless(ran && woken <= 1, "one task wakes more than one");
  };
  return scenario;
}

TEST(Model, OneTaskWakesOneSleeper) { all_end(one_for_three(), 2); }

// A task that only the other worker can run, however soon or late that falls asleep.
Scenario burst_of_awake() {
  static bool ran;
  Scenario scenario;
  scenario.cores = {2};
  scenario.reset = [] { ran = false; };
  scenario.body = [](Model& model, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    host::spawn(worker, [](Worker&) { ran = true; });
    model.until([] { return ran; });
  };
  return scenario;
}

TEST(Model, ATaskIsSeenByWhoFallsAsleep) { all_end(burst_of_awake(), 4); }

// A worker that waits for one child is woken for a task and at the same moment its wait ends: it
// goes on without that task, and somebody else must have been told.
TEST(Model, AWokenSleeperWhoseWaitHasEndedPassesTheWordOn) {
  static bool started;
  static bool go_on;
  static bool second;
  Scenario scenario;
  scenario.cores = {3};
  scenario.workers = 3;
  scenario.reset = [] { started = go_on = second = false; };
  scenario.body = [](Model& model, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    host::spawn(worker, [&model](Worker& runner) {
      started = true;
      model.until([&model] { return model.is_asleep(0) || model.self() == 0; });
      // The parent may run this one, too, as it descends from it.
      host::spawn(runner, [](Worker&) { second = true; });
    });
    model.until([] { return started; });
    taskwait(worker);
    // What follows here waits for the other task outside of the engine, as a program may that has
    // threads enough.
    model.until([] { return second; });
  };
  all_end(scenario, 2);
}

// One worker looks for tasks, one sleeps, and there are two tasks that must run at the same time.
// Who queues the second may still count on the looker, which has just taken the first.
Scenario two_for_one_looker(const char* policy, std::vector<std::size_t> cores,
                            std::int32_t priority) {
  static int running;
  static bool ran_first;
  Scenario scenario;
  scenario.cores = std::move(cores);
  scenario.workers = 3;
  scenario.policy = policy;
  scenario.limits = {{Limit::spin_rounds, 18}};
  scenario.reset = [] {
    running = 0;
    ran_first = false;
  };
  scenario.body = [priority](Model& model, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    model.until([&model] { return model.is_asleep(1) && model.is_asleep(2); });
    host::spawn(worker, [](Worker&) { ran_first = true; });
    const Looking& looking = worker.team->looking[worker.domain.index()];
    model.until([&] { return ran_first && looking.count.load() != 0; });
    for (int i = 0; i < 2; ++i) {
      const auto meet = [&model](Worker&) {
        ++running;
        model.until([] { return running == 2; });
      };
      Task* task = host::make_task(worker, meet);
      task->priority = priority;
      submit(worker, *task, {});
    }
    model.until([] { return running == 2; });
  };
  return scenario;
}

TEST(Model, ALookerThatTookATaskPassesTheWordOn) {
  for (const char* policy : {"auto", "stock-like", "central", "virouleau"}) {
    SCOPED_TRACE(policy);
    all_end(two_for_one_looker(policy, {2, 1}, 0), 1);
  }
  all_end(two_for_one_looker("locality-queues", {3}, 0), 1);
  all_end(two_for_one_looker("central", {2, 1}, 0), 2);
  all_end(two_for_one_looker("auto", {2, 1}, 1), 2);
}

// Two workers of different domains queue a task each at the same moment, and both tasks must run at
// the same time, on the two workers that sleep.
Scenario two_producers(const char* policy, std::vector<std::size_t> cores) {
  static int running;
  static bool go;
  Scenario scenario;
  scenario.cores = std::move(cores);
  scenario.workers = 4;
  scenario.policy = policy;
  scenario.limits = {{Limit::looks, 64}};  // some policies look into one other domain at a time
  scenario.reset = [] {
    running = 0;
    go = false;
  };
  scenario.body = [](Model& model, Worker& worker) {
    if (worker.id.index() >= 2) return;
    model.until([&model] { return go |= model.is_asleep(2) && model.is_asleep(3); });
    host::spawn(worker, [&model](Worker&) {
      ++running;
      model.until([] { return running == 2; });
    });
    model.until([] { return running == 2; });
  };
  return scenario;
}

TEST(Model, TwoProducersWakeTwo) {
  for (const char* policy : {"auto", "stock-like", "central", "virouleau"}) {
    SCOPED_TRACE(policy);
    all_end(two_producers(policy, {1, 1, 2}), 2);
    all_end(two_producers(policy, {1, 1, 1, 1}), 1);
    all_end(two_producers(policy, {1, 3}), 1);
  }
}

// The own domain's looker takes what is queued: nobody of the other domain is woken for it.
TEST(Model, NobodyOfAnotherDomainIsWokenForWhatTheOwnLooksFor) {
  static int ran;
  Scenario scenario;
  scenario.cores = {2, 2};
  scenario.workers = 4;
  scenario.limits = {{Limit::spin_rounds, 4000}};
  scenario.reset = [] { ran = 0; };
  scenario.body = [](Model& model, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    // Tasks have been seen, so the others look for more; worker 1 still does.
    host::spawn(worker, [](Worker&) { ++ran; });
    taskwait(worker);
    Looking& looking = worker.team->looking[worker.domain.index()];
    model.until([&] { return looking.count.load() != 0; });
    model.set_phase(1);
    host::spawn(worker, [](Worker&) { ++ran; });
    model.set_phase(0);
    taskwait(worker);
  };
  scenario.complaint = [](const Model& model) -> std::string {
    for (const Wake& wake : model.wakes()) {
      if (wake.phase == 1 && wake.woken >= 2) return "another domain's worker is woken";
    }
    return unless(ran == 2, "not every task ran once");
  };
  Model model(scenario);
  EXPECT_EQ(model.run({}), "");
}

// --- drain

TEST(Model, ADrainFindsWhatLiesInAnyPlace) {
  for (const char* policy : {"auto", "locality-queues,steal=patient", "push=local,steal=cores-only",
                             "push=local,steal=break-even"}) {
    static int ran;
    Scenario scenario;
    scenario.cores = {1, 1};
    scenario.policy = policy;
    scenario.reset = [] { ran = 0; };
    scenario.body = [](Model&, Worker& worker) {
      host::spawn(worker, [](Worker& runner) { host::spawn(runner, [](Worker&) { ++ran; }); });
      drain(worker);
    };
    scenario.complaint = [](const Model&) { return unless(ran == 2, "not every task ran once"); };
    all_end(scenario, 2);
    scenario.workers = 3;
    scenario.cores = {2, 1};
    scenario.complaint = [](const Model&) { return unless(ran == 3, "not every task ran once"); };
    all_end_randomly(scenario, 500);
  }
}

// --- dependences

TEST(Model, ReleasedSuccessorsRun) {
  static int ran;
  static int wrong;
  Scenario scenario;
  scenario.cores = {1, 1};
  scenario.limits = {{Limit::table, 4}, {Limit::window, 1}};
  scenario.reset = [] { ran = wrong = 0; };
  scenario.body = [](Model&, Worker& worker) {
    if (worker.id != WorkerId{0}) return;
    static const char a = 0;
    static const char b = 0;
    host::spawn(worker, {host::out(&a)}, [](Worker&) { wrong += ran++ == 0 ? 0 : 1; });
    host::spawn(worker, {host::in(&a), host::out(&b)}, [](Worker&) { wrong += ran++ > 0 ? 0 : 1; });
    host::spawn(worker, {host::in(&a)}, [](Worker&) { wrong += ran++ > 0 ? 0 : 1; });
    const Dependence reads = host::in(&b);
    taskwait_depend(worker, {&reads, 1});
    wrong += ran >= 2 ? 0 : 1;
  };
  scenario.complaint = [](const Model&) {
    return unless(ran == 3 && wrong == 0, "a task ran too early, or not once");
  };
  all_end(scenario, 2);
  scenario.workers = 3;
  scenario.cores = {2, 1};
  all_end_randomly(scenario, 1000);
}

// --- tiny queues, larger teams

TEST(Model, ManyWorkersWithTinyQueues) {
  static int ran;
  Scenario scenario;
  scenario.cores = {3, 2};
  scenario.workers = 5;
  scenario.limits = {{Limit::deque, 1}, {Limit::own_queue, 1}, {Limit::shared_queue, 1}};
  scenario.reset = [] { ran = 0; };
  scenario.body = [](Model&, Worker& worker) {
    for (int i = 0; i < 2; ++i) {
      host::spawn(worker, [](Worker& runner) {
        for (int j = 0; j < 2; ++j) host::spawn(runner, [](Worker&) { ++ran; });
        taskwait(runner);
        ++ran;
      });
    }
    taskwait(worker);
    barrier(worker);
    EXPECT_EQ(ran, 30);
  };
  for (const char* policy : {"auto", "stock-like", "virouleau", "push=local,steal=cores-only"}) {
    scenario.policy = policy;
    all_end_randomly(scenario, 200);
  }
}

// --- faults that the model must find

TEST(Mutation, AMissingLastLookIsFound) { finds(burst_of_awake(), Fault::no_last_look, 3); }
TEST(Mutation, AMissingNoticeIsFound) { finds(burst({2}, 2), Fault::no_notice, 1); }
TEST(Mutation, AWordThatIsNotPassedOnIsFound) {
  finds(two_for_one_looker("locality-queues", {3}, 0), Fault::no_word_passed_on, 2);
}
TEST(Mutation, AParentThatIsNotWokenIsFound) {
  finds(stolen_child(true), Fault::no_wake_of_parent, 2);
}
TEST(Mutation, AGroupThatIsNotWokenIsFound) {
  finds(group_of(1, {2}, 2), Fault::no_wake_of_group, 4);
}
TEST(Mutation, ABarrierThatWakesNobodyIsFound) {
  finds(late_tasks(2, {2}, "auto"), Fault::no_wake_at_opening, 3);
}
TEST(Mutation, AWaitForDependencesThatIsNotWokenIsFound) {
  finds(detached_in_a_wait(true), Fault::no_wake_of_waiter, 1);
}
TEST(Mutation, WakingAllForOneTaskIsFound) { finds(one_for_three(), Fault::all_woken_for_one, 0); }
TEST(Mutation, AForeignEventThatWakesNobodyIsFound) {
  finds(foreign_event(2), Fault::no_foreign_wake, 1);
}

}  // namespace
}  // namespace lares::runtime::model
