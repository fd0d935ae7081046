// A discrete-event NUMA machine that runs a workload under a policy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "simulate/demand.hpp"
#include "simulate/executor.hpp"
#include "simulate/parameters.hpp"
#include "simulate/schedule.hpp"
#include "simulate/steps.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// Reads "static", "dynamic", "numa" as parse_loops takes it, or a policy as parse_choice does;
/// that with ",opinions=off" forms no opinions.
Result<Schedule> parse_schedule(std::string_view text, std::size_t domain_count);
/// Reads how a recorded program's loops are scheduled beside its tasks: the first three of those.
std::optional<Error> parse_recorded_loops(std::string_view text, std::size_t domain_count,
                                          Schedule& schedule);

/// When a task ran and where, in seconds since the start.
struct Interval {
  TaskIndex task = 0;
  WorkerId worker;
  double begin = 0;
  double end = 0;
};

/// One run. All references must outlive it.
struct Setup {
  const machine::Machine& machine;
  const Parameters& parameters;
  const Workload& workload;
  const Schedule& schedule;
  std::vector<CoreId> cores;  ///< by worker: the core it is bound to; several may share one
  std::uint64_t seed = 0;     ///< 0: the workers' random generators are those of the runtime
  std::vector<Interval>* trace = nullptr;  ///< gets every task, in the order of their ends
  std::vector<Step>* steps = nullptr;      ///< gets what a policy's team does
};

/// What became of it. Only measured phases count.
struct Outcome {
  struct Load {
    std::string resource;
    double share = 0;  ///< of its capacity, on average over the time
  };
  double seconds = 0;
  double alone_seconds = 0;  ///< of one core with all data in its own memory, without any costs
  std::uint64_t tasks = 0;
  std::array<std::uint64_t, 3> by_locality{};  ///< tasks, by Locality
  std::array<double, 3> queued_seconds{};      ///< in tasks that came out of a queue, by Locality
  double local_bytes = 0;                      ///< between cores and their own domain's memory
  double remote_bytes = 0;                     ///< between cores and another's
  Fetched fetched;
  double busy_seconds = 0;  ///< of all workers together, running tasks
  double idle_share = 0;    ///< of the workers' time
  std::uint64_t steals = 0;
  std::uint64_t remote_steals = 0;
  std::uint64_t opinions = 0;        ///< tasks of whose data the creator had one: opinions.hpp
  std::uint64_t right_opinions = 0;  ///< and most of it was there when the task had run
  std::vector<double> ended;  ///< by worker: when its last task ended, in seconds since the start
  std::vector<Load> loads;    ///< of all resources, in the order of the machine
};

/// Runs it. The same setup gives the same outcome, bit by bit. An error is a user's mistake: the
/// data does not fit into the memory, a static schedule for tasks that depend on each other.
/// Time: about a microsecond a task where memory is local. May run in several threads at once.
Result<Outcome> simulate(const Setup& setup);

/// "3 GiB", rounded up, for sentences.
std::string gib(double bytes);

/// One worker for each of the first `workers` cores when the domains are filled one after another.
std::vector<CoreId> compact_cores(const machine::Machine& machine, std::size_t workers);

}  // namespace lares::simulate
