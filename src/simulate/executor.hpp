// Carries out what is decided on queues like those of the runtime, without any time of its own: the
// costs of what it does are added to the clock of whoever asks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "decide/away.hpp"
#include "decide/limits.hpp"
#include "decide/restraint.hpp"
#include "decide/thrift.hpp"
#include "decide/wake.hpp"
#include "policy/policy.hpp"
#include "simulate/parameters.hpp"
#include "simulate/schedule.hpp"
#include "simulate/steps.hpp"
#include "simulate/task_queue.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// How a task ran, relative to the home of most of its data or else to its creator.
enum class Locality : std::uint8_t { local, same_domain, remote };

using Offer = decide::Offer<TaskIndex>;

/// The scheduling half of a simulated team: decide/ on its queues, as runtime/ has it on real ones.
class Executor final : public policy::QueueLengths {
 public:
  /// `homes` by block is read when a task is placed; whoever runs tasks writes it. What a
  /// distribution decides is a belief: the first touch, maybe a thief's, makes the home.
  /// `seed` 0 gives the workers the random generators of the runtime.
  Executor(const machine::Machine& machine, std::span<const CoreId> core_of_worker,
           const Schedule& schedule, const Workload& workload, const std::vector<DomainId>& homes,
           const Costs& costs, std::uint64_t seed);

  [[nodiscard]] const policy::Places& places() const noexcept { return places_; }
  [[nodiscard]] std::uint32_t length(PlaceId place) const noexcept override;
  [[nodiscard]] std::uint32_t prioritised() const noexcept { return prioritised_.size(); }
  /// Tasks in all queues.
  [[nodiscard]] std::uint32_t queued() const noexcept { return queued_; }

  /// Puts a ready task into the place that is decided; `clock` in seconds moves on by what that
  /// costs. Answers what sleepers are told; with `may_run`, nothing if the caller shall run it
  /// instead.
  std::optional<Offer> put(WorkerId worker, TaskIndex task, bool may_run, double& clock);
  /// True if its creator runs the task at once, without a look at where it would go.
  bool runs_at_once(WorkerId worker, TaskIndex task);
  /// True if the program has told of data that this task uses.
  [[nodiscard]] bool has_data(TaskIndex task) const noexcept {
    const bool tells = workload_.told == Told::data || workload_.told == Told::names;
    return tells && !workload_.accesses_of(task).empty();
  }
  /// Where a task's data is in its creator's opinion, an invalid id if it has none; `strong` as in
  /// decide::Opinion. Before put().
  void tell(TaskIndex task, DomainId home, bool strong) {
    home_of_task_[task] = home;
    is_told_[task] = strong;
  }
  /// What is made now is new, or no longer: what it touches first stays where it runs.
  void settle(bool settles) { settles_ = settles; }
  /// Whether the creator goes on: see decide::Seeker.
  void creator_goes_on(bool goes_on) { goes_on_ = goes_on; }
  [[nodiscard]] bool does_creator_go_on() const { return goes_on_; }
  /// A task from the places in the order in which the runtime looks.
  std::optional<TaskIndex> find_work(WorkerId worker, double& clock);
  /// From the worker's own deque or its domain's queue.
  std::optional<TaskIndex> take_own(WorkerId worker, double& clock);
  /// From anywhere, for one that waits and has found nothing for long. `offers` gets what it gives
  /// away of its own.
  std::optional<TaskIndex> find_anywhere(WorkerId worker, double& clock,
                                         std::vector<Offer>& offers);

  /// The task scheduling constraint: until it is lifted, the worker may run only what descends from
  /// `task`, or, for none, from what its own thread runs of the program.
  void constrain(WorkerId worker, TaskIndex task);
  void lift_constraint(WorkerId worker) { workers_[worker.index()].constrained = false; }
  [[nodiscard]] bool is_constrained(WorkerId worker) const noexcept {
    return workers_[worker.index()].constrained;
  }
  /// True if the worker may run the task now; none stands for one that all may.
  [[nodiscard]] bool may_run(WorkerId worker, TaskIndex task) const noexcept;

