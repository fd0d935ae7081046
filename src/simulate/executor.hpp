// Carries out what the policies decide, on queues like those of the runtime, without any time of
// its own: the costs of what it does are added to the clock of whoever asks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "policy/policy.hpp"
#include "policy/registry.hpp"
#include "simulate/parameters.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// A worker's own queue: it works at the newest end, thieves at the oldest.
class TaskDeque {
 public:
  void push(TaskIndex task);
  TaskIndex pop_newest() noexcept;
  TaskIndex pop_oldest() noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

 private:
  std::vector<TaskIndex> ring_ = std::vector<TaskIndex>(16);
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

/// How a task ran, relative to the home of most of its data or else to its creator.
enum class Locality : std::uint8_t { local, same_domain, remote };

/// What tests compare with the real runtime.
struct Decision {
  enum class Kind : std::uint8_t { push, take };
  Kind kind = Kind::push;
  WorkerId worker;
  TaskIndex task = 0;
  PlaceId place;  ///< where it was put, or taken from
  bool operator==(const Decision&) const = default;
};

/// The scheduling half of a simulated team: the same policy objects, in the same roles and asked in
/// the same order, as runtime/placing.cpp and finding.cpp have them. Not modelled: task priorities,
/// the rest after fetching tiny tasks (thrift), and the deviation of `auto` for tiny tasks.
class Executor final : public policy::QueueLengths {
 public:
  /// `homes` by block is read when a task is placed; whoever runs tasks writes it. What a
  /// distribution decides is a belief: the first touch, maybe a thief's, makes the home.
  /// `seed` 0 gives the workers the random generators of the runtime.
  Executor(const machine::Machine& machine, std::span<const CoreId> core_of_worker,
           const policy::Choice& choice, const Workload& workload,
           const std::vector<DomainId>& homes, const Costs& costs, std::uint64_t seed);

  [[nodiscard]] const policy::Places& places() const noexcept { return places_; }
  [[nodiscard]] std::uint32_t length(PlaceId place) const noexcept override;
  /// Tasks in all queues.
  [[nodiscard]] std::uint32_t queued() const noexcept { return queued_; }

  /// Puts a ready task into the place that the push policy chooses; `clock` in seconds moves on by
  /// what that costs. With `may_run`, answers false if the place is full and the caller shall run
  /// it instead. `near` becomes the domain in which to wake somebody.
  bool put(WorkerId worker, TaskIndex task, bool may_run, double& clock, DomainId& near);
  /// Into the worker's own deque, whatever the policy: the rest of a task that had begun.
  void put_back(WorkerId worker, TaskIndex task, double& clock);
  /// A task from the places in the order of the steal policy, as the runtime looks for one.
  std::optional<TaskIndex> find_work(WorkerId worker, double& clock);
  /// From the worker's own deque or its domain's queue.
  std::optional<TaskIndex> take_own(WorkerId worker, double& clock);

  /// How `task` runs when `worker` starts it.
  [[nodiscard]] Locality locality(WorkerId worker, TaskIndex task) const noexcept;
  void set_creator(TaskIndex task, WorkerId worker) { creator_[task] = worker; }
  [[nodiscard]] std::uint64_t steals() const noexcept { return steals_; }
  [[nodiscard]] std::uint64_t remote_steals() const noexcept { return remote_steals_; }

  /// While not nullptr, every decision is appended.
  std::vector<Decision>* record = nullptr;

 private:
  struct Worker {
    explicit Worker(std::uint64_t seed) : random(seed) {}
    std::unique_ptr<policy::Distribution> distribution;
    std::unique_ptr<policy::Push> push;
    std::unique_ptr<policy::Steal> steal;
    std::vector<PlaceId> victim_storage;
    Random random;
    TaskDeque deque;
    PlaceId place;
    DomainId domain;
  };
  struct SharedQueue {
    TaskDeque tasks;
    double free_at = 0;  ///< when its lock is free again
  };

  [[nodiscard]] policy::View view_of(WorkerId worker) noexcept {
    return {places_, *this, worker, workers_[worker.index()].random};
  }
  [[nodiscard]] PlaceId choose_place(WorkerId worker, TaskIndex task);
  std::uint32_t find_homes(WorkerId worker, TaskIndex task, policy::DataHome* found,
                           DomainId& dealt_to);
  [[nodiscard]] bool is_full(const Worker& worker, PlaceId place, PlaceId queue) const noexcept;
  std::optional<TaskIndex> visit(WorkerId worker, PlaceId place, double& clock);
  std::optional<TaskIndex> take_from(WorkerId worker, PlaceId queue, bool patient, double& clock);
  void push_to(PlaceId queue, TaskIndex task, double& clock);
  void count_steal(const Worker& worker, DomainId from) noexcept;
  void note(Decision::Kind kind, WorkerId worker, TaskIndex task, PlaceId place);

  const Workload& workload_;
  const std::vector<DomainId>& homes_;
  std::vector<DomainId> dealt_;  // by block, what a distribution has said
  const Costs& costs_;
  policy::Places places_;
  bool wants_data_ = false;
  bool keeps_dataless_ = false;
  std::vector<Worker> workers_;
  std::vector<SharedQueue> queues_;     // by place; unused for those of workers
  std::vector<DomainId> home_of_task_;  // where most of its data is; invalid if not known
  std::vector<WorkerId> creator_;       // by task
  std::uint32_t queued_ = 0;
  std::uint64_t steals_ = 0;
  std::uint64_t remote_steals_ = 0;
};

}  // namespace lares::simulate
