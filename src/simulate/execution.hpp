// How tasks run on simulated workers, from their start to their end: what they move between cores
// and memories, and how long that and their own work take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "simulate/agenda.hpp"
#include "simulate/demand.hpp"
#include "simulate/flows.hpp"
#include "simulate/hardware.hpp"
#include "simulate/simulation.hpp"

namespace lares::simulate {

inline constexpr double nanosecond = 1e-9;

/// All workers of a run. Times are seconds since its start.
class Execution {
 public:
  /// `outcome` gets what ran. All must outlive it.
  Execution(const Setup& setup, Agenda& agenda, Outcome& outcome);

  void begin(const Phase& phase);
  /// The worker has found the task at `clock`. Precondition: it is not busy.
  void start(std::uint32_t worker, TaskIndex task, double clock);
  [[nodiscard]] bool is_busy(std::uint32_t worker) const {
    return workers_[worker].state != State::idle;
  }
  /// The busy worker's event has come. Answers when its task ran if that has ended.
  std::optional<Interval> step(std::uint32_t worker, double now);
  /// Brings the ends of what is moved up to date.
  void settle(double now) {
    flows_.settle(now, [this](std::uint32_t worker, double end) { agenda_.set(worker, end); });
  }

  /// The worker has nothing to do any more in this phase: its core is for those who share it.
  void leave(std::uint32_t worker, double now);
  /// It goes to another core, in the middle of its task if it has one. With `next_touch`, what it
  /// uses from now on moves to its memory. Nothing happens if it has left.
  void move(std::uint32_t worker, CoreId core, bool next_touch, double now);

  /// By block, now; invalid where nobody has touched it.
  [[nodiscard]] const std::vector<DomainId>& homes() const { return homes_; }
  /// Tells what all phases together moved and used.
  void finish();

 private:
  enum class State : std::uint8_t { idle, starting, migrating, moving, computing };
  struct Worker {
    State state = State::idle;
    CoreId core;
    DomainId domain;
    double portion = 1;  // of its core
    bool left = false;   // for this phase
    bool next_touch = false;
    TaskIndex task = 0;
    double started = 0;            // the task
    double noise = 1;              // of the task
    double rest = 1;               // of the task, when it was last begun or gone on with
    std::vector<Traffic> traffic;  // of the task, or of its data's move
  };

  [[nodiscard]] DomainId domain_of(CoreId core) const {
    return setup_.machine.cores[core.index()].domain;
  }
  void share_core(CoreId core, double now);
  void begin_task(std::uint32_t worker, double now);
  bool migrate(std::uint32_t worker, double now);
  void fetch(std::uint32_t worker, bool measured, double now);
  void go_on(std::uint32_t worker, double now);
  bool interrupt(std::uint32_t worker, double now);
  void begin_flow(std::uint32_t worker, double cap, double factor, double now);
  void count_bytes(const Worker& worker, double factor);
  Interval end_task(std::uint32_t worker, double now);

  const Setup& setup_;
  const Workload& workload_;
  const Parameters& parameters_;
  Agenda& agenda_;
  Outcome& outcome_;
  Hardware hardware_;
  Flows flows_;
  std::vector<DomainId> homes_;
  Demand demand_;
  std::vector<Worker> workers_;
  Random noise_;
  const Phase* phase_ = nullptr;
};

}  // namespace lares::simulate