  /// The worker has run a task, or its first part, for so long: it is back if it was away for it.
  void comes_back(WorkerId worker, TaskIndex task, double seconds);
  /// The worker has run a task for so long, until `clock`.
  void ran(WorkerId worker, TaskIndex task, double seconds, double clock);
  /// Fills in what the step's worker and all domains have learnt.
  void tell_thrift(Step& step, double clock) const;
  /// The worker is about to run a task.
  void works(WorkerId worker, TaskIndex task) {
    Worker& who = workers_[worker.index()];
    if (who.leaves_for.valid()) {
      away_[who.domain.index()].goes();
      who.fetched_from = std::exchange(who.leaves_for, DomainId{});
    }
    const DomainId home = home_of_task_[task];
    const bool at_home = home.valid() && home == who.domain;
    const bool for_sure = at_home && (who.restraint.is_sure() || !settles_);
    if (who.restraint.works(at_home, for_sure)) fed_[home.index()] = true;
  }
  /// A worker of the domain has run a task that was at home there.
  [[nodiscard]] bool is_fed(DomainId domain) const { return fed_[domain.index()]; }
  /// For how many seconds it still leaves alone what is at home in other domains.
  [[nodiscard]] double stays_for(WorkerId worker, double clock) const noexcept;
  /// It has looked in vain for so long that it falls asleep.
  void falls_asleep(WorkerId worker) { workers_[worker.index()].thrift.forget(); }

  /// How `task` runs when `worker` starts it.
  [[nodiscard]] Locality locality(WorkerId worker, TaskIndex task) const noexcept;
  void set_creator(TaskIndex task, WorkerId worker) { creator_[task] = worker; }
  [[nodiscard]] std::uint64_t steals() const noexcept { return steals_; }
  [[nodiscard]] std::uint64_t remote_steals() const noexcept { return remote_steals_; }

  // Of the clock that thrift is counted in: that of a machine of 3 GHz.
  static constexpr std::uint64_t ticks_per_microsecond = 3000;
  static std::uint64_t to_ticks(double seconds) noexcept {
    return static_cast<std::uint64_t>(seconds * 1e6 * ticks_per_microsecond);
  }

 private:
  class Asking;  // how decide/ sees a worker
  struct Worker {
    explicit Worker(std::uint64_t seed) : random(seed) {}
    std::unique_ptr<policy::Distribution> distribution;
    std::unique_ptr<policy::Push> push;
    std::unique_ptr<policy::Steal> steal;
    std::vector<PlaceId> victim_storage;
    Random random;
    decide::Thrift thrift{ticks_per_microsecond};
    decide::Restraint restraint{0, 0};
    TaskQueue deque;
    PlaceId place;
    DomainId domain;
    std::uint32_t away_at_once = 0;
    DomainId leaves_for;    // where what it runs next is at home, if it was fetched from there
    DomainId fetched_from;  // the same of what it runs
    bool constrained = false;
    TaskIndex under = Script::none;  // what it waits in, if constrained; none: its thread's own
  };
  struct SharedQueue {
    TaskQueue tasks;
    double free_at = 0;  ///< when its lock is free again
  };

  std::optional<TaskIndex> taken(TaskIndex task);
  /// True if some data is nowhere yet.
  [[nodiscard]] bool has_new_memory();

  const Workload& workload_;
  const std::vector<DomainId>& homes_;
  std::vector<DomainId> dealt_;  // by block, what a distribution has said
  const Costs& costs_;
  policy::Places places_;
  bool wants_data_ = false;
  bool keeps_dataless_ = false;
  bool deals_ = false;
  bool may_deviate_ = false;
  std::array<decide::OwnQueueLimits, 2> own_queue_limits_ = {};  // the second: tiny tasks
  std::vector<Worker> workers_;
  std::vector<SharedQueue> queues_;  // by place; unused for those of workers
  PriorityQueue prioritised_;
  bool settles_ = false;                  // see settle()
  bool goes_on_ = false;                  // see creator_goes_on()
  std::size_t placed_ = 0;                // the blocks before it are somewhere
  std::vector<bool> is_told_;             // by task: home_of_task_ says more than its names' pages
  std::vector<DomainId> home_of_task_;    // where most of its data is; invalid if not known
  std::vector<Bytes> bytes_of_task_;      // of its data with a home
  std::vector<WorkerId> rather_for_;      // by task, in a shared queue: who shall rather run it
  std::vector<std::uint64_t> addresses_;  // by block, as if they lay one behind the other
  std::vector<WorkerId> creator_;         // by task
  std::vector<std::uint32_t> depth_;      // by node of a script: of nesting; a thread's tasks are 1
  std::vector<bool> fed_;                 // by domain: see is_fed()
  std::vector<decide::Away> away_;        // by domain
  std::vector<Offer> told_;               // by the call that is going on
  std::uint32_t queued_ = 0;
  std::uint64_t steals_ = 0;
  std::uint64_t remote_steals_ = 0;
};

}  // namespace lares::simulate
