#include "simulate/execution.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lares::simulate {
namespace {

/// A normal number around 1, from four uniform ones; never close to 0.
double noise_factor(Random& random, double deviation) {
  if (deviation <= 0) return 1;
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>(random.next() >> 11U) * 0x1.0p-53;
  return std::max(0.2, 1 + deviation * (sum - 2) * std::sqrt(3.0));
}

std::vector<DomainId> homes_of(const Workload& workload) {
  std::vector<DomainId> homes;
  homes.reserve(workload.blocks.size());
  for (const Block& block : workload.blocks) homes.push_back(block.home);
  return homes;
}

}  // namespace

Execution::Execution(const Setup& setup, Agenda& agenda, Outcome& outcome)
    : setup_(setup),
      workload_(setup.workload),
      parameters_(setup.parameters),
      agenda_(agenda),
      outcome_(outcome),
      hardware_(setup.machine, setup.parameters),
      flows_(hardware_, setup.cores.size()),
      homes_(homes_of(setup.workload)),
      demand_(setup.workload, setup.parameters, setup.machine.domains.size(), homes_),
      workers_(setup.cores.size()),
      noise_(setup.seed * 2 + 77) {
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    workers_[w].core = setup.cores[w];
    workers_[w].domain = domain_of(setup.cores[w]);
  }
  outcome.ended.assign(workers_.size(), 0);
}

void Execution::begin(const Phase& phase) {
  phase_ = &phase;
  std::vector<double> on_core(setup_.machine.cores.size(), 0);
  for (const Worker& worker : workers_) on_core[worker.core.index()] += 1;
  for (Worker& worker : workers_) {
    worker.left = false;
    worker.portion = 1 / on_core[worker.core.index()];
  }
}

void Execution::start(std::uint32_t w, TaskIndex task, double clock) {
  workers_[w].task = task;
  workers_[w].state = State::starting;
  const bool found = workload_.script.counts(task);  // not merely gone on with
  agenda_.set(w, clock + (found ? parameters_.costs.dispatch * nanosecond : 0));
}

std::optional<Interval> Execution::step(std::uint32_t w, double now) {
  switch (workers_[w].state) {
    case State::starting:
      begin_task(w, now);
      return std::nullopt;
    case State::migrating:
      flows_.end(w, phase_->measured);
      count_bytes(workers_[w], 1);
      fetch(w, phase_->measured, now);
      return std::nullopt;
    default:
      return end_task(w, now);
  }
}

// --- one task

void Execution::begin_task(std::uint32_t w, double now) {
  Worker& worker = workers_[w];
  worker.started = now;
  worker.noise = noise_factor(noise_, parameters_.noise);
  worker.rest = 1;
  if (!migrate(w, now)) fetch(w, phase_->measured, now);
}

// Moves the task's blocks to the worker's memory; false if they are there, or need not be.
bool Execution::migrate(std::uint32_t w, double now) {
  Worker& worker = workers_[w];
  if (!phase_->migrates && !worker.next_touch) return false;
  worker.traffic = demand_.migrate(worker.task, worker.domain);
  if (worker.traffic.empty()) return false;
  // Every byte is read and written.
  begin_flow(w, 2 * parameters_.migrate_mb_s * 1e6, 1, now);
  worker.state = State::migrating;
  return true;
}

void Execution::fetch(std::uint32_t w, bool measured, double now) {
  Worker& worker = workers_[w];
  worker.traffic = demand_.run(worker.task, worker.domain, measured);
  go_on(w, now);
}

// Does what is left of the task.
void Execution::go_on(std::uint32_t w, double now) {
  Worker& worker = workers_[w];
  const double seconds = workload_.tasks[worker.task].seconds;
  const double factor = worker.noise * worker.rest;
  if (worker.traffic.empty()) {
    worker.state = State::computing;
    agenda_.set(w, now + seconds * factor / worker.portion);
    return;
  }
  const double bytes = bytes_of(worker.traffic);
  const double core = hardware_.core_rate(worker.domain, worker.traffic);
  begin_flow(w,
             workload_.packs ? 1 / (1 / core + seconds / bytes) : std::min(core, bytes / seconds),
             factor, now);
  worker.state = State::moving;
}

void Execution::begin_flow(std::uint32_t w, double cap, double factor, double now) {
  const Worker& worker = workers_[w];
  flows_.begin(w, worker.domain, worker.traffic, factor, {cap, worker.portion}, now);
  agenda_.set(w, Agenda::never);
}

// So much of its traffic has been moved.
void Execution::count_bytes(const Worker& worker, double factor) {
  if (!phase_->measured) return;
  for (const Traffic& part : worker.traffic) {
    const double bytes = (part.read + part.written) * factor;
    (part.home == worker.domain ? outcome_.local_bytes : outcome_.remote_bytes) += bytes;
  }
}

// Stops the task for go_on(); false if the worker has none, or moves pages, which it ends first.
bool Execution::interrupt(std::uint32_t w, double now) {
  Worker& worker = workers_[w];
  if (worker.state == State::computing) {
    const double whole = workload_.tasks[worker.task].seconds * worker.noise;
    const double left = (agenda_.time(w) - now) * worker.portion;
    worker.rest = whole > 0 ? left / whole : 0;
    return true;
  }
  if (worker.state != State::moving) return false;
  const double left = flows_.interrupt(w, phase_->measured, now);
  count_bytes(worker, worker.noise * worker.rest * (1 - left));
  worker.rest *= left;
  return true;
}

Interval Execution::end_task(std::uint32_t w, double now) {
  Worker& worker = workers_[w];
  if (worker.state == State::moving) {
    flows_.end(w, phase_->measured);
    count_bytes(worker, worker.noise * worker.rest);
  }
  worker.state = State::idle;
  outcome_.ended[w] = now;
  const Interval interval{worker.task, WorkerId{std::size_t{w}}, worker.started, now};
  if (setup_.trace != nullptr) setup_.trace->push_back(interval);
  if (phase_->measured) {
    if (workload_.script.counts(worker.task)) ++outcome_.tasks;
    outcome_.busy_seconds += now - worker.started;
  }
  return interval;
}

// --- who shares a core

void Execution::share_core(CoreId core, double now) {
  double sharers = 0;
  for (const Worker& worker : workers_) {
    if (worker.core == core && !worker.left) sharers += 1;
  }
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    Worker& worker = workers_[w];
    if (worker.core != core || worker.left || worker.portion * sharers == 1) continue;
    const bool interrupted = interrupt(w, now);
    worker.portion = 1 / sharers;
    if (interrupted) go_on(w, now);
  }
}

void Execution::leave(std::uint32_t w, double now) {
  workers_[w].left = true;
  share_core(workers_[w].core, now);
}

void Execution::move(std::uint32_t w, CoreId core, bool next_touch, double now) {
  Worker& worker = workers_[w];
  if (worker.left) return;
  const bool interrupted = interrupt(w, now);
  const CoreId from = std::exchange(worker.core, core);
  worker.domain = domain_of(core);
  worker.next_touch = next_touch;
  worker.portion = 1;
  if (interrupted && !migrate(w, now)) fetch(w, false, now);
  share_core(from, now);
  share_core(core, now);
}

void Execution::finish() {
  outcome_.fetched = demand_.fetched();
  const std::vector<double>& used = flows_.used();
  for (std::uint32_t r = 0; r < used.size(); ++r) {
    const double most = hardware_.sharing.capacity(r) * outcome_.seconds;
    outcome_.loads.push_back({hardware_.resource_names()[r], most > 0 ? used[r] / most : 0});
  }
}

}  // namespace lares::simulate
