#include "simulate/execution.hpp"

#include <algorithm>
#include <cmath>

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

double bytes_of(const std::vector<Traffic>& traffic) {
  double bytes = 0;
  for (const Traffic& part : traffic) bytes += part.read + part.written;
  return bytes;
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
  std::vector<double> on_core(setup.machine.cores.size(), 0);
  for (const CoreId core : setup.cores) on_core[core.index()] += 1;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    const CoreId core = setup.cores[w];
    workers_[w].domain = setup.machine.cores[core.index()].domain;
    workers_[w].portion = 1 / on_core[core.index()];
  }
}

void Execution::begin(const Phase& phase) { phase_ = &phase; }

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
      begin_body(w, now);
      return std::nullopt;
    default:
      return end_task(w, now);
  }
}

void Execution::begin_task(std::uint32_t w, double now) {
  workers_[w].started = now;
  if (!phase_->migrates || !migrate(w, now)) begin_body(w, now);
}

// Moves the task's blocks to the worker's memory; false if they are there.
bool Execution::migrate(std::uint32_t w, double now) {
  Worker& worker = workers_[w];
  const std::vector<Traffic>& traffic = demand_.migrate(worker.task, worker.domain);
  if (traffic.empty()) return false;
  // Every byte is read and written.
  begin_flow(w, traffic, 2 * parameters_.migrate_mb_s * 1e6, 1, now);
  worker.state = State::migrating;
  return true;
}

void Execution::begin_body(std::uint32_t w, double now) {
  Worker& worker = workers_[w];
  const double noise = noise_factor(noise_, parameters_.noise);
  const std::vector<Traffic>& traffic = demand_.run(worker.task, worker.domain, phase_->measured);
  const double seconds = workload_.tasks[worker.task].seconds;
  if (traffic.empty()) {
    worker.state = State::computing;
    agenda_.set(w, now + seconds * noise / worker.portion);
    return;
  }
  const double bytes = bytes_of(traffic);
  const double core = hardware_.core_rate(worker.domain, traffic);
  begin_flow(w, traffic,
             workload_.packs ? 1 / (1 / core + seconds / bytes) : std::min(core, bytes / seconds),
             noise, now);
  worker.state = State::moving;
}

void Execution::begin_flow(std::uint32_t w, const std::vector<Traffic>& traffic, double cap,
                           double noise, double now) {
  const Worker& worker = workers_[w];
  for (const Traffic& part : traffic) {
    if (!phase_->measured) break;
    const double bytes = (part.read + part.written) * noise;
    (part.home == worker.domain ? outcome_.local_bytes : outcome_.remote_bytes) += bytes;
  }
  flows_.begin(w, worker.domain, traffic, noise, {cap, worker.portion}, now);
  agenda_.set(w, Agenda::never);
}

Interval Execution::end_task(std::uint32_t w, double now) {
  Worker& worker = workers_[w];
  if (worker.state == State::moving) flows_.end(w, phase_->measured);
  worker.state = State::idle;
  const Interval interval{worker.task, WorkerId{std::size_t{w}}, worker.started, now};
  if (setup_.trace != nullptr) setup_.trace->push_back(interval);
  if (phase_->measured) {
    if (workload_.script.counts(worker.task)) ++outcome_.tasks;
    outcome_.busy_seconds += now - worker.started;
  }
  return interval;
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
