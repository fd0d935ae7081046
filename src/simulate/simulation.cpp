#include "simulate/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "simulate/agenda.hpp"
#include "simulate/course.hpp"
#include "simulate/creators.hpp"
#include "simulate/execution.hpp"
#include "simulate/loops.hpp"
#include "simulate/recorded.hpp"

namespace lares::simulate {
namespace {

/// The engine: whose event comes first goes on.
class Simulation {
 public:
  explicit Simulation(const Setup& setup)
      : setup_(setup),
        agenda_(setup.cores.size()),
        execution_(setup, agenda_, outcome_),
        course_(make_course()) {}

  Result<Outcome> run() {
    for (const Phase& phase : setup_.workload.phases) {
      if (auto problem = run_phase(phase)) return *problem;
    }
    finish_outcome();
    return outcome_;
  }

 private:
  std::unique_ptr<Course> make_course() {
    if (setup_.schedule.kind == Schedule::Kind::static_loop) {
      return std::make_unique<StaticLoop>(setup_, execution_, agenda_);
    }
    if (setup_.schedule.kind == Schedule::Kind::dynamic_loop) {
      return std::make_unique<DynamicLoop>(setup_, execution_, agenda_);
    }
    if (setup_.schedule.kind == Schedule::Kind::numa_loop) {
      return std::make_unique<NumaLoop>(setup_, execution_, agenda_, outcome_);
    }
    std::unique_ptr<Creators> creators =
        setup_.workload.script.empty()
            ? std::make_unique<Creators>(setup_, execution_, agenda_, outcome_)
            : std::make_unique<Recorded>(setup_, execution_, agenda_, outcome_);
    team_ = &creators->team();
    return creators;
  }

  std::optional<Error> run_phase(const Phase& phase) {
    if (phase.dependences && team_ == nullptr) {
      return Error{"the schedules static, dynamic and numa run loops; the tasks of workload \"" +
                   setup_.workload.name + "\" depend on each other"};
    }
    if (phase.end == phase.first) return std::nullopt;
    const double begin = now_;
    execution_.begin(phase);
    course_->begin(phase, now_);
    while (!course_->is_over()) {
      if (agenda_.first_time() > now_) execution_.settle(now_);
      if (agenda_.first_time() == Agenda::never && !course_->comes_back(now_)) {
        return Error{"workload \"" + setup_.workload.name +
                     "\" has tasks that nobody can ever run"};
      }
      const std::uint32_t worker = agenda_.first();
      now_ = std::max(now_, agenda_.first_time());
      step(worker);
    }
    for (std::uint32_t w = 0; w < setup_.cores.size(); ++w) agenda_.set(w, Agenda::never);
    now_ = std::max(now_, course_->end()) + setup_.parameters.costs.barrier * nanosecond;
    if (phase.measured) outcome_.seconds += now_ - begin;
    return std::nullopt;
  }

  void step(std::uint32_t worker) {
    if (!execution_.is_busy(worker)) return course_->next(worker, now_);
    if (const auto ended = execution_.step(worker, now_)) course_->ended(*ended);
  }

  void finish_outcome() {
    execution_.finish();
    if (team_ != nullptr) team_->finish();
    const double all = outcome_.seconds * static_cast<double>(setup_.cores.size());
    outcome_.idle_share = all > 0 ? std::max(0.0, 1 - outcome_.busy_seconds / all) : 0;
    const double rate = setup_.parameters.core_mb_s * 1e6;
    for (const Phase& phase : setup_.workload.phases) {
      if (!phase.measured) continue;
      for (TaskIndex task = phase.first; task < phase.end; ++task) {
        outcome_.alone_seconds +=
            std::max(setup_.workload.tasks[task].seconds, bytes_of(task) / rate);
      }
    }
  }

  // With caches, what a task moves depends on what ran before: then only what it must compute.
  [[nodiscard]] double bytes_of(TaskIndex task) const {
    if (setup_.workload.reuses) return 0;
    double bytes = 0;
    for (const Access& access : setup_.workload.accesses_of(task)) {
      const bool both = access.mode == policy::AccessMode::read_write;
      const bool only_writes = access.mode == policy::AccessMode::write;
      bytes += access.bytes * (both ? 2 : only_writes ? setup_.parameters.write_factor : 1);
    }
    return bytes;
  }

  const Setup& setup_;
  Outcome outcome_;
  Agenda agenda_;
  Execution execution_;
  TaskTeam* team_ = nullptr;  // of the course, if a policy schedules tasks
  std::unique_ptr<Course> course_;
  double now_ = 0;
};

std::optional<Error> check_memory(const Setup& setup) {
  double needed = 0;
  for (const Block& block : setup.workload.blocks) {
    needed += static_cast<double>(block.bytes.count);
  }
  double there = 0;
  for (const machine::MemoryNode& node : setup.machine.memory) {
    there += static_cast<double>(node.total.count);
  }
  if (there <= 0 || needed <= there) return std::nullopt;
  return Error{"workload \"" + setup.workload.name + "\" needs " + gib(needed) + " and machine \"" +
               setup.machine.name + "\" has " + gib(there)};
}

}  // namespace

Result<Schedule> parse_schedule(std::string_view text, std::size_t domain_count) {
  if (text == "static") return Schedule{Schedule::Kind::static_loop};
  if (text == "dynamic") return Schedule{Schedule::Kind::dynamic_loop};
  if (text == "numa" || text.starts_with("numa,")) {
    const auto loops = policy::parse_loops(text, domain_count);
    if (!loops) return Error{loops.error().sentence};
    return Schedule{.kind = Schedule::Kind::numa_loop, .loops = loops.value()};
  }
  auto choice = policy::parse_choice(text, domain_count);
  if (!choice) return Error{choice.error().sentence};
  return Schedule{.kind = Schedule::Kind::policy, .choice = choice.value()};
}

Result<Outcome> simulate(const Setup& setup) {
  if (auto problem = check_memory(setup)) return *problem;
  return Simulation(setup).run();
}

std::string gib(double bytes) {
  return std::to_string(static_cast<std::uint64_t>(std::ceil(bytes / (1U << 30U)))) + " GiB";
}

std::vector<CoreId> compact_cores(const machine::Machine& machine, std::size_t workers) {
  std::vector<CoreId> cores;
  for (const machine::Domain& domain : machine.domains) {
    cores.insert(cores.end(), domain.cores.begin(), domain.cores.end());
  }
  std::vector<CoreId> result;
  for (std::size_t w = 0; w < workers; ++w) result.push_back(cores[w % cores.size()]);
  return result;
}

}  // namespace lares::simulate
