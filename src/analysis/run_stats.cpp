#include "analysis/run_stats.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lares::analysis {
namespace {

/// Lists stay short (a few runtimes, a few sentences), so a linear search will do.
void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

void add_process(RunStats& run, const ProcessStats& process) {
  run.counts += process.counts;
  run.threads = std::max(run.threads, process.threads);
  run.regions += process.regions;
  run.running_ns += process.running_ns;
  run.waiting_ns += process.waiting_ns;
  run.wall = std::max(run.wall, process.wall);
  const double share = fraction(static_cast<double>(process.busiest_operations),
                                static_cast<double>(process.counts.queue_operations));
  run.busiest_share = std::max(run.busiest_share, share);
  add_once(run.runtimes, process.runtime);
}

}  // namespace

Shares& Shares::operator+=(const Shares& other) noexcept {
  local += other.local;
  same_domain += other.same_domain;
  remote += other.remote;
  return *this;
}

Shares operator+(Shares a, const Shares& b) noexcept { return a += b; }

double fraction(double part, double whole) noexcept { return whole > 0 ? part / whole : 0; }

std::uint64_t Counts::stolen() const noexcept {
  return std::accumulate(steals.begin(), steals.end(), std::uint64_t{0});
}

std::uint64_t Counts::loop_ranges_stolen() const noexcept {
  return std::accumulate(loop_steals.begin(), loop_steals.end(), std::uint64_t{0});
}

double Counts::loop_imbalance() const noexcept { return fraction(loop_span_ns, loop_ns); }

Counts& Counts::operator+=(const Counts& other) noexcept {
  creator_tasks += other.creator_tasks;
  data_tasks += other.data_tasks;
  data_bytes += other.data_bytes;
  inlined += other.inlined;
  for (std::size_t rank = 0; rank < steals.size(); ++rank) steals[rank] += other.steals[rank];
  failed_rounds += other.failed_rounds;
  loops += other.loops;
  loop_iterations += other.loop_iterations;
  for (std::size_t i = 0; i < loop_steals.size(); ++i) loop_steals[i] += other.loop_steals[i];
  bubbles += other.bubbles;
  bubble_shakes += other.bubble_shakes;
  bubble_seen += other.bubble_seen;
  bubble_steals += other.bubble_steals;
  bubble_data += other.bubble_data;
  loop_ns += other.loop_ns;
  loop_wait_ns += other.loop_wait_ns;
  loop_span_ns += other.loop_span_ns;
  queue_operations += other.queue_operations;
  queueing_ns += other.queueing_ns;
  thread_time_ns += other.thread_time_ns;
  return *this;
}

bool ProcessStats::used_openmp() const noexcept {
  return regions > 0 || counts.tasks().total() > 0;
}

double RunStats::queueing_share() const noexcept {
  return std::min(1.0, fraction(counts.queueing_ns, counts.thread_time_ns));
}

double RunStats::waiting_share() const noexcept {
  const auto waiting = static_cast<double>(waiting_ns);
  return fraction(waiting, static_cast<double>(running_ns) + waiting);
}

double RunStats::operation_ns() const noexcept {
  return fraction(counts.queueing_ns, static_cast<double>(counts.queue_operations));
}

RunStats merge(std::vector<ProcessStats> processes) {
  std::sort(processes.begin(), processes.end(),
            [](const ProcessStats& a, const ProcessStats& b) { return a.pid < b.pid; });
  RunStats run;
  for (ProcessStats& process : processes) {
    for (const std::string& note : process.notes) add_once(run.notes, note);
    if (!process.used_openmp()) continue;
    add_process(run, process);
    run.processes.push_back(std::move(process));
  }
  return run;
}

}  // namespace lares::analysis
