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
        creators_(make_creators()),
        loops_(make_loops(loop_kind())) {}

  Result<Outcome> run() {
    for (const Phase& phase : setup_.workload.phases) {
      if (auto problem = run_phase(phase)) return *problem;
    }
    finish_outcome();
    return outcome_;
  }

 private:
  std::unique_ptr<Course> make_loops(Schedule::Kind kind) {
    switch (kind) {
      case Schedule::Kind::static_loop:
        return std::make_unique<StaticLoop>(setup_, execution_, agenda_, outcome_);
      case Schedule::Kind::dynamic_loop:
        return std::make_unique<DynamicLoop>(setup_, execution_, agenda_, outcome_);
      case Schedule::Kind::numa_loop:
        return std::make_unique<NumaLoop>(setup_, execution_, agenda_, outcome_);
      case Schedule::Kind::policy:
        break;
    }
    return nullptr;
  }

  std::unique_ptr<Creators> make_creators() {
    if (!setup_.workload.script.empty()) {
      return std::make_unique<Recorded>(setup_, execution_, agenda_, outcome_);
    }
    if (!schedules_tasks()) return nullptr;
    return std::make_unique<Creators>(setup_, execution_, agenda_, outcome_);
  }

  [[nodiscard]] bool schedules_tasks() const {
    return setup_.schedule.kind == Schedule::Kind::policy;
  }
  [[nodiscard]] Schedule::Kind loop_kind() const {
    return schedules_tasks() ? setup_.schedule.recorded_loops : setup_.schedule.kind;
  }

  // What a recorded program's threads do themselves between its loops is no matter of a policy.
  [[nodiscard]] bool has_tasks(const Phase& phase) const {
    const Script& script = setup_.workload.script;
    if (script.empty()) return phase.dependences;
    for (TaskIndex node = phase.first; node < phase.end && !phase.is_loop(); ++node) {
      if (script.counts(node)) return true;
    }
    return false;
  }

  Course& course_of(const Phase& phase) {
    const bool is_loop = phase.is_loop() || creators_ == nullptr;
    return is_loop ? *loops_ : static_cast<Course&>(*creators_);
  }

  std::optional<Error> run_phase(const Phase& phase) {
    if (!schedules_tasks() && has_tasks(phase)) {
      return Error{"the schedules static, dynamic and numa run loops; the tasks of workload \"" +
                   setup_.workload.name + "\" depend on each other"};
    }
    if (phase.end == phase.first) return std::nullopt;
    const double begin = now_;
    execution_.begin(phase);
    course_ = &course_of(phase);
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
    if (creators_ != nullptr) creators_->team().finish();
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
  std::unique_ptr<Creators> creators_;  // null: there are loops only
  std::unique_ptr<Course> loops_;
  Course* course_ = nullptr;  // of the phase: one of them
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

namespace {

/// How loops are scheduled; nothing if the text names no way for loops.
Result<std::optional<Schedule>> parse_loop_schedule(std::string_view text,
                                                    std::size_t domain_count) {
  if (text == "static") return std::optional(Schedule{Schedule::Kind::static_loop});
  if (text == "dynamic") return std::optional(Schedule{Schedule::Kind::dynamic_loop});
  if (text != "numa" && !text.starts_with("numa,")) return std::optional<Schedule>();
  const auto loops = policy::parse_loops(text, domain_count);
  if (!loops) return Error{loops.error().sentence};
  return std::optional(Schedule{.kind = Schedule::Kind::numa_loop, .loops = loops.value()});
}

}  // namespace

Result<Schedule> parse_schedule(std::string_view text, std::size_t domain_count) {
  constexpr std::string_view no_opinions = ",opinions=off";
  const bool forms_opinions = !text.ends_with(no_opinions);
  if (!forms_opinions) text.remove_suffix(no_opinions.size());
  const auto of_loops = parse_loop_schedule(text, domain_count);
  if (!of_loops) return of_loops.error();
  const bool is_for_loops = of_loops.value().has_value();
  if (is_for_loops && !forms_opinions) {
    return Error{"\"opinions=off\" is for policies of tasks, and \"" + std::string(text) +
                 "\" is for loops"};
  }
  Schedule schedule = of_loops.value().value_or(Schedule{});
  // A team has queues even if it runs nothing but loops.
  auto choice = policy::parse_choice(is_for_loops ? "auto" : text, domain_count);
  if (!choice) return Error{choice.error().sentence};
  schedule.choice = choice.value();
  schedule.forms_opinions = forms_opinions;
  return schedule;
}

std::optional<Error> parse_recorded_loops(std::string_view text, std::size_t domain_count,
                                          Schedule& schedule) {
  const auto of_loops = parse_loop_schedule(text, domain_count);
  if (!of_loops) return of_loops.error();
  if (!of_loops.value()) {
    return Error{"\"" + std::string(text) +
                 "\" is none of static, dynamic, numa[,steal=...][,chunk=N]"};
  }
  schedule.recorded_loops = of_loops.value()->kind;
  schedule.loops = of_loops.value()->loops;
  return std::nullopt;
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
